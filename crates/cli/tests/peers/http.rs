//! Just enough HTTP/1.1 to talk to a server on this machine without any library between.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

pub struct Response {
    pub status: u16,
    headers: HashMap<String, String>,
    body: BufReader<TcpStream>,
}

/// Sends one request on a connection of its own and reads the answer's head.
pub fn request(
    to: SocketAddr,
    line: &str,
    headers: &[(&str, &str)],
    body: Option<&str>,
) -> Response {
    let mut stream = TcpStream::connect(to).expect("the server accepts connections");
    stream
        .set_read_timeout(Some(LIMIT))
        .expect("a limit above zero is taken");
    let mut text = format!("{line} HTTP/1.1\r\nHost: {to}\r\nConnection: close\r\n");
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    if let Some(body) = body {
        text += &format!(
            "Content-Type: application/json\r\nContent-Length: {}\r\n",
            body.len()
        );
    }
    text += "\r\n";
    text += body.unwrap_or_default();
    stream
        .write_all(text.as_bytes())
        .expect("the server reads the request");
    Response::read(BufReader::new(stream))
}

impl Response {
    fn read(mut body: BufReader<TcpStream>) -> Self {
        let head = line(&mut body);
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        let mut headers = HashMap::new();
        loop {
            let header = line(&mut body);
            let Some((name, value)) = header.split_once(':') else {
                break;
            };
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        Self {
            status: status.expect("a status line has a status"),
            headers,
            body,
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    pub fn is_event_stream(&self) -> bool {
        self.header("content-type")
            .is_some_and(|kind| kind.starts_with("text/event-stream"))
    }

    /// The body, without its framing.
    pub fn into_body(self) -> Box<dyn Read + Send> {
        let length = self
            .header("content-length")
            .and_then(|length| length.parse().ok());
        if self.header("transfer-encoding") == Some("chunked") {
            Box::new(Chunked {
                from: self.body,
                left: 0,
                over: false,
            })
        } else if let Some(length) = length {
            Box::new(self.body.take(length))
        } else {
            Box::new(self.body)
        }
    }
}

struct Chunked {
    from: BufReader<TcpStream>,
    left: usize,
    over: bool,
}

impl Read for Chunked {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.left == 0 && !self.over {
            let size = line(&mut self.from);
            // An empty line means that the connection was cut: no more chunks either.
            self.left = usize::from_str_radix(&size, 16).unwrap_or(0);
            self.over = self.left == 0;
        }
        if self.over {
            return Ok(0);
        }
        let most = into.len().min(self.left);
        let length = self.from.read(&mut into[..most])?;
        self.left -= length;
        self.over = length == 0;
        if self.left == 0 {
            line(&mut self.from);
        }
        Ok(length)
    }
}

fn line(from: &mut impl BufRead) -> String {
    let mut line = String::new();
    // A connection that ends or is too slow gives an empty line.
    let _ = from.read_line(&mut line);
    line.trim_end().to_owned()
}
