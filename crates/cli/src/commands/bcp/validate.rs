//! `linkspan bcp validate`: whether a file is valid, and where its errors are.

use clap::Args;
use linkspan_bcp_tools::listing::Styles;
use linkspan_bcp_tools::validate::Validation;

use super::opening::{FileArg, StoreArg};
use super::progress::Bar;
use crate::exit::{Exit, Failure, warn};
use crate::show::{raw, say};

#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    #[command(flatten)]
    file: FileArg,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArg,
}

pub(super) fn run(args: &ValidateArgs) -> Result<Exit, Failure> {
    let file = args.file.input();
    let document = args.store.document(&file)?;
    let found = Validation::of(&document, &Bar::default());
    if args.json {
        raw(&found.json());
    } else {
        for warning in found.warnings() {
            warn(warning);
        }
        say!("{}", found.lines(Styles::TERMINAL).trim_end());
    }
    if found.is_valid() {
        return Ok(Exit::Ok);
    }
    Err(Failure::new(Exit::Invalid, "validation failed")
        .hint("a damaged file cannot be repaired; encode it again from its sources"))
}
