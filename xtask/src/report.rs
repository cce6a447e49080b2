//! What was done, how it went and how long it took.

use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How one step ended.
pub enum Outcome {
    Passed,
    /// Not run, and that is no one's fault; says why.
    Skipped(String),
    Failed(String),
}

impl Outcome {
    /// A suite that could not be run: skipped on a developer's machine, a failure with `CI=true`.
    pub fn missing(why: impl Into<String>) -> Self {
        let why = why.into();
        if std::env::var("CI").is_ok_and(|ci| ci == "true") {
            Self::Failed(format!("{why}; with CI=true it has to run"))
        } else {
            Self::Skipped(why)
        }
    }
}

impl From<Result<(), String>> for Outcome {
    fn from(result: Result<(), String>) -> Self {
        match result {
            Ok(()) => Self::Passed,
            Err(why) => Self::Failed(why),
        }
    }
}

/// The steps so far, in order.
#[derive(Default)]
pub struct Report {
    rows: Vec<Row>,
}

struct Row {
    name: String,
    outcome: Outcome,
    took: Duration,
}

impl Report {
    /// Runs one step under a heading of its own.
    pub fn step<O: Into<Outcome>>(&mut self, name: &str, work: impl FnOnce() -> O) {
        println!("\n=== {name} ===");
        let start = Instant::now();
        let outcome = work().into();
        match &outcome {
            Outcome::Passed => {}
            Outcome::Skipped(why) => println!("skipped: {name} because {why}"),
            Outcome::Failed(why) => println!("failed: {name}: {why}"),
        }
        self.rows.push(Row {
            name: name.to_owned(),
            outcome,
            took: start.elapsed(),
        });
    }

    /// Prints the summary; the exit code is that of the whole run.
    pub fn close(self) -> ExitCode {
        let (mut passed, mut failed, mut skipped) = (0, 0, 0);
        println!("\n=== summary ===");
        for Row {
            name,
            outcome,
            took,
        } in &self.rows
        {
            let seconds = took.as_secs_f64();
            match outcome {
                Outcome::Passed => {
                    passed += 1;
                    println!("{seconds:7.1} s  ok       {name}");
                }
                Outcome::Skipped(why) => {
                    skipped += 1;
                    println!("{seconds:7.1} s  skipped: {name} because {why}");
                }
                Outcome::Failed(why) => {
                    failed += 1;
                    println!("{seconds:7.1} s  FAILED   {name}: {why}");
                }
            }
        }
        println!("{passed} passed, {failed} failed, {skipped} skipped");
        if failed == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}
