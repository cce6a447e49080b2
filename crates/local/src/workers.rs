//! Threads for what blocks: files, and arithmetic that takes a while.

use std::sync::Arc;
use std::time::Duration;

use linkspan_session::Budget;
use linkspan_wire::Limits;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// Results of all connections that may wait for room, besides those that are being made.
const WAITING: usize = 8;

/// How many jobs of all connections run at once, and how much of what they made may wait to be read.
/// Both are for all together, because any client may open many connections. Clones are the same workers.
#[derive(Clone)]
pub struct Workers {
    free: Arc<Semaphore>,
    all: u32,
    pub(super) places: Arc<Semaphore>,
    pub(super) budget: Budget,
}

/// A job ended without a result: a mistake of ours.
#[derive(Debug)]
pub struct JobPanicked;

impl Default for Workers {
    fn default() -> Self {
        Self::new()
    }
}

impl Workers {
    /// At least two, so that a large file does not hold up a small one.
    pub fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let all = cores.clamp(2, 16);
        Self {
            free: Arc::new(Semaphore::new(all)),
            all: all as u32,
            places: Arc::new(Semaphore::new(all + WAITING)),
            budget: Budget::new(Limits::default().max_bytes()),
        }
    }

    /// So many bytes of answers may wait to be read.
    #[cfg(test)]
    pub(super) fn with_budget(bytes: usize) -> Self {
        let budget = Budget::new(bytes);
        Self {
            budget,
            ..Self::new()
        }
    }

    pub(super) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JobPanicked> {
        let free = self.free.clone();
        let permit = free.acquire_owned().await.map_err(|_| JobPanicked)?;
        let job = move || {
            // Held until the job has ended, even if its result is no longer waited for.
            let _permit = permit;
            job()
        };
        spawn_blocking(job).await.map_err(|_| JobPanicked)
    }

    /// Waits until no job runs, but not for ever. Jobs have been told to stop by then, and one that
    /// does so in time leaves no half-written file behind.
    pub async fn finish(&self, limit: Duration) {
        if timeout(limit, self.free.acquire_many(self.all))
            .await
            .is_err()
        {
            tracing::warn!("a call is still at work and is left behind");
        }
    }
}
