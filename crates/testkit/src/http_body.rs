//! Finds the end of a response body.

use crate::http_client::{Reply, find};

/// How a body is delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    Empty,
    Length(usize),
    Chunked,
    UntilClose,
}

impl Framing {
    pub fn of(reply: &Reply) -> Self {
        let chunked = reply
            .header("transfer-encoding")
            .is_some_and(|value| value.eq_ignore_ascii_case("chunked"));
        let length = reply.header("content-length").and_then(|n| n.parse().ok());
        match (reply.status, length) {
            (204 | 304, _) => Self::Empty,
            _ if chunked => Self::Chunked,
            (_, Some(length)) => Self::Length(length),
            _ => Self::UntilClose,
        }
    }
}

/// A body being read.
pub(crate) struct Body {
    framing: Framing,
    /// The remaining bytes of the body, or of the chunk.
    left: usize,
    complete: bool,
}

impl Body {
    pub fn new(framing: Framing) -> Self {
        let left = if let Framing::Length(left) = framing {
            left
        } else {
            0
        };
        Self {
            framing,
            left,
            complete: framing == Framing::Empty || framing == Framing::Length(0),
        }
    }

    pub fn is_complete(&self) -> bool {
        self.complete
    }

    pub fn ends_with_the_connection(&self) -> bool {
        self.framing == Framing::UntilClose
    }

    /// Takes the available part; `None`: more has to be read first, or the body is complete.
    pub fn take(&mut self, unread: &mut Vec<u8>) -> Option<Vec<u8>> {
        if self.complete {
            return None;
        }
        if self.framing == Framing::Chunked && self.left == 0 && !self.next_chunk(unread) {
            return None;
        }
        let whole = self.framing == Framing::UntilClose;
        let count = if whole {
            unread.len()
        } else {
            self.left.min(unread.len())
        };
        if count == 0 {
            return None;
        }
        let piece = unread.drain(..count).collect();
        if !whole {
            self.left -= count;
        }
        self.complete = matches!(self.framing, Framing::Length(_)) && self.left == 0;
        Some(piece)
    }

    /// Reads the size of the next chunk, after the end of the previous one.
    fn next_chunk(&mut self, unread: &mut Vec<u8>) -> bool {
        if unread.starts_with(b"\r\n") {
            unread.drain(..2);
        }
        let Some(end) = find(unread, b"\r\n") else {
            return false;
        };
        let line = String::from_utf8_lossy(&unread[..end]).into_owned();
        let size = usize::from_str_radix(line.split(';').next().unwrap_or_default().trim(), 16);
        let size = size.unwrap_or_else(|_| panic!("not the size of a chunk: {line:?}"));
        if size == 0 && unread.len() < end + 4 {
            return false;
        }
        unread.drain(..if size == 0 { end + 4 } else { end + 2 });
        self.complete = size == 0;
        self.left = size;
        size > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunked_body_ends_at_its_last_chunk_in_any_pieces() {
        let whole = b"5\r\nhello\r\n1;x=y\r\n!\r\n0\r\n\r\nHTTP/1.1 200 OK";
        let (mut body, mut unread, mut text) =
            (Body::new(Framing::Chunked), Vec::new(), Vec::new());
        for byte in whole {
            unread.push(*byte);
            text.extend(body.take(&mut unread).unwrap_or_default());
        }
        assert_eq!(text, b"hello!");
        assert!(body.is_complete());
        assert_eq!(
            unread, b"HTTP/1.1 200 OK",
            "what comes next is another answer's"
        );
    }

    #[test]
    fn a_body_of_known_length_ends_there() {
        let mut body = Body::new(Framing::Length(3));
        let mut unread = b"abcd".to_vec();
        assert_eq!(body.take(&mut unread).as_deref(), Some(&b"abc"[..]));
        assert!(body.is_complete() && !body.ends_with_the_connection());
        assert_eq!(unread, b"d");
    }
}
