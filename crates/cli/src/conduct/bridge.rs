//! The MCP bridge: servers that live in the chain, for agents that only know ordinary ones.
//!
//! The agent is told of a stdio server, `linkspan mcp ENDPOINT`, with a secret in its environment, or of
//! an HTTP server on this machine with a token. Whoever shows the secret of a declaration gets a session
//! of its own whose back is a [`carrier`] in the chain; the eras of MCP are translated as for any other
//! server.

mod book;
mod http;
mod keys;
mod listener;
mod lobby;
#[cfg(unix)]
mod private;
#[cfg(unix)]
mod sweep;
mod told;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use linkspan_acp::carrier::{self, Carrier, Life, Memory};
use linkspan_acp::{ChainHandle, DeclarationId, McpBridge, Offer, Provider};
use linkspan_bridge::Backend;
use linkspan_mcp::Era;
use linkspan_wire::{Limits, RpcError, quote};
use tokio::sync::watch;

use self::book::{Book, Entry};
use self::keys::Secret;
use self::listener::Listener;
use super::args::{BridgeArg, TransportArg};

pub(crate) use self::keys::{Key, hex, nonce, proof_of_client, proof_of_server};

/// Where the secret stands for `linkspan mcp`.
pub(crate) const TOKEN: &str = "LINKSPAN_MCP_TOKEN";
/// How long a connection may take to show its secret.
pub(crate) const INTRODUCTION: Duration = Duration::from_secs(5);
/// Servers of which we remember how they are spoken to.
const MEMORIES: usize = 1024;

/// How declarations are made reachable.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BridgeOptions {
    pub(crate) how: BridgeArg,
    pub(crate) transport: TransportArg,
    pub(crate) limits: Limits,
    /// How long a connection may take to show its secret.
    pub(crate) introduction: Duration,
}

/// See the module's description.
pub(crate) struct Bridging {
    options: BridgeOptions,
    chain: ChainHandle,
    book: Arc<Book>,
    /// Opened when the first declaration needs it.
    listener: Option<Listener>,
    memories: HashMap<Provider, Memory>,
}

impl Bridging {
    /// Must be called where tasks can be started.
    pub(crate) fn new(options: BridgeOptions, chain: ChainHandle) -> Self {
        Self {
            options,
            chain,
            book: Arc::default(),
            listener: None,
            memories: HashMap::new(),
        }
    }

    /// The server behind a declaration, opened anew for every connection.
    fn server(&mut self, offer: &Offer<'_>, life: &watch::Receiver<Life>) -> Backend {
        let provider = offer.provider.clone();
        if self.memories.len() >= MEMORIES && !self.memories.contains_key(&provider) {
            self.memories.clear();
        }
        let memory = self.memories.entry(provider.clone()).or_default().clone();
        // By a URL only connections were ever opened, and what they carry begins with a handshake.
        let era = matches!(provider, Provider::Url(_)).then_some(Era::Legacy);
        let (owner, ticket) = (offer.owner, offer.ticket);
        let (chain, life) = (self.chain.clone(), life.clone());
        let open = move || {
            let carrier = Carrier::new(provider.clone(), owner, memory.clone());
            carrier::port(carrier, life.clone(), &chain, ticket)
        };
        Backend::local(open, era)
    }

    /// Where we listen; from now on, if we did not yet.
    fn endpoint(&mut self) -> Result<String, RpcError> {
        if let Some(listener) = &self.listener {
            return Ok(listener.endpoint().to_owned());
        }
        let opened = Listener::open(self.options, &self.book);
        let listener = opened.map_err(|e| cannot("listen for the agent", &e))?;
        let endpoint = listener.endpoint().to_owned();
        self.listener = Some(listener);
        Ok(endpoint)
    }

    fn over_stdio(&mut self, offer: &Offer<'_>) -> Result<String, RpcError> {
        let secret = Secret::new().ok_or_else(no_secret)?;
        let endpoint = self.endpoint()?;
        let program = told::program().map_err(|e| cannot("name our own program", &e))?;
        let (life, watching) = watch::channel(Life::default());
        let server = self.server(offer, &watching);
        let text = told::stdio(offer, &program, &endpoint, &secret);
        let entry = Entry::new(offer.name, secret.key(), server, life);
        self.book.enter(offer.ticket, entry)?;
        tracing::info!(
            "the agent is told that the MCP server {} is `linkspan mcp`",
            quote(offer.name)
        );
        Ok(text)
    }

    fn over_http(&mut self, offer: &Offer<'_>) -> Result<String, RpcError> {
        if !offer.takes_http {
            let data = r#"{"hint":"start the conductor without --mcp-bridge http: stdio is what every agent takes"}"#;
            let why = "the agent takes no MCP servers over HTTP";
            return Err(RpcError::invalid_params(why).with_data(data));
        }
        let (Some(secret), Some(path)) = (Secret::new(), Secret::new()) else {
            return Err(no_secret());
        };
        let (life, watching) = watch::channel(Life::default());
        let server = self.server(offer, &watching);
        let path = format!("/mcp-{}", path.short());
        let opened = http::open(server, &path, &secret, self.options.limits, watching);
        let address = opened.map_err(|e| cannot("listen for the agent", &e))?;
        let url = format!("http://{address}{path}");
        let entry = Entry::without_server(offer.name, life);
        self.book.enter(offer.ticket, entry)?;
        tracing::info!(
            "the agent is told that the MCP server {} is at {address}",
            quote(offer.name)
        );
        Ok(told::http(offer, &url, &secret))
    }
}

impl McpBridge for Bridging {
    fn always(&self) -> bool {
        matches!(self.options.how, BridgeArg::Stdio | BridgeArg::Http)
    }

    fn offer(&mut self, offer: &Offer<'_>) -> Result<String, RpcError> {
        match self.options.how {
            BridgeArg::Auto | BridgeArg::Stdio => self.over_stdio(offer),
            BridgeArg::Http => self.over_http(offer),
            BridgeArg::Off => Ok(offer.entry.text().to_owned()),
        }
    }

    fn began(&mut self, ticket: DeclarationId, session: &str) {
        self.book.began(ticket, session);
    }

    fn revoke(&mut self, ticket: DeclarationId) {
        self.book.revoke(ticket);
    }
}

impl Drop for Bridging {
    fn drop(&mut self) {
        self.book.revoke_all();
    }
}

fn no_secret() -> RpcError {
    RpcError::internal("this system has no randomness for a secret")
}

fn cannot(what: &str, why: &std::io::Error) -> RpcError {
    tracing::warn!("cannot {what}: {why}");
    let data = r#"{"hint":"--bridge-transport tcp needs no socket file; --mcp-bridge off passes declarations as they are"}"#;
    RpcError::internal(format!("cannot {what}: {why}")).with_data(data)
}
