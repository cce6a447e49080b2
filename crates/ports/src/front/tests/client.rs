//! A small HTTP client that sees every byte.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

#[derive(Clone, Copy)]
pub(super) struct Client(pub(super) SocketAddr);

/// A response whose body may be incomplete.
pub(super) struct Reply {
    pub(super) status: u16,
    head: String,
    rest: Vec<u8>,
    stream: TcpStream,
    /// Decoded text of events that are not taken yet.
    events: String,
}

pub(super) const BOTH: &str = "accept: application/json, text/event-stream";

impl Client {
    pub(super) async fn send(&self, line: &str, headers: &[&str], body: &str) -> Reply {
        let mut text = format!("{line} HTTP/1.1\r\n");
        if !headers.iter().any(|h| h.starts_with("host")) {
            text += &format!("host: {}\r\n", self.0);
        }
        for header in headers {
            text += &format!("{header}\r\n");
        }
        text += &format!("content-length: {}\r\n\r\n{body}", body.len());
        self.raw(&text).await
    }

    pub(super) async fn raw(&self, text: &str) -> Reply {
        let mut stream = TcpStream::connect(self.0).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        Reply::read(stream).await
    }

    /// Whether the server then closes the connection without sending data.
    pub(super) async fn hangs_up_on(&self, text: &str) -> bool {
        let mut stream = TcpStream::connect(self.0).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        !more(&mut stream, &mut Vec::new()).await
    }

    pub(super) async fn post(&self, headers: &[&str], body: &str) -> Reply {
        let mut all = vec!["content-type: application/json", BOTH];
        all.extend_from_slice(headers);
        self.send("POST /mcp", &all, body).await
    }

    /// Begins a session; returns its header.
    pub(super) async fn begin(&self, version: &str) -> String {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}"}}}}"#
        );
        let reply = self.post(&[], &body).await;
        assert_eq!(reply.status, 200);
        format!(
            "mcp-session-id: {}",
            reply.header("mcp-session-id").unwrap()
        )
    }

    pub(super) async fn listen(&self, session: &str, more: &[&str]) -> Reply {
        let mut all = vec![session, "accept: text/event-stream"];
        all.extend_from_slice(more);
        self.send("GET /mcp", &all, "").await
    }
}

impl Reply {
    pub(super) async fn read(mut stream: TcpStream) -> Self {
        let mut seen = Vec::new();
        let end = loop {
            if let Some(at) = seen.windows(4).position(|w| w == b"\r\n\r\n") {
                break at;
            }
            assert!(more(&mut stream, &mut seen).await, "no head: {seen:?}");
        };
        let rest = seen.split_off(end + 4);
        let head = String::from_utf8(seen).unwrap().to_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self {
            status,
            head,
            rest,
            stream,
            events: String::new(),
        }
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines();
        lines
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
            .map(str::trim)
    }

    pub(super) fn is_stream(&self) -> bool {
        self.header("content-type") == Some("text/event-stream")
    }

    /// Reads a body of known length.
    pub(super) async fn text(mut self) -> String {
        let length = self
            .header("content-length")
            .unwrap_or("0")
            .parse()
            .unwrap();
        while self.rest.len() < length {
            assert!(more(&mut self.stream, &mut self.rest).await, "torn body");
        }
        String::from_utf8(self.rest).unwrap()
    }

    /// The connection, after a body of known length has been read.
    pub(super) async fn drained(mut self) -> TcpStream {
        let length: usize = self.header("content-length").unwrap().parse().unwrap();
        while self.rest.len() < length {
            assert!(more(&mut self.stream, &mut self.rest).await, "torn body");
        }
        self.stream
    }

    /// The code of the JSON-RPC error in the body.
    pub(super) async fn code(self) -> i64 {
        let text = self.text().await;
        let error = linkspan_wire::Message::parse(text.into()).unwrap();
        error.body().unwrap().get("code").unwrap().as_i64().unwrap()
    }

    /// The next event, comments left out; `None` when the stream has ended.
    pub(super) async fn event(&mut self) -> Option<String> {
        loop {
            if let Some((event, rest)) = self.events.split_once("\n\n") {
                let event = event.to_owned();
                self.events = rest.to_owned();
                if event.starts_with(':') {
                    continue;
                }
                return Some(event);
            }
            let chunk = self.chunk().await;
            if chunk.is_empty() {
                return None;
            }
            self.events += &chunk;
        }
    }

    async fn chunk(&mut self) -> String {
        loop {
            if let Some(line) = self.rest.windows(2).position(|w| w == b"\r\n") {
                let size = std::str::from_utf8(&self.rest[..line]).unwrap();
                let size = usize::from_str_radix(size, 16).unwrap();
                let whole = line + 2 + size + 2;
                if self.rest.len() >= whole {
                    let text = self.rest[line + 2..line + 2 + size].to_vec();
                    self.rest.drain(..whole);
                    return String::from_utf8(text).unwrap();
                }
            }
            if !more(&mut self.stream, &mut self.rest).await {
                return String::new();
            }
        }
    }
}

async fn more(stream: &mut TcpStream, into: &mut Vec<u8>) -> bool {
    let read = timeout(Duration::from_secs(10), stream.read_buf(into)).await;
    read.expect("something comes within ten seconds")
        .unwrap_or(0)
        > 0
}
