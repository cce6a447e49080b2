//! The flags of `linkspan expose`.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use clap::Args;

use crate::args::shrink::ShrinkFlag;
use crate::args::{EraArgs, RemoteArgs, seconds};

const HELP: &str = "\
Serves a stdio server, or another URL, at http://127.0.0.1:PORT/mcp, in every revision of MCP from
2025-03-26 to 2026-07-28 at once, whatever the server itself speaks. Prints that URL on stdout as
soon as it listens.

Each client of the handshake revisions gets its own server process, which ends with its session;
--share gives all of them the same process. Requests of 2026-07-28 have no session; they share running
processes, but never between clients with different credentials. Only this machine can connect unless
--host says otherwise, and a browser may call only from pages of this machine.

Examples:
  linkspan expose -- npx -y @modelcontextprotocol/server-everything
  linkspan expose --port 9000 --sse -- uvx mcp-server-git
  TOKEN=… linkspan expose --host 0.0.0.0 --token-env TOKEN -- ./my-server
  linkspan expose https://mcp.example.com/mcp --bearer-env KEY";

// `linkspan expose`
#[derive(Debug, Args)]
#[command(
    override_usage = "linkspan expose [OPTIONS] (URL | FOLDER | -- COMMAND…)",
    after_long_help = crate::help_text::reflow(HELP)
)]
pub(crate) struct ExposeArgs {
    /// The server: a URL, a folder of scripts, or a command after `--`
    #[arg(value_name = "TARGET")]
    pub(crate) url: Option<String>,
    /// Command that runs a server on stdin and stdout
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
    // Those with a heading of their own come last: it holds for all that follow.
    #[command(flatten)]
    pub(crate) shrink: ShrinkFlag,
    #[command(flatten)]
    pub(crate) listen: ListenArgs,
    #[command(flatten)]
    pub(crate) servers: ServerArgs,
    #[command(flatten)]
    pub(crate) guard: GuardArgs,
    #[command(flatten)]
    pub(crate) eras: EraArgs,
    #[command(flatten)]
    pub(crate) remote: RemoteArgs,
}

// Where clients find us.
#[derive(Debug, Args)]
#[command(next_help_heading = "Listening")]
pub(crate) struct ListenArgs {
    /// Port to listen on; 0 picks a free one
    #[arg(short, long, value_name = "PORT", default_value = "8808")]
    pub(crate) port: u16,
    /// Address to listen on; any other than loopback needs --token-env
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = host)]
    pub(crate) host: IpAddr,
    /// URL path of the MCP endpoint
    #[arg(long, value_name = "PATH", default_value = "/mcp", value_parser = path, hide_short_help = true)]
    pub(crate) path: String,
    /// Also serve the older HTTP+SSE, at /sse and /messages
    #[arg(long, hide_short_help = true)]
    pub(crate) sse: bool,
}

// How many servers there are, and for how long.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server processes")]
pub(crate) struct ServerArgs {
    /// Share one server process among all sessions
    #[arg(long)]
    pub(crate) share: bool,
    /// End sessions and servers after this long without use; 0 keeps them
    #[arg(long, value_name = "SECONDS", default_value = "1800", value_parser = seconds)]
    pub(crate) idle_timeout: Duration,
    /// Most sessions at once
    #[arg(long, value_name = "N", default_value = "256", value_parser = at_least_one, hide_short_help = true)]
    pub(crate) max_sessions: usize,
    /// Most requests at once, over all sessions
    #[arg(long, value_name = "N", default_value = "1024", value_parser = at_least_one, hide_short_help = true)]
    pub(crate) max_in_flight: usize,
    /// Fail a call if the client does not answer its question (elicitation) in time
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds, hide_short_help = true)]
    pub(crate) park_timeout: Duration,
}

// Who may come in.
#[derive(Debug, Args)]
#[command(next_help_heading = "Access")]
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
}

/// `--host`: `localhost` is the address that a URL with that name reaches first.
fn host(text: &str) -> Result<IpAddr, String> {
    if text.eq_ignore_ascii_case("localhost") {
        return Ok(Ipv4Addr::LOCALHOST.into());
    }
    let bare = text.strip_prefix('[').and_then(|ip| ip.strip_suffix(']'));
    bare.unwrap_or(text).parse().map_err(|_| {
        "it must be an IP address such as 127.0.0.1 or 0.0.0.0; the port goes into --port"
            .to_owned()
    })
}

pub(crate) fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a whole number from 1 on".to_owned()),
        Ok(number) => Ok(number),
    }
}

fn path(text: &str) -> Result<String, String> {
    let plain = |b: u8| b.is_ascii_graphic() && !b"?#%".contains(&b);
    if text.starts_with('/') && text.bytes().all(plain) {
        Ok(text.to_owned())
    } else {
        Err("a path begins with / and has no spaces, ?, # or %".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn localhost_is_an_address_to_listen_on() {
        for (text, ip) in [
            ("localhost", "127.0.0.1"),
            ("0.0.0.0", "0.0.0.0"),
            ("[::1]", "::1"),
            ("::1", "::1"),
        ] {
            assert_eq!(host(text).unwrap().to_string(), ip);
        }
        assert!(host("localhost:80").unwrap_err().contains("--port"));
    }
}
