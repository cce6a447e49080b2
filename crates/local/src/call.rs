//! A request that a handler is working on.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use linkspan_wire::Hop;
use tokio::sync::OwnedSemaphorePermit;

use super::caller::{Caller, ClientConnection, Notifier};
use super::workers::{JobPanicked, Workers};

/// A request that a handler is answering.
pub struct Call {
    caller: Caller,
    stop: Arc<AtomicBool>,
    /// A slot of the connection and a slot of all connections, held while the call works.
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

    /// The client that sent the request.
    pub fn caller(&self) -> Caller {
        self.caller.clone()
    }

    /// A notifier for the connection that the request arrived on.
    pub fn notifier(&self) -> Notifier {
        Notifier(self.caller.client.clone())
    }

    /// Keeps `what` alive until the answer is sent.
    pub fn hold(&mut self, what: impl Send + 'static) {
        self.held.push(Box::new(what));
    }

    /// Releases the slot, so that another call of this client can run while this one waits for the client.
    pub fn release_slot(&mut self) {
        self.place = None;
    }

    /// Runs a blocking job on a worker thread, after waiting for a slot.
    ///
    /// The job must check its [`StopFlag`] regularly: nothing else can end it.
    pub async fn work<T: Send + 'static>(
        &mut self,
        workers: &Workers,
        until: Option<Instant>,
        job: impl FnOnce(&StopFlag) -> T + Send + 'static,
    ) -> Result<T, JobPanicked> {
        if self.place.is_none() {
            // Slot of the connection first: a client with many calls waits for its own calls before it takes a
            // shared slot.
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

/// Tells a blocking job to stop.
pub struct StopFlag {
    told: Arc<AtomicBool>,
    until: Option<Instant>,
}

impl StopFlag {
    /// Whether the job has to stop: the call was cancelled, or its deadline has passed.
    pub fn is_due(&self) -> bool {
        let late = self.until.is_some_and(|until| Instant::now() >= until);
        late || self.told.load(Ordering::Relaxed)
    }
}
