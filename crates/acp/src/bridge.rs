//! Where the chain meets the bridge: MCP servers that live in the chain, for agents that cannot see them.
//!
//! The chain finds declarations on their way to the agent and asks a [`McpBridge`] what the agent is to
//! be told instead. When the agent connects to what it was told, the bridge joins the chain as one more
//! peer ([`ChainHandle::join`]) at the agent's place and says what an agent would say that can reach such
//! servers itself: `mcp/message`, or `_mcp/connect` and its kin.

use linkspan_session::Port;
use linkspan_wire::{Json, RpcError};
use tokio::sync::mpsc;

use crate::dialect::Dialect;

/// One declaration of one server in one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeclarationId(pub u64);

/// A server that lives in the chain.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Provider {
    /// `{"type":"http","url":"acp:…"}`: spoken to by `_mcp/…`, its URL as declared.
    Url(String),
    /// `{"type":"acp","serverId":…}`: spoken to by `mcp/message` or `mcp/connect`.
    Server(String),
}

/// A declaration that an agent cannot use as it is.
#[derive(Debug)]
pub struct Offer<'a> {
    /// Names it from now on.
    pub declaration_id: DeclarationId,
    /// What the session calls the server.
    pub name: &'a str,
    /// Who provides it.
    pub provider: Provider,
    /// The dialect of the proxy that declared it; `None` if the editor's side did.
    pub owner: Option<Dialect>,
    /// The declaration as it came: `name`, `_meta` and what we do not know are to be kept.
    pub entry: Json<'a>,
    /// The version of ACP that was agreed on: 2 spells servers differently.
    pub version: u64,
    /// Whether the agent takes `http` servers.
    pub takes_http: bool,
}

/// Who makes servers of the chain reachable.
pub trait McpBridge: Send {
    /// Whether agents are told something else also of servers that they could reach themselves.
    fn always(&self) -> bool {
        false
    }

    /// What the agent is told in place of the declaration, as JSON text.
    fn offer(&mut self, offer: &Offer<'_>) -> Result<String, RpcError>;

    /// The session that a declaration belongs to is known now.
    fn began(&mut self, declaration_id: DeclarationId, session: &str);

    /// A declaration is no longer valid: its session has ended or was never made.
    fn revoke(&mut self, declaration_id: DeclarationId);
}

/// A peer that wants to speak in the agent's place.
pub struct Joining {
    /// The declaration that it was let in for.
    pub declaration_id: DeclarationId,
    /// The chain's end of it.
    pub port: Port,
}

/// Lets peers join a running chain.
#[derive(Clone)]
pub struct ChainHandle(mpsc::Sender<Joining>);

/// Peers that wait to be let in: more than the bridge accepts connections at once, so that a chain which is
/// busy for a moment refuses none of them.
const WAITING: usize = 1024;

impl ChainHandle {
    /// A handle, and the queue of clients that join.
    pub fn pair() -> (Self, mpsc::Receiver<Joining>) {
        let (tx, rx) = mpsc::channel(WAITING);
        (Self(tx), rx)
    }

    /// Joins, or gives the port back if the chain has ended or too many wait.
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
