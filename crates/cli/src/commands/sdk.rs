//! `linkspan sdk`: the SDKs for scripts, written to a folder.

use std::path::PathBuf;

use clap::Args;
use linkspan_scripts::sdk;

use crate::exit::{Exit, Failure};
use crate::show::{path as shown, say};

#[derive(Debug, Args)]
pub(crate) struct SdkArgs {
    /// Folder to write to; created if missing
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Replace existing files that differ
    #[arg(long)]
    pub(crate) force: bool,
}

pub(crate) fn run(args: &SdkArgs) -> Result<Exit, Failure> {
    let written = sdk::write_out(&args.dir, args.force)?;
    for path in written {
        say!("{}", shown(&path));
    }
    Ok(Exit::Ok)
}
