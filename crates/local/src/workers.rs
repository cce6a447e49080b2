//! Threads for blocking work: file access and long computations.

use std::sync::Arc;
use std::time::Duration;

use linkspan_session::Budget;
use linkspan_wire::Limits;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// Results of all connections that may wait for room, besides those of running jobs.
const WAITING: usize = 8;

/// Limits the number of running jobs and the size of unread results. Both limits apply to all connections
/// together, because a client may open many connections. Clones share the pool.
#[derive(Clone)]
pub struct Workers {
    free: Arc<Semaphore>,
    all: u32,
    pub(super) places: Arc<Semaphore>,
    pub(super) budget: Budget,
}

/// A job panicked.
#[derive(Debug)]
pub struct JobPanicked;

impl Default for Workers {
    fn default() -> Self {
        Self::new()
    }
}

impl Workers {
    /// At least two threads, so that a large file does not delay a small one.
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

    /// Limits unread answers to `bytes`.
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
            // Released when the job ends, even if its result is no longer awaited.
            let _permit = permit;
            job()
        };
        spawn_blocking(job).await.map_err(|_| JobPanicked)
    }

    /// Waits until no job runs, or until `limit`. Jobs have received their stop flag before; a job that stops
    /// in time leaves no half-written file.
    pub async fn finish(&self, limit: Duration) {
        if timeout(limit, self.free.acquire_many(self.all))
            .await
            .is_err()
        {
            tracing::warn!("a call is still running and is abandoned");
        }
    }
}
