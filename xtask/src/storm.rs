//! `cargo xtask storm`: many processes that share one sign-in while tokens expire and processes are killed.

use std::process::Command;
use std::time::Duration;

use crate::programs::Programs;
use crate::report::{Outcome, Report};
use crate::stamp::Stamp;
use crate::{child, paths, peers};

pub const STAMP: Stamp = Stamp("storm");

const USUAL: u64 = 600;
/// The comparison shows its figures in less.
const COMPARED: u64 = 120;
/// The time to start, to sign in, and to end.
const SPARE: Duration = Duration::from_secs(180);

const MCP_REMOTE: [&str; 2] = ["node", "node_modules/mcp-remote/dist/proxy.js"];

/// Runs for `seconds`, or for ten minutes; the stamp records when ten minutes last passed.
pub fn run(report: &mut Report, seconds: Option<&str>) {
    let Ok(seconds) = seconds.map_or(Ok(USUAL), str::parse) else {
        let why = format!("`{}` is not a number", seconds.unwrap_or_default());
        return report.step("storm", || Outcome::Failed(why));
    };
    let peers = peers::install(report);
    let name = format!("storm of {seconds} s");
    report.step(&name, || match &peers.node {
        Ok(_) => judge(seconds).into(),
        Err(why) => Outcome::missing(why),
    });
    let has_passed = !report.has_failed();
    let compared = seconds.min(COMPARED);
    let name = format!("storm of {compared} s with mcp-remote, for comparison");
    report.step(&name, || match &peers.node {
        Ok(_) => play(compared, &[], &MCP_REMOTE).into(),
        Err(why) => Outcome::missing(why),
    });
    if seconds >= USUAL && has_passed && peers.node.is_ok() {
        report.step("remember that it passed", || STAMP.write());
    }
}

fn judge(seconds: u64) -> Result<(), String> {
    let programs = Programs::build()?;
    play(seconds, &["--judge"], &[&programs.linkspan, "connect"])
}

fn play(seconds: u64, flags: &[&str], bridge: &[&str]) -> Result<(), String> {
    let bin = paths::peers().join("bin");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut storm = Command::new(bin.join("node"));
    storm
        .arg("storm.mjs")
        .args(flags)
        .arg(seconds.to_string())
        .args(bridge)
        .current_dir(paths::peers().join("npm"))
        .env("PATH", format!("{}:{path}", bin.display()));
    child::run(&mut storm, Duration::from_secs(seconds) + SPARE)
}
