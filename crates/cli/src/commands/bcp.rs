//! `linkspan bcp`: context in files, for people and for MCP clients.

pub(crate) mod args;
mod cleanup;
mod decode;
mod diff;
mod encode;
mod inspect;
pub(crate) mod mcp;
mod opening;
mod progress;
mod stats;
mod stdout;
mod tokenizer;
mod validate;

use linkspan_bcp_tools::BcpError;

use self::args::{BcpArgs, BcpCommand};
use crate::exit::{Exit, Failure};

pub(crate) fn run(args: BcpArgs) -> Result<Exit, Failure> {
    if args.no_color {
        anstream::ColorChoice::Never.write_global();
    }
    match args.command {
        BcpCommand::Encode(args) => encode::run(&args),
        BcpCommand::Decode(args) => decode::run(&args),
        BcpCommand::Inspect(args) => inspect::run(&args),
        BcpCommand::Validate(args) => validate::run(&args),
        BcpCommand::Stats(args) => stats::run(&args),
        BcpCommand::Diff(args) => diff::run(&args),
        BcpCommand::Mcp(args) => crate::block_on(mcp::run(*args)),
    }
}

/// The exit codes of the library's errors.
impl From<BcpError> for Failure {
    fn from(error: BcpError) -> Self {
        let exit = match error {
            BcpError::SameFile(_) | BcpError::Root { .. } => Exit::Usage,
            _ => Exit::Invalid,
        };
        let failure = Self::new(exit, error.problem());
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}
