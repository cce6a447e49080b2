//! Drives the cargo-fuzz targets in `fuzz/`.

use std::fs;
use std::time::Duration;

use crate::child;
use crate::paths::{cargo, root};
use crate::report::{Outcome, Report};

const ASK: Duration = Duration::from_secs(30);
const BUILD: Duration = Duration::from_secs(20 * 60);

/// `fuzz [TARGET] [SECONDS]`: one target, or all of them.
pub fn run(report: &mut Report, args: &[&str]) {
    let (target, seconds) = match *args {
        [] => (None, 60),
        [one] => one
            .parse()
            .map_or((Some(one), 60), |seconds| (None, seconds)),
        [target, seconds, ..] => (Some(target), seconds.parse().unwrap_or(60)),
    };
    let targets = target.map_or_else(targets, |target| vec![target.to_owned()]);
    if targets.is_empty() {
        report.step("fuzz", || {
            Outcome::Skipped("there is no fuzz/fuzz_targets/*.rs".to_owned())
        });
    }
    for target in targets {
        report.step(&format!("fuzz {target}"), || one(&target, seconds));
    }
}

fn one(target: &str, seconds: u64) -> Result<(), String> {
    child::capture(&mut cargo("fuzz --version"), ASK)
        .map_err(|_| "cargo-fuzz is missing: `cargo install cargo-fuzz`".to_owned())?;
    let line = format!("fuzz run {target} -- -max_total_time={seconds}");
    let mut fuzz = cargo(&line);
    if !nightly() {
        // cargo-fuzz passes unstable flags; this makes a stable compiler accept them.
        fuzz.env("RUSTC_BOOTSTRAP", "1");
    }
    child::run(&mut fuzz, BUILD + Duration::from_secs(seconds))
}

fn nightly() -> bool {
    child::capture(&mut cargo("--version"), ASK).is_ok_and(|version| version.contains("nightly"))
}

fn targets() -> Vec<String> {
    let Ok(entries) = fs::read_dir(root().join("fuzz").join("fuzz_targets")) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".rs").map(str::to_owned))
        .collect();
    names.sort();
    names
}
