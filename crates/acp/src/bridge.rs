//! The interface between the chain and the MCP bridge: MCP servers that components of the chain provide, for
//! agents that cannot reach them over ACP.
//!
//! The chain finds the declarations of these servers in requests to the agent and asks an [`McpBridge`] for a
//! replacement of each. When the agent connects to the replacement, the bridge joins the chain as one more
//! peer ([`ChainHandle::join`]) in the agent's position and sends the requests that an agent with support for
//! such servers would send: `mcp/message`, or `_mcp/connect` and its variants.

use linkspan_session::Port;
use linkspan_wire::{Json, RpcError};
use tokio::sync::mpsc;

use crate::dialect::Dialect;

/// Identifies one declaration of one server in one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeclarationId(pub u64);

/// How a declaration names a server that a component of the chain provides.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Provider {
    /// `{"type":"http","url":"acp:…"}`: addressed by `_mcp/…` methods, with its URL as declared.
    Url(String),
    /// `{"type":"acp","serverId":…}`: addressed by `mcp/message` or `mcp/connect`.
    Server(String),
}

/// A declaration that the agent cannot use unchanged.
#[derive(Debug)]
pub struct Offer<'a> {
    /// The id of the declaration in all later calls.
    pub declaration_id: DeclarationId,
    /// The server's name in the session.
    pub name: &'a str,
    /// The server's id or URL.
    pub provider: Provider,
    /// The dialect of the proxy that declared it; `None` if the editor's side did.
    pub owner: Option<Dialect>,
    /// The declaration as received. `name`, `_meta` and unknown members must be kept.
    pub entry: Json<'a>,
    /// The negotiated version of ACP; version 2 spells servers differently.
    pub version: u64,
    /// Whether the agent accepts `http` servers.
    pub takes_http: bool,
}

/// Makes servers of the chain reachable for agents.
pub trait McpBridge: Send {
    /// Whether to replace declarations also for agents that can reach such servers themselves.
    fn always(&self) -> bool {
        false
    }

    /// The replacement for the declaration, as JSON text.
    fn offer(&mut self, offer: &Offer<'_>) -> Result<String, RpcError>;

    /// The session of a declaration has been created and has this id.
    fn began(&mut self, declaration_id: DeclarationId, session: &str);

    /// A declaration is no longer valid: its session has ended or could not be created.
    fn revoke(&mut self, declaration_id: DeclarationId);
}

/// A peer that asks to send requests in the agent's position.
pub struct Joining {
    /// The declaration that the agent connected to.
    pub declaration_id: DeclarationId,
    /// The chain's end of the peer's connection.
    pub port: Port,
}

/// Lets peers join a running chain.
#[derive(Clone)]
pub struct ChainHandle(mpsc::Sender<Joining>);

/// Peers that may wait to join: more than the bridge accepts connections at once, so that a briefly busy
/// chain refuses none.
const WAITING: usize = 1024;

impl ChainHandle {
    /// A handle, and the queue of the peers that join through it.
    pub fn pair() -> (Self, mpsc::Receiver<Joining>) {
        let (tx, rx) = mpsc::channel(WAITING);
        (Self(tx), rx)
    }

    /// Joins the chain. Returns the port if the chain has ended or too many peers wait.
    pub fn join(&self, declaration_id: DeclarationId, port: Port) -> Result<(), Port> {
        let joining = Joining {
            declaration_id,
            port,
        };
        self.0
            .try_send(joining)
            .map_err(|refused| refused.into_inner().port)
    }
}
