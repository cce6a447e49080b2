//! Runs `linkspan bcp …` to its end, with a time limit and an optional memory limit.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus};

use linkspan_testkit::run_watched;

/// Runs `linkspan bcp` with these arguments to its end.
#[track_caller]
pub fn bcp(args: &[&str]) -> Ran {
    Run::new(args).end()
}

/// A run before its start. Modes, colours and logs of the environment are unset.
#[must_use]
pub struct Run {
    command: Command,
    stdin: Vec<u8>,
}

impl Run {
    pub fn new(args: &[&str]) -> Self {
        Self::of(Command::new(env!("CARGO_BIN_EXE_linkspan")), args)
    }

    /// Adds a memory limit: a run that allocates more kilobytes fails.
    ///
    /// The limit applies to private writable memory. Unlike samples of `/proc` it cannot miss a peak, and it
    /// ignores address space that is only reserved.
    #[cfg(target_os = "linux")]
    pub fn within_kb(kb: u32, args: &[&str]) -> Self {
        let mut command = Command::new("sh");
        let script = format!("ulimit -d {kb}; exec \"$@\"");
        command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_linkspan")]);
        Self::of(command, args)
    }

    fn of(mut command: Command, args: &[&str]) -> Self {
        command.arg("bcp").args(args);
        for name in [
            "CLICOLOR",
            "CLICOLOR_FORCE",
            "NO_COLOR",
            "TERM",
            "DEBUG",
            "RUST_LOG",
            "BCP_RENDER_MODE",
            "BCP_LOG_LEVEL",
            "BCP_CLI_PATH",
            "BCP_CLI_TIMEOUT_MS",
        ] {
            command.env_remove(name);
        }
        Self {
            command,
            stdin: Vec::new(),
        }
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Sets the working directory.
    pub fn inside(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Runs the command.
    #[track_caller]
    pub fn end(mut self) -> Ran {
        let mut peak_kb = 0;
        let output = run_watched(&mut self.command, self.stdin, |pid| {
            peak_kb = peak_kb.max(resident_kb(pid));
        });
        Ran {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).expect("messages are UTF-8"),
            peak_kb,
            status: output.status,
        }
    }
}

/// The memory peak so far; zero after the process has ended.
fn resident_kb(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    // Before `exec`, `/proc` shows the memory of the parent process.
    let begun = status.starts_with("Name:\tlinkspan\n");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.filter(|_| begun);
    peak.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}

/// The result of a run.
#[derive(Debug)]
pub struct Ran {
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
    /// A lower bound of the memory peak.
    pub peak_kb: u64,
    status: ExitStatus,
}

impl Ran {
    /// Fails the test unless the run succeeded with an empty stderr.
    #[track_caller]
    pub fn well(self) -> Self {
        assert!(
            self.code == Some(0) && self.stderr.is_empty(),
            "{}: {}",
            self.status,
            self.stderr
        );
        self
    }

    /// Fails the test unless the run ended with this code and one error, which is returned.
    #[track_caller]
    pub fn failed(&self, code: i32) -> &str {
        assert_eq!(self.code, Some(code), "{}: {}", self.status, self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        let mut errors = self.stderr.lines().filter(|l| l.starts_with("error: "));
        let first = errors.next();
        let first = first.unwrap_or_else(|| panic!("no `error: …` in {:?}", self.stderr));
        assert_eq!(errors.next(), None, "one error is enough");
        first
    }

    /// Its stdout as text.
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("the output is UTF-8")
    }

    /// Its stdout as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        let text = self.text();
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}
