//! The command line: all commands. Help, completions and the manual page are made from this.

use clap::builder::StyledStr;
use clap::{Arg, CommandFactory, Parser, Subcommand};

use crate::args::LogArgs;
use crate::args::sign_in::SIGN_IN;
use crate::commands::agent::AgentArgs;
use crate::commands::audit::AuditArgs;
use crate::commands::auth::AuthArgs;
use crate::commands::bcp::args::BcpArgs;
use crate::commands::completions::CompletionsArgs;
use crate::commands::conduct::ConductArgs;
use crate::commands::config::ConfigArgs;
use crate::commands::connect::ConnectArgs;
use crate::commands::doctor::DoctorArgs;
use crate::commands::expose::ExposeArgs;
use crate::commands::gateway::GatewayArgs;
use crate::commands::jq::JqArgs;
use crate::commands::licenses::LONG_VERSION;
use crate::commands::login::LoginArgs;
use crate::commands::logout::LogoutArgs;
use crate::commands::mcp::McpArgs;
use crate::commands::new::NewArgs;
use crate::commands::pins::PinsArgs;
use crate::commands::run_tool::RunToolArgs;
use crate::commands::scaffold::ScaffoldArgs;
use crate::commands::sdk::SdkArgs;
use crate::commands::serve::ServeArgs;
use crate::commands::shrink::args::ShrinkArgs;
use crate::commands::try_out::TryOut;
use crate::commands::validate::ValidateArgs;
use crate::exit::exit_codes;

/// The bridge between any AI client and any tool server.
#[derive(Debug, Parser)]
#[command(
    name = "linkspan",
    version,
    long_version = LONG_VERSION.as_str(),
    after_help = exit_codes!(),
    after_long_help = crate::help_text::reflow(LONG_HELP),
    max_term_width = 100,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) log: LogArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const LONG_HELP: &str = concat!(
    "\
Examples:
  See what a server offers, and call a tool:
    linkspan tools https://mcp.example.com/mcp
    linkspan call git_log repo_path=. -- uvx mcp-server-git

  Connect a stdio client (Claude Code, an editor) to a remote server:
    claude mcp add example -- linkspan connect https://mcp.example.com/mcp

  Serve a stdio server over HTTP:
    linkspan expose -- npx -y @modelcontextprotocol/server-everything

  Shorten tool results without loss, to save tokens:
    claude mcp add git -- linkspan shrink -- uvx mcp-server-git

  Make a folder of scripts an MCP server, and configure a client for it:
    linkspan new my-server && linkspan config my-server

  Put a proxy between an editor and its agent (ACP), or use an agent as a tool:
    linkspan conduct ./my-proxy 'npx -y @zed-industries/claude-code-acp'
    claude mcp add helper -- linkspan agent -- ./my-agent acp

",
    exit_codes!()
);

// The arguments of a command are built when it is called: the tree of all commands is 0.7 MB, and most processes serve
// one of them for hours. So the long help of a command is on its arguments, and the line in the list of commands is
// here only: a doc comment on the arguments would replace it (`every_command_says_the_same_of_itself`).
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Connect a stdio client to any server
    Connect(ConnectArgs),
    /// Offer a server over HTTP
    Expose(Box<ExposeArgs>),
    /// Serve all servers of a configuration as one
    Gateway(Box<GatewayArgs>),
    /// Shorten tool results without loss, to save tokens
    Shrink(Box<ShrinkArgs>),
    /// Connect an editor to an agent through proxies (ACP)
    Conduct(Box<ConductArgs>),
    /// Serve an ACP agent as an MCP server
    Agent(Box<AgentArgs>),
    /// Connect an agent to an MCP server inside a `conduct` chain (agents run this)
    Mcp(McpArgs),
    /// Sign in to a server
    Login(Box<LoginArgs>),
    /// Sign out of a server
    Logout(Box<LogoutArgs>),
    /// See and import sign-ins
    #[command(
        arg_required_else_help = true,
        after_help = "Examples:\n  linkspan auth list\n  linkspan auth import mcp-remote https://mcp.example.com/mcp"
    )]
    Auth(Box<AuthArgs>),
    /// See and accept what servers tell the model
    Pins(PinsArgs),
    /// Check the audit log of a gateway
    Audit(AuditArgs),
    #[command(flatten)]
    TryOut(TryOut),
    #[command(flatten)]
    Author(Author),
    /// Work with BCP files: context packed for a model
    #[command(arg_required_else_help = true)]
    Bcp(BcpArgs),
    /// Print a completion script for a shell
    #[command(after_help = "Example:\n  linkspan completions bash >> ~/.bash_completion")]
    Completions(CompletionsArgs),
    /// Print the manual page
    #[command(after_help = "Example:\n  linkspan man | man -l -")]
    Man,
    /// Print the licences of the software in this program
    #[command(after_help = "Example:\n  linkspan licenses")]
    Licenses,
}

