//! How many calls a server gets at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use linkspan_session::Fault;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// How long a call waits for its turn.
const PATIENCE: Duration = Duration::from_secs(60);
/// Calls that may wait.
const MOST_WAITING: usize = 256;

/// The slots of a server, if their number is limited.
#[derive(Default)]
pub(crate) struct Slots {
    free: Option<Arc<Semaphore>>,
    waiting: AtomicUsize,
}

impl Slots {
    pub(crate) fn new(most: Option<usize>) -> Self {
        let free = |most: usize| Semaphore::new(most.clamp(1, Semaphore::MAX_PERMITS));
        Self {
            free: most.map(|most| Arc::new(free(most))),
            waiting: AtomicUsize::new(0),
        }
    }

    /// A slot, which is given back when it is dropped.
    pub(crate) async fn take(&self) -> Result<Option<OwnedSemaphorePermit>, Fault> {
        let Some(free) = &self.free else {
            return Ok(None);
        };
        let busy = Fault::Overloaded {
            what: "the server has as many calls as `concurrency` allows",
        };
        if let Ok(slot) = free.clone().try_acquire_owned() {
            return Ok(Some(slot));
        }
        let _waits = Waits(&self.waiting);
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= MOST_WAITING {
            return Err(busy);
        }
        match timeout(PATIENCE, free.clone().acquire_owned()).await {
            Ok(Ok(slot)) => Ok(Some(slot)),
            _ => Err(busy),
        }
    }
}

/// A waiting call, which counts until it is dropped.
struct Waits<'a>(&'a AtomicUsize);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
