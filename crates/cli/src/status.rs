//! A line on the terminal that says what the client waits for; it is removed when there is an answer.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use linkspan_auth_io::Account;
use linkspan_client::Observer;

use crate::exit;
use crate::show::on_one_line;

/// The line is shown after this time.
const QUIET: Duration = Duration::from_secs(2);
/// A longer line would wrap, and could not be removed as a whole.
const WIDTH: usize = 78;

/// The line; does nothing unless stderr is a terminal.
pub(crate) struct Status {
    terminal: bool,
    since: Instant,
    what: String,
    /// The last progress of the server.
    progress: Option<String>,
    shown: bool,
    /// The account that may have to sign in.
    account: Option<Account>,
}

impl Status {
    pub(crate) fn new() -> Self {
        Self {
            // A dumb terminal cannot remove a line.
            terminal: io::stderr().is_terminal()
                && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
            since: Instant::now(),
            what: String::new(),
            progress: None,
            shown: false,
            account: None,
        }
    }

    /// The same for a server that may require a sign-in.
    pub(crate) fn signing_in(mut self, account: Option<&Account>) -> Self {
        self.account = account.cloned();
        self
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

impl Observer for Status {
    fn shows_progress(&self) -> bool {
        self.terminal
    }

    fn begin(&mut self, what: String) {
        self.what = what;
        self.progress = None;
        self.since = Instant::now();
    }

    fn progress(&mut self, text: &str) {
        self.progress = Some(on_one_line(text));
        self.draw();
    }

    fn tick(&mut self) {
        if self.shown || self.since.elapsed() >= QUIET {
            self.draw();
        }
    }

    /// Removes the line before other output.
    fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let mut stderr = io::stderr().lock();
            let _ = write!(stderr, "\r\x1b[2K");
            let _ = stderr.flush();
        }
    }

    fn waits_for_person(&self) -> bool {
        let account = self.account.as_ref();
        account.is_some_and(|account| account.prompts().borrow().is_some())
    }

    fn warn(&mut self, text: &str) {
        exit::warn(text);
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
