//! `linkspan doctor`: what could keep scripts and clients from working on this machine.

use std::path::PathBuf;

use clap::Args;

use crate::doctor;
use crate::exit::{Exit, Failure};

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Folder to check as well
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &DoctorArgs) -> Result<Exit, Failure> {
    doctor::check(args.dir.as_deref(), args.json)
}
