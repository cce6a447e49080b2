//! The flags of `linkspan serve` and of the commands for those who write such folders.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};

use crate::args::seconds;
use crate::expose_args::{GuardArgs, ListenArgs, at_least_one};
use crate::serve::config::ConfigArgs;
use crate::serve::doctor::DoctorArgs;
use crate::serve::run_tool::RunToolArgs;
use crate::serve::scaffold::{NewArgs, ScaffoldArgs};
use crate::serve::validate::ValidateArgs;
use crate::shrink::args::ShrinkFlag;

// Commands about a folder of scripts.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Author {
    /// Make an MCP server of a folder of scripts
    Serve(Box<ServeArgs>),
    /// Begin a folder of scripts
    #[command(
        after_help = "Examples:\n  linkspan new my-server\n  linkspan new my-server --lang python"
    )]
    New(NewArgs),
    /// Add a tool, prompt, resource or completion to a folder
    Scaffold(ScaffoldArgs),
    /// Print what clients will see of a folder, and what is wrong with it
    Validate(ValidateArgs),
    /// Run one tool of a folder, without a client
    RunTool(Box<RunToolArgs>),
    /// Print what a client needs to know to use a folder
    Config(ConfigArgs),
    /// Look for what could keep scripts and clients from working on this machine
    #[command(after_help = "Examples:\n  linkspan doctor\n  linkspan doctor my-server --json")]
    Doctor(DoctorArgs),
    /// Write out the SDKs for tools in Bash, Python and Node
    #[command(after_help = "Example:\n  linkspan sdk vendor/linkspan")]
    Sdk(SdkArgs),
    /// The jq that scripts get: JSON in, JSON out
    #[command(after_help = "Example:\n  echo '{\"a\":1}' | linkspan jq .a")]
    Jq(JqArgs),
}

const SERVE_HELP: &str = "\
Every executable in DIR/tools is a tool, every file in DIR/resources a resource, every text in
DIR/prompts a prompt; what they are called and what they take stands in a file beside them
(greet.meta.yaml), in a comment in them, or nowhere. Served on stdin and stdout, or over HTTP, in
every revision of MCP from 2024-11-05 to 2026-07-28. Changes in the folder are seen at once.

Nothing is executed to find out what it is. A folder that others can write to is refused, because
whoever writes to it decides what runs. See docs/serve in the sources for all of it.

Examples:
  linkspan serve my-server
  linkspan serve my-server --http --port 9000
  linkspan serve my-server --sandbox 2 --root ~/notes
  TOKEN=… linkspan serve my-server --http --host 0.0.0.0 --token-env TOKEN
  linkspan tools ./my-server           # a folder is a target, too
  linkspan config my-server --client claude-code

In a client's configuration:
  {\"mcpServers\":{\"mine\":{\"command\":\"linkspan\",\"args\":[\"serve\",\"/home/me/my-server\"]}}}";

// `linkspan serve`
#[derive(Debug, Args)]
#[command(after_long_help = SERVE_HELP, group = ArgGroup::new("serve_over_http")
    .args([
        "port", "host", "path", "sse", "token_env", "insecure_no_token", "allow_origin",
        "allow_host", "header_timeout",
    ])
    .multiple(true)
    .requires("http"))]
pub(crate) struct ServeArgs {
    /// The folder; the current one if there is none
    #[arg(value_name = "DIR", default_value = ".", hide_default_value = true)]
    pub(crate) dir: PathBuf,
    /// Serve over HTTP instead of stdin and stdout, and print the URL
    #[arg(long)]
    pub(crate) http: bool,
    /// How long answers in flight may still arrive after stdin has closed
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds, conflicts_with = "http")]
    pub(crate) drain: Duration,
    /// Do not look for changes in the folder
    #[arg(long)]
    pub(crate) no_watch: bool,
    /// Offer nothing but the handshake, ping and logging, to see whether a client gets that far
    #[arg(long)]
    pub(crate) minimal: bool,
    /// Say whether the folder could be served, and end: 0 yes, 1 no
    #[arg(long, visible_alias = "ready", conflicts_with_all = ["http", "minimal"])]
    pub(crate) health: bool,
    #[command(flatten)]
    pub(crate) listen: ListenArgs,
    #[command(flatten)]
    pub(crate) shrink: ShrinkFlag,
    // Those with a heading of their own come last: it holds for all that follow.
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
    /// Whose conventions the folder follows
    #[arg(long, value_enum, value_name = "WHOSE", default_value = "auto")]
    pub(crate) compat: Compat,
    /// A file or folder that the client may read by a file: URI, with all that is in it; may be
    /// given several times
    #[arg(long, value_name = "PATH")]
    pub(crate) root: Vec<PathBuf>,
    /// Let clients read URIs of this kind, which reach out of this machine; may be given several
    /// times
    #[arg(long, value_enum, value_name = "SCHEME")]
    pub(crate) allow_provider: Vec<Reach>,
    /// Let https: and git+https: URIs name only this host, *.HOST being all below it; with a port it
    /// may also be on this machine or in a private network; may be given several times
    #[arg(long, value_name = "HOST[:PORT]", requires = "allow_provider")]
    pub(crate) https_host: Vec<String>,
    /// Confine scripts at least as much as this: 0 not at all, 1 no new rights, 2 also only the
    /// files and ports that they declare
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=2))]
    pub(crate) sandbox: Option<u8>,
    /// Calls that run at once; others wait
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) concurrency: Option<usize>,
    /// Take a folder that others can write to; they decide what runs here
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
    /// mcp-bash's if it looks like one of its projects, ours otherwise
    Auto,
    /// Ours
    Native,
    /// Those of mcp-bash
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
    /// Where to; made if it is not there
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Replace files that are there and differ
    #[arg(long)]
    pub(crate) force: bool,
}

// `linkspan jq`
#[derive(Debug, Args)]
pub(crate) struct JqArgs {
    /// As for jq: flags, a filter; JSON comes from stdin
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
