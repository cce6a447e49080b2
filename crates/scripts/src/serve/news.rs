//! Notifies a client of changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use linkspan_local::Notifier;
use linkspan_mcp::names;
use linkspan_wire::quote;
use tokio::sync::broadcast::{self, Receiver, error::RecvError};

use super::Diagnostic;
use super::subscriptions::Subscriptions;
use crate::run::control::List;
use crate::run::observer::{News, Threshold};

/// Sends changed resources in batches: checking out a branch changes hundreds at once, and single messages
/// would push other news out of the queue.
pub(super) type Contents = broadcast::Sender<Arc<[String]>>;

/// A change that may be relevant to a client.
#[derive(Debug)]
pub enum FolderChange {
    /// A list has changed.
    List(List),
    /// The contents of these resources have changed.
    Contents(Arc<[String]>),
    /// A problem of the folder.
    Diagnostic(Diagnostic),
    /// Messages were lost: everything may have changed.
    All,
}

/// The changes of a folder, for one client.
pub struct FolderChanges {
    pub(super) news: Receiver<News>,
    pub(super) contents: Receiver<Arc<[String]>>,
}

impl FolderChanges {
    /// The next change; `None` when the folder is closed.
    pub async fn next(&mut self) -> Option<FolderChange> {
        let told = tokio::select! {
            // Lists first: after a list change a client reads the contents anyway.
            biased;
            one = self.news.recv() => one.map(|one| match one {
                News::Changed(list) => FolderChange::List(list),
                News::Updated(uri) => FolderChange::Contents([uri].into()),
                News::Diagnostic(diagnostic) => FolderChange::Diagnostic(diagnostic),
            }),
            many = self.contents.recv() => many.map(FolderChange::Contents),
        };
        match told {
            Ok(told) => Some(told),
            Err(RecvError::Lagged(_)) => Some(FolderChange::All),
            Err(RecvError::Closed) => None,
        }
    }
}

/// Forwards changes until the client or the folder is gone.
pub(super) fn pass_on(
    mut ear: FolderChanges,
    notifier: Notifier,
    subscriptions: Subscriptions,
    ready: Arc<AtomicBool>,
    threshold: Threshold,
) {
    tokio::spawn(async move {
        loop {
            let told = tokio::select! {
                told = ear.next() => told,
                () = notifier.gone() => return,
            };
            match told {
                None => return,
                // A client that is not initialized has no list that could be outdated.
                Some(_) if !ready.load(Ordering::Relaxed) => {}
                Some(FolderChange::List(list)) => changed(&notifier, list).await,
                Some(FolderChange::Diagnostic(diagnostic)) => {
                    diagnosed(&notifier, &threshold, &diagnostic).await;
                }
                Some(FolderChange::Contents(uris)) => {
                    for uri in uris.iter().filter(|uri| subscriptions.has(uri)) {
                        updated(&notifier, uri).await;
                    }
                }
                Some(FolderChange::All) => {
                    for list in [List::Tools, List::Prompts, List::Resources] {
                        changed(&notifier, list).await;
                    }
                    for uri in subscriptions.all() {
                        updated(&notifier, &uri).await;
                    }
                }
            }
        }
    });
}

async fn changed(notifier: &Notifier, list: List) {
    let method = format!("notifications/{}/list_changed", list.name());
    notifier.notify(&method, None).await;
}

/// Sends a diagnostic to a client if its level is at or above the threshold.
pub(super) async fn diagnosed(notifier: &Notifier, threshold: &Threshold, diagnostic: &Diagnostic) {
    if !threshold.lets(diagnostic.level) {
        return;
    }
    let params = format!(
        r#"{{"level":"{}","logger":"linkspan","data":{}}}"#,
        diagnostic.level.name(),
        quote(&diagnostic.text)
    );
    notifier.notify(names::MESSAGE, Some(&params)).await;
}

pub(super) async fn updated(notifier: &Notifier, uri: &str) {
    let params = format!(r#"{{"uri":{}}}"#, quote(uri));
    notifier
        .notify(names::RESOURCE_UPDATED, Some(&params))
        .await;
}
