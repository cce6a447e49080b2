//! Which declarations are valid, and by which secrets they are known.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use linkspan_acp::DeclarationId;
use linkspan_acp::carrier::Life;
use linkspan_bridge::{Backend, Bridge, PortBridge};
use linkspan_wire::{RpcError, quote};
use tokio::sync::{Semaphore, watch};

use super::keys::Key;

/// Declarations that may be valid at once.
const MOST: usize = 4096;
/// Connections of one declaration.
const CONNECTIONS: usize = 64;
/// Secrets of the past that are told so instead of being left in the dark.
const STALE: usize = 256;

#[derive(Default)]
pub(super) struct Book(Mutex<Pages>);

#[derive(Default)]
struct Pages {
    valid: HashMap<DeclarationId, Arc<Entry>>,
    stale: VecDeque<Key>,
}

/// A declaration.
pub(super) struct Entry {
    name: String,
    /// What connections show, and where they lead; HTTP has doors of its own.
    door: Option<(Key, PortBridge)>,
    life: watch::Sender<Life>,
    pub(super) places: Arc<Semaphore>,
    seen: AtomicBool,
}

impl Entry {
    pub(super) fn new(name: &str, key: Key, server: Backend, life: watch::Sender<Life>) -> Self {
        Self {
            door: Some((key, Bridge::new(server).serve_ports())),
            ..Self::without_server(name, life)
        }
    }

    pub(super) fn without_server(name: &str, life: watch::Sender<Life>) -> Self {
        Self {
            name: quote(name),
            door: None,
            life,
            places: Arc::new(Semaphore::new(CONNECTIONS)),
            seen: AtomicBool::new(false),
        }
    }

    pub(super) fn bridge(&self) -> Option<&PortBridge> {
        self.door.as_ref().map(|(_, bridge)| bridge)
    }

    pub(super) fn key(&self) -> Option<&Key> {
        self.door.as_ref().map(|(key, _)| key)
    }

    /// Connections that it may have at once.
    pub(super) fn most_connections(&self) -> usize {
        CONNECTIONS
    }

    /// A connection has shown the secret.
    pub(super) fn shown(&self) {
        let name = &self.name;
        match self.seen.swap(true, Ordering::Relaxed) {
            false => tracing::info!("the agent has connected to the MCP server {name}"),
            true => tracing::debug!("one more connection to the MCP server {name}"),
        }
    }

    /// Resolves when the declaration is no longer valid.
    pub(super) async fn revoked(&self) {
        let mut life = self.life.subscribe();
        let _ = life.wait_for(|life| life.revoked).await;
    }
}

/// Whose secret somebody has shown.
pub(super) enum Found {
    Valid(Arc<Entry>, Key),
    /// Of a declaration that is over.
    Stale(Key),
}

impl Book {
    pub(super) fn enter(&self, ticket: DeclarationId, entry: Entry) -> Result<(), RpcError> {
        let mut pages = self.pages();
        if pages.valid.len() >= MOST {
            let why = "too many MCP servers of the chain are in use";
            return Err(RpcError::new(-33000, why));
        }
        pages.valid.insert(ticket, Arc::new(entry));
        Ok(())
    }

    pub(super) fn began(&self, ticket: DeclarationId, session: &str) {
        if let Some(entry) = self.pages().valid.get(&ticket) {
            let session = Some(session.to_owned());
            entry.life.send_modify(|life| life.session = session);
        }
    }

    pub(super) fn revoke(&self, ticket: DeclarationId) {
        let mut pages = self.pages();
        let Some(entry) = pages.valid.remove(&ticket) else {
            return;
        };
        entry.life.send_modify(|life| life.revoked = true);
        if let Some(key) = entry.key() {
            if pages.stale.len() == STALE {
                pages.stale.pop_front();
            }
            pages.stale.push_back(key.clone());
        }
        tracing::debug!("the MCP server {} is no longer valid", entry.name);
    }

    pub(super) fn revoke_all(&self) {
        let all: Vec<DeclarationId> = self.pages().valid.keys().copied().collect();
        for ticket in all {
            self.revoke(ticket);
        }
    }

    /// The declaration whose key `fits`. All keys are looked at, so that the time tells nothing.
    pub(super) fn find(&self, fits: impl Fn(&Key) -> bool) -> Option<Found> {
        let pages = self.pages();
        let mut found = None;
        for key in &pages.stale {
            if fits(key) {
                found = Some(Found::Stale(key.clone()));
            }
        }
        for entry in pages.valid.values() {
            if let Some(key) = entry.key()
                && fits(key)
            {
                found = Some(Found::Valid(entry.clone(), key.clone()));
            }
        }
        found
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
