//! Tells a client what has changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use linkspan_local::Teller;
use linkspan_mcp::names;
use linkspan_wire::quote;
use tokio::sync::broadcast::{self, Receiver, error::RecvError};

use super::Diagnostic;
use super::subscriptions::Subscriptions;
use crate::run::call_observer::{News, Threshold};
use crate::run::control::List;

/// Where it is told which resources have changed. They come together: a branch that is checked out
/// changes hundreds at once, and those must not push other news out.
pub(super) type Contents = broadcast::Sender<Arc<[String]>>;

/// What a client may have to be told.
enum Told {
    List(List),
    Contents(Arc<[String]>),
    Diagnostic(Diagnostic),
    /// What was missed is not known, so all of it may be old.
    All,
}

/// What there is to hear, about everything.
pub(super) struct Ear {
    pub(super) news: Receiver<News>,
    pub(super) contents: Receiver<Arc<[String]>>,
}

impl Ear {
    /// `None` when the folder has gone.
    async fn next(&mut self) -> Option<Told> {
        let told = tokio::select! {
            // What is in a list is read anew when the list has been.
            biased;
            one = self.news.recv() => one.map(|one| match one {
                News::Changed(list) => Told::List(list),
                News::Updated(uri) => Told::Contents([uri].into()),
                News::Diagnostic(diagnostic) => Told::Diagnostic(diagnostic),
            }),
            many = self.contents.recv() => many.map(Told::Contents),
        };
        match told {
            Ok(told) => Some(told),
            Err(RecvError::Lagged(_)) => Some(Told::All),
            Err(RecvError::Closed) => None,
        }
    }
}

/// Passes news on until the client or the folder has gone.
pub(super) fn pass_on(
    mut ear: Ear,
    teller: Teller,
    subscriptions: Subscriptions,
    ready: Arc<AtomicBool>,
    threshold: Threshold,
) {
    tokio::spawn(async move {
        loop {
            let told = tokio::select! {
                told = ear.next() => told,
                () = teller.gone() => return,
            };
            match told {
                None => return,
                // Nobody who is not ready knows anything that could be old.
                Some(_) if !ready.load(Ordering::Relaxed) => {}
                Some(Told::List(list)) => changed(&teller, list).await,
                Some(Told::Diagnostic(diagnostic)) => {
                    diagnosed(&teller, &threshold, &diagnostic).await;
                }
                Some(Told::Contents(uris)) => {
                    for uri in uris.iter().filter(|uri| subscriptions.has(uri)) {
                        updated(&teller, uri).await;
                    }
                }
                Some(Told::All) => {
                    for list in [List::Tools, List::Prompts, List::Resources] {
                        changed(&teller, list).await;
                    }
                    for uri in subscriptions.all() {
                        updated(&teller, &uri).await;
                    }
                }
            }
        }
    });
}

async fn changed(teller: &Teller, list: List) {
    let method = format!("notifications/{}/list_changed", list.name());
    teller.tell(&method, None).await;
}

/// Tells a client about something that the log has, if it wants to hear of that level.
pub(super) async fn diagnosed(teller: &Teller, threshold: &Threshold, diagnostic: &Diagnostic) {
    if !threshold.lets(diagnostic.level) {
        return;
    }
    let params = format!(
        r#"{{"level":"{}","logger":"linkspan","data":{}}}"#,
        diagnostic.level.name(),
        quote(&diagnostic.text)
    );
    teller.tell(names::MESSAGE, Some(&params)).await;
}

pub(super) async fn updated(teller: &Teller, uri: &str) {
    let params = format!(r#"{{"uri":{}}}"#, quote(uri));
    teller.tell(names::RESOURCE_UPDATED, Some(&params)).await;
}
