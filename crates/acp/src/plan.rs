//! What a chain is made of.

use std::time::Duration;

use crate::dialect::Dialect;

/// A peer of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    /// The process that started us: an editor, or another conductor.
    Outside,
    /// A component, counted from the editor.
    Part(usize),
    /// A peer that joined at the agent's place: the bridge for one MCP connection.
    Joined(u64),
}

/// One component.
#[derive(Debug, Clone)]
pub struct PartPlan {
    /// Its command, for messages.
    pub command: String,
    /// The dialect that it is to be spoken to in, if that is not to be found out.
    pub dialect: Option<Dialect>,
}

/// A chain.
#[derive(Debug, Clone)]
pub struct Plan {
    /// From the editor to the agent.
    pub parts: Vec<PartPlan>,
    /// Whether all of them are proxies, and we are a proxy ourselves for another conductor.
    pub as_proxy: bool,
    /// How long a component may hold up `initialize`.
    pub start_timeout: Duration,
    /// Bytes that may wait for a peer before its senders are not read any more.
    pub high_water: usize,
    /// Bytes that may wait for a peer that does not read because it is not read.
    pub hard_cap: usize,
}

impl Plan {
    /// A chain with the usual limits.
    pub fn new(parts: Vec<PartPlan>, as_proxy: bool) -> Self {
        Self {
            parts,
            as_proxy,
            start_timeout: Duration::from_secs(60),
            high_water: 1 << 20,
            hard_cap: 256 << 20,
        }
    }

    /// Whether a component stands before another one.
    pub(crate) fn is_proxy(&self, part: usize) -> bool {
        self.as_proxy || part + 1 < self.parts.len()
    }

    /// The name of a peer in messages.
    pub fn name(&self, node: Node) -> String {
        match node {
            Node::Outside if self.as_proxy => "the conductor".to_owned(),
            Node::Outside => "the editor".to_owned(),
            Node::Part(part) if self.is_proxy(part) => format!("proxy[{part}]"),
            Node::Part(_) => "the agent".to_owned(),
            Node::Joined(_) => "the MCP bridge".to_owned(),
        }
    }

    /// What the official trace calls a peer.
    pub fn label(&self, node: Node) -> String {
        match node {
            Node::Outside => "Client".to_owned(),
            Node::Part(part) if self.is_proxy(part) => format!("Proxy({part})"),
            Node::Part(_) | Node::Joined(_) => "Agent".to_owned(),
        }
    }

    /// Name and command.
    pub(crate) fn describe(&self, part: usize) -> String {
        let name = self.name(Node::Part(part));
        match self.parts.get(part) {
            Some(plan) => format!("{name} (`{}`)", plan.command),
            None => name,
        }
    }
}
