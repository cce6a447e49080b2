//! Running `linkspan bcp …` to its end: bytes in, bytes out, bounded in time and, if wanted, memory.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus};

use linkspan_testkit::run_watched;

/// `linkspan bcp` with these arguments, run to its end.
#[track_caller]
pub fn bcp(args: &[&str]) -> Ran {
    Run::new(args).end()
}

/// A run about to begin. What the tester's machine says about modes, colours and logs is unset.
#[must_use]
pub struct Run {
    command: Command,
    stdin: Vec<u8>,
}

impl Run {
    pub fn new(args: &[&str]) -> Self {
        Self::of(Command::new(env!("CARGO_BIN_EXE_linkspan")), args)
    }

    /// The same, but a run that asks for more than so many kilobytes dies of it.
    ///
    /// The limit is on private writable memory. That cannot be missed, as a peak between two looks
    /// at `/proc` can, and says nothing of address space, of which a program may reserve a lot.
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

    /// The folder that it runs in.
    pub fn inside(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Runs it.
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

/// The peak so far. A process that has ended has none any more.
fn resident_kb(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    // Before it is the program that it is to become, it shows the memory of the process that starts it.
    let begun = status.starts_with("Name:\tlinkspan\n");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.filter(|_| begun);
    peak.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}

/// What a run left behind.
#[derive(Debug)]
pub struct Ran {
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
    /// At least so much memory it had.
    pub peak_kb: u64,
    status: ExitStatus,
}

impl Ran {
    /// Fails the test unless it went well and without a word on stderr.
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

    /// Fails the test unless it ended with this code and one error, which it gives back.
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

    /// What it printed, as text.
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("the output is UTF-8")
    }

    /// What it printed, as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        let text = self.text();
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}
