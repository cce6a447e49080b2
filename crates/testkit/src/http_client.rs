//! A raw HTTP/1.1 client: the test decides every byte that is sent, and when.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use crate::LIMIT;
use crate::http_body::{Body, Framing};

/// A request: its first line, its headers in their order, its body.
#[derive(Clone, Debug)]
#[must_use]
pub struct Ask {
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// The head of a response.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// The headers in their order.
    pub headers: Vec<(String, String)>,
}

/// One connection.
pub struct Http {
    stream: TcpStream,
    unread: Vec<u8>,
    body: Body,
}

impl Ask {
    /// A request without headers.
    pub fn new(method: &str, path: &str) -> Self {
        Self {
            line: format!("{method} {path} HTTP/1.1"),
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    /// Adds a header, even if there is one of that name.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Removes the headers of that name.
    pub fn without(mut self, name: &str) -> Self {
        self.headers
            .retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    /// Replaces a header.
    pub fn with(self, name: &str, value: &str) -> Self {
        self.without(name).header(name, value)
    }

    /// Sets the body; its length is declared when it is sent, unless the test has set a framing header.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// The head as it is sent.
    pub fn head(&self) -> Vec<u8> {
        let mut head = format!("{}\r\n", self.line);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let framed = |(name, _): &(String, String)| {
            ["content-length", "transfer-encoding"].contains(&name.to_lowercase().as_str())
        };
        if !self.body.is_empty() && !self.headers.iter().any(framed) {
            head.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        head.push_str("\r\n");
        head.into_bytes()
    }
}

impl Reply {
    /// The first header of that name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter();
        found
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Whether the body is an event stream.
    pub fn is_stream(&self) -> bool {
        self.is("text/event-stream")
    }

    /// Whether the body is JSON.
    pub fn is_json(&self) -> bool {
        self.is("application/json")
    }

    fn is(&self, kind: &str) -> bool {
        self.header("content-type")
            .is_some_and(|value| value.split(';').next().map(str::trim) == Some(kind))
    }
}

impl Http {
    /// Connects.
    ///
    /// # Panics
    /// If no server listens there.
    pub fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("a server listens there");
        // Small pieces are sent as small pieces: how a peer is cut off is what some tests are about.
        let _ = stream.set_nodelay(true);
        let mut http = Self {
            stream,
            unread: Vec::new(),
            body: Body::new(Framing::Empty),
        };
        http.set_limit(LIMIT);
        http
    }

    /// Allows each wait that long from now on.
    pub fn set_limit(&mut self, limit: Duration) {
        let set = self.stream.set_read_timeout(Some(limit));
        set.expect("a limit is never zero");
    }

    /// Sends a request.
    pub fn send(&mut self, ask: &Ask) {
        self.bytes(&ask.head());
        self.bytes(&ask.body);
    }

    /// Sends any bytes. A closed connection is noticed by the next read.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let _ = self.try_bytes(bytes);
    }

    /// Sends any bytes; `false`: the peer has closed the connection.
    pub fn try_bytes(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// Waits for the head of the next response.
    ///
    /// # Panics
    /// When the connection ends before it.
    pub fn reply(&mut self) -> Reply {
        self.try_reply()
            .unwrap_or_else(|| panic!("the connection ended before the head of an answer"))
    }

    /// Waits for the head of the next answer; `None`: the connection ended instead.
    pub fn try_reply(&mut self) -> Option<Reply> {
        loop {
            if let Some(end) = find(&self.unread, b"\r\n\r\n") {
                let head: Vec<u8> = self.unread.drain(..end + 4).collect();
                let reply = parse(&head);
                if reply.status >= 200 {
                    self.body = Body::new(Framing::of(&reply));
                    return Some(reply);
                }
            } else if !self.read() {
                return None;
            }
        }
    }

    /// Waits for the next piece of the body; `None`: it is complete.
    ///
    /// # Panics
    /// When the connection ends before the end of the body.
    pub fn piece(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(piece) = self.body.take(&mut self.unread) {
                return Some(piece);
            }
            if self.body.is_complete() {
                return None;
            }
            if !self.read() {
                let whole = self.body.ends_with_the_connection();
                assert!(whole, "the connection ended in the middle of a body");
                return None;
            }
        }
    }

    /// As [`Http::piece`], but a connection that breaks is an end like any other.
    pub fn try_piece(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(piece) = self.body.take(&mut self.unread) {
                return Some(piece);
            }
            if self.body.is_complete() || !self.read() {
                return None;
            }
        }
    }

    /// Waits for the rest of the body.
    pub fn text(&mut self) -> String {
        let mut bytes = Vec::new();
        while let Some(piece) = self.piece() {
            bytes.extend(piece);
        }
        String::from_utf8(bytes).expect("bodies here are UTF-8")
    }

    /// Waits until the peer has closed the connection; returns the text before that.
    pub fn wait_until_closed(&mut self) -> String {
        while self.read() {}
        String::from_utf8_lossy(&self.unread).into_owned()
    }

    /// Closes the sending side of the connection.
    pub fn end_sending(&self) {
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    /// Closes the connection with a reset, as a host does after a power failure.
    #[cfg(unix)]
    pub fn reset(self) {
        let linger = Some(Duration::ZERO);
        let _ = rustix::net::sockopt::set_socket_linger(&self.stream, linger);
    }

    fn read(&mut self) -> bool {
        let mut buffer = [0; 64 * 1024];
        match self.stream.read(&mut buffer) {
            Ok(0) => false,
            Ok(count) => {
                self.unread.extend_from_slice(&buffer[..count]);
                true
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => true,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                panic!("nothing came in time; unread: {:?}", clip(&self.unread))
            }
            Err(_) => false,
        }
    }
}

fn parse(head: &[u8]) -> Reply {
    let head = String::from_utf8_lossy(head);
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1));
    let status = status.and_then(|code| code.parse().ok());
    let header = |line: &str| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_owned(), value.trim().to_owned()))
    };
    Reply {
        status: status.unwrap_or_else(|| panic!("not an HTTP answer: {head:?}")),
        headers: lines.filter_map(header).collect(),
    }
}

pub(crate) fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    // Byte by byte and without a copy: the fastest that a debug build does on its own.
    let (first, last) = (*what.first()?, bytes.len().checked_sub(what.len())?);
    let mut at = 0;
    while at <= last {
        at += bytes[at..=last].iter().position(|byte| *byte == first)?;
        if bytes[at..].starts_with(what) {
            return Some(at);
        }
        at += 1;
    }
    None
}

fn clip(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(400)]).into_owned()
}
