//! One line on the terminal that tells what we are waiting for, and goes when there is an answer.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::show::on_one_line;

/// What is answered within this time needs no explanation.
const QUIET: Duration = Duration::from_secs(2);
/// How often the line is written anew.
pub(crate) const TICK: Duration = Duration::from_millis(500);
/// Longer lines would wrap, and then not be taken away as a whole.
const WIDTH: usize = 78;

/// The line; nothing at all unless stderr is a terminal.
pub(crate) struct Status {
    terminal: bool,
    since: Instant,
    what: String,
    /// What the server said about its progress.
    progress: Option<String>,
    shown: bool,
}

impl Status {
    pub(crate) fn new() -> Self {
        Self {
            // A dumb terminal cannot take a line away.
            terminal: io::stderr().is_terminal()
                && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
            since: Instant::now(),
            what: String::new(),
            progress: None,
            shown: false,
        }
    }

    /// Whether stderr is a terminal, so that it is shown.
    pub(crate) fn is_seen(&self) -> bool {
        self.terminal
    }

    /// A wait begins. `what` completes "waiting for …".
    pub(crate) fn begin(&mut self, what: String) {
        self.what = what;
        self.progress = None;
        self.since = Instant::now();
    }

    /// The server says how far it is.
    pub(crate) fn progress(&mut self, words: &str) {
        self.progress = Some(on_one_line(words));
        self.draw();
    }

    /// Time has passed.
    pub(crate) fn tick(&mut self) {
        if self.shown || self.since.elapsed() >= QUIET {
            self.draw();
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

    /// Takes the line away, before something else is written.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let mut stderr = io::stderr().lock();
            let _ = write!(stderr, "\r\x1b[2K");
            let _ = stderr.flush();
        }
    }
}

impl Drop for Status {
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
    match line.chars().count() > WIDTH {
        true => line.chars().take(WIDTH - 1).chain(['…']).collect(),
        false => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_what_for_and_how_long_and_does_not_wrap() {
        let seconds = Duration::from_secs(5);
        assert_eq!(
            line("`sleep` to answer", seconds, None),
            "waiting for `sleep` to answer (5 s)"
        );
        assert_eq!(line("it", seconds, Some("3/10 files")), "3/10 files (5 s)");
        assert_eq!(line(&"x".repeat(500), seconds, None).chars().count(), WIDTH);
    }
}
