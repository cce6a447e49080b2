//! The official MCP conformance suite, client side: driver → `linkspan connect` → mock server.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::peers::Peers;
use crate::report::{Outcome, Report};
use crate::{child, install, paths};

const REVISION: &str = "2025-11-25";
const LIMIT: Duration = Duration::from_secs(90);
const BUILD: Duration = Duration::from_secs(20 * 60);

const SCENARIOS: [&str; 6] = [
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "json-schema-2020-12-preservation",
    "json-schema-ref-no-deref",
];

pub fn run(report: &mut Report, peers: &Peers) {
    report.step(
        &format!("conformance, client side, {REVISION}"),
        || match &peers.node {
            Ok(_) => scenarios().into(),
            Err(why) => Outcome::missing(why),
        },
    );
}

// One after the other: `sse-retry` measures a wait of 500 ms.
fn scenarios() -> Result<(), String> {
    let npm = paths::peers().join("npm");
    // Node looks for packages from the script's own folder upwards.
    install::copy(&paths::pins().join("driver.mjs"), &npm)?;
    let command = format!("node driver.mjs {}", bridge()?);
    let mut failed = Vec::new();
    for scenario in SCENARIOS {
        match one(&npm, &command, scenario) {
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

fn one(npm: &Path, command: &str, scenario: &str) -> Result<(), String> {
    let bin = paths::peers().join("bin");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut suite = Command::new(bin.join("node"));
    suite
        .arg("node_modules/@modelcontextprotocol/conformance/dist/index.js")
        .args(["client", "--command", command, "--scenario", scenario])
        // Forced, because the suite skips at this revision what came with a later one.
        .args(["--spec-version", REVISION, "--force", "--timeout", "60000"])
        .current_dir(npm)
        .env("PATH", format!("{}:{path}", bin.display()));
    let output = child::output(&mut suite, LIMIT)?;
    let said = format!("{}{}", output.stdout, output.stderr);
    // The exit code alone will not do: it is 0 for a scenario that was skipped, too.
    match output.ended {
        Ok(()) if said.contains("OVERALL: PASSED") => Ok(()),
        Ok(()) => Err(said),
        Err(why) => Err(format!("{said}{why}")),
    }
}

/// The bridge as words of a shell command; the suite appends the URL.
fn bridge() -> Result<String, String> {
    if let Ok(other) = std::env::var("LINKSPAN_BRIDGE") {
        return Ok(other);
    }
    // As the suites build it, so that nothing is built twice with other features.
    let mut build = paths::cargo("test --workspace --test peers --no-run --locked");
    let messages = child::capture(build.arg("--message-format=json"), BUILD)?;
    let binary = messages
        .lines()
        .filter(|line| line.contains(r#""kind":["bin"]"#) && line.contains(r#""name":"linkspan""#))
        .find_map(|line| line.split_once(r#""executable":""#)?.1.split('"').next())
        .ok_or("cargo names no executable of `linkspan`")?;
    Ok(format!("'{binary}' connect"))
}
