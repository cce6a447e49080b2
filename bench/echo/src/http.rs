//! Reading HTTP/1.1 messages from a socket: enough for both ends of a loopback
//! benchmark, with a limit on everything the other side decides.

use crate::scan::find;
use std::io::{self, Read};

const MAX_HEAD: usize = 64 * 1024;
const MAX_BODY: usize = 64 * 1024 * 1024;

/// A message's first line and the headers that matter here.
#[derive(Debug, Default)]
pub struct Head {
    pub first_line: String,
    pub session: Option<String>,
    pub authorization: Option<String>,
    pub keep_alive: bool,
    pub event_stream: bool,
    length: usize,
    chunked: bool,
    expects_continue: bool,
}

impl Head {
    /// Whether the request has `Expect: 100-continue`: the body only follows a 100.
    pub fn expects_continue(&self) -> bool {
        self.expects_continue
    }
}

/// Messages arriving on one connection. Bytes read ahead stay for the next message.
pub struct Incoming<R> {
    from: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl<R: Read> Incoming<R> {
    pub fn new(from: R) -> Self {
        Self {
            from,
            buffer: vec![0; 64 * 1024],
            start: 0,
            end: 0,
        }
    }

    /// The next head; `None` when the other side closed between two messages.
    pub fn head(&mut self) -> io::Result<Option<Head>> {
        let mut searched = 0;
        loop {
            let have = &self.buffer[self.start..self.end];
            if let Some(at) = find(&have[searched..], b"\r\n\r\n") {
                let head = parse(&have[..searched + at])?;
                self.start += searched + at + 4;
                return Ok(Some(head));
            }
            if have.len() >= MAX_HEAD {
                return Err(bad("head too long"));
            }
            // The separator may lie across two reads.
            searched = have.len().saturating_sub(3);
            if self.fill()? == 0 {
                let clean = self.start == self.end;
                return if clean { Ok(None) } else { Err(closed()) };
            }
        }
    }

    /// The body that belongs to `head`, into `body` (replaced).
    pub fn body(&mut self, head: &Head, body: &mut Vec<u8>) -> io::Result<()> {
        self.body_watched(head, body, |_| ())
    }

    /// The same; `watch` sees what has come so far after every chunk of a chunked body.
    pub fn body_watched(
        &mut self,
        head: &Head,
        body: &mut Vec<u8>,
        mut watch: impl FnMut(&[u8]),
    ) -> io::Result<()> {
        body.clear();
        if !head.chunked {
            return self.take(head.length, body);
        }
        loop {
            let line = self.line()?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(size, 16).map_err(|_| bad("chunk size"))?;
            if size == 0 {
                while !self.line()?.is_empty() {}
                return Ok(());
            }
            self.take(size, body)?;
            if !self.line()?.is_empty() {
                return Err(bad("chunk end"));
            }
            watch(body);
        }
    }

    fn take(&mut self, length: usize, body: &mut Vec<u8>) -> io::Result<()> {
        let old = body.len();
        if length > MAX_BODY - old.min(MAX_BODY) {
            return Err(bad("body too long"));
        }
        let ahead = length.min(self.end - self.start);
        body.extend_from_slice(&self.buffer[self.start..self.start + ahead]);
        self.start += ahead;
        // The rest straight into place: no second copy for a large body.
        body.resize(old + length, 0);
        self.from.read_exact(&mut body[old + ahead..])
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        loop {
            if self.start == self.end && self.fill()? == 0 {
                return Err(closed());
            }
            let byte = self.buffer[self.start];
            self.start += 1;
            match byte {
                b'\n' => return Ok(String::from_utf8_lossy(&line).trim_end().to_owned()),
                _ if line.len() > 1024 => return Err(bad("line too long")),
                _ => line.push(byte),
            }
        }
    }

    fn fill(&mut self) -> io::Result<usize> {
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
        } else if self.end == self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            return Err(bad("head too long"));
        }
        let read = self.from.read(&mut self.buffer[self.end..])?;
        self.end += read;
        Ok(read)
    }
}

fn parse(head: &[u8]) -> io::Result<Head> {
    let text = std::str::from_utf8(head).map_err(|_| bad("head is not UTF-8"))?;
    let mut lines = text.split("\r\n");
    let first_line = lines.next().unwrap_or_default().to_owned();
    let keep_alive = first_line.contains("HTTP/1.1");
    let mut out = Head {
        first_line,
        keep_alive,
        ..Head::default()
    };
    for line in lines {
        let Some((name, value)) = line.split_once(':') else {
            return Err(bad("header line"));
        };
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            out.length = value.parse().map_err(|_| bad("content-length"))?;
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            out.chunked = value.eq_ignore_ascii_case("chunked");
        } else if name.eq_ignore_ascii_case("connection") {
            out.keep_alive &= !value.eq_ignore_ascii_case("close");
        } else if name.eq_ignore_ascii_case("expect") {
            out.expects_continue = value.eq_ignore_ascii_case("100-continue");
        } else if name.eq_ignore_ascii_case("mcp-session-id") {
            out.session = Some(value.to_owned());
        } else if name.eq_ignore_ascii_case("authorization") {
            out.authorization = Some(value.to_owned());
        } else if name.eq_ignore_ascii_case("content-type") {
            out.event_stream = value.starts_with("text/event-stream");
        }
    }
    Ok(out)
}

fn bad(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("not HTTP we understand: {what}"),
    )
}

fn closed() -> io::Error {
    io::Error::new(
        io::ErrorKind::UnexpectedEof,
        "closed in the middle of a message",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte per read: every border is a chunk border.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let n = self.0.len().min(to.len()).min(1);
            to[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    #[test]
    fn two_messages_one_byte_at_a_time() -> io::Result<()> {
        let text = b"POST / HTTP/1.1\r\ncontent-LENGTH: 3\r\n\r\nabc\
            POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n\
            2\r\nde\r\n1;x=y\r\nf\r\n0\r\n\r\n";
        let mut incoming = Incoming::new(Drip(text));
        let mut body = Vec::new();
        let head = incoming.head()?.ok_or_else(closed)?;
        incoming.body(&head, &mut body)?;
        assert_eq!((body.as_slice(), head.keep_alive), (&b"abc"[..], true));
        let head = incoming.head()?.ok_or_else(closed)?;
        incoming.body(&head, &mut body)?;
        assert_eq!((body.as_slice(), head.keep_alive), (&b"def"[..], false));
        assert!(incoming.head()?.is_none());
        Ok(())
    }
}
