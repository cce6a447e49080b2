//! The files that the BCP server may use, and the messages for refused paths.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::{BcpError, Result};
use crate::files::{Denied, Opened, OutputPath, Roots};

/// Opens a file for a client.
pub(crate) fn open(roots: &Roots, given: &Path) -> Result<Opened> {
    roots
        .open(given)
        .map_err(|why| denied(roots, given, false, why))
}

/// Checks a path at which a client wants to write a file.
pub(crate) fn place(roots: &Roots, given: &Path) -> Result<OutputPath> {
    roots
        .place(given)
        .map_err(|why| denied(roots, given, true, why))
}

fn denied(roots: &Roots, given: &Path, write: bool, denied: Denied) -> BcpError {
    BcpError::Denied {
        path: given.to_owned(),
        write,
        denied,
        folders: roots.folders().to_owned(),
    }
}

/// Whether a path has the extension of BCP files.
pub(crate) fn is_bcp(path: &Path) -> bool {
    let extension = path.extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("bcp"))
}

/// The text of [`BcpError::Denied`].
pub(crate) fn refusal(path: &Path, write: bool, denied: &Denied, folders: &[PathBuf]) -> String {
    let shown = path.display();
    match denied {
        Denied::Outside => {
            let folders = folders.iter();
            let folders: String = folders.map(|r| format!("\n  {}", r.display())).collect();
            format!(
                "`{shown}` is outside the folders that this server may use:{folders}\nUse a file in \
                 one of them, or start the server with --root DIR for another folder."
            )
        }
        Denied::Closed => format!(
            "`{shown}` is in the folder of --store, which these tools do not use: get an original with \
             bcp_fetch, or name a file in another folder"
        ),
        Denied::Folder => format!("`{shown}` is a folder: name a file in it"),
        Denied::Special => {
            format!("`{shown}` is not a regular file, and only regular files are used")
        }
        Denied::Link => {
            format!(
                "`{shown}` is a link, and files are not written through links: name the file itself"
            )
        }
        Denied::Changed => format!("`{shown}` changed while it was opened: try again"),
        Denied::Io(e) if is_missing(e) && write => {
            format!("the folder of `{shown}` does not exist: make it, or write elsewhere")
        }
        Denied::Io(e) if is_missing(e) => {
            format!("`{shown}` does not exist: check the path; an absolute one is best")
        }
        Denied::Io(e) if e.kind() == io::ErrorKind::PermissionDenied => {
            format!("`{shown}` cannot be opened: its permissions do not allow it")
        }
        Denied::Io(e) => format!("`{shown}` cannot be opened: {e}"),
    }
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
