//! Client side: driver → `linkspan connect` → the suite's mock server.

use std::time::Duration;

use super::{said, suite};
use crate::programs::Programs;
use crate::report::Report;
use crate::{install, paths};

const REVISION: &str = "2025-11-25";
const LIMIT: Duration = Duration::from_secs(90);

const SCENARIOS: [&str; 6] = [
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "json-schema-2020-12-preservation",
    "json-schema-ref-no-deref",
];

pub fn run(report: &mut Report, programs: &Programs) {
    report.step(&format!("conformance, client side, {REVISION}"), || {
        scenarios(programs)
    });
}

// One after the other: `sse-retry` measures a wait of 500 ms.
fn scenarios(programs: &Programs) -> Result<(), String> {
    // Node looks for packages from the script's own folder upwards.
    let npm = paths::peers().join("npm");
    install::copy(&paths::pins().join("driver.mjs"), &npm)?;
    let command = format!("node driver.mjs {}", bridge(programs));
    let mut failed = Vec::new();
    for scenario in SCENARIOS {
        match one(&command, scenario) {
            Ok(()) => println!("ok     {scenario}"),
            Err(why) => {
                println!("FAILED {scenario}\n{why}");
                failed.push(scenario);
            }
        }
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(failed.join(", "))
    }
}

fn one(command: &str, scenario: &str) -> Result<(), String> {
    let mut suite = suite();
    suite
        .args(["client", "--command", command, "--scenario", scenario])
        // Forced, because the suite skips at this revision what came with a later one.
        .args(["--spec-version", REVISION, "--force", "--timeout", "60000"]);
    let (said, ended) = said(&mut suite, LIMIT)?;
    // The exit code alone will not do: it is 0 for a scenario that was skipped, too.
    match ended {
        Ok(()) if said.contains("OVERALL: PASSED") => Ok(()),
        Ok(()) => Err(said),
        Err(why) => Err(format!("{said}{why}")),
    }
}

/// The bridge as words of a shell command; the suite appends the URL.
fn bridge(programs: &Programs) -> String {
    std::env::var("LINKSPAN_BRIDGE").unwrap_or_else(|_| format!("'{}' connect", programs.linkspan))
}
