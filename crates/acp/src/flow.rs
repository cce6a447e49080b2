//! What waits to be taken by each peer, and which peers are not read because of it.

use std::collections::HashMap;

use linkspan_session::{Credit, Envelope, Outbound, Outbox};
use linkspan_wire::Message;

use crate::plan::Node;

/// The queues towards all peers.
pub(crate) struct Flow {
    high_water: usize,
    hard_cap: usize,
    out: HashMap<Node, Outbox>,
    /// Each peer that sent to a peer that does not keep up, and that peer.
    held: HashMap<Node, Node>,
}

impl Flow {
    pub(crate) fn new(high_water: usize, hard_cap: usize) -> Self {
        Self {
            high_water,
            hard_cap,
            out: HashMap::new(),
            held: HashMap::new(),
        }
    }

    /// Opens a queue towards a peer.
    pub(crate) fn open(&mut self, node: Node) {
        self.out.entry(node).or_default();
    }

    /// Forgets a peer and what waits for it.
    pub(crate) fn close(&mut self, node: Node) {
        self.out.remove(&node);
        self.held.remove(&node);
    }

    pub(crate) fn outbox(&mut self, node: Node) -> Option<&mut Outbox> {
        self.out.get_mut(&node)
    }

    /// Something for `to` that `from` is the cause of.
    pub(crate) fn push(&mut self, from: Node, to: Node, msg: Message, credit: Credit) {
        let Some(outbox) = self.out.get_mut(&to) else {
            return;
        };
        outbox.push(Outbound::One(Envelope {
            credit,
            ..Envelope::new(msg)
        }));
        if outbox.bytes() >= self.high_water {
            self.held.insert(from, to);
        }
    }

    /// Whether a peer may be read: not while one that it sends to does not keep up.
    ///
    /// If that one does not keep up because it is itself not read, and so on round to here, no peer
    /// would ever move; then we read on, up to the hard cap. Who has said nothing that waits to be
    /// heard (`speaks`) is not held up by us, and may read whenever it likes.
    pub(crate) fn may_read(&self, node: Node, speaks: impl Fn(Node) -> bool) -> bool {
        match self.holder(node) {
            None => true,
            Some(to) => self.waiting(to) < self.hard_cap && self.is_circle(node, speaks),
        }
    }

    /// A peer for which more than the hard cap waits.
    pub(crate) fn stuck(&self) -> Option<Node> {
        let over = |node: &&Node| self.waiting(**node) >= self.hard_cap;
        self.out.keys().filter(over).copied().next()
    }

    fn holder(&self, node: Node) -> Option<Node> {
        let to = *self.held.get(&node)?;
        (self.waiting(to) >= self.high_water).then_some(to)
    }

    fn is_circle(&self, node: Node, speaks: impl Fn(Node) -> bool) -> bool {
        let mut at = node;
        for _ in 0..=self.held.len() {
            match self.holder(at).filter(|_| speaks(at)) {
                Some(next) if next == node => return true,
                Some(next) => at = next,
                None => return false,
            }
        }
        // A circle, but not through this peer: another one will be read.
        false
    }

    fn waiting(&self, node: Node) -> usize {
        self.out.get(&node).map_or(0, Outbox::bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EDITOR: Node = Node::Outside;
    const AGENT: Node = Node::Part(0);

    fn flow() -> Flow {
        let mut flow = Flow::new(1000, 5000);
        flow.open(EDITOR);
        flow.open(AGENT);
        flow
    }

    fn send(flow: &mut Flow, from: Node, to: Node, bytes: usize) {
        let text = format!(r#"{{"x":"{}"}}"#, "y".repeat(bytes));
        let msg = Message::notification("m", Some(&text));
        flow.push(from, to, msg, Credit::default());
    }

    fn all(_: Node) -> bool {
        true
    }

    #[test]
    fn the_sender_to_a_peer_that_does_not_read_is_not_read() {
        let mut flow = flow();
        send(&mut flow, AGENT, EDITOR, 1000);
        assert!(!flow.may_read(AGENT, all));
        assert!(flow.may_read(EDITOR, all));
        flow.outbox(EDITOR).unwrap().pop();
        assert!(flow.may_read(AGENT, all));
    }

    #[test]
    fn two_peers_that_wait_for_each_other_are_read_on_up_to_a_limit() {
        let mut flow = flow();
        send(&mut flow, AGENT, EDITOR, 1000);
        send(&mut flow, EDITOR, AGENT, 1000);
        assert!(flow.may_read(AGENT, all) && flow.may_read(EDITOR, all));
        send(&mut flow, AGENT, EDITOR, 5000);
        assert!(!flow.may_read(AGENT, all));
        assert_eq!(flow.stuck(), Some(EDITOR));
    }

    #[test]
    fn a_peer_that_has_nothing_to_say_is_not_held_up_by_us() {
        let mut flow = flow();
        send(&mut flow, AGENT, EDITOR, 1000);
        send(&mut flow, EDITOR, AGENT, 1000);
        assert!(!flow.may_read(AGENT, |node| node == AGENT));
    }

    #[test]
    fn a_third_peer_does_not_suffer() {
        let mut flow = flow();
        flow.open(Node::Part(1));
        send(&mut flow, AGENT, EDITOR, 1000);
        assert!(flow.may_read(Node::Part(1), all));
    }
}
