//! Server side: suite → a cell. Every scored scenario has to pass; no failures are expected.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::cell::Cell;
use super::outcome::{self, Scenario};
use super::{said, suite};
use crate::paths;
use crate::report::Report;

const LIMIT: Duration = Duration::from_secs(5 * 60);

/// A revision's requirements.
struct Set {
    revision: &'static str,
    /// The length of the frozen list: a run that was cut short does not pass.
    scored: usize,
    /// Scenarios that are not on the list but have to pass.
    besides: &'static [&'static str],
}

const SETS: [Set; 2] = [
    Set {
        revision: "2025-11-25",
        scored: 30,
        besides: &[
            "server-session-lifecycle",
            "json-schema-2020-12",
            "server-sse-polling",
        ],
    },
    Set {
        revision: "2026-07-28",
        scored: 37,
        besides: &[
            "json-schema-2020-12",
            "http-header-validation",
            "http-custom-header-server-validation",
        ],
    },
];

/// The result of a cell with one set.
struct Score {
    scored: usize,
    of: usize,
    besides: usize,
    besides_of: usize,
    warnings: usize,
    failed: Vec<String>,
}

pub fn run(report: &mut Report, cells: impl Iterator<Item = Cell>) {
    let mut table = String::new();
    for cell in cells {
        report.step(&format!("conformance, server side, {}", cell.name), || {
            let (row, result) = row(&cell);
            table += &row;
            result
        });
    }
    if !table.is_empty() {
        let [first, second] = SETS.map(|set| set.revision);
        println!("\n{:10} {first:28} {second}\n{table}", "cell");
    }
}

fn row(cell: &Cell) -> (String, Result<(), String>) {
    let mut row = format!("{:10}", cell.name);
    let mut failed = Vec::new();
    for set in SETS {
        match one(cell, &set) {
            Ok(score) => {
                let _ = write!(row, " {:28}", score.shown());
                if !score.failed.is_empty() {
                    failed.push(format!("{}: {}", set.revision, some(&score.failed)));
                }
            }
            Err(why) => {
                row += &format!(" {:28}", "did not run");
                failed.push(format!("{}: {why}", set.revision));
            }
        }
    }
    let result = if failed.is_empty() {
        Ok(())
    } else {
        Err(failed.join("; "))
    };
    (row.trim_end().to_owned() + "\n", result)
}

/// The first few names; all of them are above with their reasons.
fn some(names: &[String]) -> String {
    let (first, rest) = names.split_at(names.len().min(5));
    match rest.len() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

fn one(cell: &Cell, set: &Set) -> Result<Score, String> {
    // Started again for each set, so that sets do not affect each other.
    let mut running = cell.start()?;
    let url = running.first().map(|stage| stage.url.clone());
    let folder = paths::built()
        .join("conformance")
        .join(format!("{}-{}", cell.name, set.revision));
    let _ = fs::remove_dir_all(&folder);
    let mut suite = suite();
    suite
        .args(["server", "--requirements", set.revision, "--url"])
        .arg(url.unwrap_or_default())
        .arg("-o")
        .arg(&folder);
    // It ends with a failure if a scenario did: the scenarios themselves are evaluated below.
    let (said, ended) = said(&mut suite, LIMIT)?;
    let load = |folder: &str| fs::read_to_string(Path::new(folder).join("checks.json")).ok();
    let scenarios = outcome::read(&said, load);
    if scenarios.is_empty() {
        return Err(format!("{said}{ended:?}"));
    }
    let mut score = Score::of(set, &scenarios);
    if !running.iter_mut().all(|stage| stage.lives()) {
        score.failed.push("a bridge ended on the way".to_owned());
    }
    println!("{} at {}: {}", cell.name, set.revision, score.shown());
    Ok(score)
}

impl Score {
    fn of(set: &Set, scenarios: &[Scenario]) -> Self {
        let mut score = Self {
            scored: 0,
            of: set.scored,
            besides: 0,
            besides_of: set.besides.len(),
            warnings: 0,
            failed: Vec::new(),
        };
        for scenario in scenarios {
            let besides = set.besides.contains(&scenario.name.as_str());
            let (counter, passed) = match (scenario.scored, besides) {
                (true, _) => (&mut score.scored, scenario.passed()),
                (false, true) => (&mut score.besides, scenario.really_passed()),
                (false, false) => continue,
            };
            *counter += usize::from(passed);
            score.warnings += scenario.warnings();
            if !passed {
                score.failed.push(scenario.name.clone());
            }
            if !passed || scenario.warnings() > 0 {
                print!("  {}\n{}", scenario.name, scenario.complaints());
            }
        }
        if score.failed.is_empty() && (score.scored, score.besides) != (score.of, score.besides_of)
        {
            score.failed.push("scenarios are missing".to_owned());
        }
        score
    }

    fn shown(&self) -> String {
        let warnings = match self.warnings {
            0 => String::new(),
            some => format!(", {some} warned"),
        };
        format!(
            "{}/{} and {}/{}{warnings}",
            self.scored, self.of, self.besides, self.besides_of
        )
    }
}
