//! `linkspan audit`: the audit log of the gateway.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use linkspan_gateway_io::{VerifyError, verify_file};

use crate::exit::{Exit, Failure};
use crate::show::{path, say};

// `linkspan audit`
#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    #[command(subcommand)]
    command: AuditCommand,
}

#[derive(Debug, Subcommand)]
enum AuditCommand {
    /// Check that no line of a log was changed, removed or moved
    #[command(after_help = "Example:\n  linkspan audit verify audit.jsonl")]
    Verify {
        /// The log
        file: PathBuf,
    },
}

pub(crate) fn run(args: &AuditArgs) -> Result<Exit, Failure> {
    let AuditCommand::Verify { file } = &args.command;
    let log = verify_file(file).map_err(|error| {
        let failure = Failure::new(Exit::Invalid, format!("{}: {error}", path(file)));
        match error {
            VerifyError::Io(_) => failure.hint("name the file of `linkspan gateway --audit FILE`"),
            VerifyError::Broken(_) => failure.hint("compare the log with a copy of it"),
        }
    })?;
    say!(
        "intact: {} lines, the last one has SHA-256 {}",
        log.lines,
        log.last
    );
    Ok(Exit::Ok)
}
