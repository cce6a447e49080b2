//! What a program on a terminal has besides its work: log lines on stderr ([`log`]), a line that says what it waits for
//! ([`StatusLine`]), a bar for long work ([`ByteBar`]), the signals that end it ([`Signals`]), and text for
//! its manual page ([`troff`]).
//!
//! Invariant: nothing here writes to stdout, reads the environment or knows exit codes.

pub mod log;
mod progress_bar;
mod signals;
mod status_line;
pub mod troff;

pub use progress_bar::ByteBar;
#[cfg(unix)]
pub use signals::outlives_its_terminal;
pub use signals::{Signals, Stop, when_stopped};
pub use status_line::StatusLine;
