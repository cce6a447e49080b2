//! The flags of `linkspan serve` and of the commands for those who write such folders.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};

use crate::args::seconds;
use crate::args::shrink::ShrinkFlag;
use crate::commands::config::ConfigArgs;
use crate::expose_args::{GuardArgs, ListenArgs, at_least_one};
use crate::serve::doctor::DoctorArgs;
use crate::serve::run_tool::RunToolArgs;
use crate::serve::scaffold::{NewArgs, ScaffoldArgs};
use crate::serve::validate::ValidateArgs;

// Commands about a folder of scripts.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Author {
    /// Serve a folder of scripts as an MCP server
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
    Config(ConfigArgs),
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

const SERVE_HELP: &str = "\
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
#[command(after_long_help = crate::help_text::reflow(SERVE_HELP), group = ArgGroup::new("serve_over_http")
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
    /// As if nothing but the folder was given.
    pub(crate) fn of(dir: PathBuf, folder: FolderArgs) -> Self {
        use clap::Parser;
        let usual = Alone::try_parse_from(["serve"]).ok();
        let mut args = usual.map_or_else(|| unreachable!("every flag has a default"), |it| it.args);
        args.dir = dir;
        args.folder = folder;
        args
    }
}

// How a folder is read and its scripts run, whichever command does that.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Folder")]
pub(crate) struct FolderArgs {
    /// Folder layout: linkspan's own or mcp-bash's
    #[arg(long, value_enum, value_name = "LAYOUT", default_value = "auto")]
    pub(crate) compat: Compat,
    /// File or folder that clients may read by file: URIs; may be repeated
    #[arg(long, value_name = "PATH")]
    pub(crate) root: Vec<PathBuf>,
    /// Let clients read URIs of this scheme, which reach other machines; may be repeated
    #[arg(long, value_enum, value_name = "SCHEME")]
    pub(crate) allow_provider: Vec<Reach>,
    /// Allow only this host in https: and git+https: URIs; *.HOST means its subdomains; with a
    /// port it may be on this machine or in a private network; may be repeated
    #[arg(
        long,
        value_name = "HOST[:PORT]",
        requires = "allow_provider",
        hide_short_help = true
    )]
    pub(crate) https_host: Vec<String>,
    /// Minimum sandbox level: 0 none, 1 no privilege gain (setuid), 2 only declared files and ports
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=2))]
    pub(crate) sandbox: Option<u8>,
    /// Most calls at once; further ones wait
    #[arg(long, value_name = "N", value_parser = at_least_one, hide_short_help = true)]
    pub(crate) concurrency: Option<usize>,
    /// Accept a folder that other users can write to, and so decide what runs
    #[arg(long)]
    pub(crate) insecure_writable: bool,
}

impl Default for FolderArgs {
    /// As if no flag was given.
    fn default() -> Self {
        Self {
            compat: Compat::Auto,
            root: Vec::new(),
            allow_provider: Vec::new(),
            https_host: Vec::new(),
            sandbox: None,
            concurrency: None,
            insecure_writable: false,
        }
    }
}

/// Whose conventions a folder follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    /// mcp-bash's if the folder looks like an mcp-bash project, else linkspan's
    Auto,
    /// linkspan's
    Native,
    /// mcp-bash's
    McpBash,
}

/// Providers of ours that reach out of this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reach {
    /// git:///… (a repository of this machine) and git+https://…
    Git,
    /// https://…
    Https,
}

// `linkspan sdk`
#[derive(Debug, Args)]
pub(crate) struct SdkArgs {
    /// Folder to write to; created if missing
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Replace existing files that differ
    #[arg(long)]
    pub(crate) force: bool,
}

// `linkspan jq`
#[derive(Debug, Args)]
pub(crate) struct JqArgs {
    /// Flags, a filter and files, as for jq; JSON comes from stdin by default
    #[arg(
        value_name = "ARGUMENT",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub(crate) words: Vec<OsString>,
}

/// For [`ServeArgs::of`].
#[derive(Debug, clap::Parser)]
struct Alone {
    #[command(flatten)]
    args: ServeArgs,
}
