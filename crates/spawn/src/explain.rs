//! Explains why a program could not be started: the system has one error code for three causes.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::command::Command;

/// Adds the cause to the error; its kind stays.
pub(crate) fn explain(error: io::Error, command: &Command, program: &Path) -> io::Error {
    let cwd = &command.cwd;
    let path = cwd.join(program);
    let name = program.display();
    let text = match error.kind() {
        // Limits of the system, independent of folder and program.
        ErrorKind::WouldBlock | ErrorKind::OutOfMemory => return error,
        _ if !cwd.is_dir() => {
            let why =
                std::fs::metadata(cwd).map_or_else(|e| e.to_string(), |_| "not a folder".into());
            format!("cannot run in {}: {why}", cwd.display())
        }
        ErrorKind::NotFound if path.exists() => match interpreter(&path) {
            Some(wanted) => format!("{name} asks for {wanted}, which does not exist"),
            None => format!("{name} needs a file that does not exist: {error}"),
        },
        ErrorKind::PermissionDenied if path.is_file() => {
            format!("{name} may not be executed: {error}")
        }
        ErrorKind::ExecutableFileBusy => format!("{name} is being written"),
        // ENOEXEC has no `ErrorKind`.
        _ if error.raw_os_error() == Some(libc::ENOEXEC) => {
            format!("{name} is not a program of this system and has no `#!` in its first line")
        }
        _ => format!("{name}: {error}"),
    };
    io::Error::new(error.kind(), text)
}

/// The interpreter in the `#!` line of a script.
fn interpreter(path: &Path) -> Option<String> {
    let mut head = [0; 256];
    let read = File::open(path).ok()?.read(&mut head).ok()?;
    let line = head[..read].strip_prefix(b"#!")?;
    let line = line.split(|byte| *byte == b'\n').next()?;
    // Quoted, so that a carriage return is visible: it is the most frequent cause.
    let first = String::from_utf8_lossy(line);
    let word = first.trim_matches([' ', '\t']).split([' ', '\t']).next()?;
    Some(format!("{word:?}").replace('"', "`"))
}
