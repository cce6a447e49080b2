//! Keeps calls that take longer than their client waits.
//!
//! A request with a progress token gets progress while its server is silent. A call that still runs after
//! [`LongCallOptions::patience`] is answered with a handle: the call itself goes on, and its result is handed out by
//! the tool `wait_for`. The layer is on the client's side of the era translation, so that the translator knows that the
//! call is open; it speaks the client's era.

mod call;
mod course;
mod due;
mod kept;
mod layer;
mod open;
mod own_tools;
mod progress;
mod results;
#[cfg(test)]
mod tests;
mod tools;
mod waiting;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use linkspan_session::Layer;
use parking_lot::Mutex;
use tokio::sync::Notify;

use self::call::Owner;
use self::kept::Kept;
use self::layer::LongCallLayer;
use self::tools::Names;
use crate::layers::{LayerFactory, SessionInfo};

/// How long a client of today waits, less a reserve: most end a call after 60 seconds.
pub const PATIENCE: Duration = Duration::from_secs(50);

/// When clients hear of their calls.
#[derive(Debug, Clone, Copy)]
pub struct LongCallOptions {
    /// How long a call runs before its client gets a handle, and how long a call of `wait_for` waits; `None` never
    /// answers in the server's place.
    pub patience: Option<Duration>,
}

impl Default for LongCallOptions {
    fn default() -> Self {
        Self {
            patience: Some(PATIENCE),
        }
    }
}

/// Makes the layers of the sessions in front of one server; see [`Bridge::client_layer`](crate::Bridge::client_layer).
pub struct LongCalls(Arc<Shared>);

/// What all sessions share: a client may come back in another one.
struct Shared {
    options: LongCallOptions,
    kept: Mutex<Kept>,
    /// A kept call has changed.
    changed: Notify,
    /// The sessions so far.
    sessions: AtomicU64,
    names: Mutex<Names>,
}

impl LongCalls {
    /// With these options.
    pub fn new(options: LongCallOptions) -> Self {
        Self(Arc::new(Shared {
            options,
            kept: Mutex::default(),
            changed: Notify::new(),
            sessions: AtomicU64::new(0),
            names: Mutex::default(),
        }))
    }
}

impl LayerFactory for LongCalls {
    fn layer(&self, session: SessionInfo<'_>) -> Box<dyn Layer> {
        let number = self.0.sessions.fetch_add(1, Ordering::Relaxed);
        let owner = match session.principal.key() {
            Some(key) => Owner::Principal(key.into()),
            None if session.one_client => Owner::Session(number),
            None => Owner::Unknown,
        };
        let holds = session.holds.clone();
        Box::new(LongCallLayer::new(self.0.clone(), number, owner, holds))
    }
}
