//! A client for tests, in the place of the session.

#![expect(clippy::unwrap_used, reason = "only tests use it")]

use std::time::Duration;

use linkspan_session::{Envelope, Inbound, Outbound, Port};
use linkspan_wire::{Id, Message};
use tokio::time::timeout;

use super::{Handler, Workers, port};

/// Longer than any step of a test takes.
pub const LIMIT: Duration = Duration::from_secs(20);

/// A client that sends any message and receives every answer.
pub struct Client(Port);

impl Client {
    /// A client on an open port.
    pub fn over(port: Port) -> Self {
        Self(port)
    }

    /// Shakes hands and declares these capabilities.
    pub async fn greet(&mut self, capabilities: &str) -> String {
        let params = format!(r#"{{"protocolVersion":"2025-11-25","capabilities":{capabilities}}}"#);
        let answer = self.ask(1_000_000, "initialize", &params).await;
        self.note("notifications/initialized", "{}").await;
        answer
    }

    /// A client with a handler of its own.
    pub fn new(handler: impl Handler) -> Self {
        Self::of(&Workers::new(), handler)
    }

    /// A client whose handler shares `workers` with other handlers.
    pub fn of(workers: &Workers, handler: impl Handler) -> Self {
        Self(port("the handler", workers, handler))
    }

    /// A client after the handshake, with these capabilities.
    pub async fn ready(handler: impl Handler, capabilities: &str) -> Self {
        let mut client = Self::new(handler);
        client.greet(capabilities).await;
        client
    }

    /// Sends a message.
    pub async fn send(&self, msg: Message) {
        let outbound = Outbound::One(Envelope::new(msg));
        self.0.tx.send(outbound).await.unwrap();
    }

    /// Sends a request.
    pub async fn request(&self, id: u64, method: &str, params: &str) {
        let msg = Message::request(&Id::number(id), method, Some(params));
        self.send(msg).await;
    }

    /// Sends a notification.
    pub async fn note(&self, method: &str, params: &str) {
        self.send(Message::notification(method, Some(params))).await;
    }

    /// Cancels a request.
    pub async fn cancel(&self, id: u64) {
        let params = format!(r#"{{"requestId":{id}}}"#);
        self.note("notifications/cancelled", &params).await;
    }

    /// The next message or failure from the server.
    pub async fn inbound(&mut self) -> Inbound {
        let next = timeout(LIMIT, self.0.rx.recv()).await;
        next.expect("it says something").expect("it is there")
    }

    /// The next message, with its envelope.
    pub async fn envelope(&mut self) -> Envelope {
        match self.inbound().await {
            Inbound::Message(envelope) => envelope,
            other => panic!("{other:?}"),
        }
    }

    /// The text of the next message.
    pub async fn next(&mut self) -> String {
        self.envelope().await.msg.text()
    }

    /// Sends a request and returns the text of the next message.
    pub async fn ask(&mut self, id: u64, method: &str, params: &str) -> String {
        self.request(id, method, params).await;
        self.next().await
    }

    /// Closes the port and waits for its task.
    pub async fn close(self) {
        let Port { tx, rx, done, .. } = self.0;
        drop((tx, rx));
        let ended = timeout(LIMIT, done).await;
        assert!(ended.is_ok(), "the port never ended");
    }
}
