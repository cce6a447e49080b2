//! The real-peer suites: ignored tests of the `linkspan` crate, one filter per peer.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::peers::{self, Peers};
use crate::report::{Outcome, Report};
use crate::{child, paths};

const LIMIT: Duration = Duration::from_secs(10 * 60);
/// The first suite compiles the whole workspace if it is run alone.
const BUILD: Duration = Duration::from_secs(60 * 60);

pub fn run(report: &mut Report, peers: &Peers) {
    let _ = std::fs::remove_dir_all(paths::peers().join("logs"));
    let (node, python) = (peers.node.as_ref(), peers.python.as_ref());
    let both = node.and(python);
    let servers = both.and(peers.servers.as_ref());
    let bcp = peers.bcp.as_ref();
    for (name, module, needs) in [
        ("server-everything through the bridge", "everything::", node),
        ("mcp-hub through the bridge", "hub::", node),
        ("Inspector through the bridge", "inspector::", both),
        ("server-filesystem through the bridge", "filesystem::", both),
        ("Python mcp through the bridge", "python::", python),
        ("FastAPI behind serve --openapi", "openapi::", python),
        ("bytes through several hops", "chains::", both),
        ("clients and servers of every era", "cells::", both),
        ("clients of every era at once", "crowd::", both),
        ("what clients lack", "lacking::", both),
        ("news for clients of every era", "news::", both),
        ("BCP both ways with its reference", "bcp_reference::", bcp),
        ("clients of the BCP server", "bcp_server::", both),
        ("clients of a folder of scripts", "folder_", both),
        ("real servers behind the gateway", "gateway::", servers),
        ("real servers behind shrink", "shrunk::", both),
        ("in place of mcp-remote and supergateway", "dropin::", node),
        ("sign-in at a real authorization server", "oauth", both),
        ("clients that sign in through expose", "protected::", both),
    ] {
        report.step(name, || match needs {
            Ok(_) => suite(module).into(),
            Err(why) => Outcome::missing(why),
        });
    }
    report.step("sign-in with Chromium", || {
        match node.and(peers.chromium.as_ref()) {
            Ok(chromium) => suite_with("chromium::", &[("CHROMIUM", chromium)]).into(),
            Err(why) => Outcome::missing(why),
        }
    });
    acp(report, &peers.acp);
    report.step("clients of an ACP agent", || match (both, &peers.acp) {
        (Err(why), _) => Outcome::missing(why),
        (Ok(_), Err(_)) => peers::acp_outcome(&peers.acp),
        (Ok(_), Ok(_)) => suite("agent::").into(),
    });
}

/// Editors and agents through the conductor.
pub fn acp(report: &mut Report, installed: &Result<PathBuf, String>) {
    let name = "ACP through `linkspan conduct`";
    report.step(name, || match installed {
        Ok(_) => suite("acp::").into(),
        Err(_) => peers::acp_outcome(installed),
    });
}

fn suite(module: &str) -> Result<(), String> {
    suite_with(module, &[])
}

/// The same, with the paths of further peers in the environment.
fn suite_with(module: &str, peers: &[(&str, &PathBuf)]) -> Result<(), String> {
    let listed = child::capture(tests(module).arg("--list"), BUILD)?;
    if !listed.contains(": test") {
        return Err(format!("no test matches `{module}`"));
    }
    let mut tests = tests(module);
    tests.envs(peers.iter().copied());
    child::run(&mut tests, LIMIT)
}

fn tests(module: &str) -> Command {
    let mut command = paths::cargo("test --workspace --test peers --locked -- --ignored");
    command.arg(module).env("LINKSPAN_PEERS", paths::peers());
    command
}
