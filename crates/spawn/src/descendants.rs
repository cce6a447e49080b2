//! The processes that come from one program, wherever they went.
//!
//! Whatever leaves its process group is found by a variable in its environment, the mark, because we are
//! the subreaper of all of them. A process that has wiped its environment has no mark. It is still one of
//! ours if it was left to us, and it belongs to no program that runs if none runs: so it is ended with the
//! last of them. That is not done where a process that we have not caused may be our child: if we are the
//! init process of a container, or had children before we started any.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rustix::process::Pid;

use crate::orphans::{self, MARKER, Swept};
use crate::registry;

/// Programs whose descendants have not been ended yet.
static LIVE: AtomicUsize = AtomicUsize::new(0);
static LAST: AtomicU64 = AtomicU64::new(0);

/// How the marks of this process begin: with its own mark, if it has one, so that the process which started it
/// also finds the processes that it starts.
static BEGINNING: LazyLock<String> = LazyLock::new(|| {
    let number = RandomState::new().hash_one(std::process::id());
    match std::env::var(MARKER) {
        Ok(own) if !own.is_empty() => format!("{own}.{number:016x}"),
        _ => format!("{number:016x}"),
    }
});

/// How the marks of everything begin that this process starts with [`Descendants::new`].
pub(crate) fn beginning() -> &'static str {
    &BEGINNING
}

/// Whether no program with descendants runs.
#[cfg(target_os = "linux")]
pub(crate) fn none_live() -> bool {
    LIVE.load(Ordering::Acquire) == 0
}

/// The processes that will come from one program.
#[derive(Debug)]
pub struct Descendants {
    mark: String,
    live: bool,
    program: Option<Pid>,
}

impl Descendants {
    /// Before the program is started; it must get [`Descendants::variable`].
    pub fn new() -> Self {
        // Without it, only what stays in its group is found.
        let _ = orphans::become_subreaper();
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        Self::with_mark(format!("{}-{number}", beginning()))
    }

    /// The same for a program that has a mark of its own.
    pub fn with_mark(mark: String) -> Self {
        LIVE.fetch_add(1, Ordering::AcqRel);
        Self {
            mark,
            live: true,
            program: None,
        }
    }

    /// The name and value of the variable that the program has to have in its environment.
    pub fn variable(&self) -> (&'static str, &str) {
        (MARKER, &self.mark)
    }

    /// The program itself runs under this number, and is reaped by the caller: a sweep need not look at it.
    pub fn started(&mut self, pid: u32) {
        self.program = i32::try_from(pid).ok().and_then(Pid::from_raw);
        self.program.into_iter().for_each(registry::add);
    }

    /// Whether there is nothing to end. Cheap enough for a runtime's thread.
    pub fn are_gone(&self) -> bool {
        let others = LIVE.load(Ordering::Acquire).saturating_sub(1);
        orphans::none(&self.mark, others == 0)
    }

    /// Ends them. For when the program has ended, and its group was killed. Blocks until they are dead, at
    /// most half a second.
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
