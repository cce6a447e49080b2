//! The checks that need only Rust: format, lints, tests, docs, licences.

use std::process::Command;
use std::time::Duration;

use crate::paths::{self, cargo};
use crate::report::{Outcome, Report};
use crate::{child, demo, rules};

const LIMIT: Duration = Duration::from_secs(20 * 60);
const THREADS: &str = "8";

pub fn run(report: &mut Report) {
    report.step("format", || run_cargo("fmt --all --check"));
    rules::run(report);
    report.step("clippy", || {
        run_cargo("clippy --workspace --all-targets --locked -- -D warnings")
    });
    report.step("tests", || {
        // A snapshot that differs is a failure, not a new file in the tree.
        let mut test = cargo("test --workspace --locked");
        test.env("INSTA_UPDATE", "no");
        if std::env::var_os("RUST_TEST_THREADS").is_none() {
            // Most tests wait for a process or for a timer, not for a core.
            test.env("RUST_TEST_THREADS", THREADS);
        }
        child::run(&mut test, LIMIT)
    });
    report.step("demo", demo::show);
    report.step("docs", || {
        let mut doc = cargo("doc --workspace --no-deps --locked");
        child::run(doc.env("RUSTDOCFLAGS", "-D warnings"), LIMIT)
    });
    report.step("plots", plots);
    report.step("cargo deny", deny);
}

/// The pictures in `bench/plots` show the figures of RESULTS.md.
fn plots() -> Outcome {
    if child::capture(Command::new("python3").arg("--version"), LIMIT).is_err() {
        return Outcome::missing("python3 is not installed");
    }
    let script = paths::root().join("bench").join("run");
    child::run(
        Command::new("python3")
            .arg(script)
            .args(["plots", "--check"]),
        LIMIT,
    )
    .into()
}

fn deny() -> Outcome {
    if child::capture(&mut cargo("deny --version"), LIMIT).is_err() {
        // Optional everywhere, so this is not a failure in CI either.
        return Outcome::Skipped("cargo-deny is not installed".to_owned());
    }
    run_cargo("deny check").into()
}

fn run_cargo(line: &str) -> Result<(), String> {
    child::run(&mut cargo(line), LIMIT)
}
