//! The flags of the log.

use std::path::PathBuf;

use clap::{ArgAction, Args};

// Shown after the options of the command itself.
#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// Write a log to stderr
    #[arg(short, long, global = true, action = ArgAction::Count, display_order = LAST)]
    pub(crate) verbose: u8,
    /// Same as -v; so is DEBUG=1 in the environment
    #[arg(long, global = true, display_order = LAST + 1, hide_short_help = true)]
    pub(crate) debug: bool,
    /// Also write the log to FILE
    #[arg(long, global = true, value_name = "FILE", display_order = LAST + 2, hide_short_help = true)]
    pub(crate) log_file: Option<PathBuf>,
}

const LAST: usize = 900;
