//! Repairs the problems of a folder that need no decision.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::report::Report;
use crate::folder::Fix;

/// Limit of rounds; a repair may reveal another problem.
const ROUNDS: usize = 8;

/// A repair that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The file or folder.
    pub path: PathBuf,
    /// The new state of the file, as the end of a sentence.
    pub effect: &'static str,
}

/// Reads the folder with `look` and repairs it until no repairable problem is left.
///
/// # Errors
/// If `look` fails.
pub fn repair<E>(look: impl Fn() -> Result<Report, E>) -> Result<Report, E> {
    let (mut fixed, mut failed) = (Vec::new(), Vec::new());
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
                Ok(effect) => fixed.push(Repair {
                    path: place(&fix).to_owned(),
                    effect,
                }),
                Err(e) => failed.push((place(&fix).to_owned(), e)),
            }
            tried.push(fix);
        }
        report = look()?;
    }
    report.fixed = fixed;
    report.failed = failed;
    Ok(report)
}

fn place(fix: &Fix) -> &Path {
    match fix {
        Fix::MakeExecutable(path) | Fix::MakePrivate(path) => path,
    }
}

/// Applies a fix; returns its effect.
#[cfg(unix)]
fn apply(fix: &Fix) -> io::Result<&'static str> {
    use std::os::unix::fs::PermissionsExt;
    let path = place(fix);
    let about = fs::symlink_metadata(path)?;
    if about.is_symlink() {
        return Err(io::Error::other("it is a link; repair its target"));
    }
    let mode = about.permissions().mode() & 0o7777;
    let (new, effect) = match fix {
        // Users with read permission get execute permission.
        Fix::MakeExecutable(_) => (mode | 0o100 | (mode & 0o444) >> 2, "can be executed"),
        Fix::MakePrivate(_) => (mode & !0o022, "can be written by its owner only"),
    };
    fs::set_permissions(path, fs::Permissions::from_mode(new))?;
    Ok(effect)
}

#[cfg(not(unix))]
fn apply(fix: &Fix) -> io::Result<&'static str> {
    let _ = fs::symlink_metadata(place(fix))?;
    Err(io::Error::other("this system has no such permissions"))
}
