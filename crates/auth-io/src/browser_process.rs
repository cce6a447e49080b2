//! The user's browser, started by another process of this program.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long an answer is waited for. Some browsers keep the caller waiting until their window is closed.
const PATIENCE: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(20);

/// A program that reads the URL of a page from stdin and [opens](crate::open_page) it. The browser inherits its
/// environment, which lacks our secrets.
#[derive(Debug, Clone)]
pub struct BrowserProcess {
    /// Its path.
    pub program: PathBuf,
    /// Its arguments. Every user of the machine can read them, so they do not include the URL.
    pub args: Vec<OsString>,
    /// Variables that it does not inherit: our secrets.
    pub without_env: Vec<OsString>,
}

impl BrowserProcess {
    /// Opens a page. Returns whether a browser was started.
    pub fn open(&self, url: &str) -> bool {
        let mut command = Command::new(&self.program);
        command.args(&self.args).stdin(Stdio::piped());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        for name in &self.without_env {
            command.env_remove(name);
        }
        let Ok(mut child) = command.spawn() else {
            return false;
        };
        if let Some(mut stdin) = child.stdin.take() {
            // One that has ended already says so by its status.
            let _ = stdin.write_all(url.as_bytes());
        }
        let start = Instant::now();
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return status.success(),
                Ok(None) if start.elapsed() < PATIENCE => sleep(LOOK),
                Ok(None) | Err(_) => return true,
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A shell that opens the page by a script.
    fn opens(script: &str, without_env: &[&str]) -> bool {
        let process = BrowserProcess {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), script.into()],
            without_env: without_env.iter().map(OsString::from).collect(),
        };
        process.open("https://as.example/page")
    }

    #[test]
    fn the_url_comes_on_stdin_and_the_status_is_the_answer() {
        assert!(opens("test \"$(cat)\" = https://as.example/page", &[]));
        assert!(!opens("exit 1", &[]));
    }

    #[test]
    fn secrets_are_not_inherited() {
        assert!(opens("test -n \"$PATH\"", &[]));
        assert!(opens(
            "test -z \"$CARGO_MANIFEST_DIR\"",
            &["CARGO_MANIFEST_DIR"]
        ));
    }

    #[test]
    fn a_program_that_cannot_be_started_opens_nothing() {
        let process = BrowserProcess {
            program: "/no/such/program".into(),
            args: Vec::new(),
            without_env: Vec::new(),
        };
        assert!(!process.open("https://as.example/page"));
    }
}
