//! `linkspan bcp`: context in files, for people and for MCP clients.

pub(crate) mod args;
mod decode;
mod diff;
mod encode;
mod inspect;
pub(crate) mod mcp;
mod opening;
mod output;
mod progress;
mod stats;
mod tokenizer;
mod validate;

use std::io::ErrorKind;

use linkspan_bcp_tools::BcpError;

use self::args::{BcpArgs, BcpCommand};
use crate::exit::{Exit, Failure};
use crate::show::cannot_print;

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
        BcpCommand::Mcp(args) => crate::runtime::block_on(mcp::run(*args)),
    }
}

/// Ignores a closed stdout (`| head`) and returns all other errors.
fn printed(result: Result<(), BcpError>) -> Result<(), Failure> {
    match result {
        Err(BcpError::Print(e)) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

/// The exit codes of the library's errors.
impl From<BcpError> for Failure {
    fn from(error: BcpError) -> Self {
        if let BcpError::Print(error) = &error {
            return cannot_print(error);
        }
        let exit = match error {
            BcpError::SameFile(_) | BcpError::Root { .. } => Exit::Usage,
            _ => Exit::Invalid,
        };
        Self::new(exit, error.problem()).hinted(error.hint())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_library_has_an_exit_code_and_keeps_its_words() {
        let name = "ctx.bcp".to_owned();
        for (error, exit, problem) in [
            (
                BcpError::SameFile("ctx.bcp".into()),
                Exit::Usage,
                "ctx.bcp is an input, and --output as well",
            ),
            (
                BcpError::Root {
                    folder: "none".into(),
                    error: ErrorKind::NotFound.into(),
                },
                Exit::Usage,
                "--root none: entity not found",
            ),
            (
                BcpError::Read {
                    name: name.clone(),
                    error: ErrorKind::NotFound.into(),
                },
                Exit::Invalid,
                "cannot read ctx.bcp: there is no such file",
            ),
            (
                BcpError::Create {
                    name,
                    error: ErrorKind::NotFound.into(),
                },
                Exit::Invalid,
                "cannot write ctx.bcp: its folder does not exist",
            ),
            (
                BcpError::Input {
                    path: "a.rs".into(),
                    error: ErrorKind::NotFound.into(),
                },
                Exit::Invalid,
                "cannot read a.rs: there is no such file or folder",
            ),
            (
                BcpError::Print(ErrorKind::StorageFull.into()),
                Exit::Invalid,
                "cannot write stdout: no storage space",
            ),
        ] {
            let failure = Failure::from(error);
            assert_eq!((failure.exit, failure.what.as_str()), (exit, problem));
        }
    }
}
