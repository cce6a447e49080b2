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
    if let Some(path) = sdk::differing(&args.dir).filter(|_| !args.force) {
        return Err(Failure::new(
            Exit::Invalid,
            format!("{} exists and has other contents", shown(&path)),
        )
        .hint("--force replaces it; the file may be from another version, or edited by hand"));
    }
    let written = sdk::write_to(&args.dir).map_err(|e| {
        Failure::new(
            Exit::Invalid,
            format!("cannot write to {}: {e}", shown(&args.dir)),
        )
        .hint("is the folder writable, and is there free disk space?")
    })?;
    for path in written {
        say!("{}", shown(&path));
    }
    Ok(Exit::Ok)
}
