//! A warm connection, and its lease to one call.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use linkspan_mcp::era::MachineStatus;
use linkspan_ports::Principal;
use linkspan_session::Hub;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::layers::Holds;

/// Calls with equal keys may share a connection.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) principal: Principal,
    /// The scopes that the server got; a token with fewer must not use a server that got more.
    pub(super) scope: Option<String>,
    /// The capabilities that a legacy server was initialized with; a modern server gets them with every request.
    pub(super) capabilities: Option<String>,
    /// The roots that a legacy server was started for; see [`given_roots`](linkspan_mcp::era::given_roots).
    pub(super) roots: Option<String>,
}

impl Key {
    /// Whether a call that resumes a parked one may belong to the same client. Its roots are known only in its first
    /// round.
    pub(super) fn fits(&self, other: &Self) -> bool {
        self.principal == other.principal && self.capabilities == other.capabilities
    }
}

/// A warm connection.
pub(super) struct Upstream {
    /// Its name in a `requestState`.
    pub(super) home: String,
    pub(super) key: Key,
    pub(super) hub: Hub,
    pub(super) status: Arc<MachineStatus>,
    holds: Holds,
    /// The number of open calls that may ask.
    asking: AtomicUsize,
    used: Mutex<Instant>,
}

impl Upstream {
    pub(super) fn new(
        home: String,
        key: Key,
        hub: Hub,
        status: Arc<MachineStatus>,
        holds: Holds,
    ) -> Arc<Self> {
        Arc::new(Self {
            home,
            key,
            hub,
            status,
            holds,
            asking: AtomicUsize::new(0),
            used: Mutex::new(Instant::now()),
        })
    }

    /// Whether a call that may ask can use it: a question over stdio does not name its call.
    pub(super) fn is_clear(&self) -> bool {
        self.asking.load(Ordering::Relaxed) == 0
            && self.status.parked() == 0
            && self.status.unattended() == 0
    }

    pub(super) fn is_idle(&self) -> bool {
        self.hub.in_flight() == 0 && self.status.parked() == 0 && !self.holds.any()
    }

    /// How long it has been idle.
    pub(super) fn idle_for(&self) -> Option<Duration> {
        let used = *self.used.lock();
        self.is_idle().then(|| used.elapsed())
    }

    fn touch(&self) {
        *self.used.lock() = Instant::now();
    }
}

/// A connection while one call uses it.
pub(super) struct Lease {
    pub(super) upstream: Arc<Upstream>,
    asks: bool,
    freed: Arc<Notify>,
}

impl Lease {
    pub(super) fn new(upstream: Arc<Upstream>, asks: bool, freed: Arc<Notify>) -> Self {
        if asks {
            upstream.asking.fetch_add(1, Ordering::Relaxed);
        }
        upstream.touch();
        Self {
            upstream,
            asks,
            freed,
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.asks {
            self.upstream.asking.fetch_sub(1, Ordering::Relaxed);
        }
        self.upstream.touch();
        self.freed.notify_waiters();
    }
}
