//! What is known about a server, for all clients or for one principal, and the watch for changes of its lists.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use linkspan_bridge::RequestService;
use linkspan_gateway::{ListKind, ServerList};
use linkspan_mcp::names;
use linkspan_ports::Principal;
use linkspan_session::Envelope;
use linkspan_wire::{Id, Json, Message};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::asking::Asking;
use crate::fetch::Description;
use crate::known::Known;
use crate::saved;
use crate::upstream::Upstream;
use crate::visible::Visible;

/// How long a server that does not accept a watch is not asked for another one.
const PAUSE: Duration = Duration::from_secs(60);

/// What is known about a server.
pub(crate) struct Scope {
    /// The principal that it is known of; `None` for all clients.
    pub(crate) principal: Option<Principal>,
    pub(crate) description: Known<Description>,
    lists: [Known<ServerList>; 4],
    pub(crate) visible: Visible,
    /// Lists from an earlier run, or from before a gap of the watch, that have not been fetched since.
    restored: Mutex<Vec<ListKind>>,
    watch: Mutex<Watch>,
    /// By [`ListKind::index`]: whether the server tells when the list changes.
    watched: [AtomicBool; 4],
    /// By [`ListKind::index`]: whether a task asks for the list until there is one.
    tried_again: [AtomicBool; 4],
    used: Mutex<Instant>,
    saving: Mutex<()>,
}

#[derive(Debug, Clone, Copy)]
enum Watch {
    Off,
    On,
    /// The server has refused it, or ended it.
    Not(Instant),
}

impl Scope {
    pub(crate) fn new(principal: Option<Principal>) -> Self {
        Self {
            principal,
            description: Known::default(),
            lists: Default::default(),
            visible: Visible::default(),
            restored: Mutex::default(),
            watch: Mutex::new(Watch::Off),
            watched: Default::default(),
            tried_again: Default::default(),
            used: Mutex::new(Instant::now()),
            saving: Mutex::default(),
        }
    }

    pub(crate) fn list(&self, kind: ListKind) -> &Known<ServerList> {
        &self.lists[kind.index()]
    }

    /// Takes what was saved in an earlier run.
    pub(crate) fn restore(&self, description: Description, lists: Vec<(ListKind, ServerList)>) {
        self.description.restore(description);
        let mut restored = self.restored.lock();
        for (kind, list) in lists {
            self.list(kind).restore(list);
            restored.push(kind);
        }
    }

    /// Sets whether a task asks for a list until there is one; returns whether one did.
    pub(crate) fn is_tried_again(&self, kind: ListKind, is_now: bool) -> bool {
        self.tried_again[kind.index()].swap(is_now, Ordering::Relaxed)
    }

    /// Writes what is known to a file. The task that comes last writes the latest.
    pub(crate) fn save(&self, file: &Path) {
        let _alone = self.saving.lock();
        let Some(description) = self.description.last() else {
            return;
        };
        let lists = ListKind::ALL.into_iter();
        let lists = lists.filter_map(|kind| Some((kind, self.list(kind).last()?)));
        let lists: Vec<_> = lists.collect();
        if let Err(why) = saved::write(file, &description, &lists) {
            tracing::warn!("cannot save lists to {}: {why}", file.display());
        }
    }

    /// Whether lists have not been compared with the server that runs now.
    pub(crate) fn is_restored(&self) -> bool {
        !self.restored.lock().is_empty()
    }

    /// Lists that have to be fetched again because the server runs now; they are stale from now on.
    pub(crate) fn take_restored(&self) -> Vec<ListKind> {
        let restored = std::mem::take(&mut *self.restored.lock());
        if restored.is_empty() {
            return restored;
        }
        for kind in &restored {
            self.list(*kind).invalidate();
        }
        self.description.invalidate();
        restored
    }

    /// The server may have changed its lists meanwhile.
    fn note_gap(&self) {
        let known = ListKind::ALL.into_iter();
        let known = known.filter(|kind| self.list(*kind).last().is_some());
        *self.restored.lock() = known.collect();
    }

    pub(crate) fn touch(&self) {
        *self.used.lock() = Instant::now();
    }

