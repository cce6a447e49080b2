//! Looks up programs in `PATH`.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use rustix::io::Errno;

use crate::command::Command;

/// The default of shells if `PATH` is not set.
const USUAL: &str = "/usr/bin:/bin";

/// The path that a command executes, looked up in the `PATH` of its environment.
pub(crate) fn of_command(command: &Command) -> io::Result<PathBuf> {
    let path = command.env.iter().rev().find(|(name, _)| name == "PATH");
    let path = path.map(|(_, path)| path.as_os_str());
    find(command.program.as_os_str(), path, None)
}

/// The path of a program. A name without a slash is looked up in the folders of `path`. Relative and empty
/// entries count only if `cwd` is given; otherwise they are skipped.
pub fn find(program: &OsStr, path: Option<&OsStr>, cwd: Option<&Path>) -> io::Result<PathBuf> {
    if program.as_bytes().contains(&b'/') {
        return Ok(program.into());
    }
    if program.is_empty() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "no program given"));
    }
    let path = path.unwrap_or(OsStr::new(USUAL));
    let mut denied = false;
    for folder in path.as_bytes().split(|byte| *byte == b':') {
        let folder = Path::new(OsStr::from_bytes(folder));
        let found = folder.join(program);
        let seen_from_here = match cwd {
            _ if folder.is_absolute() => found.clone(),
            Some(cwd) => cwd.join(&found),
            None => continue,
        };
        // One system call for the usual case that the folder does not have it.
        match access(&seen_from_here, Access::EXEC_OK) {
            Ok(()) if seen_from_here.is_file() => return Ok(found),
            Err(Errno::ACCESS) => denied |= seen_from_here.is_file(),
            _ => {}
        }
    }
    let name = Path::new(program).display();
    Err(if denied {
        io::Error::new(
            ErrorKind::PermissionDenied,
            format!("`{name}` is in PATH, but may not be executed"),
        )
    } else {
        io::Error::new(ErrorKind::NotFound, format!("`{name}` is not in PATH"))
    })
}
