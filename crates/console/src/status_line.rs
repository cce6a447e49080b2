//! A line on the terminal that says what the program waits for. It is removed before other output.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// The line is shown after this time.
const QUIET: Duration = Duration::from_secs(2);
/// A longer line would wrap, and could not be removed as a whole.
const WIDTH: usize = 78;

/// The line; does nothing unless stderr is a terminal.
pub struct StatusLine {
    terminal: bool,
    since: Instant,
    what: String,
    /// The last progress of the server.
    progress: Option<String>,
    shown: bool,
}

impl StatusLine {
    /// `is_dumb`: a terminal that cannot remove a line.
    #[must_use]
    pub fn new(is_dumb: bool) -> Self {
        Self {
            terminal: io::stderr().is_terminal() && !is_dumb,
            since: Instant::now(),
            what: String::new(),
            progress: None,
            shown: false,
        }
    }

    /// Whether there is a terminal for it.
    #[must_use]
    pub fn is_visible(&self) -> bool {
        self.terminal
    }

    /// The program begins to wait for something else.
    pub fn begin(&mut self, what: String) {
        self.what = what;
        self.progress = None;
        self.since = Instant::now();
    }

    /// Shows progress, a text without line ends, in place of what is waited for.
    pub fn progress(&mut self, text: String) {
        self.progress = Some(text);
        self.draw();
    }

    /// Shows how long it has been, once that is long.
    pub fn tick(&mut self) {
        if self.shown || self.since.elapsed() >= QUIET {
            self.draw();
        }
    }

    /// Removes the line before other output.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let mut stderr = io::stderr().lock();
            let _ = write!(stderr, "\r\x1b[2K");
            let _ = stderr.flush();
        }
    }

    fn draw(&mut self) {
        if !self.terminal {
            return;
        }
        let line = line(&self.what, self.since.elapsed(), self.progress.as_deref());
        let mut stderr = io::stderr().lock();
        let _ = write!(stderr, "\r\x1b[2K{line}");
        let _ = stderr.flush();
        self.shown = true;
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.clear();
    }
}

fn line(what: &str, waited: Duration, progress: Option<&str>) -> String {
    let seconds = waited.as_secs();
    let line = match progress {
        Some(progress) => format!("{progress} ({seconds} s)"),
        None => format!("waiting for {what} ({seconds} s)"),
    };
    if line.chars().count() > WIDTH {
        line.chars().take(WIDTH - 1).chain(['…']).collect()
    } else {
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_the_subject_and_the_time_and_does_not_wrap() {
        let seconds = Duration::from_secs(5);
        assert_eq!(
            line("`sleep` to answer", seconds, None),
            "waiting for `sleep` to answer (5 s)"
        );
        assert_eq!(line("it", seconds, Some("3/10 files")), "3/10 files (5 s)");
        assert_eq!(line(&"x".repeat(500), seconds, None).chars().count(), WIDTH);
    }
}