    pub(crate) fn last_use(&self) -> Instant {
        *self.used.lock()
    }

    pub(crate) fn is_watched(&self, kind: ListKind) -> bool {
        self.watched[kind.index()].load(Ordering::Relaxed)
    }

    /// Whether the server would be watched from now on if it were running.
    pub(crate) fn is_unwatched(&self) -> bool {
        match *self.watch.lock() {
            Watch::Off => true,
            Watch::On => self.is_restored(),
            Watch::Not(until) => Instant::now() >= until || self.is_restored(),
        }
    }

    /// Begins to watch the lists of a running server, unless that is under way.
    pub(crate) fn watch(self: &Arc<Self>, upstream: &Arc<Upstream>, asking: &Asking) {
        {
            let mut watch = self.watch.lock();
            match *watch {
                Watch::On => return,
                Watch::Not(until) if Instant::now() < until => return,
                Watch::Off | Watch::Not(_) => *watch = Watch::On,
            }
        }
        let (scope, upstream, asking) = (self.clone(), upstream.clone(), asking.clone());
        tokio::spawn(async move {
            let outcome = scope.listen(&upstream, &asking).await;
            for kind in ListKind::ALL {
                scope.watched[kind.index()].store(false, Ordering::Relaxed);
                scope.list(kind).invalidate();
            }
            if matches!(outcome, Watch::Off) {
                scope.note_gap();
            }
            *scope.watch.lock() = outcome;
        });
    }

    async fn listen(&self, upstream: &Arc<Upstream>, asking: &Asking) -> Watch {
        const ALL: &str =
            r#"{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}"#;
        let params = format!(r#"{{"notifications":{ALL},"_meta":{}}}"#, asking.meta);
        let listen = Message::request(&Id::number(0), names::LISTEN, Some(&params));
        let listening = upstream
            .calls
            .request(Envelope::new(listen), &asking.caller);
        let Ok(mut listening) = listening.await else {
            return Watch::Not(Instant::now() + PAUSE);
        };
        let mut accepted = false;
        loop {
            let message = tokio::select! {
                message = listening.recv() => message,
                () = self.unused(upstream.options.idle) => return Watch::Off,
            };
            let Some(envelope) = message else {
                return Watch::Off;
            };
            let message = &envelope.msg;
            if message.is_answer() {
                tracing::debug!("{} ends the watch of its lists", upstream.name());
                return if accepted {
                    Watch::Off
                } else {
                    Watch::Not(Instant::now() + PAUSE)
                };
            }
            if message.method() == names::ACKNOWLEDGED {
                accepted = true;
                self.accepted(message);
            }
            for kind in changed_by(message) {
                self.list(kind).invalidate();
                upstream.tell_change(self, kind);
            }
        }
    }

    fn accepted(&self, acknowledgement: &Message) {
        let accepted = acknowledgement
            .params()
            .and_then(|p| p.get("notifications"));
        for kind in ListKind::ALL {
            let is_watched = accepted.and_then(|it| it.get(subscription(kind)));
            let is_watched = is_watched.and_then(Json::as_bool) == Some(true);
            self.watched[kind.index()].store(is_watched, Ordering::Relaxed);
        }
    }

    /// Resolves when no client has used the server for this long.
    async fn unused(&self, idle: Option<Duration>) {
        let Some(idle) = idle else {
            return std::future::pending().await;
        };
        loop {
            let until = self.last_use() + idle;
            if until <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(until).await;
        }
    }
}

/// The member of a subscription for changes of a list.
pub(crate) fn subscription(kind: ListKind) -> &'static str {
    match kind {
        ListKind::Tools => "toolsListChanged",
        ListKind::Prompts => "promptsListChanged",
        ListKind::Resources | ListKind::Templates => "resourcesListChanged",
    }
}

/// The lists that a notification says to have changed.
fn changed_by(notification: &Message) -> impl Iterator<Item = ListKind> {
    let method = notification.method().into_owned();
    ListKind::ALL
        .into_iter()
        .filter(move |kind| kind.changed() == method)
}
