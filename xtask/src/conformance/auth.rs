//! Sign-in: driver → `linkspan connect` → the suite's protected mock server and its authorization servers.
//!
//! Each scenario runs at every revision that has it, with both drivers. `LINKSPAN_BRIDGE` puts another bridge
//! in our place; for mcp-remote the driver has a set of flags, too.

mod parallel;
mod scenarios;

use std::time::Instant;

use scenarios::{SETS, Set};

use super::scenario::{self, DRIVERS};
use super::{listing, suite};
use crate::child;
use crate::programs::Programs;
use crate::report::Report;

pub fn run(report: &mut Report, programs: &Programs) {
    let start = Instant::now();
    report.step("conformance, sign-in, what the suite asks", is_whole);
    for set in &SETS {
        for driver in DRIVERS {
            let name = format!("conformance, sign-in, {driver} driver, {}", set.name);
            report.step(&name, || play(programs, driver, set));
        }
    }
    let name = "conformance, sign-in, a refused workload token is not tried again";
    report.step(name, || refused_workload_tokens(programs));
    println!(
        "sign-in scenarios took {:.0} s",
        start.elapsed().as_secs_f64()
    );
}

/// Whether we run all that the suite has: a new version may have new scenarios or revisions.
fn is_whole() -> Result<(), String> {
    let mut tagged = listing::tagged()?;
    tagged.retain(|(name, _)| name.starts_with("auth/"));
    let theirs: Vec<String> = tagged
        .iter()
        .flat_map(|(name, tags)| tags.iter().map(move |tag| format!("{name} at {tag}")))
        .collect();
    let ours: Vec<String> = SETS
        .iter()
        .flat_map(|set| set.scenarios().map(|name| format!("{name} at {}", set.tag)))
        .collect();
    listing::compare(&ours, &theirs)?;
    for set in SETS.iter().filter(|set| set.is_scored) {
        let mut scored = listing::scored(set.tag)?;
        scored.retain(|name| name.starts_with("auth/"));
        let ours: Vec<&str> = set.scenarios().collect();
        listing::compare(&ours, &scored)?;
    }
    Ok(())
}

fn play(programs: &Programs, driver: &str, set: &Set) -> Result<(), String> {
    let scenarios: Vec<&str> = set.scenarios().collect();
    let command = command(programs, driver);
    let outcomes = parallel::map(&scenarios, |name| {
        let outcome = scenario::run(&command, name, &set.args());
        match &outcome {
            Ok(()) => println!("ok     {name}"),
            Err(why) => println!("FAILED {name}\n{why}"),
        }
        outcome.is_ok()
    });
    let failed: Vec<&str> = scenarios
        .iter()
        .zip(&outcomes)
        .filter(|(_, passed)| !**passed)
        .map(|(name, _)| *name)
        .collect();
    let passed = scenarios.len() - failed.len();
    let score = format!("{passed}/{}", scenarios.len());
    println!("{driver} driver, {}: {score}", set.name);
    if failed.is_empty() {
        Ok(())
    } else {
        Err(format!("{score}, not {}", failed.join(", ")))
    }
}

/// The suite has tokens that its authorization server refuses, and records what follows; the driver has to use them.
fn refused_workload_tokens(programs: &Programs) -> Result<(), String> {
    for (token, noted) in [
        ("expired_jwt", "wif-assertion-expired"),
        ("wrong_audience_jwt", "wif-assertion-audience"),
    ] {
        let command = command(programs, DRIVERS[0]);
        let mut suite = suite();
        suite
            .args(["client", "--command", &command, "--timeout", "60000"])
            .args(["--scenario", "auth/wif-jwt-bearer"])
            .env("SUITE_ASSERTION", token);
        let output = child::output(&mut suite, scenario::LIMIT)?;
        let said = format!("{}{}", output.stdout, output.stderr);
        let again = ["wif-no-retry", "wif-grant-fallback"];
        if !said.contains(noted) || again.iter().any(|again| said.contains(again)) {
            println!("{said}");
            return Err(format!("{token}: what follows is not one refusal"));
        }
    }
    Ok(())
}

fn command(programs: &Programs, driver: &str) -> String {
    format!(
        "node auth_driver.mjs {driver} {}",
        scenario::bridge(programs, "")
    )
}
