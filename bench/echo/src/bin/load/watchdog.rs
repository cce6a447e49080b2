//! A timeout for blocking pipe reads that costs the reader nothing.
//!
//! The standard library cannot wait on a pipe with a deadline, and a reader thread with
//! a channel would add a wake-up to every call measured. Instead the caller blocks, and
//! this thread kills the process group when the deadline passes: the read then ends.

use crate::group;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const TICK: Duration = Duration::from_millis(100);
const NEVER: u64 = u64::MAX;

pub struct Watchdog {
    origin: Instant,
    shared: Arc<Shared>,
}

struct Shared {
    /// Milliseconds after `origin`.
    deadline: AtomicU64,
    fired: AtomicBool,
    over: AtomicBool,
}

impl Watchdog {
    pub fn watch(leader: u32) -> Self {
        let origin = Instant::now();
        let shared = Arc::new(Shared {
            deadline: AtomicU64::new(NEVER),
            fired: AtomicBool::new(false),
            over: AtomicBool::new(false),
        });
        let seen = Arc::clone(&shared);
        std::thread::spawn(move || {
            while !seen.over.load(Ordering::Acquire) {
                let now = origin.elapsed().as_millis();
                if now > u128::from(seen.deadline.load(Ordering::Relaxed)) {
                    seen.fired.store(true, Ordering::Release);
                    group::kill(leader);
                    return;
                }
                std::thread::sleep(TICK);
            }
        });
        Self { origin, shared }
    }

    /// From now on, silence is tolerated for `patience`.
    pub fn arm(&self, now: Instant, patience: Duration) {
        let at = now.saturating_duration_since(self.origin) + patience;
        let at = u64::try_from(at.as_millis()).unwrap_or(NEVER);
        self.shared.deadline.store(at, Ordering::Relaxed);
    }

    /// Nothing is awaited.
    pub fn rest(&self) {
        self.shared.deadline.store(NEVER, Ordering::Relaxed);
    }

    pub fn fired(&self) -> bool {
        self.shared.fired.load(Ordering::Acquire)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        // Before the group is ended and its number may be given to another process.
        self.shared.over.store(true, Ordering::Release);
    }
}
