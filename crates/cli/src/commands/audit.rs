//! `linkspan audit`: the audit log of the gateway.

use std::path::PathBuf;

use clap::Args;
use linkspan_gateway_io::verify_file;

use crate::exit::{Exit, Failure};
use crate::show::{path, say};

// `linkspan audit`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  linkspan audit verify audit.jsonl")]
pub(crate) struct AuditArgs {
    /// Check that no line was changed, removed or moved
    #[arg(value_name = "ACTION", value_parser = ["verify"])]
    _action: String,
    /// The log
    file: PathBuf,
}

pub(crate) fn run(args: &AuditArgs) -> Result<Exit, Failure> {
    let log = verify_file(&args.file).map_err(|error| {
        let what = format!("{}: {error}", path(&args.file));
        Failure::new(Exit::Invalid, what).hint(error.hint())
    })?;
    say!(
        "intact: {} lines, the last one has SHA-256 {}",
        log.lines,
        log.last
    );
    Ok(Exit::Ok)
}
