//! Subscriptions of a client, and notifications of changes.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use linkspan_local::{Call, Notifier, Params};
use linkspan_mcp::{Revision, names};
use linkspan_wire::{RpcError, quote};
use parking_lot::{Mutex, MutexGuard};
use tokio::task::AbortHandle;

use super::super::manual::Kind;
use super::super::quirks;
use super::resources::{Wanted, read};
use super::{Connection, some_text};
use linkspan_scripts::host::{FolderChange, FolderChanges, List, random_name};

/// Limit of subscriptions per client.
const MOST: usize = 1024;
/// How often resources are read anew, in seconds.
const LOOK: u64 = 2;

/// Whether and of what a client may be notified. Clones share the state.
#[derive(Clone, Default)]
pub(super) struct Ready(Arc<Stage>);

#[derive(Default)]
struct Stage {
    ready: AtomicBool,
    agreed: OnceLock<Revision>,
}

impl Ready {
    /// Records the agreed revision; `false` if there is one already.
    pub(super) fn agree(&self, revision: Revision) -> bool {
        self.0.agreed.set(revision).is_ok()
    }

    /// Records that the client has sent `initialized`.
    pub(super) fn set(&self) {
        self.0.ready.store(true, Ordering::Relaxed);
    }

    fn is(&self) -> bool {
        self.0.ready.load(Ordering::Relaxed)
    }

    /// Whether the revision has list_changed notifications.
    fn hears_of_lists(&self) -> bool {
        let agreed = self.0.agreed.get();
        self.is() && agreed.is_some_and(|agreed| quirks::is_new(&agreed.to_string()))
    }
}

/// Subscriptions by resource URI. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Subscriptions(Arc<Mutex<HashMap<String, Subscribed>>>);

/// A subscribed resource; its task ends with the last subscription name.
#[derive(Default)]
struct Subscribed {
    names: Vec<String>,
    looking: Option<AbortHandle>,
}

impl Drop for Subscribed {
    fn drop(&mut self) {
        if let Some(looking) = &self.looking {
            looking.abort();
        }
    }
}

impl Subscriptions {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Subscribed>> {
        self.0.lock()
    }

    /// Adds a subscription to a URI.
    fn begin(&self, uri: &str, name: &str) -> Result<(), RpcError> {
        let mut all = self.lock();
        if all.values().map(|s| s.names.len()).sum::<usize>() >= MOST {
            return Err(RpcError::server("Too many subscriptions"));
        }
        let subscribed = all.entry(uri.to_owned()).or_default();
        subscribed.names.push(name.to_owned());
        Ok(())
    }

    fn forget(&self, name: &str) {
        self.lock().retain(|_, subscribed| {
            subscribed.names.retain(|other| other != name);
            !subscribed.names.is_empty()
        });
    }

    fn has(&self, uri: &str) -> bool {
        self.lock().contains_key(uri)
    }
}

impl Connection {
    pub(super) async fn subscribe(
        &self,
        params: Params<'_>,
        call: &mut Call,
    ) -> Result<String, RpcError> {
        let held = self.held()?;
        let snapshot = held.readable(Kind::Resources)?;
        let wanted = Wanted::of(params);
        let found = wanted.find(snapshot)?;
        let name = format!("sub-{}", random_name());
        // Before the first read, so that an `unsubscribe` during the read takes effect.
        self.subscriptions.begin(&found.uri, &name)?;
        let first = match read(&self.folder, &held, &found).await {
            Ok(first) => print_of(&first),
            Err(e) => {
                self.subscriptions.forget(&name);
                return Err(e);
            }
        };
        let every = snapshot
            .project
            .vars
            .number("MCPBASH_RESOURCES_POLL_INTERVAL_SECS");
        let every = Duration::from_secs(every.unwrap_or(LOOK));
        if let Some(subscribed) = self.subscriptions.lock().get_mut(&found.uri)
            && subscribed.looking.is_none()
            && !every.is_zero()
        {
            let uri = found.uri.clone();
            subscribed.looking = Some(self.look_after(wanted, uri, first, every, call.notifier()));
        }
        Ok(format!(r#"{{"subscriptionId":"{name}"}}"#))
    }

    pub(super) fn unsubscribe(&self, params: Params<'_>) -> Result<String, RpcError> {
        let name = some_text(params, "subscriptionId");
        let uri = some_text(params, "uri");
        if name.is_none() && uri.is_none() {
            return Err(RpcError::invalid_params("Resource uri required"));
        }
        if let Some(uri) = uri {
            self.subscriptions.lock().remove(&uri);
        }
        if let Some(name) = name {
            self.subscriptions.forget(&name);
        }
        Ok("{}".to_owned())
    }

    /// Polls the resource and notifies the client when its contents change.
    fn look_after(
        &self,
        wanted: Wanted,
        uri: String,
        first: u64,
        every: Duration,
        notifier: Notifier,
    ) -> AbortHandle {
        let (folder, project) = (Arc::downgrade(&self.folder), self.project.clone());
        let task = tokio::spawn(async move {
            let mut last = Some(first);
            loop {
                tokio::select! {
                    () = tokio::time::sleep(every) => {}
                    () = notifier.gone() => return,
                }
                let Some(folder) = folder.upgrade() else {
                    return;
                };
                let now = async {
                    let held = project.current()?;
                    let found = wanted.find(held.readable(Kind::Resources)?)?;
                    read(&folder, &held, &found).await
                };
                let now = now.await.ok().map(|text| print_of(&text));
                drop(folder);
                if last != now {
                    last = now;
                    updated(&notifier, &uri).await;
                }
            }
        });
        task.abort_handle()
    }
}

fn print_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Forwards changes until the client or the folder is gone.
pub(super) fn pass_on(
    mut changes: FolderChanges,
    notifier: Notifier,
    subscriptions: Subscriptions,
    ready: Ready,
) {
    tokio::spawn(async move {
        loop {
            let told = tokio::select! {
                told = changes.next() => told,
                () = notifier.gone() => return,
            };
            match told {
                None => return,
                // mcp-bash does not report problems to its clients.
                Some(FolderChange::Diagnostic(_)) => {}
                Some(FolderChange::List(list)) => {
                    if ready.hears_of_lists() {
                        changed(&notifier, list).await;
                    }
                }
                Some(FolderChange::Contents(uris)) => {
                    for uri in uris.iter().filter(|uri| subscriptions.has(uri)) {
                        if ready.is() {
                            updated(&notifier, uri).await;
                        }
                    }
                }
                Some(FolderChange::All) => {
                    for list in [List::Tools, List::Prompts, List::Resources] {
                        if ready.hears_of_lists() {
                            changed(&notifier, list).await;
                        }
                    }
                }
            }
        }
    });
}

async fn changed(notifier: &Notifier, list: List) {
    let method = format!("notifications/{}/list_changed", list.name());
    notifier.notify(&method, Some("{}")).await;
}

async fn updated(notifier: &Notifier, uri: &str) {
    let params = format!(r#"{{"uri":{}}}"#, quote(uri));
    notifier
        .notify(names::RESOURCE_UPDATED, Some(&params))
        .await;
}
