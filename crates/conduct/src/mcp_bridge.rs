//! The MCP bridge: makes servers of the chain reachable for agents that only support ordinary ones.
//!
//! The replacement declaration for the agent names a stdio server, `linkspan mcp ENDPOINT`, with a secret in
//! its environment, or an HTTP server on this machine with a token. A connection that shows the secret of a
//! declaration gets a session of its own whose back is a [`carrier`] in the chain; the eras of MCP are
//! translated as for any other server.

mod agent_entry;
mod declarations;
mod http;
mod listener;
mod own_program;
#[cfg(unix)]
mod private_socket;
#[cfg(unix)]
mod stale_folders;
mod unproven;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use linkspan_acp::carrier::{self, Carrier, FormCache, Life};
use linkspan_acp::{ChainHandle, DeclarationId, McpBridge, Offer, Provider};
use linkspan_bridge::Backend;
use linkspan_mcp::Era;
use linkspan_wire::{Limits, RpcError, quote};
use tokio::sync::watch;

use self::declarations::{Declaration, Declarations};
use self::listener::Listener;
use crate::handshake::Secret;

/// How long a connection may take to show its secret, by default.
pub const SECRET_TIMEOUT: Duration = Duration::from_secs(5);
/// Servers whose form is cached.
const MAX_CACHES: usize = 1024;

/// How an agent reaches MCP servers of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BridgeMode {
    /// Directly if the agent supports it, else by stdio.
    Auto,
    /// By a stdio server, `linkspan mcp`.
    Stdio,
    /// By HTTP on this machine, if the agent accepts that.
    Http,
}

/// Whether there is a bridge, and how it is reached; without one, declarations are passed on unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BridgeChoice(pub Option<BridgeMode>);

impl BridgeChoice {
    /// All of them, by name, with what they mean.
    pub const NAMED: [(&str, Self, &str); 4] = [
        (
            "auto",
            Self(Some(BridgeMode::Auto)),
            "Directly if the agent supports it, else by stdio",
        ),
        (
            "stdio",
            Self(Some(BridgeMode::Stdio)),
            "By a stdio server, `linkspan mcp`",
        ),
        (
            "http",
            Self(Some(BridgeMode::Http)),
            "By HTTP on this machine, if the agent takes that",
        ),
        (
            "off",
            Self(None),
            "No bridge: declarations are passed on unchanged",
        ),
    ];
}

/// What `linkspan mcp` connects to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BridgeTransport {
    /// A Unix socket if the system has them, else TCP.
    Auto,
    /// A Unix socket.
    Unix,
    /// TCP on this machine.
    Tcp,
}

impl BridgeTransport {
    /// All of them, by name, with what they mean.
    pub const NAMED: [(&str, Self, &str); 3] = [
        (
            "auto",
            Self::Auto,
            "A Unix socket where there are any, else TCP",
        ),
        ("unix", Self::Unix, "A Unix socket"),
        ("tcp", Self::Tcp, "TCP on this machine"),
    ];
}

/// How declarations are made reachable.
#[derive(Debug, Clone)]
pub struct BridgeOptions {
    /// How the agent reaches the servers.
    pub mode: BridgeMode,
    /// What `linkspan mcp` connects to.
    pub transport: BridgeTransport,
    /// The path of this program, which has the command `mcp`. Called for every declaration: the file may be
    /// replaced while the chain runs.
    pub current_exe: fn() -> io::Result<PathBuf>,
    /// Folders for the private socket, in order of preference; `/tmp` is tried last.
    pub socket_folders: Vec<PathBuf>,
    /// How long a connection may take to show its secret.
    pub secret_timeout: Duration,
}

/// The bridge of a chain; see the module's description.
pub(crate) struct DeclarationBridge {
    options: BridgeOptions,
    limits: Limits,
    chain: ChainHandle,
    declarations: Arc<Declarations>,
    /// Opened by the first declaration that needs it.
    listener: Option<Listener>,
    forms: HashMap<Provider, FormCache>,
}

impl DeclarationBridge {
    /// Must be called in a runtime.
    pub(crate) fn new(options: BridgeOptions, limits: Limits, chain: ChainHandle) -> Self {
        Self {
            options,
            limits,
            chain,
            declarations: Arc::default(),
            listener: None,
            forms: HashMap::new(),
        }
    }

