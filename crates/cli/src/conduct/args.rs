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

When a component ends, every request that waits is answered with an error that says who ended and why.

Examples:
  linkspan conduct 'npx -y @zed-industries/claude-code-acp'
  linkspan conduct ./logger './guard --strict' 'npx -y @zed-industries/claude-code-acp'
  linkspan conduct '{\"command\":\"./guard\",\"args\":[\"--strict\"],\"env\":{\"LEVEL\":\"2\"}}' ./agent
  linkspan conduct --trace talk.jsons ./proxy ./agent
  linkspan conduct --proxy ./first ./second        # a proxy for another conductor

In an editor's configuration (Zed):
  {\"agent_servers\":{\"mine\":{\"command\":\"linkspan\",\"args\":[\"conduct\",\"./proxy\",\"./agent\"]}}}";

// `linkspan conduct`
#[derive(Debug, Args)]
#[command(
    override_usage = "linkspan conduct [OPTIONS] [COMPONENT]… AGENT\n       linkspan conduct --proxy [OPTIONS] COMPONENT…",
    after_long_help = HELP
)]
pub(crate) struct ConductArgs {
    /// Command lines, or JSON objects with command, args, env (and dialect); the agent comes last
    #[arg(value_name = "COMPONENT", required = true)]
    pub(crate) components: Vec<String>,
    /// Be a proxy for another conductor: all components are proxies, the agent is its business
    #[arg(long)]
    pub(crate) proxy: bool,
    /// How an agent reaches MCP servers that live in the chain; auto asks the agent
    #[arg(long, value_enum, value_name = "HOW", default_value = "auto")]
    pub(crate) mcp_bridge: BridgeArg,
    /// What `linkspan mcp` connects to; sockets are private to your user
    #[arg(long, value_enum, value_name = "HOW", default_value = "auto")]
    pub(crate) bridge_transport: TransportArg,
    /// Write every message to FILE, in the form that the official trace viewer reads
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Write every line of every component to a file in DIR
    #[arg(long, value_name = "DIR")]
    pub(crate) debug_dir: Option<PathBuf>,
    /// Print the chain and end
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How long a component may hold up the beginning
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) start_timeout: Duration,
    /// How long answers in flight may still arrive after stdin has closed
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    pub(crate) drain: Duration,
    /// Largest message, for example 64MiB
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = size)]
    pub(crate) max_message: usize,
}

/// How an agent reaches MCP servers that live in the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BridgeArg {
    /// As they are if the agent can, else by stdio
    Auto,
    /// By a stdio server, `linkspan mcp`
    Stdio,
    /// By HTTP on this machine, if the agent takes that
    Http,
    /// Not at all: declarations pass as they are
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
