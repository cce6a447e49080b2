//! The options of a machine, and its status for the pool.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::era::question_history::QuestionHistory;

/// How long a parked call waits by default.
pub const PARK: Duration = Duration::from_secs(300);

/// The options of a machine.
pub struct ModernToLegacyOptions {
    /// A name that no other machine has; see [`home_of`](crate::era::home_of).
    pub home: String,
    /// The capabilities in `initialize`; those of the first request if `None`. In any case, a question reaches only
    /// clients that declared the capability for it.
    pub capabilities: Option<String>,
    /// Whether all requests belong to one client. If not, a cancelled call counts for a while as one that may still ask
    /// or log.
    pub alone: bool,
    /// The roots that all requests have in common, in the form of [`given_roots`](crate::era::given_roots); for a
    /// server that several clients use.
    pub roots: Option<String>,
    /// How long a parked call waits for its client.
    pub park: Duration,
    /// Unguessable text for `requestState`.
    pub secret: Box<dyn FnMut() -> String + Send>,
    /// The status that the pool reads.
    pub status: Arc<MachineStatus>,
    /// Which calls of this server were seen to ask.
    pub history: Arc<QuestionHistory>,
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
            history: Arc::default(),
        }
    }
}

/// The status of a machine, by which the pool chooses a server for a call.
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

    /// Whether the server got the roots of a client during a call. It may remember them, so no other client may use it.
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
