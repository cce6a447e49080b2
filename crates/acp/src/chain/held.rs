//! Messages that wait until a proxy has understood its first request.

use std::collections::VecDeque;

use linkspan_wire::{Id, RpcError};

use super::{Chain, Travelling};
use crate::plan::Node;

/// Messages that may wait before their senders are not read any more.
const MOST: usize = 1024;
/// The code of a cancelled request.
const CANCELLED: i64 = -32800;

/// Messages in their order of arrival.
#[derive(Default)]
pub(super) struct Held {
    queue: VecDeque<Travelling>,
    bytes: usize,
}

impl Held {
    pub(super) fn push(&mut self, one: Travelling) {
        self.bytes += one.msg.len();
        self.queue.push_back(one);
    }

    pub(super) fn take(&mut self) -> VecDeque<Travelling> {
        std::mem::take(self).queue
    }

    fn is_full(&self, most_bytes: usize) -> bool {
        self.queue.len() >= MOST || self.bytes >= most_bytes
    }

    fn remove(&mut self, from: Node, id: &Id) -> Option<Travelling> {
        let is_it = |one: &Travelling| {
            one.from == from && one.msg.id().is_some_and(|own| own.key() == id.key())
        };
        let at = self.queue.iter().position(is_it)?;
        let one = self.queue.remove(at)?;
        self.bytes -= one.msg.len();
        Some(one)
    }
}

impl Chain {
    /// Whether a peer may be read. It may not while a peer that it sends to is behind, or has not understood
    /// its first request, for which there is a timeout. `speaks` tells whether a peer has sent messages that
    /// are not read yet.
    pub fn may_read(&self, node: Node, speaks: impl Fn(Node) -> bool) -> bool {
        let next = match node {
            Node::Outside => 0,
            Node::Part(part) => part + 1,
            Node::Joined(_) => return self.flow.may_read(node, speaks),
        };
        let next = self.parts.get(next);
        let waits = next.is_some_and(|part| part.held.is_full(self.plan.high_water));
        !waits && self.flow.may_read(node, speaks)
    }

    /// Cancels a request that is still held; it is answered with an error.
    pub(super) fn take_back(&mut self, from: Node, id: &Id) -> bool {
        let found = self.parts.iter_mut();
        let found = found.filter_map(|part| part.held.remove(from, id)).next();
        let Some(one) = found else {
            return false;
        };
        let error = RpcError::new(CANCELLED, "Request cancelled");
        self.refuse(one.from, &one.msg, one.inner.as_ref(), &error);
        true
    }
}
