//! Tracing: reports each message once per hop, without its envelope.

use linkspan_wire::{Hop, Message};

use crate::plan::Node;

/// A message on its way from one peer to the next.
#[derive(Debug)]
pub struct Passing<'a> {
    /// The sender.
    pub from: Node,
    /// The receiver.
    pub to: Node,
    /// The message without its envelope.
    pub msg: &'a Message,
    /// The hop number of a request; `None` for a notification.
    pub hop: Option<Hop>,
    /// The method of the request that an answer belongs to.
    pub answers: Option<&'a str>,
}

/// Receives the messages of a chain.
pub trait Tracer: Send {
    /// A message is forwarded.
    fn passing(&mut self, passing: &Passing<'_>);

    /// A peer has sent this message, in its original bytes.
    fn heard(&mut self, from: Node, msg: &Message) {
        let _ = (from, msg);
    }

    /// A peer is sent this message, in its final bytes.
    fn said(&mut self, to: Node, msg: &Message) {
        let _ = (to, msg);
    }
}
