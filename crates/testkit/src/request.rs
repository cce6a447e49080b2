//! A minimal HTTP/1.1 parser for requests.

use std::io::{self, BufRead, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::message::Message;

/// A received HTTP request.
#[derive(Debug)]
pub struct Request {
    /// `POST`, `GET`, …
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Header names and values in the order they came.
    pub headers: Vec<(String, String)>,
    /// The body, chunks joined.
    pub body: Vec<u8>,
    /// The JSON-RPC message in the body, if it is one.
    pub message: Option<Message>,
    /// When the whole request had been read.
    pub at: Instant,
    pub(crate) left: AtomicBool,
}

impl Request {
    /// The first header of that name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, v)| v.as_str())
    }

    /// The path without the query.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// One query parameter (not percent-decoded).
    pub fn query(&self, name: &str) -> Option<&str> {
        let query = self.target.split_once('?')?.1;
        query
            .split('&')
            .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The JSON-RPC method in the body.
    pub fn rpc(&self) -> Option<&str> {
        self.message.as_ref()?.method.as_deref()
    }

    /// The tool that the body calls.
    pub fn tool(&self) -> Option<String> {
        self.message.as_ref()?.tool()
    }

    /// Whether the client disconnected before the response was complete.
    pub fn client_left(&self) -> bool {
        self.left.load(Ordering::SeqCst)
    }

    /// One line for failure messages.
    pub(crate) fn summary(&self) -> String {
        let body: String = self.text().chars().take(200).collect();
        format!("{} {} {body}", self.method, self.target)
    }
}

/// Reads one request; `None` when the client closed between requests.
pub(crate) fn read(from: &mut impl BufRead) -> io::Result<Option<Request>> {
    let first = line(from)?;
    if first.is_empty() {
        return Ok(None);
    }
    let mut words = first.split(' ');
    let (method, target) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    let (method, target) = (method.to_owned(), target.to_owned());
    let mut headers = Vec::new();
    loop {
        let line = line(from)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or(io::ErrorKind::InvalidData)?;
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let mut request = Request {
        method,
        target,
        headers,
        body: Vec::new(),
        message: None,
        at: Instant::now(),
        left: AtomicBool::new(false),
    };
    request.body = body(from, &request)?;
    request.at = Instant::now();
    request.message = std::str::from_utf8(&request.body)
        .ok()
        .and_then(Message::parse);
    Ok(Some(request))
}

fn body(from: &mut impl BufRead, request: &Request) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    if request
        .header("transfer-encoding")
        .is_some_and(|v| v.eq_ignore_ascii_case("chunked"))
    {
        loop {
            let size = line(from)?;
            let size = size.split(';').next().unwrap_or_default();
            let size = u64::from_str_radix(size, 16).map_err(|_| io::ErrorKind::InvalidData)?;
            exactly(from, size, &mut body)?;
            line(from)?;
            if size == 0 {
                return Ok(body);
            }
        }
    }
    let length = request.header("content-length").map_or(Ok(0), str::parse);
    exactly(
        from,
        length.map_err(|_| io::ErrorKind::InvalidData)?,
        &mut body,
    )?;
    Ok(body)
}

fn exactly(from: &mut impl BufRead, size: u64, into: &mut Vec<u8>) -> io::Result<()> {
    let read = from.take(size).read_to_end(into)?;
    if (read as u64) < size {
        Err(io::ErrorKind::UnexpectedEof.into())
    } else {
        Ok(())
    }
}

fn line(from: &mut impl BufRead) -> io::Result<String> {
    let mut line = Vec::new();
    from.read_until(b'\n', &mut line)?;
    let text = String::from_utf8_lossy(&line);
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunked_body_is_joined() {
        let text = "POST /messages?sessionId=a1&x=2 HTTP/1.1\r\nTransfer-Encoding: chunked\r\nX-A:  b \r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
        let request = read(&mut text.as_bytes()).unwrap().unwrap();
        assert_eq!(request.text(), "abcde");
        assert_eq!(
            (request.path(), request.query("sessionId")),
            ("/messages", Some("a1"))
        );
        assert_eq!(request.header("x-a"), Some("b"));
    }

    #[test]
    fn a_torn_body_is_an_error_and_a_closed_connection_is_not() {
        let torn = "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nab";
        assert!(read(&mut torn.as_bytes()).is_err());
        assert!(read(&mut &b""[..]).unwrap().is_none());
    }
}
