//! A request that a handler is working on.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use linkspan_wire::Hop;
use tokio::sync::OwnedSemaphorePermit;

use super::caller::{Caller, ClientConnection, Notifier};
use super::workers::{JobPanicked, Workers};

/// A request under way.
pub struct Call {
    caller: Caller,
    stop: Arc<AtomicBool>,
    /// One of the connection's, and one of all.
    place: Option<[OwnedSemaphorePermit; 2]>,
    held: Vec<Box<dyn Send>>,
}

impl Deref for Call {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.caller
    }
}

impl Call {
    pub(super) fn new(hop: Hop, client: Arc<ClientConnection>, stop: Arc<AtomicBool>) -> Self {
        Self {
            caller: Caller { hop, client },
            stop,
            place: None,
            held: Vec::new(),
        }
    }

    /// The client that has made it.
    pub fn caller(&self) -> Caller {
        self.caller.clone()
    }

    /// The connection that it came by.
    pub fn notifier(&self) -> Notifier {
        Notifier(self.caller.client.clone())
    }

    /// Keeps something until the answer is on its way.
    pub fn hold(&mut self, what: impl Send + 'static) {
        self.held.push(Box::new(what));
    }

    /// Lets other calls of this client work while this one waits.
    pub fn release_slot(&mut self) {
        self.place = None;
    }

    /// Does what blocks, on another thread, when there is one for it.
    ///
    /// The job must look at its [`StopFlag`] now and then: nothing else can end it.
    pub async fn work<T: Send + 'static>(
        &mut self,
        workers: &Workers,
        until: Option<Instant>,
        job: impl FnOnce(&StopFlag) -> T + Send + 'static,
    ) -> Result<T, JobPanicked> {
        if self.place.is_none() {
            // In this order: a client with many calls waits for its own calls first.
            let ours = self.client.places.clone().acquire_owned().await;
            let common = workers.places.clone().acquire_owned().await;
            self.place = ours.ok().zip(common.ok()).map(|(a, b)| [a, b]);
        }
        let stop = StopFlag {
            told: self.stop.clone(),
            until,
        };
        workers.run(move || job(&stop)).await
    }
}

/// Tells a job when it has to end.
pub struct StopFlag {
    told: Arc<AtomicBool>,
    until: Option<Instant>,
}

impl StopFlag {
    /// Whether the job has to end: its call has ended, or its time is over.
    pub fn is_due(&self) -> bool {
        let late = self.until.is_some_and(|until| Instant::now() >= until);
        late || self.told.load(Ordering::Relaxed)
    }
}
