//! The command line. Help, completions and the manual page are all made from this.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use linkspan_mcp::Era;
use linkspan_ports::Transport;

use crate::acp_args::AcpArgs;
use crate::commands::agent::AgentArgs;
use crate::commands::bcp::args::BcpArgs;
use crate::commands::conduct::ConductArgs;
use crate::commands::mcp::McpArgs;
use crate::commands::try_out::TryOut;
use crate::exit::exit_codes;
use crate::expose_args::ExposeArgs;
use crate::serve::args::Author;
use crate::shrink::args::{ShrinkArgs, ShrinkFlag};

/// The bridge between any AI client and any tool server.
#[derive(Debug, Parser)]
#[command(
    name = "linkspan",
    version,
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

// The arguments of a command are made when it is called: the tree of all commands is 0.7 MB, and
// most processes serve one of them for hours. So what a command says at length stands on its
// arguments, and the line that the list of commands shows stands here and nowhere else: a doc
// comment on the arguments would take its place (`every_command_says_the_same_of_itself`).
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Connect a stdio client to any server
    Connect(ConnectArgs),
    /// Offer a server over HTTP
    Expose(Box<ExposeArgs>),
    /// Shorten tool results without loss, to save tokens
    Shrink(Box<ShrinkArgs>),
    /// Connect an editor to an agent through proxies (ACP)
    Conduct(Box<ConductArgs>),
    /// Serve an ACP agent as an MCP server
    Agent(Box<AgentArgs>),
    /// Connect an agent to an MCP server inside a `conduct` chain (agents run this)
    Mcp(McpArgs),
    #[command(flatten)]
    TryOut(TryOut),
    #[command(flatten)]
    Author(Author),
    /// Work with BCP files: context packed for a model
    #[command(arg_required_else_help = true)]
    Bcp(BcpArgs),
    /// Print a completion script for a shell
    #[command(after_help = "Example:\n  linkspan completions bash >> ~/.bash_completion")]
    Completions {
        /// Shell to complete for
        shell: Shell,
    },
    /// Print the manual page
    #[command(after_help = "Example:\n  linkspan man | man -l -")]
    Man,
}

const CONNECT_HELP: &str = "\
Speaks MCP on stdin and stdout and passes every message on to the server and back; only the id of a
message changes, and messages between protocol eras are translated. If the server is down, each call is
answered with an error that says why, and the next call tries again. When stdin closes, the exit code is 0.

Examples:
  linkspan connect https://mcp.example.com/mcp
  linkspan connect --bearer-env TOKEN https://mcp.example.com/mcp
  linkspan connect -H 'X-Api-Key: ${API_KEY}' https://mcp.example.com/mcp
  linkspan connect --record talk.ndjson https://mcp.example.com/mcp
  linkspan connect --transport sse http://localhost:37373/mcp
  linkspan connect --server-era legacy -- uvx mcp-server-git

In a client's configuration:
  {\"mcpServers\":{\"example\":{\"command\":\"linkspan\",
    \"args\":[\"connect\",\"https://mcp.example.com/mcp\"]}}}";

// `linkspan connect`
#[derive(Debug, Args)]
#[command(
    override_usage = "linkspan connect [OPTIONS] (URL | FOLDER | -- COMMAND…)",
    after_long_help = crate::help_text::reflow(CONNECT_HELP)
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
    pub(crate) eras: EraArgs,
    #[command(flatten)]
    pub(crate) remote: RemoteArgs,
}

// What each side speaks, if it is not to be found out.
#[derive(Debug, Args, Clone, Copy)]
#[command(next_help_heading = "Protocol era")]
pub(crate) struct EraArgs {
    /// MCP era of the client: legacy (2024-11-05 to 2025-11-25) or modern (2026-07-28)
    #[arg(
        long,
        value_enum,
        value_name = "ERA",
        default_value = "auto",
        hide_short_help = true
    )]
    pub(crate) client_era: EraArg,
    /// MCP era of the server, as above
    #[arg(
        long,
        visible_alias = "era",
        value_enum,
        value_name = "ERA",
        default_value = "auto",
        hide_short_help = true
    )]
    pub(crate) server_era: EraArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EraArg {
    /// Detect it
    Auto,
    /// The handshake revisions, 2024-11-05 to 2025-11-25
    Legacy,
    /// The stateless revision, 2026-07-28
    Modern,
}

impl EraArg {
    pub(crate) fn forced(self) -> Option<Era> {
        match self {
            Self::Auto => None,
            Self::Legacy => Some(Era::Legacy),
            Self::Modern => Some(Era::Modern),
        }
    }
}

