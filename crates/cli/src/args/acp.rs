//! `--acp` of the commands that take a target, and how permission requests are answered.

use clap::{Args, ValueEnum};
use linkspan_agent::{AgentOptions, PermissionPolicy};

// Options for a target that is an agent.
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

impl From<PermissionArg> for PermissionPolicy {
    fn from(arg: PermissionArg) -> Self {
        match arg {
            PermissionArg::Ask => Self::Ask,
            PermissionArg::Allow => Self::Allow,
            PermissionArg::Deny => Self::Deny,
        }
    }
}

impl From<&AcpArgs> for AgentOptions {
    fn from(args: &AcpArgs) -> Self {
        Self {
            permission: args.permission.into(),
            current_dir: std::env::current_dir().ok(),
            ..Self::default()
        }
    }
}
