//! The components and limits of a chain.

use std::fmt;
use std::time::Duration;

use crate::dialect::Dialect;

/// A peer of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    /// The process that started us: an editor, or another conductor.
    Outside,
    /// A component, counted from the editor.
    Part(usize),
    /// A peer that joined in the agent's position: the bridge for one MCP connection.
    Joined(u64),
}

/// A component.
#[derive(Debug, Clone)]
pub struct PartPlan {
    /// Its command, for messages.
    pub command: String,
    /// The dialect of the component; `None` to detect it.
    pub dialect: Option<Dialect>,
}

/// A chain.
#[derive(Debug, Clone)]
pub struct Plan {
    /// From the editor to the agent.
    pub parts: Vec<PartPlan>,
    /// Whether all components are proxies, and this chain is a proxy of another conductor.
    pub as_proxy: bool,
    /// How long a component may take to handle `initialize`.
    pub start_timeout: Duration,
    /// Bytes in a peer's queue above which its senders are not read.
    pub high_water: usize,
    /// Bytes in a peer's queue above which the chain fails; between the two limits, only peers that block
    /// each other are read.
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

    /// Whether a component is before another one.
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

    /// The name of a peer in the official trace.
    pub fn label(&self, node: Node) -> String {
        match node {
            Node::Outside => "Client".to_owned(),
            Node::Part(part) if self.is_proxy(part) => format!("Proxy({part})"),
            Node::Part(_) | Node::Joined(_) => "Agent".to_owned(),
        }
    }

    /// The component's name and command.
    pub(crate) fn describe(&self, part: usize) -> String {
        let name = self.name(Node::Part(part));
        match self.parts.get(part) {
            Some(plan) => format!("{name} (`{}`)", plan.command),
            None => name,
        }
    }
}

/// The chain from the editor to the agent, a line for each of them.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name(Node::Outside))?;
        for (part, component) in self.parts.iter().enumerate() {
            write!(
                f,
                "\n  {}: {}",
                self.name(Node::Part(part)),
                component.command
            )?;
            if let Some(dialect) = component.dialect {
                write!(f, "  (dialect {})", dialect.word())?;
            }
        }
        if self.as_proxy {
            f.write_str("\n  the conductor's next component")?;
        }
        Ok(())
    }
}
