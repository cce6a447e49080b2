//! `--acp` of the commands that take a target, and how permission requests are answered.

use clap::Args;
use linkspan_agent::{AgentOptions, PermissionPolicy};

use super::named::explained;

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
        value_name = "WHAT",
        default_value = "ask",
        value_parser = explained(&PermissionPolicy::NAMED),
        requires = "acp",
        hide_short_help = true
    )]
    pub(crate) permission: PermissionPolicy,
}

impl From<&AcpArgs> for AgentOptions {
    fn from(args: &AcpArgs) -> Self {
        Self {
            permission: args.permission,
            current_dir: std::env::current_dir().ok(),
            ..Self::default()
        }
    }
}
