//! Why a program could not be started. The system has one word for three reasons.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::command::Command;

/// The error in more words; its kind stays.
pub(crate) fn explain(error: io::Error, command: &Command, program: &Path) -> io::Error {
    let cwd = &command.cwd;
    let path = cwd.join(program);
    let name = program.display();
    let text = match error.kind() {
        // The limits of the system: neither folder nor program has anything to do with it.
        ErrorKind::WouldBlock | ErrorKind::OutOfMemory => return error,
        _ if !cwd.is_dir() => {
            let why =
                std::fs::metadata(cwd).map_or_else(|e| e.to_string(), |_| "not a folder".into());
            format!("cannot run in {}: {why}", cwd.display())
        }
        ErrorKind::NotFound if path.exists() => match interpreter(&path) {
            Some(wanted) => format!("{name} asks for {wanted}, which is not there"),
            None => format!("{name} needs something that is not there: {error}"),
        },
        ErrorKind::PermissionDenied if path.is_file() => {
            format!("{name} may not be executed: {error}")
        }
        ErrorKind::ExecutableFileBusy => format!("{name} is being written"),
        // ENOEXEC has no kind.
        _ if error.raw_os_error() == Some(libc::ENOEXEC) => {
            format!("{name} is no program of this system and has no `#!` in its first line")
        }
        _ => format!("{name}: {error}"),
    };
    io::Error::new(error.kind(), text)
}

/// What the first line of a script asks for.
fn interpreter(path: &Path) -> Option<String> {
    let mut head = [0; 256];
    let read = File::open(path).ok()?.read(&mut head).ok()?;
    let line = head[..read].strip_prefix(b"#!")?;
    let line = line.split(|byte| *byte == b'\n').next()?;
    // A carriage return is the reason more often than not, so that it must be seen.
    let first = String::from_utf8_lossy(line);
    let word = first.trim_matches([' ', '\t']).split([' ', '\t']).next()?;
    Some(format!("{word:?}").replace('"', "`"))
}
