//! Load figures of a front.

use std::fmt::Write as _;
use std::sync::Arc;

use tokio::sync::Semaphore;

use super::sessions::Sessions;

/// The load of a front. Cheap to clone; always up to date.
#[derive(Debug, Clone)]
pub struct FrontFigures {
    sessions: Arc<Sessions>,
    request_slots: Arc<Semaphore>,
    most: usize,
}

impl FrontFigures {
    /// Must be called before the first client connects.
    pub(super) fn new(sessions: &Arc<Sessions>, request_slots: &Arc<Semaphore>) -> Self {
        Self {
            sessions: Arc::clone(sessions),
            most: request_slots.available_permits(),
            request_slots: Arc::clone(request_slots),
        }
    }

    /// Legacy sessions that are open.
    pub fn sessions(&self) -> usize {
        self.sessions.len()
    }

    /// The number of requests in flight.
    pub fn in_flight(&self) -> usize {
        self.most - self.request_slots.available_permits()
    }

    /// What `/healthz` shows.
    pub(super) fn to_json(&self, more: &[(&'static str, u64)]) -> String {
        let mut out = format!(
            r#"{{"status":"ok","sessions":{},"inFlight":{}"#,
            self.sessions(),
            self.in_flight()
        );
        for (name, number) in more {
            let _ = write!(out, r#","{name}":{number}"#);
        }
        out.push('}');
        out
    }
}
