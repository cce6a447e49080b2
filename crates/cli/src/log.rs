//! Logs: warnings to stderr, more on request, nothing ever to stdout.

use std::fs::OpenOptions;
use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::args::LogArgs;
use crate::exit::Failure;

pub(crate) fn start(args: &LogArgs) -> Result<(), Failure> {
    let debug = args.debug || std::env::var("DEBUG").is_ok_and(|v| !v.is_empty() && v != "0");
    let level = match args.verbose.max(u8::from(debug)) {
        0 => LevelFilter::WARN,
        1 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    // Libraries log headers and addresses; what they say at more than WARN is theirs to keep.
    let ours = filter_fn(|meta| {
        meta.target().starts_with("linkspan") || *meta.level() <= tracing::Level::WARN
    });
    let stderr = tracing_subscriber::fmt::layer()
        .with_writer(|| Patient)
        .with_ansi(io::stderr().is_terminal())
        .with_target(false)
        .with_timer(crate::clock::Stamp)
        .with_filter(level)
        .with_filter(ours.clone());
    let file = match &args.log_file {
        None => None,
        Some(path) => {
            let mut options = OpenOptions::new();
            options.append(true).create(true);
            crate::record::private(&mut options);
            let file = options
                .open(path)
                .map_err(|e| Failure::usage(format!("cannot write {}: {e}", path.display())))?;
            Some(
                tracing_subscriber::fmt::layer()
                    .with_writer(Mutex::new(file))
                    .with_ansi(false)
                    .with_timer(crate::clock::Stamp)
                    .with_filter(level.max(LevelFilter::DEBUG))
                    .with_filter(ours),
            )
        }
    };
    tracing_subscriber::registry()
        .with(stderr)
        .with(file)
        .init();
    Ok(())
}

/// Our stderr, which may be the non-blocking socket that is also our stdout. A log line is not worth
/// an error, or a wait.
struct Patient;

impl Write for Patient {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let _ = io::stderr().lock().write_all(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
