//! A client in memory.

use std::collections::VecDeque;

use linkspan_mcp::Era;
use linkspan_session::{Envelope, Inbound, Outbound, Port, PortEnd};
use linkspan_wire::{Id, Message};
use tokio::time::timeout;

use super::{LONGEST, legacy_call, message, modern_call};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"roots":{},"sampling":{}},"clientInfo":{"name":"c","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// A client that sends any message, and waits for specific ones.
pub(crate) struct Client {
    end: PortEnd,
    /// Messages that arrived while it waited for another one.
    unread: VecDeque<Message>,
}

impl Client {
    pub(crate) fn new() -> (Self, Port) {
        let (port, end) = Port::pair("the client", 8);
        let unread = VecDeque::new();
        (Self { end, unread }, port)
    }

    pub(crate) async fn send(&self, msg: Message) {
        let inbound = Inbound::Message(Envelope::new(msg));
        self.end.tx.send(inbound).await.expect("the bridge reads");
    }

    /// Waits for the first message that `is` accepts; others stay for later.
    pub(crate) async fn find(&mut self, is: impl Fn(&Message) -> bool) -> Message {
        if let Some(at) = self.unread.iter().position(&is) {
            return self.unread.remove(at).expect("it was found there");
        }
        loop {
            let next = timeout(LONGEST, self.end.rx.recv()).await;
            let unread = &self.unread;
            match next.unwrap_or_else(|_| panic!("it never came: {unread:?}")) {
                Some(Outbound::One(envelope)) if is(&envelope.msg) => return envelope.msg,
                Some(Outbound::One(envelope)) => self.unread.push_back(envelope.msg),
                Some(_) => {}
                None => panic!("the bridge has closed the connection: {unread:?}"),
            }
        }
    }

    /// Waits for the answer to a request.
    pub(crate) async fn answer(&mut self, id: u64) -> Message {
        let id = Id::number(id);
        let is_answer = |msg: &Message| msg.is_answer() && msg.id().as_ref() == Some(&id);
        self.find(is_answer).await
    }

    /// Waits for a request or a notification of the server.
    pub(crate) async fn hear(&mut self, method: &str) -> Message {
        self.find(|msg| msg.method() == method).await
    }

    /// Messages that arrived while it waited for another one.
    pub(crate) fn unread(&self) -> Vec<String> {
        self.unread.iter().map(Message::text).collect()
    }

    pub(crate) async fn ask(&mut self, msg: Message) -> Message {
        let id = msg.id();
        self.send(msg).await;
        self.find(|msg| msg.is_answer() && msg.id() == id).await
    }

    /// Does the handshake of a legacy client with all capabilities.
    pub(crate) async fn shake(&mut self) {
        let hello = self.ask(message(INITIALIZE)).await;
        assert!(hello.text().contains("protocolVersion"), "{}", hello.text());
        self.send(message(INITIALIZED)).await;
    }

    /// Calls a tool as a legacy client that has shaken hands.
    pub(crate) async fn call(&mut self, id: u64, tool: &str, arguments: &str) -> Message {
        self.ask(legacy_call(id, tool, arguments)).await
    }

    /// Begins a call as an initialized legacy client.
    pub(crate) async fn begin(&self, id: u64, tool: &str, arguments: &str) {
        self.send(legacy_call(id, tool, arguments)).await;
    }

    /// Calls a tool as a client of this era; a legacy client shakes hands first.
    pub(crate) async fn first_call(&mut self, era: Era, tool: &str) -> Message {
        if era == Era::Modern {
            return self.ask(modern_call(tool, "{}")).await;
        }
        self.shake().await;
        self.call(2, tool, "{}").await
    }
}
