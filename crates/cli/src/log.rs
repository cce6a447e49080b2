//! Logs: warnings to stderr, more on request. Nothing is logged to stdout.

use linkspan_bridge::OutputFile;
pub(crate) use linkspan_console::log::finish;
use tracing::level_filters::LevelFilter;

use crate::args::LogArgs;
use crate::exit::Failure;

/// `quiet` is the level without flags.
pub(crate) fn start(args: &LogArgs, quiet: LevelFilter) -> Result<(), Failure> {
    let debug = args.debug || std::env::var("DEBUG").is_ok_and(|v| !v.is_empty() && v != "0");
    let level = if args.verbose > 0 || debug {
        LevelFilter::DEBUG
    } else {
        quiet
    };
    let file = args.log_file.as_ref().map(|path| OutputFile::open(path));
    linkspan_console::log::start(level, file.transpose()?);
    Ok(())
}
