//! The valid declarations, and the keys of their secrets.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use linkspan_acp::DeclarationId;
use linkspan_acp::carrier::Life;
use linkspan_bridge::{Backend, Bridge, PortBridge};
use linkspan_wire::{RpcError, quote};
use parking_lot::Mutex;
use tokio::sync::{Semaphore, watch};

use crate::handshake::Key;

/// Declarations that may be valid at once.
const MAX_DECLARATIONS: usize = 4096;
/// Connections of one declaration at once.
pub(super) const MAX_CONNECTIONS: usize = 64;
/// Keys of revoked declarations that are kept, so that their clients get an error instead of a closed
/// connection.
const MAX_REVOKED: usize = 256;

/// All declarations of one chain.
#[derive(Default)]
pub(super) struct Declarations(Mutex<Tables>);

#[derive(Default)]
struct Tables {
    valid: HashMap<DeclarationId, Arc<Declaration>>,
    /// The oldest first.
    revoked: VecDeque<Key>,
}

/// A declaration of an MCP server in one session.
pub(super) struct Declaration {
    name: String,
    /// The key that connections show, and the server behind it; `None` over HTTP, which has a listener for
    /// each declaration.
    socket: Option<(Key, PortBridge)>,
    life: watch::Sender<Life>,
    /// Free connections.
    pub(super) connections: Semaphore,
    was_used: AtomicBool,
}

impl Declaration {
    pub(super) fn new(name: &str, key: Key, server: Backend, life: watch::Sender<Life>) -> Self {
        Self {
            socket: Some((key, Bridge::new(server).serve_ports())),
            ..Self::over_http(name, life)
        }
    }

    pub(super) fn over_http(name: &str, life: watch::Sender<Life>) -> Self {
        Self {
            name: quote(name),
            socket: None,
            life,
            connections: Semaphore::new(MAX_CONNECTIONS),
            was_used: AtomicBool::new(false),
        }
    }

    pub(super) fn bridge(&self) -> Option<&PortBridge> {
        self.socket.as_ref().map(|(_, bridge)| bridge)
    }

    pub(super) fn key(&self) -> Option<&Key> {
        self.socket.as_ref().map(|(key, _)| key)
    }

    /// Logs a connection that has shown the secret.
    pub(super) fn log_connection(&self) {
        let name = &self.name;
        if self.was_used.swap(true, Ordering::Relaxed) {
            tracing::debug!("one more connection to the MCP server {name}");
        } else {
            tracing::info!("the agent has connected to the MCP server {name}");
        }
    }

    /// Resolves when the declaration is no longer valid.
    pub(super) async fn revoked(&self) {
        let mut life = self.life.subscribe();
        let _ = life.wait_for(|life| life.revoked).await;
    }
}

/// The declaration of a secret.
pub(super) enum Found {
    Valid(Arc<Declaration>),
    Revoked,
}

impl Declarations {
    pub(super) fn add(
        &self,
        declaration_id: DeclarationId,
        declaration: Declaration,
    ) -> Result<(), RpcError> {
        let mut tables = self.0.lock();
        if tables.valid.len() >= MAX_DECLARATIONS {
            let why = "too many MCP servers of the chain are in use";
            return Err(RpcError::new(-33000, why));
        }
        tables.valid.insert(declaration_id, Arc::new(declaration));
        Ok(())
    }

    pub(super) fn began(&self, declaration_id: DeclarationId, session: &str) {
        if let Some(declaration) = self.0.lock().valid.get(&declaration_id) {
            let session = Some(session.to_owned());
            declaration.life.send_modify(|life| life.session = session);
        }
    }

    pub(super) fn revoke(&self, declaration_id: DeclarationId) {
        let mut tables = self.0.lock();
        let Some(declaration) = tables.valid.remove(&declaration_id) else {
            return;
        };
        declaration.life.send_modify(|life| life.revoked = true);
        if let Some(key) = declaration.key() {
            if tables.revoked.len() == MAX_REVOKED {
                tables.revoked.pop_front();
            }
            tables.revoked.push_back(key.clone());
        }
        tracing::debug!("the MCP server {} is no longer valid", declaration.name);
    }

    pub(super) fn revoke_all(&self) {
        let all: Vec<DeclarationId> = self.0.lock().valid.keys().copied().collect();
        for declaration_id in all {
            self.revoke(declaration_id);
        }
    }

    /// The declaration whose key `fits`, with that key. All keys are compared, so that the time reveals
    /// nothing.
    pub(super) fn find(&self, fits: &dyn Fn(&Key) -> bool) -> Option<(Found, Key)> {
        let tables = self.0.lock();
        let mut found = None;
        for key in &tables.revoked {
            if fits(key) {
                found = Some((Found::Revoked, key.clone()));
            }
        }
        for declaration in tables.valid.values() {
            if let Some(key) = declaration.key()
                && fits(key)
            {
                found = Some((Found::Valid(declaration.clone()), key.clone()));
            }
        }
        found
    }
}
