//! Client side: driver → `linkspan connect` → the suite's mock server.
//!
//! Every driver meets the mock servers of every revision, so that in half of the cells the bridge
//! has to translate. Nothing is expected to fail.

use std::collections::BTreeSet;
use std::time::Duration;

use super::{said, suite};
use crate::programs::Programs;
use crate::report::Report;

const LIMIT: Duration = Duration::from_secs(90);

/// The official SDKs that the driver can stand on: 1.x and 2.x.
const DRIVERS: [&str; 2] = ["legacy", "modern"];

/// The mock servers of one revision, by their scenarios.
struct Set {
    revision: &'static str,
    /// The revision's frozen list, but for OAuth.
    scored: &'static [&'static str],
    /// Scenarios that are not on the list and have to pass all the same.
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

/// Scenarios whose mock server counts the legacy driver's own `initialize` as a mistake, because it
/// lacks what a modern request must have. By itself the bridge would learn the server's era from the
/// answer to just that; so here it is told.
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
    /// Whether the suite scores what we run: a new suite may have new requirements.
    fn is_whole(&self) -> Result<(), String> {
        let mut list = suite();
        list.args(["list", "--client", "--requirements", self.revision]);
        let (said, ended) = said(&mut list, LIMIT)?;
        ended?;
        let listed = scored(&said);
        let ours: BTreeSet<&str> = self.scored.iter().copied().collect();
        let differing: Vec<&str> = ours.symmetric_difference(&listed).copied().collect();
        if differing.is_empty() {
            Ok(())
        } else {
            Err(differing.join(", "))
        }
    }
}

/// The client scenarios of a list of requirements; those of OAuth are another matter.
fn scored(list: &str) -> BTreeSet<&str> {
    list.lines()
        .skip_while(|line| !line.starts_with("Client scenarios"))
        .skip(1)
        .take_while(|line| !line.trim().is_empty())
        .filter_map(|line| line.trim().strip_prefix("- "))
        .filter(|name| !name.starts_with("auth/"))
        .collect()
}

// One after the other: `sse-retry` measures a wait of 500 ms.
fn scenarios(programs: &Programs, driver: &str, set: &Set) -> Result<(), String> {
    let mut failed = Vec::new();
    for scenario in set.scored.iter().chain(set.besides) {
        let command = format!(
            "node driver.mjs {driver} {}",
            bridge(programs, driver == "legacy" && TOLD.contains(scenario))
        );
        match one(&command, set.revision, scenario) {
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

fn one(command: &str, revision: &str, scenario: &str) -> Result<(), String> {
    let mut suite = suite();
    suite
        .args(["client", "--command", command, "--scenario", scenario])
        // Forced, because the suite skips at this revision what came with a later one.
        .args(["--spec-version", revision, "--force", "--timeout", "60000"]);
    let (said, ended) = said(&mut suite, LIMIT)?;
    // The exit code alone will not do: it is 0 for a scenario that was skipped, too.
    match ended {
        Ok(()) if said.contains("OVERALL: PASSED") => Ok(()),
        Ok(()) => Err(said),
        Err(why) => Err(format!("{said}{why}")),
    }
}

/// The bridge as words of a shell command; the suite appends the URL.
fn bridge(programs: &Programs, told: bool) -> String {
    match std::env::var("LINKSPAN_BRIDGE") {
        Ok(other) => other,
        Err(_) if told => format!("'{}' connect --server-era modern", programs.linkspan),
        Err(_) => format!("'{}' connect", programs.linkspan),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_clients_scored_scenarios_count() {
        let list = "\
Server scenarios (test against a server):
  - ping

Client scenarios (test against a client):
  - initialize
  - auth/metadata-default
  - sse-retry

Run and reported, but never scored:
  pending (1):
    - polling [client]
";
        assert_eq!(scored(list), BTreeSet::from(["initialize", "sse-retry"]));
    }

    #[test]
    fn what_is_told_is_a_scenario_that_is_run() {
        let modern = &SETS[1];
        assert!(TOLD.iter().all(|told| modern.scored.contains(told)));
    }
}
