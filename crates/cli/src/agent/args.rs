//! The flags of `linkspan agent`, and `--acp` of the other commands.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, ValueEnum};

use crate::args::listen::{GuardArgs, ListenArgs};
use crate::args::seconds;

const HELP: &str = "\
Starts an ACP agent and serves it as an MCP server: tools to start a session, to prompt it and to close
it. What the agent says on the way is reported as progress; its questions for permission are put to
the client, and refused if the client cannot ask the user.

Examples:
  linkspan agent -- npx -y @zed-industries/claude-code-acp
  linkspan agent --permission deny --cwd ~/project -- ./my-agent acp
  linkspan agent --http --port 9000 -- ./my-agent acp
  claude mcp add helper -- linkspan agent -- ./my-agent acp

Other commands take an agent as their target with --acp:
  linkspan call prompt text='What is in here?' --acp -- ./my-agent acp";

/// How long an agent may take to start, unless somebody says otherwise; `npx` may have to fetch it.
pub(crate) const START: Duration = Duration::from_secs(60);

// `linkspan agent`
#[derive(Debug, Args)]
#[command(
    override_usage = "linkspan agent [OPTIONS] -- COMMAND…",
    after_long_help = crate::help_text::reflow(HELP),
    group = ArgGroup::new("agent_over_http")
        .args([
            "port", "host", "path", "sse", "token_env", "insecure_no_token", "allow_origin",
            "allow_host", "header_timeout",
        ])
        .multiple(true)
        .requires("http")
)]
pub(crate) struct AgentArgs {
    /// Command that runs an ACP agent on stdin and stdout
    #[arg(last = true, value_name = "COMMAND", required = true)]
    pub(crate) command: Vec<OsString>,
    /// Permission requests of the agent: ask the client, or allow or deny all
    #[arg(long, value_enum, value_name = "WHAT", default_value = "ask")]
    pub(crate) permission: PermissionArg,
    /// Folder for sessions that name none; by default the client's first root, or the current
    /// folder
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// File with the MCP servers that the agent may use (`mcpServers`, as in a client's
    /// configuration)
    #[arg(long, value_name = "FILE")]
    pub(crate) mcp_servers: Option<PathBuf>,
    /// Give up if the agent, or a session, has not started after this long
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds, hide_short_help = true)]
    pub(crate) start_timeout: Duration,
    /// Give up a prompt after this long without an answer or progress; 0 never gives up
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Wait this long for pending answers after stdin closes; then prompts are cancelled
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    pub(crate) drain: Duration,
    /// Serve over HTTP instead of stdin and stdout, and print the URL
    #[arg(long)]
    pub(crate) http: bool,
    #[command(flatten)]
    pub(crate) listen: ListenArgs,
    #[command(flatten)]
    pub(crate) guard: GuardArgs,
}

// A target that is an agent.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Agent")]
pub(crate) struct AcpArgs {
    /// The command is an ACP agent, used as by `linkspan agent`
    #[arg(long, hide_short_help = true)]
    pub(crate) acp: bool,
    /// How to answer the agent's permission requests
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        default_value = "ask",
        requires = "acp",
        hide_short_help = true
    )]
    pub(crate) permission: PermissionArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PermissionArg {
    /// Ask the client; refuse if it cannot be asked
    Ask,
    /// Allow everything, without asking
    Allow,
    /// Refuse everything, without asking
    Deny,
}
