//! `linkspan connect`: a stdio client in front, a server behind.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use linkspan_bridge::{Bridge, OutputFile, StdioOptions, tools_of};
use linkspan_console::Signals;
use linkspan_wire::Limits;

use crate::args::shrink::ShrinkFlag;
use crate::args::{EraArgs, RemoteArgs, seconds};
use crate::exit::{Exit, Failure};
use crate::front::{self, limit};
use crate::lacking::ClientArgs;
use crate::target;
use crate::waiting;

const HELP: &str = "\
Speaks MCP on stdin and stdout and passes every message on to the server and back; only the id of a
message changes, and messages between protocol eras are translated. If the server is down, each call is
answered with an error that says why, and the next call tries again. When stdin closes, the exit code is 0.
If the server asks for a sign-in, a browser opens; `linkspan login --help` has the flags for signing in.

Examples:
  linkspan connect https://mcp.example.com/mcp
  linkspan connect --bearer-env TOKEN https://mcp.example.com/mcp
  linkspan connect -H 'X-Api-Key: ${API_KEY}' https://mcp.example.com/mcp
  linkspan connect --record talk.ndjson https://mcp.example.com/mcp
  linkspan connect --transport sse http://localhost:37373/mcp
  linkspan connect unix:/run/example/mcp.sock
  linkspan connect --aws-sigv4 https://a.execute-api.us-east-1.amazonaws.com/mcp
  linkspan connect --server-era legacy -- uvx mcp-server-git

In a client's configuration:
  {\"mcpServers\":{\"example\":{\"command\":\"linkspan\",
    \"args\":[\"connect\",\"https://mcp.example.com/mcp\"]}}}";

#[derive(Debug, Args)]
#[command(
    override_usage = "linkspan connect [OPTIONS] (URL | FOLDER | -- COMMAND…)",
    after_long_help = crate::help_text::reflow(HELP)
)]
pub(crate) struct ConnectArgs {
    /// The server: a URL, a folder of scripts, or a command after `--`
    #[arg(value_name = "TARGET")]
    pub(crate) url: Option<String>,
    /// Command that runs a server on stdin and stdout
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
    /// Wait this long for pending answers after stdin closes
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds, hide_short_help = true)]
    pub(crate) drain: Duration,
    /// Record every message to FILE as ndjson; secrets are masked
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shrink: ShrinkFlag,
    #[command(flatten)]
    pub(crate) client: ClientArgs,
    #[command(flatten)]
    pub(crate) eras: EraArgs,
    #[command(flatten)]
    pub(crate) remote: RemoteArgs,
}

pub(crate) async fn run(args: ConnectArgs) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let try_it = tools_of(
        &args.remote.credentials(),
        args.url.as_deref(),
        &args.command,
    );
    let backend = target::backend(args.url, args.command, &args.remote)?;
    if target::check(&backend).is_ok() {
        waiting::for_client(&try_it);
        if waiting::at_terminal() {
            backend.warn_if_unreachable();
        }
    }
    let options = StdioOptions {
        drain: args.drain,
        limits: Limits::new(args.remote.max_message),
        record: args.record.as_deref().map(OutputFile::open).transpose()?,
        front: None,
    };
    let bridge = Bridge::new(backend)
        .server_era(args.eras.server_era.forced())
        .client_era(args.eras.client_era.forced())
        .timeout(limit(args.remote.timeout));
    let bridge = args.shrink.add_to(bridge)?;
    let bridge = args.client.add_to(bridge, None)?;
    front::serve_stdio(signals, bridge, options).await
}
