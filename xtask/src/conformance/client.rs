//! Client side: driver → `linkspan connect` → the suite's mock server.
//!
//! Every driver is run against the mock servers of every revision, so that in half of the cells the bridge has to
//! translate. No failures are expected.

use super::listing;
use super::scenario::{self, DRIVERS};
use crate::programs::Programs;
use crate::report::Report;

/// The mock servers of one revision, by their scenarios.
struct Set {
    revision: &'static str,
    /// The revision's frozen list, but for OAuth.
    scored: &'static [&'static str],
    /// Scenarios that are not on the list but have to pass.
    besides: &'static [&'static str],
}

const SETS: [Set; 2] = [
    Set {
        revision: "2025-11-25",
        scored: &[
            "initialize",
            "tools_call",
            "elicitation-sep1034-client-defaults",
            "sse-retry",
        ],
        besides: &[
            "json-schema-2020-12-preservation",
            "json-schema-ref-no-deref",
        ],
    },
    Set {
        revision: "2026-07-28",
        scored: &[
            "tools_call",
            "request-metadata",
            "sep-2322-client-request-state",
            "http-standard-headers",
            "http-custom-headers",
            "http-invalid-tool-headers",
            "json-schema-ref-no-deref",
        ],
        besides: &["json-schema-2020-12-preservation"],
    },
];

/// Scenarios whose mock server counts the legacy driver's own `initialize` as an error, because it lacks the modern
/// envelope. Without a flag the bridge would detect the server's era from the answer to it; so here the era is given.
const TOLD: [&str; 2] = [
    // Every POST must have the modern envelope.
    "request-metadata",
    // Every POST must have an `Mcp-Method` header.
    "http-standard-headers",
];

pub fn run(report: &mut Report, programs: &Programs) {
    for set in SETS {
        let name = format!("conformance, client side, what {} asks", set.revision);
        report.step(&name, || set.is_whole());
        for driver in DRIVERS {
            let name = format!(
                "conformance, client side, {driver} driver, {}",
                set.revision
            );
            report.step(&name, || scenarios(programs, driver, &set));
        }
    }
}

impl Set {
    /// Whether the suite scores the scenarios that we run: a new suite may have new requirements.
    fn is_whole(&self) -> Result<(), String> {
        let mut listed = listing::scored(self.revision)?;
        // Those of OAuth have a module of their own.
        listed.retain(|name| !name.starts_with("auth/"));
        listing::compare(self.scored, &listed)
    }
}

// One after the other: `sse-retry` measures a wait of 500 ms.
fn scenarios(programs: &Programs, driver: &str, set: &Set) -> Result<(), String> {
    let mut failed = Vec::new();
    for scenario in set.scored.iter().chain(set.besides) {
        let told = driver == "legacy" && TOLD.contains(scenario);
        let flags = if told { " --server-era modern" } else { "" };
        let bridge = scenario::bridge(programs, flags);
        let command = format!("node driver.mjs {driver} {bridge}");
        // Forced, because the suite skips scenarios that are newer than this revision.
        let args = ["--spec-version", set.revision, "--force"];
        match scenario::run(&command, scenario, &args) {
            Ok(()) => println!("ok     {scenario}"),
            Err(why) => {
                println!("FAILED {scenario}\n{why}");
                failed.push(*scenario);
            }
        }
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(failed.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_a_scenario_that_is_run() {
        let modern = &SETS[1];
        assert!(TOLD.iter().all(|told| modern.scored.contains(told)));
    }
}
