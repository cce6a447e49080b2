//! Running `linkspan` to its end: bytes in, bytes out.

use std::process::Command;

use linkspan_testkit::run;
use serde_json::Value;

use crate::setup::program;

/// `linkspan` with these arguments, run to its end.
#[track_caller]
pub fn linkspan(args: &[&str]) -> Ran {
    Run::new(args).end()
}

/// What a short form is taken back to, by the command that a user has for it.
#[track_caller]
pub fn taken_back(text: &str) -> String {
    let ran = Run::new(&["shrink", "decode"]).stdin(text).end().well();
    ran.text().to_owned()
}

/// A run about to begin. What the tester's machine says about modes, colours and logs is unset.
#[must_use]
pub struct Run {
    command: Command,
    stdin: Vec<u8>,
}

impl Run {
    pub fn new(args: &[&str]) -> Self {
        let mut command = Command::new(program());
        command.args(args);
        for name in [
            "CLICOLOR",
            "CLICOLOR_FORCE",
            "NO_COLOR",
            "TERM",
            "DEBUG",
            "RUST_LOG",
            "BCP_RENDER_MODE",
            "BCP_DETECT_THRESHOLD",
            "LINKSPAN_SHRINK_STATS",
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

    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Runs it.
    #[track_caller]
    pub fn end(mut self) -> Ran {
        let output = run(&mut self.command, self.stdin);
        Ran {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).expect("messages are UTF-8"),
        }
    }
}

/// What a run left behind.
#[derive(Debug)]
pub struct Ran {
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Ran {
    /// Fails the test unless it went well and without a word on stderr.
    #[track_caller]
    pub fn well(self) -> Self {
        let well = self.code == Some(0) && self.stderr.is_empty();
        assert!(well, "{:?}: {}", self.code, self.stderr);
        self
    }

    /// Fails the test unless it ended with this code, one error and a hint; gives all that it said.
    #[track_caller]
    pub fn failed(&self, code: i32) -> &str {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        let errors = self.stderr.lines().filter(|l| l.starts_with("error: "));
        assert_eq!(errors.count(), 1, "{}", self.stderr);
        &self.stderr
    }

    /// What it printed, as text.
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("the output is UTF-8")
    }

    /// What it printed, as lines of JSON.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        self.text().lines().map(parse).collect()
    }
}
