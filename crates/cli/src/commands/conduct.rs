//! `linkspan conduct`: an editor in front, a chain of proxies and an agent behind.

use std::cell::Cell;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use linkspan_conduct::{
    BridgeChoice, BridgeOptions, BridgeTransport, Component, Conduct, ConductOptions,
    SECRET_TIMEOUT,
};
use linkspan_console::Signals;
use linkspan_wire::parse_size;

use crate::args::named::explained;
use crate::args::seconds;
use crate::environment::STORE_KEY;
use crate::exit::{Exit, Failure};
use crate::show::say;
use crate::waiting;

const HELP: &str = "\
Speaks ACP on stdin and stdout to an editor, starts every COMPONENT and the AGENT, and passes messages
along the chain: editor, proxies from left to right, agent. Proxies of all released dialects may be
mixed. Messages keep their bytes and their order.

A proxy may provide MCP servers that live inside the chain. Agents that cannot reach those are given
an ordinary stdio or HTTP server in their place, which leads back into the chain (--mcp-bridge).

When a component ends, every request that waits is answered with an error that names the component
and its exit status.

Examples:
  linkspan conduct 'npx -y @zed-industries/claude-code-acp'
  linkspan conduct ./logger './guard --strict' ./agent
  linkspan conduct '{\"command\":\"./guard\",\"env\":{\"LEVEL\":\"2\"}}' ./agent
  linkspan conduct --trace talk.jsons ./proxy ./agent
  linkspan conduct --proxy ./first ./second   # a proxy for another conductor

In an editor's configuration (Zed):
  {\"agent_servers\":{\"mine\":{\"command\":\"linkspan\",
    \"args\":[\"conduct\",\"./proxy\",\"./agent\"]}}}";

#[derive(Debug, Args)]
#[command(
    override_usage = "linkspan conduct [OPTIONS] [COMPONENT]… AGENT\n       linkspan conduct --proxy [OPTIONS] COMPONENT…",
    after_long_help = crate::help_text::reflow(HELP)
)]
pub(crate) struct ConductArgs {
    /// Command lines, or JSON objects with command, args, env (and dialect); the agent comes last
    #[arg(value_name = "COMPONENT", required = true)]
    pub(crate) components: Vec<String>,
    /// Run as a proxy of another conductor: all components are proxies, and there is no agent
    #[arg(long)]
    pub(crate) proxy: bool,
    /// How the agent reaches MCP servers inside the chain; auto goes by what it supports
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = explained(&BridgeChoice::NAMED))]
    pub(crate) mcp_bridge: BridgeChoice,
    /// What `linkspan mcp` connects to; a socket is private to your user
    #[arg(
        long,
        value_name = "HOW",
        default_value = "auto",
        value_parser = explained(&BridgeTransport::NAMED),
        hide_short_help = true
    )]
    pub(crate) bridge_transport: BridgeTransport,
    /// Write every message to FILE, in the format of the official trace viewer
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Write every line of every component to a file in DIR
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub(crate) debug_dir: Option<PathBuf>,
    /// Print the chain and exit
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Give up if a component has not started after this long
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds, hide_short_help = true)]
    pub(crate) start_timeout: Duration,
    /// Wait this long for pending answers after stdin closes
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds, hide_short_help = true)]
    pub(crate) drain: Duration,
    /// Largest message, for example 64MiB
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = parse_size, hide_short_help = true)]
    pub(crate) max_message: usize,
}

pub(crate) async fn run(args: ConductArgs) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let components = args.components.iter().map(|text| component(text));
    let conduct = Conduct::new(ConductOptions {
        components: components.collect::<Result<_, _>>()?,
        proxy: args.proxy,
        start_timeout: args.start_timeout,
        drain: args.drain,
        max_message: args.max_message,
        bridge: bridge(&args),
        // Components have flags of their own, so only this name is ours.
        without_env: vec![STORE_KEY.into()],
    });
    if args.dry_run {
        say!("{}", conduct.plan());
        return Ok(Exit::Ok);
    }
    let conduct = conduct.with_traces(args.trace.as_deref(), args.debug_dir.as_deref())?;
    wait_for_editor(args.proxy);
    let signal = Cell::new(None);
    let stop = async { signal.set(Some(Exit::from(signals.stop().await))) };
    conduct.run(stop).await?;
    Ok(signal.get().unwrap_or(Exit::Ok))
}

fn component(text: &str) -> Result<Component, Failure> {
    Component::parse(text).map_err(|error| {
        Failure::usage(format!("the component `{text}` cannot be read: {error}")).hint(
            "give a command line in one word, as 'program --flag', or {\"command\":…,\"args\":[…],\"env\":{…}}",
        )
    })
}

fn bridge(args: &ConductArgs) -> Option<BridgeOptions> {
    let mode = args.mcp_bridge.0?;
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let runtime = runtime.filter(|folder| folder.is_absolute());
    Some(BridgeOptions {
        mode,
        transport: args.bridge_transport,
        current_exe: std::env::current_exe,
        socket_folders: runtime.into_iter().chain([std::env::temp_dir()]).collect(),
        secret_timeout: SECRET_TIMEOUT,
    })
}

/// Tells the user at a terminal what stdin expects.
fn wait_for_editor(as_proxy: bool) {
    let who = if as_proxy {
        "another ACP conductor"
    } else {
        "an editor that speaks ACP"
    };
    waiting::on_stdin(
        &format!("{who}, which usually starts this command itself; Ctrl-C ends it"),
        "put this command into the editor's list of agents; --dry-run prints the chain and ends",
    );
}