    /// The server behind a declaration, opened anew for every connection.
    fn server(&mut self, offer: &Offer<'_>, life: &watch::Receiver<Life>) -> Backend {
        let provider = offer.provider.clone();
        if self.forms.len() >= MAX_CACHES && !self.forms.contains_key(&provider) {
            self.forms.clear();
        }
        let cache = self.forms.entry(provider.clone()).or_default().clone();
        // A provider with a URL predates `server/discover`: every connection begins with a handshake.
        let era = matches!(provider, Provider::Url(_)).then_some(Era::Legacy);
        let (owner, declaration_id) = (offer.owner, offer.declaration_id);
        let (chain, life) = (self.chain.clone(), life.clone());
        let open = move || {
            let carrier = Carrier::new(provider.clone(), owner, cache.clone());
            carrier::port(carrier, life.clone(), &chain, declaration_id)
        };
        Backend::local(open, era)
    }

    /// The endpoint for `linkspan mcp`; the listener is opened if there is none.
    fn endpoint(&mut self) -> Result<String, RpcError> {
        if let Some(listener) = &self.listener {
            return Ok(listener.endpoint().to_owned());
        }
        let opened = Listener::open(&self.options, self.limits, &self.declarations);
        let listener = opened.map_err(|e| cannot("listen for the agent", &e))?;
        let endpoint = listener.endpoint().to_owned();
        self.listener = Some(listener);
        Ok(endpoint)
    }

    fn over_stdio(&mut self, offer: &Offer<'_>) -> Result<String, RpcError> {
        let secret = Secret::new().ok_or_else(no_secret)?;
        let endpoint = self.endpoint()?;
        let program = own_program::path(self.options.current_exe);
        let program = program.map_err(|e| cannot("name our own program", &e))?;
        let (life, watching) = watch::channel(Life::default());
        let server = self.server(offer, &watching);
        let text = agent_entry::stdio(offer, &program, &endpoint, &secret);
        let declaration = Declaration::new(offer.name, secret.key(), server, life);
        self.declarations.add(offer.declaration_id, declaration)?;
        tracing::info!(
            "the MCP server {} is declared to the agent as `linkspan mcp`",
            quote(offer.name)
        );
        Ok(text)
    }

    fn over_http(&mut self, offer: &Offer<'_>) -> Result<String, RpcError> {
        if !offer.takes_http {
            let data = r#"{"hint":"start the conductor without --mcp-bridge http: every agent accepts stdio"}"#;
            let why = "the agent accepts no MCP servers over HTTP";
            return Err(RpcError::invalid_params(why).with_data(data));
        }
        let (Some(secret), Some(path)) = (Secret::new(), Secret::new()) else {
            return Err(no_secret());
        };
        let (life, watching) = watch::channel(Life::default());
        let server = self.server(offer, &watching);
        let path = format!("/mcp-{}", path.short());
        let opened = http::open(server, &path, &secret, self.limits, watching);
        let address = opened.map_err(|e| cannot("listen for the agent", &e))?;
        let url = format!("http://{address}{path}");
        let declaration = Declaration::over_http(offer.name, life);
        self.declarations.add(offer.declaration_id, declaration)?;
        tracing::info!(
            "the MCP server {} is declared to the agent as {address}",
            quote(offer.name)
        );
        Ok(agent_entry::http(offer, &url, &secret))
    }
}

impl McpBridge for DeclarationBridge {
    fn always(&self) -> bool {
        matches!(self.options.mode, BridgeMode::Stdio | BridgeMode::Http)
    }

    fn offer(&mut self, offer: &Offer<'_>) -> Result<String, RpcError> {
        match self.options.mode {
            BridgeMode::Auto | BridgeMode::Stdio => self.over_stdio(offer),
            BridgeMode::Http => self.over_http(offer),
        }
    }

    fn began(&mut self, declaration_id: DeclarationId, session: &str) {
        self.declarations.began(declaration_id, session);
    }

    fn revoke(&mut self, declaration_id: DeclarationId) {
        self.declarations.revoke(declaration_id);
    }
}

impl Drop for DeclarationBridge {
    fn drop(&mut self) {
        self.declarations.revoke_all();
    }
}

fn no_secret() -> RpcError {
    RpcError::internal("this system has no randomness for a secret")
}

fn cannot(what: &str, why: &io::Error) -> RpcError {
    tracing::warn!("cannot {what}: {why}");
    let data = r#"{"hint":"--bridge-transport tcp needs no socket file; --mcp-bridge off passes declarations as they are"}"#;
    RpcError::internal(format!("cannot {what}: {why}")).with_data(data)
}