// Commands about a folder of scripts.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Author {
    /// Serve a folder of scripts, or an HTTP API (OpenAPI), as an MCP server
    Serve(Box<ServeArgs>),
    /// Create a folder of scripts
    #[command(
        after_help = "Examples:\n  linkspan new my-server\n  linkspan new my-server --lang python"
    )]
    New(NewArgs),
    /// Add a tool, prompt, resource or completion to a folder
    Scaffold(ScaffoldArgs),
    /// Show what clients will see of a folder, and its problems
    Validate(ValidateArgs),
    /// Run one tool of a folder, without a client
    RunTool(Box<RunToolArgs>),
    /// Print the configuration that a client needs for a server
    Config(Box<ConfigArgs>),
    /// Check this machine for problems with scripts and clients
    #[command(after_help = "Examples:\n  linkspan doctor\n  linkspan doctor my-server --json")]
    Doctor(DoctorArgs),
    /// Write out the SDKs for tools in Bash, Python and Node
    #[command(after_help = "Example:\n  linkspan sdk vendor/linkspan")]
    Sdk(SdkArgs),
    /// Run the built-in jq
    #[command(after_help = "Example:\n  echo '{\"a\":1}' | linkspan jq .a")]
    Jq(JqArgs),
}

/// The `--help` text of a command line: the layout of `-h`, with the rare flags and the long text. `None` if the line
/// asks for `-h`.
pub(crate) fn long_help(words: &[String]) -> Option<StyledStr> {
    let words = words.split(|word| word == "--").next()?;
    let is_long = words.iter().any(|word| word == "--help");
    let is_command = words.first().is_some_and(|word| word == "help");
    if !is_long && !is_command {
        return None;
    }
    let mut command = Cli::command();
    command.build();
    for word in words.iter().skip(usize::from(is_command)) {
        if let Some(below) = command.find_subcommand(word) {
            command = below.clone();
        }
    }
    let text = command
        .get_after_long_help()
        .or(command.get_after_help())
        .cloned()
        .unwrap_or_default();
    let is_login = command.get_name() == "login";
    let show = |arg: Arg| {
        if arg.get_id() == "help" {
            arg.help("Print help (see a summary with '-h')")
        } else if arg.get_help_heading() == Some(SIGN_IN) && !is_login {
            // Every command that takes a URL has these; only `login` explains the rare ones.
            arg
        } else {
            arg.hide_short_help(false)
        }
    };
    Some(command.mut_args(show).after_help(text).render_help())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_holds_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_says_the_same_of_itself_in_the_list_and_in_its_own_help() {
        fn compare(listed: &clap::Command, own: &clap::Command) {
            for listed in listed.get_subcommands() {
                let name = listed.get_name();
                let own = own.find_subcommand(name).unwrap();
                assert!(listed.get_about().is_some(), "{name}");
                assert_eq!(
                    listed.get_about().map(ToString::to_string),
                    own.get_about().map(ToString::to_string),
                    "{name}"
                );
                assert!(own.get_long_about().is_none(), "{name}");
                compare(listed, own);
            }
        }
        let mut built = Cli::command();
        built.build();
        compare(&Cli::command(), &built);
    }
}
