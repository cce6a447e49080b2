//! Starts programs cheaply: posix_spawn with any file descriptors, a working directory and a process group.
//!
//! Invariant: the only crate with `unsafe`. It does not know what it runs or why.
//!
//! * A [`Command`] describes the new process completely; nothing else is inherited.
//! * [`spawn`] starts it and blocks until it runs. A [`Spawner`] does so on threads of its own, for use in a
//!   runtime.
//! * A [`Child`] leads its own process group. It is reaped when it is dropped and not before, so its pid cannot
//!   be reused in the meantime.
//! * [`watch_over`] ends a group if this process is killed before it can do so; [`remove_after`] does the same
//!   for a folder.
//! * [`become_subreaper`] and [`sweep`] find descendants that left the group. [`Descendants`] does so for
//!   programs started by other code, such as `tokio::process`.
//!
//! Why not `std::process`: it hands on descriptors other than 0, 1 and 2 only with `pre_exec`, and then it
//! forks, which costs a parent of 512 MB thirty times as much as a spawn.
//!
//! Linux and macOS. On other systems all operations fail as unsupported.

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod child;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod command;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod descendants;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod explain;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod launch;
mod limits;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod lookup;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod marked;
mod memory;
#[cfg(target_os = "linux")]
pub mod notify;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod orphans;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod registry;
mod shell;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod spawner;
mod status;
#[cfg(all(test, any(target_os = "linux", target_vendor = "apple")))]
mod tests;
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
mod unsupported;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod watchdog;

pub use shell::shell_quoted;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub use {
    child::Child,
    command::{BUSY_RETRIES, Command, spawn},
    descendants::Descendants,
    lookup::find,
    marked::end_marked,
    orphans::{MARKER, Swept, become_subreaper, has_dead_orphans, reap_orphans, sweep},
    rustix::process::Signal,
    spawner::Spawner,
    watchdog::{Watched, remove_after, watch_over},
};

pub use limits::limit_this_process;
pub use memory::release_memory;
pub use status::Status;
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub use unsupported::{
    BUSY_RETRIES, Child, Command, Descendants, Fd, MARKER, Signal, Spawner, Swept, Watched,
    become_subreaper, end_marked, find, has_dead_orphans, reap_orphans, remove_after, spawn, sweep,
    watch_over,
};

/// A file descriptor that a command hands on.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub type Fd = std::os::fd::OwnedFd;
