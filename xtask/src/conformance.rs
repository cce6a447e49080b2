//! The official MCP conformance suite, through the bridge.

mod auth;
mod cell;
mod checks;
mod client;
mod listing;
mod outcome;
mod scenario;
mod server;
mod stage;

use std::process::Command;
use std::time::Duration;

use crate::peers::Peers;
use crate::programs::Programs;
use crate::report::{Outcome, Report};
use crate::{child, paths};

const CLIENT: &str = "client";
const AUTH: &str = "auth";

/// Runs the named cells, or all of them.
pub fn run(report: &mut Report, peers: &Peers, chosen: &[&str]) {
    let names = || [CLIENT, AUTH].into_iter().chain(cell::NAMES);
    let unknown = chosen.iter().find(|name| !names().any(|n| n == **name));
    if let Some(unknown) = unknown {
        let all: Vec<&str> = names().collect();
        let why = format!("no cell `{unknown}`; there are {}", all.join(", "));
        return report.step("conformance", || Outcome::Failed(why));
    }
    let mut programs = Err(String::new());
    report.step("conformance, building", || {
        if let Err(why) = &peers.node {
            return Outcome::missing(why);
        }
        programs = Programs::build();
        programs.as_ref().map(drop).map_err(String::clone).into()
    });
    let Ok(programs) = programs else { return };
    let wanted = |name: &str| chosen.is_empty() || chosen.contains(&name);
    if wanted(CLIENT) {
        client::run(report, &programs);
    }
    if wanted(AUTH) {
        auth::run(report, &programs);
    }
    let cells = cell::all(&programs);
    server::run(report, cells.into_iter().filter(|cell| wanted(cell.name)));
}

/// The suite with our Node, in the folder of the npm peers.
fn suite() -> Command {
    let bin = paths::peers().join("bin");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut suite = Command::new(bin.join("node"));
    suite
        .arg("node_modules/@modelcontextprotocol/conformance/dist/index.js")
        .current_dir(paths::peers().join("npm"))
        .env("PATH", format!("{}:{path}", bin.display()));
    suite
}

/// The output of the suite, and how it ended: its exit code alone is not enough.
fn said(suite: &mut Command, limit: Duration) -> Result<(String, Result<(), String>), String> {
    let output = child::output(suite, limit)?;
    let said = format!("{}{}", output.stdout, output.stderr);
    Ok((said, output.ended))
}
