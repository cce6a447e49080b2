//! The command line of mcp-remote: `mcp-remote URL [PORT] [FLAGS]`.
//!
//! As in the original, a value that cannot be used is a warning, unless it decides where credentials are sent. A flag
//! that does not exist is an error here: the original ignores it, and with it what the user meant.

mod flags;
mod line;
mod oauth;
mod translate;
mod values;

use std::time::Duration;

use linkspan_auth::Secret;
use linkspan_auth::client::Grant;
use linkspan_auth::store::ClientAuth;
use linkspan_ports::Transport;
use serde_json::{Map, Value};
use url::Url;

pub use flags::{FLAGS, mcp_remote_help};
pub use translate::SigningIn;

use crate::note::Note;

/// A command line of mcp-remote, as values.
#[derive(Debug)]
pub struct McpRemote {
    /// The server.
    pub url: String,
    /// The port that the browser is sent back to, if it may be no other.
    pub callback_port: Option<u16>,
    /// Headers, with `${NAME}` in their place.
    pub headers: Vec<(String, String)>,
    /// Whether plain http to other machines is allowed.
    pub allow_http: bool,
    /// The transport.
    pub transport: Transport,
    /// Patterns of the tools that are hidden.
    pub hidden_tools: Vec<String>,
    /// The interval of pings.
    pub ping: Option<Duration>,
    /// Limit of one attempt to connect.
    pub connect_timeout: Option<Duration>,
    /// Limit of the wait for the head of a response.
    pub headers_timeout: Option<Duration>,
    /// Whether only IPv4 is used.
    pub ipv4_only: bool,
    /// Whether cookies are sent back.
    pub cookies: bool,
    /// Whether everything is logged.
    pub debug: bool,
    /// Whether nothing is logged.
    pub silent: bool,
    /// How to sign in.
    pub oauth: Oauth,
    /// What the user should know.
    pub notes: Vec<Note>,
}

/// How mcp-remote signs in.
#[derive(Debug)]
pub struct Oauth {
    /// How tokens are obtained.
    pub grant: Grant,
    /// The host in the redirect URI.
    pub host: String,
    /// The path in the redirect URI.
    pub path: String,
    /// Where the browser goes at the end.
    pub success_url: Option<Url>,
    /// How long a person may take.
    pub timeout: Duration,
    /// The resource to ask tokens for.
    pub resource: Option<String>,
    /// Whether `resource` is sent.
    pub send_resource: bool,
    /// More parameters of the authorization request.
    pub authorize_params: Vec<(String, String)>,
    /// Members of the registration.
    pub metadata: Map<String, Value>,
    /// The client that is registered already.
    pub client: Option<StaticClient>,
    /// The URL of a client metadata document.
    pub metadata_url: Option<Url>,
    /// The token endpoint for client credentials.
    pub token_endpoint: Option<Url>,
    /// Whether the ID token is the credential.
    pub use_id_token: bool,
}

/// The value of `--static-oauth-client-info`.
#[derive(Debug)]
pub struct StaticClient {
    /// The client id.
    pub id: String,
    /// The client secret.
    pub secret: Option<Secret>,
    /// How the client authenticates.
    pub auth: Option<ClientAuth>,
}
