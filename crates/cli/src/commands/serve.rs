//! `linkspan serve`: a folder of scripts as a server, for clients on stdio or HTTP.

mod health;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgGroup, Args};
use linkspan_bridge::{Bridge, StdioOptions};
use linkspan_ports::stdio_parts;
use linkspan_scripts::{Folder, Options};
use linkspan_wire::Limits;

use crate::args::folder::FolderArgs;
use crate::args::listen::{GuardArgs, ListenArgs};
use crate::args::seconds;
use crate::args::shrink::ShrinkFlag;
use crate::exit::{Exit, Failure};
use crate::folder::{folder, local, options};
use crate::front::{self, front_options};
use crate::runtime::block_on;
use crate::signals::Signals;
use crate::waiting;

const HELP: &str = "\
Every executable in DIR/tools is a tool, every file in DIR/resources a resource, every text in
DIR/prompts a prompt. A file beside them (greet.meta.yaml) or a comment inside them can give their
name, description and arguments. Served on stdin and stdout, or over HTTP, in every revision of MCP
from 2024-11-05 to 2026-07-28. Changes in the folder take effect at once.

No script is executed to describe it. A folder that other users can write to is refused, because they
would decide what runs. See docs/serve in the sources for the details.

Examples:
  linkspan serve my-server
  linkspan serve my-server --http --port 9000
  linkspan serve my-server --sandbox 2 --root ~/notes
  TOKEN=… linkspan serve my-server --http --host 0.0.0.0 --token-env TOKEN
  linkspan tools ./my-server           # a folder is a target, too
  linkspan config my-server --client claude-code

In a client's configuration:
  {\"mcpServers\":{\"mine\":{\"command\":\"linkspan\",
    \"args\":[\"serve\",\"/home/me/my-server\"]}}}";

// `linkspan serve`
#[derive(Debug, Args)]
#[command(after_long_help = crate::help_text::reflow(HELP), group = ArgGroup::new("serve_over_http")
    .args([
        "port", "host", "path", "sse", "token_env", "insecure_no_token", "allow_origin",
        "allow_host", "header_timeout",
    ])
    .multiple(true)
    .requires("http"))]
pub(crate) struct ServeArgs {
    /// The folder; the current one by default
    #[arg(value_name = "DIR", default_value = ".", hide_default_value = true)]
    pub(crate) dir: PathBuf,
    /// Serve over HTTP instead of stdin and stdout, and print the URL
    #[arg(long)]
    pub(crate) http: bool,
    /// Wait this long for pending answers after stdin closes
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds, conflicts_with = "http", hide_short_help = true)]
    pub(crate) drain: Duration,
    /// Do not watch the folder for changes
    #[arg(long)]
    pub(crate) no_watch: bool,
    /// Offer only the handshake, ping and logging, to test a client's connection
    #[arg(long, hide_short_help = true)]
    pub(crate) minimal: bool,
    /// Check whether the folder can be served, and exit with 0 or 1
    #[arg(long, visible_alias = "ready", conflicts_with_all = ["http", "minimal"])]
    pub(crate) health: bool,
    #[command(flatten)]
    pub(crate) shrink: ShrinkFlag,
    // Those with a heading of their own come last: it holds for all that follow.
    #[command(flatten)]
    pub(crate) listen: ListenArgs,
    #[command(flatten)]
    pub(crate) folder: FolderArgs,
    #[command(flatten)]
    pub(crate) guard: GuardArgs,
}

impl ServeArgs {
    /// The defaults, for a folder.
    pub(crate) fn of(dir: PathBuf, folder: FolderArgs) -> Self {
        use clap::Parser;
        let usual = Alone::try_parse_from(["serve"]).ok();
        let mut args = usual.map_or_else(|| unreachable!("every flag has a default"), |it| it.args);
        args.dir = dir;
        args.folder = folder;
        args
    }
}

/// For [`ServeArgs::of`].
#[derive(Debug, clap::Parser)]
struct Alone {
    #[command(flatten)]
    args: ServeArgs,
}

pub(crate) fn run(args: ServeArgs) -> Result<Exit, Failure> {
    if args.health {
        return health::run(&args);
    }
    block_on(async {
        let options = options(&args.folder)?;
        run_with(args, options).await
    })
}

/// Serves a folder with options other than those of the flags.
pub(crate) async fn run_with(args: ServeArgs, mut options: Options) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    // Every call opens several files.
    linkspan_ports::raise_file_limit();
    options.watch = !args.no_watch;
    options.minimal = args.minimal;
    // Over HTTP there are other clients.
    options.shutdown = !args.http;
    let folder = folder(&args.dir, options)?;
    // Every script has a time limit of its own.
    let bridge = Bridge::new(local(folder.clone())).timeout(None);
    let bridge = args.shrink.add_to(bridge)?;
    if args.http {
        let options = front_options(&args.listen, &args.guard)?;
        front::serve_http(signals, bridge, &args.listen, options).await
    } else {
        stdio(signals, bridge, folder, &args).await
    }
}

async fn stdio(
    signals: Signals,
    bridge: Bridge,
    folder: Arc<Folder>,
    args: &ServeArgs,
) -> Result<Exit, Failure> {
    let limits = Limits::default();
    let front = folder.door(stdio_parts, limits).transpose();
    let front = front.map_err(|e| {
        Failure::usage(e.to_string()).hint("it is a secret: make it long, and not to be guessed")
    })?;
    let options = StdioOptions {
        drain: args.drain,
        front,
        ..StdioOptions::default()
    };
    // The client may ask for the end.
    let signals = signals.or(async move { folder.left().await });
    waiting::for_client(&waiting::tools_of_folder(&args.dir));
    front::serve_stdio(signals, bridge, options).await
}
