//! What is told of each message: once per hop, without its envelope.

use linkspan_wire::{Hop, Message};

use crate::plan::Node;

/// A message on its way from one peer to the next.
#[derive(Debug)]
pub struct Passing<'a> {
    /// Who sent it.
    pub from: Node,
    /// Who gets it.
    pub to: Node,
    /// The message without its envelope.
    pub msg: &'a Message,
    /// The number of the request on this hop; `None` for a notification.
    pub hop: Option<Hop>,
    /// The method that an answer belongs to.
    pub answers: Option<&'a str>,
}

/// Who wants to know.
pub trait Tracer: Send {
    /// A message passes.
    fn passing(&mut self, passing: &Passing<'_>);

    /// A peer has said this, word for word.
    fn heard(&mut self, from: Node, msg: &Message) {
        let _ = (from, msg);
    }

    /// A peer is told this, word for word.
    fn said(&mut self, to: Node, msg: &Message) {
        let _ = (to, msg);
    }
}
