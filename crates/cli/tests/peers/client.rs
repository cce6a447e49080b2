//! A raw MCP client that sends the same messages over any link and answers the server's requests.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use crate::message::Message;

const LIMIT: Duration = Duration::from_secs(30);
const REVISION: &str = "2025-11-25";
const CAPABILITIES: &str = r#"{"sampling":{},"elicitation":{},"roots":{"listChanged":true}}"#;

/// A transport to a server: messages are sent here and received from a queue.
pub trait Link {
    fn send(&mut self, text: &str);

    /// The handshake is done: opens the streams of the transport that follow it.
    fn ready(&mut self) {}
}

pub struct Client {
    link: Box<dyn Link>,
    inbox: Receiver<String>,
    calls: u32,
    /// The server's requests that were answered, by method.
    pub asked: Vec<String>,
    /// The server's notifications, as received.
    pub told: Vec<Message>,
}

impl Client {
    /// Does the handshake; returns the bytes of its result with the client.
    pub fn start(link: impl Link + 'static, inbox: Receiver<String>) -> (Self, String) {
        let link = Box::new(link);
        let mut client = Self {
            link,
            inbox,
            calls: 0,
            asked: Vec::new(),
            told: Vec::new(),
        };
        let hello = client.call(
            "initialize",
            &format!(
                r#"{{"protocolVersion":"{REVISION}","capabilities":{CAPABILITIES},"clientInfo":{{"name":"linkspan-peers","version":"1.0.0"}}}}"#
            ),
        );
        client
            .link
            .send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        client.link.ready();
        (client, hello)
    }

    /// Calls a method, and returns the bytes of `result`.
    pub fn call(&mut self, method: &str, params: &str) -> String {
        self.answer(method, params).result().to_owned()
    }

    /// Calls a method, and returns the bytes of `result` or `error`.
    pub fn outcome(&mut self, method: &str, params: &str) -> String {
        self.answer(method, params).outcome().to_owned()
    }

    fn answer(&mut self, method: &str, params: &str) -> Message {
        self.calls += 1;
        let id = format!("\"call-{}\"", self.calls);
        self.link.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
        ));
        let end = Instant::now() + LIMIT;
        loop {
            let message = self.next(end, method);
            if message.is_answer_to(&id) {
                return message;
            }
            self.take(message);
        }
    }

    /// Calls a tool, and returns the bytes of `result`.
    pub fn tool(&mut self, name: &str, arguments: &str) -> String {
        self.call(
            "tools/call",
            &format!(r#"{{"name":"{name}","arguments":{arguments}}}"#),
        )
    }

    /// Waits until the server has sent a request of `method`.
    pub fn wait_until_asked(&mut self, method: &str) {
        let end = Instant::now() + LIMIT;
        while !self.asked.iter().any(|asked| asked == method) {
            let message = self.next(end, method);
            self.take(message);
        }
    }

    /// Waits for a notification of this method, and returns the bytes of its `params`.
    pub fn wait_until_told(&mut self, method: &str) -> String {
        let end = Instant::now() + LIMIT;
        loop {
            if let Some(params) = self.told(method).first() {
                return params.clone();
            }
            let message = self.next(end, method);
            self.take(message);
        }
    }

    /// The `params` of every notification of this method so far.
    pub fn told(&self, method: &str) -> Vec<String> {
        self.told
            .iter()
            .filter(|message| message.method().as_deref() == Some(method))
            .filter_map(|message| message.raw("params").map(str::to_owned))
            .collect()
    }

    /// The server's requests during calls, without those for roots, which it sends at any time.
    pub fn asked_during_calls(&self) -> Vec<&str> {
        let asked = self.asked.iter().map(String::as_str);
        asked.filter(|method| *method != "roots/list").collect()
    }

    fn next(&self, end: Instant, awaited: &str) -> Message {
        let left = end.saturating_duration_since(Instant::now());
        let text = self.inbox.recv_timeout(left);
        Message::parse(&text.unwrap_or_else(|error| panic!("waiting for {awaited}: {error}")))
    }

    fn take(&mut self, message: Message) {
        let method = message
            .method()
            .unwrap_or_else(|| panic!("an answer that no one awaits"));
        let Some(id) = message.raw("id") else {
            self.told.push(message);
            return;
        };
        let result = match method.as_str() {
            "ping" => "{}",
            "roots/list" => r#"{"roots":[{"uri":"file:///harbour","name":"Høybro"}]}"#,
            "sampling/createMessage" => {
                r#"{"role":"assistant","model":"stub","content":{"type":"text","text":"tide \u00f8 and “quay”"},"stopReason":"endTurn"}"#
            }
            "elicitation/create" => r#"{"action":"accept","content":{"name":"Ada"}}"#,
            other => panic!("the server asks for {other}"),
        };
        self.link.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
        ));
        self.asked.push(method);
    }
}
