//! One client scenario: the suite starts the driver, which starts the bridge.

use std::time::Duration;

use super::{said, suite};
use crate::programs::Programs;

pub const LIMIT: Duration = Duration::from_secs(90);

/// The official SDKs that the drivers can use: 1.x and 2.x.
pub const DRIVERS: [&str; 2] = ["legacy", "modern"];

/// The suite's output for a scenario; an error unless it passed.
pub fn run(command: &str, scenario: &str, args: &[&str]) -> Result<(), String> {
    let mut suite = suite();
    suite
        .args(["client", "--command", command, "--scenario", scenario])
        .args(["--timeout", "60000"])
        .args(args);
    let (said, ended) = said(&mut suite, LIMIT)?;
    // The exit code alone is not enough: it is 0 for a scenario that was skipped, too.
    match ended {
        Ok(()) if said.contains("OVERALL: PASSED") => Ok(()),
        Ok(()) => Err(said),
        Err(why) => Err(format!("{said}{why}")),
    }
}

/// The bridge as words of a shell command; the suite appends the URL.
pub fn bridge(programs: &Programs, flags: &str) -> String {
    match std::env::var("LINKSPAN_BRIDGE") {
        Ok(other) => other,
        Err(_) => format!("'{}' connect{flags}", programs.linkspan),
    }
}
