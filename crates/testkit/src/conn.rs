//! The server's end of one connection, with direct access to the socket.

use std::io::{self, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use crate::request::{self, Request};
use crate::state::Shared;

/// How a response stream stops before its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Properly: the last chunk is sent, only the answer is missing.
    End,
    /// The sending half is closed in the middle of a chunk.
    Half,
    /// Resets the connection; the client may lose unread data.
    Reset,
}

/// One accepted connection, as a test's own handler sees it.
pub struct Conn {
    reader: BufReader<Half>,
    socket: Arc<TcpStream>,
    shared: Arc<Shared>,
}

impl Conn {
    pub(crate) fn new(socket: Arc<TcpStream>, shared: Arc<Shared>) -> Self {
        Self {
            reader: BufReader::new(Half(Arc::clone(&socket))),
            socket,
            shared,
        }
    }

    /// A whole response with a `Content-Length`.
    pub fn reply(&mut self, status: u16, headers: &[(&str, &str)], body: &str) -> io::Result<()> {
        let mut head = head(status, headers);
        head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        self.write(head.as_bytes())?;
        self.write(body.as_bytes())
    }

    /// A whole JSON response.
    pub fn json(&mut self, status: u16, body: &str) -> io::Result<()> {
        self.reply(status, &[("Content-Type", "application/json")], body)
    }

    /// The head of a `text/event-stream` response; [`Conn::chunk`] and [`Conn::end`] follow.
    pub fn start_sse(&mut self, headers: &[(&str, &str)]) -> io::Result<()> {
        let mut head = head(200, headers);
        head.push_str("Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
        self.write(head.as_bytes())
    }

    /// One chunk of a streamed body.
    pub fn chunk(&mut self, text: &str) -> io::Result<()> {
        let step = self.shared.config.dribble.unwrap_or(usize::MAX);
        for piece in text.as_bytes().chunks(step) {
            let mut framed = format!("{:x}\r\n", piece.len()).into_bytes();
            framed.extend_from_slice(piece);
            framed.extend_from_slice(b"\r\n");
            (&*self.socket).write_all(&framed)?;
        }
        Ok(())
    }

    /// The chunk that ends a streamed body.
    pub fn end(&mut self) -> io::Result<()> {
        self.write(b"0\r\n\r\n")
    }

    /// Any bytes at all.
    pub fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write(bytes)
    }

    /// Breaks a streamed response in the given way.
    pub fn cut(&mut self, how: Cut) {
        // The peer may have closed already; then there is nothing to break.
        let _ = match how {
            Cut::End => self.end(),
            Cut::Half => self
                .write(b"ff\r\ndata: {\"jsonrpc\"")
                .and_then(|()| self.socket.shutdown(Shutdown::Write)),
            Cut::Reset => self.reset(),
        };
    }

    /// Sends a message on the standalone stream of every session, as [`crate::Server::push`] does.
    pub fn push(&self, text: &str) {
        self.shared.with(|state| state.push_to_all(text));
    }

    /// Waits until the test opens a gate; `false` when the server stops or the client leaves.
    pub fn wait_for_gate(&mut self, name: &str) -> bool {
        let shared = Arc::clone(&self.shared);
        shared
            .until(
                || self.gone(),
                |state| state.gates.contains(name).then_some(()),
            )
            .is_some()
    }

    /// Waits until the client has closed the connection or the server stops.
    pub fn wait_until_gone(&mut self) {
        let shared = Arc::clone(&self.shared);
        shared.until(|| self.gone(), |_| None::<()>);
    }

    pub(crate) fn read_request(&mut self) -> io::Result<Option<Request>> {
        self.socket.set_read_timeout(None)?;
        request::read(&mut self.reader)
    }

    /// Whether the client has closed its end. No other thread may read this socket meanwhile.
    pub(crate) fn gone(&self) -> bool {
        if self
            .socket
            .set_read_timeout(Some(Duration::from_millis(1)))
            .is_err()
        {
            return true;
        }
        match self.socket.peek(&mut [0]) {
            Ok(count) => count == 0,
            Err(error) => !matches!(
                error.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
            ),
        }
    }

    fn reset(&mut self) -> io::Result<()> {
        #[cfg(unix)]
        rustix::net::sockopt::set_socket_linger(&*self.socket, Some(Duration::ZERO))?;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        (&*self.socket).write_all(bytes)
    }
}

/// The reading half; dropped together with the rest, or a reset would never be sent.
struct Half(Arc<TcpStream>);

impl Read for Half {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        (&*self.0).read(into)
    }
}

fn head(status: u16, headers: &[(&str, &str)]) -> String {
    let mut head = format!("HTTP/1.1 {status} {}\r\n", reason(status));
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        500 => "Internal Server Error",
        _ => "Status",
    }
}
