//! The flags of `linkspan bcp`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::decode::{self, DecodeArgs};
use super::diff::DiffArgs;
use super::encode::{self, EncodeArgs};
use super::inspect::InspectArgs;
use super::stats::StatsArgs;
use super::validate::ValidateArgs;
use crate::args::listen::{GuardArgs, ListenArgs, only_with_http};
use crate::args::shrink::ShrinkFlag;

const HELP: &str = "\
A BCP file (Bit Context Protocol) holds what a model is to see, in typed blocks: code, conversation,
file trees, tool results, documents, data, diffs, images. It can be rendered to fit a number of
tokens.

Examples:
  linkspan bcp encode src/ README.md -o context.bcp
  linkspan bcp decode context.bcp --mode markdown --budget 4000
  linkspan bcp inspect context.bcp
  linkspan bcp mcp --root ~/contexts

Exit codes: 0 it worked, 1 a file is not valid or cannot be read or written, 2 the command line is
wrong. diff: 0 the same, 1 different, 2 trouble.";

#[derive(Debug, Args)]
#[command(version, after_long_help = crate::help_text::reflow(HELP))]
pub(crate) struct BcpArgs {
    #[command(subcommand)]
    pub(crate) command: BcpCommand,
    /// No colours, even on a terminal
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum BcpCommand {
    /// Create a BCP file from a manifest, or from files and folders
    #[command(after_long_help = crate::help_text::reflow(encode::HELP))]
    Encode(Box<EncodeArgs>),
    /// Render a BCP file as text for a model
    #[command(after_long_help = crate::help_text::reflow(decode::HELP))]
    Decode(Box<DecodeArgs>),
    /// List the blocks of a BCP file
    #[command(after_help = "Example:\n  linkspan bcp inspect context.bcp --show-body")]
    Inspect(InspectArgs),
    /// Check whether a BCP file is intact
    #[command(after_help = "Example:\n  linkspan bcp validate context.bcp && echo fine")]
    Validate(ValidateArgs),
    /// Count blocks, bytes and tokens of a BCP file
    #[command(after_help = "Example:\n  linkspan bcp stats context.bcp --tokenizer cl100k")]
    Stats(StatsArgs),
    /// Compare two BCP files block by block
    #[command(after_help = "Example:\n  linkspan bcp diff yesterday.bcp today.bcp")]
    Diff(DiffArgs),
    /// Let an MCP client read, inspect and create BCP files
    #[command(after_long_help = crate::help_text::reflow(MCP_HELP))]
    Mcp(Box<McpArgs>),
}

const MCP_HELP: &str = "\
Serves the tools read_bcp_file, inspect_bcp_file and encode_bcp_file on stdin and stdout, or over
HTTP, in every revision of MCP from 2024-11-05 to 2026-07-28.

Files are read and written in the given folders only, wherever links lead. Over stdio the client may
offer further folders (roots); over HTTP it may not, because any client could offer any folder.

Examples:
  linkspan bcp mcp
  linkspan bcp mcp --root ~/contexts --root /srv/shared
  linkspan bcp mcp --http --port 9000
  TOKEN=… linkspan bcp mcp --http --host 0.0.0.0 --token-env TOKEN

In a client's configuration:
  {\"mcpServers\":{\"bcp\":{\"command\":\"linkspan\",
    \"args\":[\"bcp\",\"mcp\",\"--root\",\"/home/me/contexts\"]}}}

Environment:
  BCP_RENDER_MODE     default format: xml, markdown or minimal
  BCP_CLI_TIMEOUT_MS  time limit of a call in milliseconds (30000); 0 is none
  BCP_LOG_LEVEL       what is logged without -v: debug, info, warn or error";

#[derive(Debug, Args)]
#[command(mut_args = only_with_http)]
pub(crate) struct McpArgs {
    /// Folder where files may be read and written; may be repeated; the current one by default
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,
    /// Serve over HTTP instead of stdin and stdout, and print the URL
    #[arg(long)]
    pub(crate) http: bool,
    #[command(flatten)]
    pub(crate) shrink: ShrinkFlag,
    #[command(flatten)]
    pub(crate) listen: ListenArgs,
    #[command(flatten)]
    pub(crate) guard: GuardArgs,
}
