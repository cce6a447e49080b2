//! Unix itself.

use std::io;
use std::os::fd::AsFd as _;
use std::path::Path;

pub use std::os::fd::OwnedFd;
pub use std::os::unix::ffi::{OsStrExt, OsStringExt};
pub use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
pub use std::os::unix::process::{CommandExt, parent_id};

pub use tokio::net::UnixStream;
pub use tokio::net::unix::pipe;

use rustix::process::{Pid, Signal, geteuid, kill_process_group};

/// The effective user id.
pub fn user() -> u32 {
    geteuid().as_raw()
}

/// Kills a process group. No effect if it has ended already.
pub fn kill_group(leader: u32) {
    if let Some(group) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Opens a named pipe: a receiver, a duplicate of its descriptor, and a writer that keeps it open.
pub fn named_pipe(path: &Path) -> io::Result<(pipe::Receiver, OwnedFd, OwnedFd)> {
    let stream = pipe::OpenOptions::new().open_receiver(path)?;
    let again = stream.as_fd().try_clone_to_owned()?;
    let hold = std::fs::OpenOptions::new().write(true).open(path)?;
    Ok((stream, again, hold.into()))
}
