//! What a machine is given, and what it tells the pool that uses it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::era::habits::Habits;

/// How long a parked call waits by default.
pub const PARK: Duration = Duration::from_secs(300);

/// What a machine is given.
pub struct ModernToLegacyOptions {
    /// A word that no other machine has; see [`home_of`](crate::era::home_of).
    pub home: String,
    /// What the server is told that its client can do; what the first request declares if `None`.
    /// Whatever it is, a question reaches only clients that declared the capability for it.
    pub capabilities: Option<String>,
    /// Whether all requests come from one client. If not, a call that was cancelled counts for a while as
    /// one that may still ask or log something.
    pub alone: bool,
    /// The roots that all requests have brought along, as [`given_roots`](crate::era::given_roots) tells them;
    /// for a server that several clients use.
    pub roots: Option<String>,
    /// How long a parked call waits for its client.
    pub park: Duration,
    /// Unguessable text for `requestState`.
    pub secret: Box<dyn FnMut() -> String + Send>,
    /// What others may want to know.
    pub status: Arc<MachineStatus>,
    /// What has been seen of the server so far.
    pub habits: Arc<Habits>,
}

impl ModernToLegacyOptions {
    /// For a client that has its server to itself.
    pub fn new(home: String, secret: fn() -> String) -> Self {
        Self {
            home,
            capabilities: None,
            alone: true,
            roots: None,
            park: PARK,
            secret: Box::new(secret),
            status: Arc::default(),
            habits: Arc::default(),
        }
    }
}

/// What a machine tells the pool that chooses a server for a call.
#[derive(Debug, Default)]
pub struct MachineStatus {
    pub(super) parked: AtomicUsize,
    pub(super) unattended: AtomicUsize,
    pub(super) knows_roots: AtomicBool,
    pub(super) wrong: AtomicBool,
}

impl MachineStatus {
    /// Whether the server has refused the handshake as a modern one does.
    pub fn is_wrong(&self) -> bool {
        self.wrong.load(Ordering::Relaxed)
    }

    /// Whether the server was told the roots of a client in the course of a call. It may remember them, so
    /// no other client may use it.
    pub fn knows_roots(&self) -> bool {
        self.knows_roots.load(Ordering::Relaxed)
    }

    /// How many calls wait for their client.
    pub fn parked(&self) -> usize {
        self.parked.load(Ordering::Relaxed)
    }

    /// How many calls the server may be busy with although their clients no longer wait.
    pub fn unattended(&self) -> usize {
        self.unattended.load(Ordering::Relaxed)
    }
}
