//! The folders that a client offers, remembered.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use linkspan_mcp::names;
use linkspan_wire::{Kind, Message};
use parking_lot::{Mutex, MutexGuard};
use tokio::time::timeout;

use super::caller::Caller;
use super::folders::folders;

/// What a client says when the folders that it offers are others now.
pub const ROOTS_CHANGED: &str = "notifications/roots/list_changed";

/// The folders of one client. It is asked once, and again when it says that they changed; if it does
/// not say such things, every time.
#[derive(Default)]
pub struct Offered {
    known: Mutex<Option<Vec<PathBuf>>>,
    /// How often the client said that its roots have changed.
    changes: AtomicU64,
}

impl Offered {
    /// Asks for them, if they are not known. Without an answer in time there are none.
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
                tracing::warn!("the client does not say which folders it has");
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

    /// Takes note of what the client says about them.
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
