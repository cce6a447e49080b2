//! Requests that wait for the response to their POST.

use linkspan_wire::Hop;
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashSet;
use std::sync::Arc;

/// The hops of these requests, shared by their jobs.
#[derive(Clone, Default)]
pub(super) struct Waiting(Arc<Mutex<HashSet<Hop>>>);

/// Marks a request as waiting until it is dropped.
pub(super) struct Waits {
    all: Waiting,
    hop: Hop,
}

impl Waiting {
    pub(super) fn enter(&self, hop: Hop) -> Waits {
        self.lock().insert(hop);
        let all = self.clone();
        Waits { all, hop }
    }

    pub(super) fn contains(&self, hop: Hop) -> bool {
        self.lock().contains(&hop)
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<Hop>> {
        self.0.lock()
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        self.all.lock().remove(&self.hop);
    }
}
