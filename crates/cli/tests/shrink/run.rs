//! Runs `linkspan` to completion with given input.

use std::process::Command;

use linkspan_testkit::run;
use serde_json::Value;

use crate::setup::program;

/// A run of `linkspan` with these arguments.
#[track_caller]
pub fn linkspan(args: &[&str]) -> Ran {
    Run::new(args).end()
}

/// Decodes a short form with the command for users.
#[track_caller]
pub fn taken_back(text: &str) -> String {
    let ran = Run::new(&["shrink", "decode"]).stdin(text).end().well();
    ran.text().to_owned()
}

/// A run to be started. Environment variables of the test machine that affect modes, colours or logs are unset.
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

    /// Runs it to completion.
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

/// The result of a run.
#[derive(Debug)]
pub struct Ran {
    /// `None` if it was killed by a signal.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Ran {
    /// Asserts that it succeeded and wrote nothing to stderr.
    #[track_caller]
    pub fn well(self) -> Self {
        let well = self.code == Some(0) && self.stderr.is_empty();
        assert!(well, "{:?}: {}", self.code, self.stderr);
        self
    }

    /// Asserts that it failed with this exit code, one error and a hint; returns everything it wrote.
    #[track_caller]
    pub fn failed(&self, code: i32) -> &str {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        let errors = self.stderr.lines().filter(|l| l.starts_with("error: "));
        assert_eq!(errors.count(), 1, "{}", self.stderr);
        &self.stderr
    }

    /// Its standard output as text.
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("the output is UTF-8")
    }

    /// Its standard output as lines of JSON.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        self.text().lines().map(parse).collect()
    }
}
