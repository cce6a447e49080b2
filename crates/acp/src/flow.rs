//! Backpressure: the queue towards each peer, and the peers that are not read because of a full queue.

use std::collections::HashMap;

use linkspan_session::{Credit, Envelope, Outbound, Outbox};
use linkspan_wire::Message;

use crate::plan::Node;

/// The queues towards all peers.
pub(crate) struct Flow {
    high_water: usize,
    hard_cap: usize,
    out: HashMap<Node, Outbox>,
    /// Each peer whose last message went to a full queue, and the peer behind that queue.
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

    /// Removes a peer and its queue.
    pub(crate) fn close(&mut self, node: Node) {
        self.out.remove(&node);
        self.held.remove(&node);
    }

    pub(crate) fn outbox(&mut self, node: Node) -> Option<&mut Outbox> {
        self.out.get_mut(&node)
    }

    /// Queues a message for `to`; `from` caused it.
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

    /// Whether a peer may be read: not while the queue to its receiver is full.
    ///
    /// If that receiver is behind because it is itself not read, and so on in a circle back to this peer, no
    /// peer would ever be read; then this peer is read up to the hard cap. A peer without unread messages
    /// (`speaks`) is not blocked by us, so it is not part of a circle.
    pub(crate) fn may_read(&self, node: Node, speaks: impl Fn(Node) -> bool) -> bool {
        match self.holder(node) {
            None => true,
            Some(to) => self.waiting(to) < self.hard_cap && self.is_circle(node, speaks),
        }
    }

    /// A peer whose queue has reached the hard cap.
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
        // A circle without this peer: a peer of the circle will be read.
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
    fn two_peers_that_block_each_other_are_read_up_to_the_hard_cap() {
        let mut flow = flow();
        send(&mut flow, AGENT, EDITOR, 1000);
        send(&mut flow, EDITOR, AGENT, 1000);
        assert!(flow.may_read(AGENT, all) && flow.may_read(EDITOR, all));
        send(&mut flow, AGENT, EDITOR, 5000);
        assert!(!flow.may_read(AGENT, all));
        assert_eq!(flow.stuck(), Some(EDITOR));
    }

    #[test]
    fn a_peer_without_unread_messages_is_not_in_a_circle() {
        let mut flow = flow();
        send(&mut flow, AGENT, EDITOR, 1000);
        send(&mut flow, EDITOR, AGENT, 1000);
        assert!(!flow.may_read(AGENT, |node| node == AGENT));
    }

    #[test]
    fn a_peer_outside_the_circle_is_read() {
        let mut flow = flow();
        flow.open(Node::Part(1));
        send(&mut flow, AGENT, EDITOR, 1000);
        assert!(flow.may_read(Node::Part(1), all));
    }
}
