//! The links without a bridge: our own few lines of HTTP, straight to the server.

use std::io::Read;
use std::net::SocketAddr;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use crate::client::{Client, Link};
use crate::events::events;
use crate::http::{self, Response};

/// A client straight on Streamable HTTP at `/mcp`, and the handshake's result.
pub fn streamable_http(to: SocketAddr) -> (Client, String) {
    let (inbox, messages) = sync_channel(1024);
    Client::start(
        StreamableHttp {
            to,
            session: None,
            inbox,
        },
        messages,
    )
}

struct StreamableHttp {
    to: SocketAddr,
    session: Option<String>,
    inbox: SyncSender<String>,
}

impl StreamableHttp {
    fn request(&self, line: &str, body: Option<&str>) -> Response {
        let mut headers = vec![("Accept", "application/json, text/event-stream")];
        if let Some(session) = &self.session {
            headers.push(("Mcp-Session-Id", session));
            headers.push(("MCP-Protocol-Version", "2025-11-25"));
        }
        let response = http::request(self.to, line, &headers, body);
        assert!(response.status < 300, "{line}: {}", response.status);
        response
    }

    fn read(&self, response: Response) {
        let inbox = self.inbox.clone();
        thread::spawn(move || {
            if response.is_event_stream() {
                for event in events(response.into_body()) {
                    let _ = inbox.send(event.data);
                }
            } else {
                let mut text = String::new();
                if matches!(response.into_body().read_to_string(&mut text), Ok(1..)) {
                    let _ = inbox.send(text);
                }
            }
        });
    }
}

impl Link for StreamableHttp {
    fn send(&mut self, text: &str) {
        let response = self.request("POST /mcp", Some(text));
        if let Some(session) = response.header("mcp-session-id") {
            self.session = Some(session.to_owned());
        }
        if response.status != 202 {
            self.read(response);
        }
    }

    fn ready(&mut self) {
        self.read(self.request("GET /mcp", None));
    }
}

/// A client straight on HTTP+SSE at `/sse`, and the handshake's result.
pub fn http_sse(to: SocketAddr) -> (Client, String) {
    let accept = [("Accept", "text/event-stream")];
    let stream = http::request(to, "GET /sse", &accept, None);
    let (inbox, messages) = sync_channel(1024);
    let mut events = events(stream.into_body());
    let endpoint = events.next().filter(|event| event.name == "endpoint");
    let endpoint = endpoint.expect("the stream begins with its endpoint").data;
    thread::spawn(move || {
        for event in events {
            let _ = inbox.send(event.data);
        }
    });
    Client::start(HttpSse { to, endpoint }, messages)
}

struct HttpSse {
    to: SocketAddr,
    endpoint: String,
}

impl Link for HttpSse {
    fn send(&mut self, text: &str) {
        let line = format!("POST {}", self.endpoint);
        let response = http::request(self.to, &line, &[], Some(text));
        assert_eq!(response.status, 202, "{line}");
    }
}
