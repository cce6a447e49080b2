//! A cache of the client's roots.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use linkspan_mcp::names;
use linkspan_wire::{Kind, Message};
use parking_lot::{Mutex, MutexGuard};
use tokio::time::timeout;

use super::caller::Caller;
use super::folders::folders;

/// The notification of a client whose list of roots changed.
pub const ROOTS_CHANGED: &str = "notifications/roots/list_changed";

/// The roots of one client, cached. They are requested once, and again after `list_changed`; from a client
/// without that notification they are requested on every call.
#[derive(Default)]
pub struct Offered {
    known: Mutex<Option<Vec<PathBuf>>>,
    /// Number of `list_changed` notifications received.
    changes: AtomicU64,
}

impl Offered {
    /// The cached folders, or those of a new `roots/list`. Empty if the client does not answer in time.
    pub async fn get(&self, caller: &Caller, patience: Duration) -> Vec<PathBuf> {
        if !caller.client_can(&["roots"]) {
            return Vec::new();
        }
        if let Some(known) = self.lock().clone() {
            return known;
        }
        let changes = self.changes.load(Ordering::Relaxed);
        let answer = match timeout(patience, caller.ask(names::ROOTS_LIST, None)).await {
            Ok(Some(answer)) if answer.kind() == Kind::Result => answer,
            Ok(_) => return Vec::new(),
            Err(_) => {
                tracing::warn!("the client did not answer roots/list");
                return Vec::new();
            }
        };
        let folders = folders(&answer);
        let tells = caller.client_can(&["roots", "listChanged"]);
        if tells && self.changes.load(Ordering::Relaxed) == changes {
            *self.lock() = Some(folders.clone());
        }
        folders
    }

    /// Clears the cache on `list_changed`.
    pub fn on_notification(&self, note: &Message) {
        if note.method() == ROOTS_CHANGED {
            self.changes.fetch_add(1, Ordering::Relaxed);
            *self.lock() = None;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Vec<PathBuf>>> {
        self.known.lock()
    }
}
