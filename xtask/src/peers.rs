//! The real peers: programs that we did not write.

use std::path::PathBuf;

use crate::report::{Outcome, Report};
use crate::{node, python, reference};

/// What could be installed, each with the reason if it could not.
pub struct Peers {
    pub node: Result<PathBuf, String>,
    pub python: Result<PathBuf, String>,
    pub bcp: Result<PathBuf, String>,
}

/// Installs what can be had into `.peers/`; a second run finds it there.
pub fn install(report: &mut Report) -> Peers {
    let mut peers = Peers {
        node: Err(String::new()),
        python: Err(String::new()),
        bcp: Err(String::new()),
    };
    report.step("install the npm peers", || {
        peers.node = node::install();
        outcome(&peers.node)
    });
    report.step("install the Python peers", || {
        peers.python = python::install();
        outcome(&peers.python)
    });
    report.step("install the reference of BCP", || {
        peers.bcp = reference::install();
        outcome(&peers.bcp)
    });
    peers
}

fn outcome(installed: &Result<PathBuf, String>) -> Outcome {
    match installed {
        Ok(_) => Outcome::Passed,
        Err(why) => Outcome::missing(why),
    }
}
