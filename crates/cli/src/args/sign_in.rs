//! How to sign in to a remote server (OAuth).

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args};
use linkspan_auth::client::{DpopMode, Grant};
use url::Url;

use super::named::named;
use super::values::seconds;

/// The heading of these flags.
pub(crate) const SIGN_IN: &str = "Sign-in (OAuth)";

// How to sign in to a remote server.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = SIGN_IN)]
pub(crate) struct SignInArgs {
    /// Client id that you have registered at the authorization server
    #[arg(long, value_name = "ID", hide_short_help = true)]
    pub(crate) client_id: Option<String>,
    /// Environment variable with the secret of that client
    #[arg(
        long,
        value_name = "VAR",
        requires = "client_id",
        hide_short_help = true
    )]
    pub(crate) client_secret_env: Option<String>,
    /// Private key of that client (PEM), for signed client assertions
    #[arg(
        long,
        value_name = "FILE",
        requires = "client_id",
        hide_short_help = true
    )]
    pub(crate) client_key: Option<PathBuf>,
    /// URL of a client metadata document, used as client id where the server supports that
    #[arg(long, value_name = "URL", hide_short_help = true)]
    pub(crate) client_metadata_url: Option<Url>,
    /// Ask for these scopes in place of those that the server names
    #[arg(long, value_name = "SCOPES", action = ArgAction::Append, hide_short_help = true)]
    pub(crate) scope: Vec<String>,
    /// How tokens are obtained
    #[arg(long, value_name = "GRANT", default_value = "auto", value_parser = named(&Grant::NAMED), hide_short_help = true)]
    pub(crate) grant: Grant,
    /// JWT of a workload, for --grant jwt-bearer
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) assertion_file: Option<PathBuf>,
    /// Issuer of the identity provider, for --grant enterprise
    #[arg(long, value_name = "URL", hide_short_help = true)]
    pub(crate) idp_issuer: Option<String>,
    /// Token endpoint of the identity provider
    #[arg(long, value_name = "URL", hide_short_help = true)]
    pub(crate) idp_token_endpoint: Option<Url>,
    /// Client id at the identity provider
    #[arg(long, value_name = "ID", hide_short_help = true)]
    pub(crate) idp_client_id: Option<String>,
    /// Environment variable with the secret of that client
    #[arg(long, value_name = "VAR", hide_short_help = true)]
    pub(crate) idp_client_secret_env: Option<String>,
    /// Environment variable with an ID token of the identity provider
    #[arg(long, value_name = "VAR", hide_short_help = true)]
    pub(crate) idp_id_token_env: Option<String>,
    /// Bind tokens to a key (DPoP); auto does so if the server asks for it
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = named(&DpopMode::NAMED), hide_short_help = true)]
    pub(crate) dpop: DpopMode,
    /// Listen on this port for the browser
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) callback_port: Option<u16>,
    /// Host in the redirect URI
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1", value_parser = ["127.0.0.1", "localhost"], hide_short_help = true)]
    pub(crate) callback_host: String,
    /// Print the page instead of opening a browser
    #[arg(long, hide_short_help = true)]
    pub(crate) no_browser: bool,
    /// Add a parameter to the authorization request
    #[arg(long, value_name = "NAME=VALUE", action = ArgAction::Append, value_parser = pair, hide_short_help = true)]
    pub(crate) authorize_param: Vec<(String, String)>,
    /// Leave the `resource` parameter out, for servers that refuse it
    #[arg(long, hide_short_help = true)]
    pub(crate) no_resource: bool,
    /// Wait this long for a person to sign in
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds, hide_short_help = true)]
    pub(crate) auth_timeout: Duration,
    /// Do not sign in; pass the server's refusal on
    #[arg(long, hide_short_help = true)]
    pub(crate) no_sign_in: bool,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}
