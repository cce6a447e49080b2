//! Which clients may connect: access tokens and API keys.

use std::path::PathBuf;

use clap::Args;
use linkspan_auth::resource::DpopMode;

use super::named::explained;

pub(crate) const HEADING: &str = "Who may connect";

// Credentials of clients besides one fixed token.
#[derive(Debug, Args)]
#[command(next_help_heading = HEADING)]
pub(crate) struct AuthArgs {
    /// Accept access tokens of this authorization server (OAuth 2.1); may be repeated
    #[arg(long, value_name = "URL")]
    pub(crate) auth_issuer: Vec<String>,
    /// Accept the API keys whose hashes are in FILE (JSON)
    #[arg(long, value_name = "FILE")]
    pub(crate) keys: Option<PathBuf>,
    /// URL of the endpoint as clients know it, if a proxy is in front
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// Audience that tokens must have; the URL of the endpoint by default
    #[arg(long, value_name = "TEXT", hide_short_help = true)]
    pub(crate) auth_audience: Vec<String>,
    /// Scope that every request needs; may be repeated
    #[arg(long, value_name = "SCOPE", hide_short_help = true)]
    pub(crate) auth_scope: Vec<String>,
    /// Scope that calls of matching tools need, for example 'delete_*=admin'
    #[arg(long, value_name = "GLOB=SCOPE", hide_short_help = true)]
    pub(crate) tool_scope: Vec<String>,
    /// Public keys of the issuer: a JWKS file, or its URL
    #[arg(long, value_name = "FILE|URL", hide_short_help = true)]
    pub(crate) auth_jwks: Option<String>,
    /// Ask this endpoint about tokens that are not JWTs (RFC 7662)
    #[arg(long, value_name = "URL", hide_short_help = true)]
    pub(crate) auth_introspect: Option<String>,
    /// Client id for that endpoint
    #[arg(
        long,
        value_name = "ID",
        requires = "auth_introspect",
        hide_short_help = true
    )]
    pub(crate) auth_introspect_client_id: Option<String>,
    /// Environment variable with the client secret for it
    #[arg(
        long,
        value_name = "VAR",
        requires = "auth_introspect_client_id",
        hide_short_help = true
    )]
    pub(crate) auth_introspect_secret_env: Option<String>,
    /// Tokens that are bound to a key of the client (DPoP) [default: optional]
    #[arg(long, value_name = "WHEN", value_parser = explained(&DpopMode::NAMED), hide_short_help = true)]
    pub(crate) auth_dpop: Option<DpopMode>,
    /// Claim of a token that identifies the user, for example email [default: sub]
    #[arg(long, value_name = "CLAIM", hide_short_help = true)]
    pub(crate) auth_claim: Option<String>,
    /// Accept ID tokens, too
    #[arg(long, hide_short_help = true)]
    pub(crate) auth_accept_id_token: bool,
    /// Tell a server at a URL who the caller is, in the signed header Linkspan-Identity
    #[arg(long, hide_short_help = true)]
    pub(crate) forward_identity: bool,
    /// Private key (P-256, PEM) for that header; a new one at each start by default
    #[arg(
        long,
        value_name = "FILE",
        requires = "forward_identity",
        hide_short_help = true
    )]
    pub(crate) identity_key: Option<PathBuf>,
}

/// Leaves the flags out of the help of a command that has many of its own.
pub(crate) fn hidden(arg: clap::Arg) -> clap::Arg {
    if arg.get_help_heading() == Some(HEADING) {
        arg.hide(true)
    } else {
        arg
    }
}
