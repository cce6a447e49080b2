//! Finds the descendants of one program, including those that left its process group.
//!
//! We are the subreaper of all descendants, and find them by a variable in their environment, the mark. A
//! process that wiped its environment has no mark. If it was reparented to us, it is ended when no program with
//! descendants runs any more. That is skipped where other processes may be our children: if we are the init
//! process of a container, or had children before we started any.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rustix::process::Pid;

use crate::orphans::{self, MARKER, Swept};
use crate::registry;

/// Programs whose descendants have not been ended yet.
static LIVE: AtomicUsize = AtomicUsize::new(0);
static LAST: AtomicU64 = AtomicU64::new(0);

/// The prefix of the marks of this process. It begins with this process's own mark, if it has one, so the
/// process that started it also finds its descendants.
static BEGINNING: LazyLock<String> = LazyLock::new(|| {
    let number = RandomState::new().hash_one(std::process::id());
    match std::env::var(MARKER) {
        Ok(own) if !own.is_empty() => format!("{own}.{number:016x}"),
        _ => format!("{number:016x}"),
    }
});

/// The prefix of all marks from [`Descendants::new`] in this process.
pub(crate) fn beginning() -> &'static str {
    &BEGINNING
}

/// Whether no program with descendants runs.
#[cfg(target_os = "linux")]
pub(crate) fn none_live() -> bool {
    LIVE.load(Ordering::Acquire) == 0
}

/// The descendants of one program.
#[derive(Debug)]
pub struct Descendants {
    mark: String,
    live: bool,
    program: Option<Pid>,
}

impl Descendants {
    /// Call it before the program is started; the program must get [`Descendants::variable`].
    pub fn new() -> Self {
        // If this fails, only processes in the group of the program are found.
        let _ = orphans::become_subreaper();
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        Self::with_mark(format!("{}-{number}", beginning()))
    }

    /// As [`Descendants::new`], for a program with a given mark.
    pub fn with_mark(mark: String) -> Self {
        LIVE.fetch_add(1, Ordering::AcqRel);
        Self {
            mark,
            live: true,
            program: None,
        }
    }

    /// The name and value of the variable that the program needs in its environment.
    pub fn variable(&self) -> (&'static str, &str) {
        (MARKER, &self.mark)
    }

    /// Records the pid of the program. The caller reaps it, so a sweep skips it.
    pub fn started(&mut self, pid: u32) {
        self.program = i32::try_from(pid).ok().and_then(Pid::from_raw);
        self.program.into_iter().for_each(registry::add);
    }

    /// Whether there is nothing to end. Cheap enough for a runtime thread.
    pub fn are_gone(&self) -> bool {
        let others = LIVE.load(Ordering::Acquire).saturating_sub(1);
        orphans::none(&self.mark, others == 0)
    }

    /// Ends the descendants. Call it after the program has ended and its group was killed. Blocks until they
    /// are dead, at most half a second.
    pub fn end(mut self) -> Swept {
        self.leave();
        orphans::sweep_all(&self.mark)
    }

    fn leave(&mut self) {
        if std::mem::take(&mut self.live) {
            LIVE.fetch_sub(1, Ordering::AcqRel);
            self.program.into_iter().for_each(registry::remove);
        }
    }
}

impl Default for Descendants {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Descendants {
    fn drop(&mut self) {
        self.leave();
    }
}
