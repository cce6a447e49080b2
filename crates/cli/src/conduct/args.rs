//! The flags of `linkspan conduct`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::args::{seconds, size};

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

// `linkspan conduct`
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
    #[arg(long, value_enum, value_name = "HOW", default_value = "auto")]
    pub(crate) mcp_bridge: BridgeArg,
    /// What `linkspan mcp` connects to; a socket is private to your user
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        default_value = "auto",
        hide_short_help = true
    )]
    pub(crate) bridge_transport: TransportArg,
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
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = size, hide_short_help = true)]
    pub(crate) max_message: usize,
}

/// How an agent reaches MCP servers that live in the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BridgeArg {
    /// Directly if the agent supports it, else by stdio
    Auto,
    /// By a stdio server, `linkspan mcp`
    Stdio,
    /// By HTTP on this machine, if the agent takes that
    Http,
    /// No bridge: declarations are passed on unchanged
    Off,
}

/// What `linkspan mcp` connects to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TransportArg {
    /// A Unix socket where there are any, else TCP
    Auto,
    /// A Unix socket
    Unix,
    /// TCP on this machine
    Tcp,
}
