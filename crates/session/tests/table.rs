//! A session without its task: the messages of both peers go to the core, and its outboxes are read directly.

use std::time::Instant;

use linkspan_session::{Config, Core, Envelope, Inbound, Layer, Outbound, Side};
use linkspan_wire::{Frame, Hop, Limits, Message};

pub struct Table {
    pub core: Core,
    pub now: Instant,
}

impl Table {
    pub fn new() -> Self {
        Self::with(Config::default(), Vec::new())
    }

    pub fn with(config: Config, layers: Vec<Box<dyn Layer>>) -> Self {
        Self {
            core: Core::new(config, layers),
            now: Instant::now(),
        }
    }

    pub fn front(&mut self, text: &str) -> &mut Self {
        let inbound = match Frame::parse(text.to_owned().into(), &Limits::default()) {
            Frame::One(msg) => Inbound::Message(Envelope::new(msg)),
            Frame::Batch(entries) => Inbound::Batch(entries),
            Frame::Other { why, .. } => Inbound::Bad(why),
            Frame::Blank => return self,
        };
        self.core.on(Side::Front, inbound, self.now);
        self
    }

    pub fn back(&mut self, text: &str) -> &mut Self {
        self.back_for(text, None)
    }

    pub fn back_for(&mut self, text: &str, relates_to: Option<Hop>) -> &mut Self {
        let msg = Message::parse(text.to_owned().into()).expect("a message");
        let envelope = Envelope {
            relates_to,
            ..Envelope::new(msg)
        };
        self.core
            .on(Side::Back, Inbound::Message(envelope), self.now);
        self
    }

    pub fn sent(&mut self, side: Side) -> Vec<String> {
        let outbox = self.core.outbox(side);
        std::iter::from_fn(|| outbox.pop())
            .map(|item| match item {
                Outbound::One(envelope) => envelope.msg.text(),
                Outbound::Array(text) => String::from_utf8_lossy(&text).into_owned(),
            })
            .collect()
    }

    pub fn initialized_as(&mut self, version: &str) {
        self.front(r#"{"jsonrpc":"2.0","id":"init","method":"initialize"}"#);
        self.back(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"{version}"}}}}"#
        ));
        self.sent(Side::Front);
        self.sent(Side::Back);
    }
}
