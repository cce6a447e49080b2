//! Logs: warnings to stderr, more on request. Nothing is logged to stdout.

mod category;

use std::fmt;
use std::io::{self, Write};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use jiff::Timestamp;
use linkspan_wire::escape_block;
use tracing::field::Field;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::field::MakeExt;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{Writer, debug_fn};
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Stamps log lines: `2026-11-15T04:15:30.123Z`.
struct Stamp;

impl FormatTime for Stamp {
    fn format_time(&self, w: &mut Writer<'_>) -> fmt::Result {
        write!(w, "{:.3}", Timestamp::now())
    }
}

/// Shows entries up to `level` on stderr, and at least those up to DEBUG in `file`.
pub fn start(level: LevelFilter, file: Option<impl Write + Send + 'static>) {
    // Libraries log headers and addresses, so only their warnings and errors are shown.
    let ours = filter_fn(|meta| {
        meta.target().starts_with("linkspan") || *meta.level() <= tracing::Level::WARN
    });
    let stderr = tracing_subscriber::fmt::layer()
        .with_writer(|| STDERR.get_or_init(Patient::start).clone())
        .with_ansi(AutoStream::choice(&io::stderr()) != ColorChoice::Never)
        .event_format(category::Lines(Stamp))
        .fmt_fields(escaped())
        .with_filter(level)
        .with_filter(ours.clone());
    let file = file.map(|file| {
        tracing_subscriber::fmt::layer()
            .with_writer(Mutex::new(file))
            .with_ansi(false)
            .with_timer(Stamp)
            .fmt_fields(escaped())
            .with_filter(level.max(LevelFilter::DEBUG))
            .with_filter(ours)
    });
    tracing_subscriber::registry()
        .with(stderr)
        .with(file)
        .init();
}

/// The prefix of further lines of a log entry. Entries themselves begin with a time.
const MORE: &str = "  | ";

/// Escapes the fields of an entry, so that text of a peer cannot look like another entry.
fn escaped() -> impl for<'writer> FormatFields<'writer> {
    let write = |out: &mut Writer<'_>, field: &Field, value: &dyn fmt::Debug| {
        let value = format!("{value:?}");
        let value = escape_block(&value, MORE);
        match field.name() {
            "message" => write!(out, "{value}"),
            name => write!(out, "{name}={value}"),
        }
    };
    debug_fn(write).delimited(" ")
}

/// Lines that wait for the reader of stderr.
const QUEUE: usize = 1024;
/// How long writing the queued lines may take at the end.
const LAST_LINES: Duration = Duration::from_millis(200);

/// stderr behind a thread: it may have no reader, and a log line must not block the program. Lines that do not fit the
/// queue are lost.
#[derive(Clone)]
struct Patient(SyncSender<Entry>);

enum Entry {
    Line(Vec<u8>),
    /// Notified when all earlier lines have been written.
    Last(SyncSender<()>),
}

static STDERR: OnceLock<Patient> = OnceLock::new();

impl Patient {
    fn start() -> Self {
        let (queue, entries) = sync_channel(QUEUE);
        std::thread::spawn(move || {
            for entry in entries {
                match entry {
                    Entry::Line(line) => {
                        let _ = io::stderr().write_all(&line);
                    }
                    Entry::Last(done) => {
                        let _ = done.try_send(());
                    }
                }
            }
        });
        Self(queue)
    }
}

impl Write for Patient {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let _ = self.0.try_send(Entry::Line(buf.to_vec()));
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Lets the last lines out.
pub fn finish() {
    let Some(Patient(queue)) = STDERR.get() else {
        return;
    };
    let (done, last) = sync_channel(1);
    if queue.try_send(Entry::Last(done)).is_ok() {
        let _ = last.recv_timeout(LAST_LINES);
    }
}
