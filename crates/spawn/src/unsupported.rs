//! This crate on systems without posix_spawn and process groups: the same types, whose operations fail as
//! unsupported. Windows would need job objects and handles.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use crate::status::Status;

/// See the Unix documentation.
pub const MARKER: &str = "LINKSPAN_CALL";

/// See the Unix documentation.
pub const BUSY_RETRIES: [std::time::Duration; 0] = [];

/// A file descriptor; this system has none.
#[derive(Debug)]
pub enum Fd {}

/// The description of a new process.
#[derive(Debug)]
pub struct Command {
    /// What runs.
    pub program: PathBuf,
    /// The words.
    pub args: Vec<OsString>,
    /// The complete environment.
    pub env: Vec<(OsString, OsString)>,
    /// The working directory.
    pub cwd: PathBuf,
    /// Open files and their descriptor numbers.
    pub fds: Vec<(Fd, i32)>,
}

/// See the Unix documentation.
pub fn find(
    _program: &std::ffi::OsStr,
    _path: Option<&std::ffi::OsStr>,
    _cwd: Option<&std::path::Path>,
) -> io::Result<PathBuf> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Uninhabited: no process can be started.
#[derive(Debug)]
pub enum Child {}

impl Child {
    /// The pid.
    pub fn pid(&self) -> i32 {
        match *self {}
    }

    /// Waits for the end of the process.
    pub async fn wait(&mut self) -> io::Result<Status> {
        match *self {}
    }

    /// The exit status, if the process has ended.
    pub fn try_wait(&mut self) -> io::Result<Option<Status>> {
        match *self {}
    }

    /// Sends a signal to the process group.
    pub fn signal_group(&self, _signal: Signal) -> io::Result<()> {
        match *self {}
    }
}

/// A signal for a process group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal(());

impl Signal {
    /// Kills the group.
    pub const KILL: Self = Self(());
    /// Asks the group to terminate.
    pub const TERM: Self = Self(());
}

/// The result of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// The number of processes killed.
    pub killed: usize,
    /// The number of zombies reaped.
    pub reaped: usize,
}

/// Fails as unsupported.
pub fn spawn(_command: &Command) -> io::Result<Child> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "programs of a folder cannot be run on this system yet",
    ))
}

/// Does nothing.
pub fn become_subreaper() -> io::Result<()> {
    Ok(())
}

/// Does nothing.
pub fn sweep(_marker: &str) -> Swept {
    Swept::default()
}

/// Does nothing.
pub fn reap_orphans() -> Swept {
    Swept::default()
}

/// Always `false`.
pub fn has_dead_orphans() -> bool {
    false
}

/// Descendants; this system cannot find them.
#[derive(Debug, Default)]
pub struct Descendants(());

impl Descendants {
    /// Finds nothing.
    pub fn new() -> Self {
        Self(())
    }

    /// Finds nothing.
    pub fn with_mark(_mark: String) -> Self {
        Self(())
    }

    /// A variable without effect.
    pub fn variable(&self) -> (&'static str, &str) {
        (MARKER, "")
    }

    /// Does nothing.
    pub fn started(&mut self, _pid: u32) {}

    /// Always `true`.
    pub fn are_gone(&self) -> bool {
        true
    }

    /// Does nothing.
    pub fn end(self) -> Swept {
        Swept::default()
    }
}

/// A spawner whose `spawn` fails as unsupported.
#[derive(Debug, Clone, Default)]
pub struct Spawner(());

impl Spawner {
    /// A spawner that starts nothing.
    pub fn new() -> Self {
        Self(())
    }

    /// A spawner that starts nothing.
    pub fn with_threads(_most: usize) -> Self {
        Self(())
    }

    /// Fails as unsupported.
    pub async fn spawn(&self, command: Command, _no_new_privs: bool) -> io::Result<Child> {
        spawn(&command)
    }

    /// Does nothing.
    pub async fn sweep(&self, _marker: &str) -> Swept {
        Swept::default()
    }
}

/// See [the other systems](crate).
pub fn end_marked(_beginning: &str) -> usize {
    0
}

/// Uninhabited on this system.
#[derive(Debug)]
pub enum Watched {}

/// Fails as unsupported.
pub fn remove_after(_folder: &std::path::Path, _files: &[&str]) -> io::Result<Watched> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Fails as unsupported.
pub fn watch_over(_group: u32) -> io::Result<Watched> {
    Err(io::ErrorKind::Unsupported.into())
}
