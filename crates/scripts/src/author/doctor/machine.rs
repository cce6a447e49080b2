//! This machine: our own program, the folder for temporary files, the limit of open files, the sandbox.

use std::io::Write;
use std::path::Path;

use super::{Finding, shown};
use crate::author::interpreters::is_always_found;

/// The limit of open files that is enough: a call opens about six, and there may be hundreds of calls and
/// clients.
const ENOUGH_FILES: u64 = 1024;

/// The longest path of a folder for sockets: the path of a socket has about 100 bytes, and its file name needs
/// some of them.
const LONG: usize = 60;

pub(super) fn own_program(program: Option<&Path>, version: &str) -> Finding {
    let Some(program) = program else {
        return Finding::odd(
            "linkspan",
            format!("linkspan {version}, path unknown"),
            "clients need its full path",
        );
    };
    let text = format!("linkspan {version} ({})", shown(program));
    if cfg!(unix) && !is_always_found(program) {
        return Finding::odd(
            "linkspan",
            text,
            "desktop apps may not find `linkspan` in their PATH; linkspan config writes its full path",
        );
    }
    Finding::good("linkspan", text)
}

/// The features that the sandbox can enforce.
pub(super) fn sandbox() -> Finding {
    let can = crate::sandbox::support();
    let hint = "scripts with sandbox level 2 do not run here unless `optional: true` is set";
    match (can.files, can.ports) {
        (true, true) => Finding::good("sandbox", "Landlock is available: sandbox level 2 works"),
        (true, false) => Finding::odd(
            "sandbox",
            "Landlock is available, but cannot confine to TCP ports (Linux 6.7 can)",
            "scripts with `net` in their sandbox do not run here unless `optional: true` is set",
        ),
        (false, _) if cfg!(target_os = "linux") => Finding::odd(
            "sandbox",
            "this kernel cannot confine file access with Landlock (Linux 6.2 can)",
            hint,
        ),
        (false, _) => Finding::odd(
            "sandbox",
            "sandbox level 2 needs Landlock, which only Linux has",
            hint,
        ),
    }
}

pub(super) fn scratch(folder: &Path) -> Finding {
    let place = shown(folder);
    if let Err(e) = try_to_write(folder) {
        return Finding::bad(
            "scratch",
            format!("cannot write to {place}: {e}"),
            "set TMPDIR to a folder that you may write to",
        );
    }
    if folder.as_os_str().len() > LONG {
        return Finding::odd(
            "scratch",
            format!("scratch files go to {place}, which is a long name"),
            "some tools make sockets there, whose names may not be long; set TMPDIR=/tmp",
        );
    }
    Finding::good("scratch", format!("scratch files go to {place}"))
}

fn try_to_write(folder: &Path) -> std::io::Result<()> {
    let file = folder.join(format!(".linkspan-doctor-{}", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    let written = options
        .write(true)
        .create_new(true)
        .open(&file)
        .and_then(|mut out| out.write_all(b"x"));
    let _ = std::fs::remove_file(&file);
    written
}

#[cfg(unix)]
pub(super) fn open_files() -> Finding {
    use rustix::process::{Resource, getrlimit};
    let limit = getrlimit(Resource::Nofile);
    // We raise the soft limit ourselves.
    match limit.maximum {
        Some(most) if most < ENOUGH_FILES => Finding::odd(
            "open-files",
            format!("a process may have {most} open files"),
            format!("with many clients that is not enough; ulimit -Hn {ENOUGH_FILES}"),
        ),
        Some(most) => Finding::good(
            "open-files",
            format!("a process may have {most} open files"),
        ),
        None => Finding::good("open-files", "a process may have any number of open files"),
    }
}

#[cfg(not(unix))]
pub(super) fn open_files() -> Finding {
    let _ = ENOUGH_FILES;
    Finding::good("open-files", "open files are not limited here")
}
