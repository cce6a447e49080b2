//! Checks what could keep scripts and clients from working on this machine.

use std::ffi::OsStr;
use std::path::Path;

use linkspan_client_config::ClientState;
use linkspan_mcp_bash::{FolderLayout, catalogue};
use linkspan_scripts::author::doctor::{self, Finding, Machine};
use linkspan_scripts::author::interpreters::find;
use linkspan_scripts::folder::FolderError;
use serde_json::Value;

use crate::environment::{search_path, system};
use crate::exit::{Exit, Failure};
use crate::folder::reading;
use crate::show::{self, raw};

/// Checks this machine, and a folder if there is one.
pub(crate) fn check(dir: Option<&Path>, json: bool) -> Result<Exit, Failure> {
    if let Some(dir) = dir.filter(|dir| !dir.is_dir()) {
        let path = dir.to_owned();
        return Err(FolderError::NotAFolder { path }.into());
    }
    let path = search_path();
    let temp = std::env::temp_dir();
    let program = std::env::current_exe().ok();
    let machine = Machine {
        program: program.as_deref(),
        version: env!("CARGO_PKG_VERSION"),
        path: &path,
        temp: &temp,
    };
    let mut findings = machine.check();
    findings.extend(clients(&path));
    if let Some(dir) = dir {
        let catalogue = catalogue(dir, &reading(), FolderLayout::Auto);
        findings.push(doctor::folder(dir, &catalogue));
    }
    let bad = doctor::has_errors(&findings);
    let exit = if bad { Exit::Invalid } else { Exit::Ok };
    if json {
        let mut report = doctor::as_json(&findings);
        if let Value::Object(members) = &mut report {
            members.shift_insert(2, "exitCode".to_owned(), exit.code().into());
        }
        raw(&report.to_string());
    } else {
        show::print(|out| findings.iter().try_for_each(|found| found.write(out)));
    }
    Ok(exit)
}

/// Whether the clients on this machine can still start their servers.
fn clients(path: &OsStr) -> Vec<Finding> {
    const ID: &str = "clients";
    let states = ClientState::all(&system(), |program| find(program, path).is_some());
    if states.is_empty() {
        let none =
            "no client's configuration was found; linkspan config DIR prints what to put where";
        return vec![Finding::good(ID, none)];
    }
    let states = states.iter().map(|state| (state.to_string(), state.hint()));
    states
        .map(|(text, hint)| match hint {
            Some(hint) => Finding::bad(ID, text, hint),
            None => Finding::good(ID, text),
        })
        .collect()
}
