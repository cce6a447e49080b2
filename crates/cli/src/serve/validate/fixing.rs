//! `--fix`: what can be mended without asking is.

use std::fs;
use std::io;
use std::path::Path;

use linkspan_scripts::folder::Fix;

use super::Report;
use crate::exit::{Failure, warn};
use crate::show::path as shown;

/// What one fix uncovers, the next one mends; more rounds than this there cannot be.
const ROUNDS: usize = 8;

/// Looks, mends and looks again, until there is nothing more to mend.
pub(crate) fn mend(look: impl Fn() -> Result<Report, Failure>) -> Result<Report, Failure> {
    let mut fixed = Vec::new();
    let mut tried: Vec<Fix> = Vec::new();
    let mut report = look()?;
    for _ in 0..ROUNDS {
        let fixes: Vec<Fix> = report
            .problems
            .iter()
            .filter_map(|problem| problem.fix.clone())
            .filter(|fix| !tried.contains(fix))
            .collect();
        if fixes.is_empty() {
            break;
        }
        for fix in fixes {
            if tried.contains(&fix) {
                continue;
            }
            match apply(&fix) {
                Ok(done) => fixed.push(done),
                Err(e) => warn(&format!("cannot mend {}: {e}", shown(place(&fix)))),
            }
            tried.push(fix);
        }
        report = look()?;
    }
    report.fixed = fixed;
    Ok(report)
}

fn place(fix: &Fix) -> &Path {
    match fix {
        Fix::MakeExecutable(path) | Fix::MakePrivate(path) => path,
    }
}

/// Does it; gives what was done.
#[cfg(unix)]
fn apply(fix: &Fix) -> io::Result<String> {
    use std::os::unix::fs::PermissionsExt;
    let path = place(fix);
    let about = fs::symlink_metadata(path)?;
    if about.is_symlink() {
        return Err(io::Error::other("it is a link; mend what it leads to"));
    }
    let mode = about.permissions().mode() & 0o7777;
    let (new, what) = match fix {
        // Who may read it may run it.
        Fix::MakeExecutable(_) => (mode | 0o100 | (mode & 0o444) >> 2, "can be executed"),
        Fix::MakePrivate(_) => (mode & !0o022, "can be written by its owner only"),
    };
    fs::set_permissions(path, fs::Permissions::from_mode(new))?;
    Ok(format!("{} {what} now", shown(path)))
}

#[cfg(not(unix))]
fn apply(fix: &Fix) -> io::Result<String> {
    let _ = fs::symlink_metadata(place(fix))?;
    Err(io::Error::other("this system has no such permissions"))
}
