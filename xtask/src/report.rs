//! The steps of a run, their outcomes and times.

use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The flag that makes a missing peer a failure.
const TOLD: &str = "--peers";

/// How one step ended.
pub enum Outcome {
    Passed,
    /// Not run, which is not a failure; contains the reason.
    Skipped(String),
    Failed(String),
    /// A suite without its peer; the report decides whether that is a failure.
    Missing(String),
}

impl Outcome {
    pub fn missing(why: impl Into<String>) -> Self {
        Self::Missing(why.into())
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
pub struct Report {
    rows: Vec<Row>,
    /// The flag or variable that forbids to skip a suite whose peer is missing.
    strict: Option<&'static str>,
}

struct Row {
    name: String,
    outcome: Outcome,
    took: Duration,
}

impl Report {
    /// Missing peers are skipped on a developer's machine, and are a failure with `CI=true`.
    pub fn new() -> Self {
        let ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
        Self {
            rows: Vec::new(),
            strict: ci.then_some("CI=true"),
        }
    }

    /// Missing peers are a failure.
    pub fn strict() -> Self {
        Self {
            rows: Vec::new(),
            strict: Some(TOLD),
        }
    }

    /// Whether `--peers` was given; CI alone does not count.
    pub fn was_told(&self) -> bool {
        self.strict == Some(TOLD)
    }

    /// Whether every step so far was run and passed.
    pub fn all_passed(&self) -> bool {
        let passed = |row: &Row| matches!(row.outcome, Outcome::Passed);
        self.rows.iter().all(passed)
    }

    /// Whether a step so far failed; a skipped one did not.
    pub fn has_failed(&self) -> bool {
        let failed = |row: &Row| matches!(row.outcome, Outcome::Failed(_));
        self.rows.iter().any(failed)
    }

    /// Runs one step under a heading of its own.
    pub fn step<O: Into<Outcome>>(&mut self, name: &str, work: impl FnOnce() -> O) {
        println!("\n=== {name} ===");
        let start = Instant::now();
        let outcome = self.judge(work().into());
        match &outcome {
            Outcome::Passed | Outcome::Missing(_) => {}
            Outcome::Skipped(why) => println!("skipped: {name} because {why}"),
            Outcome::Failed(why) => println!("failed: {name}: {why}"),
        }
        self.rows.push(Row {
            name: name.to_owned(),
            outcome,
            took: start.elapsed(),
        });
    }

    /// Turns a missing peer into a failure or a skipped step.
    fn judge(&self, outcome: Outcome) -> Outcome {
        match (outcome, self.strict) {
            (Outcome::Missing(why), Some(who)) => {
                Outcome::Failed(format!("{why}; with {who} it has to run"))
            }
            (Outcome::Missing(why), None) => Outcome::Skipped(why),
            (other, _) => other,
        }
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
                Outcome::Skipped(why) | Outcome::Missing(why) => {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_a_failure_only_where_it_has_to_run() {
        let judge = |strict| {
            let rows = Vec::new();
            Report { rows, strict }.judge(Outcome::missing("no Node"))
        };
        assert!(matches!(judge(None), Outcome::Skipped(why) if why == "no Node"));
        assert!(matches!(judge(Some("--peers")), Outcome::Failed(why) if why.contains("--peers")));
    }
}
