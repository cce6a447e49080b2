//! The owner of each MCP server, and the messages that have to pass other peers unread.
//!
//! A proxy that provides servers reads every `mcp/…` message, and the official crates of different
//! generations refuse each other's. A message for another peer is therefore renamed ("sealed") while it
//! passes such a proxy; proxies forward methods that they do not know.

use std::collections::{HashMap, HashSet, VecDeque};

use linkspan_wire::{Json, Message};

use crate::bridge::Provider;
use crate::dialect::Dialect;
use crate::envelope::renamed;
use crate::plan::Node;

/// Servers and connections whose owner is remembered.
const MOST: usize = 8192;
/// The prefix of the method of a sealed message.
const SEALED: &str = "_linkspan/";
/// The prefix of the methods that a proxy with servers reads.
const READ: &str = "mcp/";

#[derive(Default)]
pub(super) struct Owners {
    owners: HashMap<Owned, Node>,
    /// The oldest entry first.
    owned: VecDeque<Owned>,
    /// The peers that have declared a server by its id.
    readers: HashSet<Node>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Owned {
    Server(Provider),
    Connection(String),
}

impl Owners {
    /// Records that a peer declares a server; the first peer to do so owns the server.
    pub(super) fn declare(&mut self, provider: Provider, node: Node) {
        if let Provider::Server(_) = provider {
            self.readers.insert(node);
        }
        self.own(Owned::Server(provider), node);
    }

    /// Records the owner of a connection to a server.
    pub(super) fn connect(&mut self, connection: &str, server: &str) {
        let provider = Provider::Server(server.to_owned());
        if let Some(node) = self.of(&provider) {
            self.own(Owned::Connection(connection.to_owned()), node);
        }
    }

    /// The owner of a server.
    pub(super) fn of(&self, provider: &Provider) -> Option<Node> {
        let owned = Owned::Server(provider.clone());
        self.owners.get(&owned).copied()
    }

    /// The sealed message, if the peer `to` would read and perhaps refuse it though it is for another peer.
    pub(super) fn sealed(&self, to: Node, dialect: Dialect, msg: &Message) -> Option<Message> {
        let method = msg.method();
        if !method.starts_with(READ) || !self.readers.contains(&to) {
            return None;
        }
        // Every proxy of this dialect that declares servers by id understands this form.
        let is_current = msg.params()?.get("requestId").is_some();
        if is_current && dialect == Dialect::Current {
            return None;
        }
        let owner = self.addressee(msg)?;
        (owner != to).then(|| renamed(msg, &format!("{SEALED}{method}")))
    }

    fn addressee(&self, msg: &Message) -> Option<Node> {
        let params = msg.params()?;
        let text = |key| Some(params.get(key).and_then(Json::as_str)?.into_owned());
        let owned = match text("connectionId") {
            Some(connection) => Owned::Connection(connection),
            None => Owned::Server(Provider::Server(text("serverId")?)),
        };
        self.owners.get(&owned).copied()
    }

    fn own(&mut self, owned: Owned, node: Node) {
        if self.owners.contains_key(&owned) {
            return;
        }
        if self.owned.len() == MOST
            && let Some(oldest) = self.owned.pop_front()
        {
            self.owners.remove(&oldest);
        }
        self.owned.push_back(owned.clone());
        self.owners.insert(owned, node);
    }
}

/// The original method of a sealed message.
pub(super) fn unsealed(method: &str) -> Option<&str> {
    let method = method.strip_prefix(SEALED)?;
    method.starts_with(READ).then_some(method)
}
