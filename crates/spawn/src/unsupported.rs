//! What there is of this crate on systems that have neither posix_spawn nor process groups: types, and
//! the news that it does not work. Windows would need job objects and handles instead.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use crate::status::Status;

/// See the Unix documentation.
pub const MARKER: &str = "LINKSPAN_CALL";

/// See the Unix documentation.
pub const BUSY_RETRIES: [std::time::Duration; 0] = [];

/// What a command hands on: nothing can be.
#[derive(Debug)]
pub enum Fd {}

/// Everything that a new process gets.
#[derive(Debug)]
pub struct Command {
    /// What runs.
    pub program: PathBuf,
    /// The words.
    pub args: Vec<OsString>,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// Files, and the numbers that they get there.
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

/// There is none.
#[derive(Debug)]
pub enum Child {}

impl Child {
    /// The number of the process.
    pub fn pid(&self) -> i32 {
        match *self {}
    }

    /// Waits for the end of the process.
    pub async fn wait(&mut self) -> io::Result<Status> {
        match *self {}
    }

    /// How the process ended, if it did.
    pub fn try_wait(&mut self) -> io::Result<Option<Status>> {
        match *self {}
    }

    /// Sends a signal to the group.
    pub fn signal_group(&self, _signal: Signal) -> io::Result<()> {
        match *self {}
    }
}

/// What can be sent to a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal(());

impl Signal {
    /// Ends it at once.
    pub const KILL: Self = Self(());
    /// Asks it to end.
    pub const TERM: Self = Self(());
}

/// What a sweep found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// Processes that it killed.
    pub killed: usize,
    /// Zombies that it reaped.
    pub reaped: usize,
}

/// Says that it is unsupported.
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

/// There are none.
pub fn has_dead_orphans() -> bool {
    false
}

/// They are not found on this system.
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

    /// A variable without a meaning.
    pub fn variable(&self) -> (&'static str, &str) {
        (MARKER, "")
    }

    /// Makes no difference.
    pub fn started(&mut self, _pid: u32) {}

    /// There are none.
    pub fn are_gone(&self) -> bool {
        true
    }

    /// Does nothing.
    pub fn end(self) -> Swept {
        Swept::default()
    }
}

/// Says that it is unsupported.
#[derive(Debug, Clone, Default)]
pub struct Spawner(());

impl Spawner {
    /// One that starts nothing.
    pub fn new() -> Self {
        Self(())
    }

    /// One that starts nothing.
    pub fn with_threads(_most: usize) -> Self {
        Self(())
    }

    /// Says that it is unsupported.
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

/// Has no values on this system.
#[derive(Debug)]
pub enum Watched {}

/// Says that it is unsupported.
pub fn remove_after(_folder: &std::path::Path, _files: &[&str]) -> io::Result<Watched> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Says that it is unsupported.
pub fn watch_over(_group: u32) -> io::Result<Watched> {
    Err(io::ErrorKind::Unsupported.into())
}
