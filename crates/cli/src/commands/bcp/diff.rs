//! `linkspan bcp diff`: the differences between two files, block by block.

use std::io::{self, BufWriter};
use std::path::PathBuf;

use clap::Args;
use linkspan_bcp_tools::diff::{Diff, Side};
use linkspan_bcp_tools::files::InputPath;
use linkspan_bcp_tools::listing::Styles;

use super::opening::StoreArg;
use super::printed;
use super::progress::Bar;
use crate::exit::{Exit, Failure};

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The file before
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The file after
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArg,
}

pub(super) fn run(args: &DiffArgs) -> Result<Exit, Failure> {
    let (old, new) = (InputPath::new(&args.old), InputPath::new(&args.new));
    if old.is_stdin() && new.is_stdin() {
        return Err(Failure::usage("only one of the two files can be stdin"));
    }
    compare(args, &old, &new).map_err(|mut failure| {
        // As with diff(1), 1 means that the files differ, so errors exit with 2.
        failure.exit = Exit::Usage;
        failure
    })
}

fn compare(args: &DiffArgs, old: &InputPath, new: &InputPath) -> Result<Exit, Failure> {
    let read = |file: &InputPath| -> Result<Side, Failure> {
        let document = args.store.document(file)?;
        Ok(Side::read(&file.name(), document, &Bar::default())?)
    };
    let diff = Diff::of(read(old)?, read(new)?);
    printed(if args.json {
        diff.write_json(&mut BufWriter::new(io::stdout().lock()))
    } else {
        diff.write(
            Styles::TERMINAL,
            &mut BufWriter::new(anstream::stdout().lock()),
        )
    })?;
    Ok(if diff.is_empty() {
        Exit::Ok
    } else {
        Exit::Invalid
    })
}
