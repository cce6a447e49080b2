//! `linkspan sdk`: the SDKs for scripts, written to a folder.

use std::path::PathBuf;

use clap::Args;
use linkspan_scripts::sdk::{self, FILES, SdkFile};

use crate::exit::{Exit, Failure};
use crate::show::{path as shown, say};

// `linkspan sdk`
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
    let other = |file: &&SdkFile| {
        let there = std::fs::read(args.dir.join(file.path));
        there.is_ok_and(|bytes| bytes != file.text.as_bytes())
    };
    if let Some(file) = FILES.iter().find(other).filter(|_| !args.force) {
        let path = shown(&args.dir.join(file.path));
        return Err(Failure::new(
            Exit::Invalid,
            format!("{path} exists and has other contents"),
        )
        .hint("--force replaces it; the file may be from another version, or edited by hand"));
    }
    let written = sdk::write_to(&args.dir).map_err(|e| {
        Failure::new(
            Exit::Invalid,
            format!("cannot write to {}: {e}", shown(&args.dir)),
        )
        .hint("is it a folder of yours, on a disk with room?")
    })?;
    for path in written {
        say!("{}", shown(&path));
    }
    Ok(Exit::Ok)
}
