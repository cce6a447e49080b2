//! Checks what could keep scripts and clients from working on this machine.

mod clients;

use std::path::Path;

use linkspan_scripts::author::doctor::{self, Finding, Machine};
use linkspan_scripts::folder::FolderError;

use crate::args::folder::Compat;
use crate::exit::{Exit, Failure};
use crate::folder::{Reading, catalogue, refused};
use crate::show::{self, raw};

/// Checks this machine, and a folder if there is one.
pub(crate) fn check(dir: Option<&Path>, json: bool) -> Result<Exit, Failure> {
    if let Some(dir) = dir.filter(|dir| !dir.is_dir()) {
        let path = dir.to_owned();
        return Err(refused(&FolderError::NotAFolder { path }));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let temp = std::env::temp_dir();
    let program = std::env::current_exe().ok();
    let machine = Machine {
        program: program.as_deref(),
        version: env!("CARGO_PKG_VERSION"),
        path: &path,
        temp: &temp,
    };
    let mut findings = machine.check();
    findings.extend(clients::configurations(&path));
    if let Some(dir) = dir {
        let catalogue = catalogue(dir, &Reading::plain(Compat::Auto));
        findings.push(doctor::folder(dir, &catalogue));
    }
    if json {
        raw(&doctor::as_json(&findings).to_string());
    } else {
        show::print(|out| findings.iter().try_for_each(|found| found.write(out)));
    }
    let bad = doctor::has_errors(&findings);
    Ok(if bad { Exit::Invalid } else { Exit::Ok })
}
