//! Where a program is.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use rustix::io::Errno;

use crate::command::Command;

/// What shells assume if nobody set a `PATH`.
const USUAL: &str = "/usr/bin:/bin";

/// The path that is executed. Only a name without a slash is looked for, in the folders of the `PATH`
/// that the program itself will see.
pub(crate) fn find(command: &Command) -> io::Result<PathBuf> {
    let program = &command.program;
    if program.as_os_str().as_bytes().contains(&b'/') {
        return Ok(program.clone());
    }
    if program.as_os_str().is_empty() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "no program given"));
    }
    let given = command.env.iter().rev().find(|(name, _)| name == "PATH");
    let path = given.map_or(OsStr::new(USUAL), |(_, path)| path);
    let mut denied = false;
    for folder in path.as_bytes().split(|byte| *byte == b':') {
        // An empty entry is the folder that the program runs in.
        let folder = match folder {
            b"" => Path::new("."),
            folder => Path::new(OsStr::from_bytes(folder)),
        };
        let found = folder.join(program);
        let seen_from_here = command.cwd.join(&found);
        // One question for a folder that does not have it, since most do not.
        match access(&seen_from_here, Access::EXEC_OK) {
            Ok(()) if seen_from_here.is_file() => return Ok(found),
            Err(Errno::ACCESS) => denied |= seen_from_here.is_file(),
            _ => {}
        }
    }
    let name = program.display();
    Err(if denied {
        io::Error::new(
            ErrorKind::PermissionDenied,
            format!("`{name}` is in PATH, but may not be executed"),
        )
    } else {
        io::Error::new(
            ErrorKind::NotFound,
            format!("`{name}` is in no folder of PATH"),
        )
    })
}