/// `--timeout` if it is not given.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(3600);

// How to reach a remote server.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Remote server")]
pub(crate) struct RemoteArgs {
    /// Send this header with every request; ${VAR} is replaced from the environment; never logged
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE", action = ArgAction::Append)]
    pub(crate) headers: Vec<String>,
    /// Send the environment variable VAR as bearer token; never logged
    #[arg(long, value_name = "VAR")]
    pub(crate) bearer_env: Option<String>,
    /// Transport: Streamable HTTP or the older HTTP+SSE
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) transport: TransportArg,
    /// Give up after this long without an answer or progress, and after 30 s without a first answer if this is
    /// not given; 0 never gives up
    #[arg(long, value_name = "SECONDS", default_value = "3600", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Give up one connection attempt after this long
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds, hide_short_help = true)]
    pub(crate) connect_timeout: Duration,
    /// Retry a failed connection this many times
    #[arg(long, value_name = "N", default_value = "3", hide_short_help = true)]
    pub(crate) retries: u32,
    /// Milliseconds before the first retry; doubles each time
    #[arg(long, value_name = "MS", default_value = "100", value_parser = millis, hide_short_help = true)]
    pub(crate) retry_delay: Duration,
    /// Also trust the certificates in FILE (PEM)
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) ca: Option<PathBuf>,
    /// Allow plain http:// to other machines, which is not encrypted
    #[arg(long, hide_short_help = true)]
    pub(crate) insecure_http: bool,
    /// Largest message, for example 64MiB
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = size, hide_short_help = true)]
    pub(crate) max_message: usize,
    #[command(flatten)]
    pub(crate) acp: AcpArgs,
}

impl RemoteArgs {
    /// The flags that say who we are, as words of a command line.
    pub(crate) fn credentials(&self) -> Vec<String> {
        let bearer = self.bearer_env.iter().map(|name| ("--bearer-env", name));
        let headers = self.headers.iter().map(|header| ("-H", header));
        bearer
            .chain(headers)
            .flat_map(|(flag, value)| [flag.to_owned(), value.clone()])
            .collect()
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum TransportArg {
    /// Streamable HTTP, or HTTP+SSE if the server speaks only that
    Auto,
    /// Streamable HTTP
    Http,
    /// HTTP+SSE (2024-11-05)
    Sse,
}

impl From<TransportArg> for Transport {
    fn from(arg: TransportArg) -> Self {
        match arg {
            TransportArg::Auto => Self::Auto,
            TransportArg::Http => Self::Http,
            TransportArg::Sse => Self::Sse,
        }
    }
}

// What is logged, and where: behind the options of the command itself, which are made after these.
#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// Write a log to stderr
    #[arg(short, long, global = true, action = ArgAction::Count, display_order = LAST)]
    pub(crate) verbose: u8,
    /// Same as -v; so is DEBUG=1 in the environment
    #[arg(long, global = true, display_order = LAST + 1, hide_short_help = true)]
    pub(crate) debug: bool,
    /// Also write the log to FILE
    #[arg(long, global = true, value_name = "FILE", display_order = LAST + 2, hide_short_help = true)]
    pub(crate) log_file: Option<PathBuf>,
}

const LAST: usize = 900;

pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "not a number of seconds".to_owned())?;
    let duration = Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())?;
    // So that a time from now on is always a time.
    Ok(duration.min(Duration::from_secs(1_000_000_000)))
}

pub(crate) fn millis(text: &str) -> Result<Duration, String> {
    let millis = text
        .parse()
        .map_err(|_| "not a number of milliseconds".to_owned())?;
    Ok(Duration::from_millis(millis))
}

pub(crate) fn size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: usize = digits
        .trim()
        .parse()
        .map_err(|_| "not a size; write for example 64MiB".to_owned())?;
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" => 1000,
        "kib" | "k" => 1 << 10,
        "mb" => 1_000_000,
        "mib" | "m" => 1 << 20,
        "gb" => 1_000_000_000,
        "gib" | "g" => 1 << 30,
        other => return Err(format!("`{other}` is not a unit; write for example 64MiB")),
    };
    match number.checked_mul(unit) {
        Some(0) | None => Err("too small or too large".to_owned()),
        Some(bytes) => Ok(bytes),
    }
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

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("10"), Ok(10));
        assert_eq!(size("64MiB"), Ok(64 << 20));
        assert_eq!(size("10MB"), Ok(10_000_000));
        assert_eq!(size("2 k"), Ok(2048));
        for bad in ["", "MB", "1x", "-1", "0", "99999999999999999999"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
