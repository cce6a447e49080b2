//! The real peers: programs that we did not write.

use std::path::PathBuf;

use crate::report::{Outcome, Report};
use crate::{acp, chromium, node, python, reference};

/// The installed peers, or why each could not be installed.
pub struct Peers {
    pub node: Result<PathBuf, String>,
    pub servers: Result<PathBuf, String>,
    pub python: Result<PathBuf, String>,
    pub bcp: Result<PathBuf, String>,
    pub chromium: Result<PathBuf, String>,
    pub acp: Result<PathBuf, String>,
}

/// Why the ACP peers are not installed by default: unlike the others they take too long for every run.
const ONLY_TOLD: &str =
    "they take long to compile: `cargo xtask acp` installs them once, and so does --peers";

/// Installs what can be had into `.peers/`; a second run finds it there.
pub fn install(report: &mut Report) -> Peers {
    let mut peers = Peers {
        node: Err(String::new()),
        servers: Err(String::new()),
        python: Err(String::new()),
        bcp: Err(String::new()),
        chromium: Err(String::new()),
        acp: Err(String::new()),
    };
    report.step("install the npm peers", || {
        peers.node = node::install();
        outcome(&peers.node)
    });
    report.step("install the servers for the gateway", || {
        peers.servers = node::install_servers();
        outcome(&peers.servers)
    });
    report.step("install the Python peers", || {
        peers.python = python::install();
        outcome(&peers.python)
    });
    report.step("install the reference of BCP", || {
        peers.bcp = reference::install();
        outcome(&peers.bcp)
    });
    report.step("install Chromium", || {
        peers.chromium = chromium::install();
        outcome(&peers.chromium)
    });
    let told = report.was_told();
    report.step("install the ACP peers", || {
        peers.acp = match acp::installed() {
            Some(there) => Ok(there),
            None if told => acp::install(),
            None => Err(ONLY_TOLD.to_owned()),
        };
        acp_outcome(&peers.acp)
    });
    peers
}

/// Installs only the ACP peers, however long it takes.
pub fn install_acp(report: &mut Report) -> Result<PathBuf, String> {
    let mut installed = Err(String::new());
    report.step("install the ACP peers", || {
        installed = acp::install();
        // It was requested, so a failure is not merely a missing peer.
        installed.clone().map(drop)
    });
    installed
}

/// Peers that were not requested are skipped, in CI as well.
pub fn acp_outcome(installed: &Result<PathBuf, String>) -> Outcome {
    match installed {
        Err(why) if why == ONLY_TOLD => Outcome::Skipped(why.clone()),
        other => outcome(other),
    }
}

fn outcome(installed: &Result<PathBuf, String>) -> Outcome {
    match installed {
        Ok(_) => Outcome::Passed,
        Err(why) => Outcome::missing(why),
    }
}
