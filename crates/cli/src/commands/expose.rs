//! `linkspan expose`: HTTP clients in front, a server behind.

use std::ffi::OsString;
use std::time::Duration;

use clap::Args;
use linkspan_bridge::{Bridge, ServeOptions};
use linkspan_console::Signals;
use linkspan_ports::FrontOptions;
use linkspan_wire::Limits;

use crate::args::listen::{GuardArgs, ListenArgs, at_least_one};
use crate::args::shrink::ShrinkFlag;
use crate::args::{EraArgs, RemoteArgs, seconds};
use crate::exit::{Exit, Failure};
use crate::front::{self, limit, serve_options};
use crate::lacking::ClientArgs;
use crate::target;

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
  linkspan expose --auth-issuer https://login.example.com -- ./my-server
  linkspan expose --unix /run/example/mcp.sock -- ./my-server
  linkspan expose https://mcp.example.com/mcp --bearer-env KEY";

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
    // Flattened groups with a heading come last: it applies to all fields that follow.
    #[command(flatten)]
    pub(crate) shrink: ShrinkFlag,
    #[command(flatten)]
    pub(crate) client: ClientArgs,
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

pub(crate) async fn run(args: ExposeArgs) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let options = serve_options(&args.listen, &args.guard)?;
    if args.servers.share && options.forward_identity.is_some() {
        let why = "--forward-identity and --share: all callers share one connection to the server";
        return Err(Failure::usage(why).hint("leave one of them out"));
    }
    let options = ServeOptions {
        front: FrontOptions {
            limits: Limits::new(args.remote.max_message),
            max_sessions: args.servers.max_sessions,
            max_in_flight: args.servers.max_in_flight,
            idle: limit(args.servers.idle_timeout),
            ..options.front
        },
        share: args.servers.share,
        park: args.servers.park_timeout,
        ..options
    };
    let backend = target::backend(args.url, args.command, &args.remote)?;
    target::check(&backend)?;
    backend.warn_if_unreachable();
    let bridge = Bridge::new(backend)
        .server_era(args.eras.server_era.forced())
        .client_era(args.eras.client_era.forced())
        .timeout(limit(args.remote.timeout));
    let bridge = args.shrink.add_to(bridge)?;
    let bridge = args.client.add_to(bridge, Some(args.listen.host))?;
    front::serve_http(signals, bridge, &args.listen, options).await
}
