//! Which files the reader server may touch, in words for whoever asked.

use std::io;
use std::path::Path;

use super::files::{Denied, Opened, Place, Roots};

/// Why a file may not be touched, or cannot be.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// It lies in none of the roots; others may hold it.
    pub(crate) outside: bool,
    /// For whoever asked.
    pub(crate) why: String,
}

impl Refusal {
    /// Something went wrong with a file that may be used.
    pub(crate) fn failed(why: String) -> Self {
        Self {
            outside: false,
            why,
        }
    }
}

/// Opens a file for a client.
pub(crate) fn open(roots: &Roots, given: &Path) -> Result<Opened, Refusal> {
    roots.open(given).map_err(|d| in_words(roots, given, d))
}

/// Where a file may be written for a client.
pub(crate) fn place(roots: &Roots, given: &Path) -> Result<Place, Refusal> {
    roots.place(given).map_err(|denied| match denied {
        Denied::Io(e) if is_missing(&e) => Refusal::failed(format!(
            "the folder of `{}` does not exist: make it, or write elsewhere",
            given.display()
        )),
        denied => in_words(roots, given, denied),
    })
}

/// Whether a path ends as the name of a BCP file does.
pub(crate) fn is_bcp(path: &Path) -> bool {
    let ending = path.extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("bcp"))
}

fn in_words(roots: &Roots, given: &Path, denied: Denied) -> Refusal {
    let shown = given.display();
    Refusal::failed(match denied {
        Denied::Outside => {
            return Refusal {
                outside: true,
                why: outside(roots, given),
            };
        }
        Denied::Closed => format!(
            "`{shown}` is in the folder of --store, which these tools do not use: get an original with \
             bcp_fetch, or name a file in another folder"
        ),
        Denied::Folder => format!("`{shown}` is a folder: name a file in it"),
        Denied::Special => format!("`{shown}` is no regular file, and nothing else is used"),
        Denied::Link => {
            format!("`{shown}` is a link, and nothing is written through one: name the file itself")
        }
        Denied::Changed => format!("`{shown}` changed while it was opened: try again"),
        Denied::Io(e) if is_missing(&e) => {
            format!("`{shown}` does not exist: check the path; an absolute one is best")
        }
        Denied::Io(e) if e.kind() == io::ErrorKind::PermissionDenied => {
            format!("`{shown}` cannot be opened: its permissions do not allow it")
        }
        Denied::Io(e) => format!("`{shown}` cannot be opened: {e}"),
    })
}

fn outside(roots: &Roots, given: &Path) -> String {
    let folders = roots.folders().iter();
    let folders: String = folders.map(|r| format!("\n  {}", r.display())).collect();
    format!(
        "`{}` is outside the folders that this server may use:{folders}\nUse a file in one of them, or start the server with --root DIR for another folder.",
        given.display()
    )
}

fn is_missing(e: &io::Error) -> bool {
    matches!(
        e.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(test)]
#[path = "access_tests.rs"]
mod tests;
