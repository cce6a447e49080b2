//! `linkspan serve`: a folder of scripts or an HTTP API as a server, for clients on stdio or HTTP.

mod health;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use linkspan_bridge::Bridge;
use linkspan_console::Signals;
use linkspan_openapi_io::OpenApiServer;

use crate::args::folder::FolderArgs;
use crate::args::listen::{GuardArgs, ListenArgs};
use crate::args::openapi::{OpenapiArgs, by_source};
use crate::args::seconds;
use crate::args::shrink::ShrinkFlag;
use crate::exit::{Exit, Failure};
use crate::folder::{folder, options, serving};
use crate::front;
use crate::lacking::ClientArgs;
use crate::runtime::block_on;

const HELP: &str = "\
Every executable in DIR/tools is a tool, every file in DIR/resources a resource, every text in
DIR/prompts a prompt. A file beside them (greet.meta.yaml) or a comment inside them can give their
name, description and arguments. Served on stdin and stdout, or over HTTP, in every revision of MCP
from 2024-11-05 to 2026-07-28. Changes in the folder take effect at once.

No script is executed to describe it. A folder that other users can write to is refused, because they
would decide what runs. See docs/serve in the sources for the details.

With --openapi, no folder is served: every operation of an OpenAPI document is a tool, and a call is
a request to the server of the document. See docs/openapi.md in the sources.

Examples:
  linkspan serve my-server
  linkspan serve my-server --http --port 9000
  linkspan serve my-server --sandbox 2 --root ~/notes
  TOKEN=… linkspan serve my-server --http --host 0.0.0.0 --token-env TOKEN
  linkspan serve --openapi https://example.com/openapi.json --bearer-env TOKEN
  linkspan tools ./my-server           # a folder is a target, too
  linkspan config my-server --client claude-code

In a client's configuration:
  {\"mcpServers\":{\"mine\":{\"command\":\"linkspan\",
    \"args\":[\"serve\",\"/home/me/my-server\"]}}}";

#[derive(Debug, Args)]
#[command(after_long_help = crate::help_text::reflow(HELP), mut_args = by_source)]
pub(crate) struct ServeArgs {
    /// The folder; the current one by default
    #[arg(
        value_name = "DIR",
        default_value = ".",
        hide_default_value = true,
        conflicts_with = "openapi"
    )]
    pub(crate) dir: PathBuf,
    /// Serve over HTTP instead of stdin and stdout, and print the URL
    #[arg(long)]
    pub(crate) http: bool,
    /// Wait this long for pending answers after stdin closes
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds, conflicts_with = "http",
        hide_short_help = true)]
    pub(crate) drain: Duration,
    /// Do not watch the folder for changes
    #[arg(long, conflicts_with = "openapi")]
    pub(crate) no_watch: bool,
    /// Offer only the handshake, ping and logging, to test a client's connection
    #[arg(long, hide_short_help = true, conflicts_with = "openapi")]
    pub(crate) minimal: bool,
    /// Check whether the folder can be served, and exit with 0 or 1
    #[arg(long, visible_alias = "ready", conflicts_with_all = ["http", "minimal", "openapi"])]
    pub(crate) health: bool,
    #[command(flatten)]
    pub(crate) shrink: ShrinkFlag,
    #[command(flatten)]
    pub(crate) client: ClientArgs,
    // Flattened groups with a heading come last: it applies to all fields that follow.
    #[command(flatten)]
    pub(crate) listen: ListenArgs,
    #[command(flatten)]
    pub(crate) folder: FolderArgs,
    #[command(flatten)]
    pub(crate) openapi: OpenapiArgs,
    #[command(flatten)]
    pub(crate) guard: GuardArgs,
}

pub(crate) fn run(args: ServeArgs) -> Result<Exit, Failure> {
    if args.health {
        return health::run(&args);
    }
    block_on(serve(args))
}

async fn serve(args: ServeArgs) -> Result<Exit, Failure> {
    let web = args.http.then_some((&args.listen, &args.guard));
    let host = args.http.then_some(args.listen.host);
    if let Some(document) = &args.openapi.openapi {
        // Until the document is there, a signal ends the process. Every call has a time limit of its own.
        let server = OpenApiServer::open(args.openapi.options(document)).await?;
        let bridge = Bridge::new(server.backend()).timeout(None);
        let bridge = args.client.add_to(args.shrink.add_to(bridge)?, host)?;
        let try_it = format!("linkspan tools -- linkspan serve --openapi {document}");
        return front::serve(Signals::listen(), bridge, web, args.drain, &try_it).await;
    }
    let signals = Signals::listen();
    let mut options = options(&args.folder)?;
    options.watch = !args.no_watch;
    options.minimal = args.minimal;
    // Over HTTP other clients may be connected.
    options.shutdown = !args.http;
    let served = folder(&args.dir, options, args.folder.compat)?;
    let bridge = args.shrink.add_to(serving::bridge(&served))?;
    let bridge = args.client.add_to(bridge, host)?;
    if web.is_some() {
        return front::serve(signals, bridge, web, args.drain, "").await;
    }
    serving::on_stdio(signals, bridge, served, &args.dir, args.drain).await
}
