//! Listening for HTTP clients, and which of them may connect.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, Args};
use linkspan_ports::{parse_host, parse_mode, parse_path};

use super::auth_guard::{self, AuthArgs};
use super::values::seconds;

/// The headings of the flags of a listener.
const LISTENING: &str = "Listening";
const ACCESS: &str = "Access";

/// For commands that listen only with `--http`: the flags of a listener require it.
pub(crate) fn only_with_http(arg: Arg) -> Arg {
    match arg.get_help_heading() {
        Some(LISTENING | ACCESS | auth_guard::HEADING) => arg.requires("http"),
        _ => arg,
    }
}

// The address of the server.
#[derive(Debug, Args)]
#[command(next_help_heading = LISTENING)]
pub(crate) struct ListenArgs {
    /// Port to listen on; 0 picks a free one
    #[arg(short, long, value_name = "PORT", default_value = "8808")]
    pub(crate) port: u16,
    /// Address to listen on; any other than loopback needs --token-env, --keys or --auth-issuer
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = parse_host)]
    pub(crate) host: IpAddr,
    /// Listen on a Unix socket in place of an address
    #[arg(long, value_name = "PATH", conflicts_with_all = ["port", "host"])]
    pub(crate) unix: Option<PathBuf>,
    /// Permissions of the Unix socket, in octal
    #[arg(long, value_name = "MODE", default_value = "600", value_parser = parse_mode)]
    #[arg(requires = "unix", hide_short_help = true)]
    pub(crate) unix_mode: u32,
    /// URL path of the MCP endpoint
    #[arg(long, value_name = "PATH", default_value = "/mcp", value_parser = parse_path, hide_short_help = true)]
    pub(crate) path: String,
    /// Also serve the older HTTP+SSE, at /sse and /messages
    #[arg(long, hide_short_help = true)]
    pub(crate) sse: bool,
}

// Which clients may connect.
#[derive(Debug, Args)]
#[command(next_help_heading = ACCESS)]
pub(crate) struct GuardArgs {
    /// Require the environment variable VAR as bearer token from clients
    #[arg(long, value_name = "VAR")]
    pub(crate) token_env: Option<String>,
    /// Listen on other addresses than loopback without a token
    #[arg(long, hide_short_help = true)]
    pub(crate) insecure_no_token: bool,
    /// Also allow calls from web pages of this origin; `*` allows all
    #[arg(long, value_name = "ORIGIN", hide_short_help = true)]
    pub(crate) allow_origin: Vec<String>,
    /// Also allow this host name in requests; `*` allows all
    #[arg(long, value_name = "HOST", hide_short_help = true)]
    pub(crate) allow_host: Vec<String>,
    /// Close a connection that takes longer than this to send a request, or a part of it
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds, hide_short_help = true)]
    pub(crate) header_timeout: Duration,
    #[command(flatten)]
    pub(crate) auth: AuthArgs,
}

pub(crate) fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a whole number from 1 on".to_owned()),
        Ok(number) => Ok(number),
    }
}
