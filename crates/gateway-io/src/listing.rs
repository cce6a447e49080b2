//! What a server says about itself and has, as far as it is known when a client asks.

use std::sync::Arc;
use std::time::Duration;

use linkspan_gateway::config::Start;
use linkspan_gateway::{ListKind, ServerList};
use linkspan_ports::Principal;
use tokio::time::{Instant, sleep};

use crate::asking::Asking;
use crate::fetch::{self, Description};
use crate::known::Known;
use crate::outcome::may_pass;
use crate::scope::Scope;
use crate::upstream::Upstream;

/// How long after a list could not be fetched it is tried again.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

impl Upstream {
    /// Its description, as far as it is known by the deadline.
    pub(crate) async fn description(
        self: &Arc<Self>,
        asking: &Asking,
        deadline: Instant,
    ) -> Option<Arc<Description>> {
        let scope = self.scope(&asking.caller.principal);
        self.wake(&scope, asking);
        if let Some(known) = self.settled(&scope.description) {
            return Some(self.visible_description(&scope, known));
        }
        let fetch = || {
            let (upstream, asking, scope) = (self.clone(), asking.clone(), scope.clone());
            async move {
                let (description, freshness) = fetch::description(&upstream, &asking).await?;
                upstream.contacted(&scope, &asking);
                Ok((description, freshness))
            }
        };
        // A description that comes late is told with the lists.
        scope.description.fetch(deadline, fetch, |_| ()).await;
        let known = scope.description.last()?;
        Some(self.visible_description(&scope, known))
    }

    /// One of its lists, as far as it is known by the deadline. It is empty if the server does not have the capability.
    pub(crate) async fn list(
        self: &Arc<Self>,
        kind: ListKind,
        asking: &Asking,
        deadline: Instant,
    ) -> Option<Arc<ServerList>> {
        let scope = self.scope(&asking.caller.principal);
        self.wake(&scope, asking);
        if let Some(known) = self.settled(scope.list(kind)) {
            return Some(self.visible_list(&scope, kind, known));
        }
        self.fetch_list(&scope, kind, asking, deadline).await;
        self.known_list(&asking.caller.principal, kind)
    }

    /// The same as it was last known.
    pub(crate) fn known_list(
        &self,
        principal: &Principal,
        kind: ListKind,
    ) -> Option<Arc<ServerList>> {
        let scope = self.scope(principal);
        let known = scope.list(kind).last()?;
        Some(self.visible_list(&scope, kind, known))
    }

    /// The same if the server has told it lately.
    pub(crate) fn recent_list(
        &self,
        principal: &Principal,
        kind: ListKind,
    ) -> Option<Arc<ServerList>> {
        let scope = self.scope(principal);
        let known = scope.list(kind).recent()?;
        Some(self.visible_list(&scope, kind, known))
    }

    /// The list of the server that runs now, which is started for it; `None` if it does not answer by the deadline.
    pub(crate) async fn current_list(
        self: &Arc<Self>,
        kind: ListKind,
        asking: &Asking,
        deadline: Instant,
    ) -> Option<Arc<ServerList>> {
        let scope = self.scope(&asking.caller.principal);
        if scope.is_restored() {
            self.contacted(&scope, asking);
        }
        if scope.list(kind).recent().is_none() {
            self.fetch_list(&scope, kind, asking, deadline).await;
        }
        let known = scope.list(kind).recent()?;
        Some(self.visible_list(&scope, kind, known))
    }

    /// Fetches a list, and waits for it until the deadline.
    async fn fetch_list(
        self: &Arc<Self>,
        scope: &Arc<Scope>,
        kind: ListKind,
        asking: &Asking,
        deadline: Instant,
    ) {
        let described = self.description(asking, deadline).await;
        if described.is_some_and(|it| !it.has(kind.capability())) {
            return scope.list(kind).set_empty();
        }
        let deadline = match scope.description.is_slow() {
            true => Instant::now(),
            false => deadline,
        };
        let fetch = || {
            let (upstream, asking, scope) = (self.clone(), asking.clone(), scope.clone());
            async move {
                // A change from now on makes the list stale, so the watch begins first.
                upstream.contacted(&scope, &asking);
                let list = fetch::list(&upstream, &asking, kind).await;
                if list.as_ref().is_err_and(may_pass) {
                    upstream.try_again(&scope, kind, &asking);
                }
                let list = list?;
                let freshness = fetch::freshness(&list, scope.is_watched(kind));
                Ok((list, freshness))
            }
        };
        let (upstream, of_change) = (self.clone(), scope.clone());
        let stored = move |unseen: bool| {
            upstream.save(&of_change);
            if unseen {
                upstream.tell_change(&of_change, kind);
            }
        };
        scope.list(kind).fetch(deadline, fetch, stored).await;
    }

    fn visible_list(
        &self,
        scope: &Scope,
        kind: ListKind,
        list: Arc<ServerList>,
    ) -> Arc<ServerList> {
        self.pins
            .list(&scope.visible, &self.pin_name(scope), kind, list)
    }

    fn visible_description(&self, scope: &Scope, known: Arc<Description>) -> Arc<Description> {
        self.pins
            .description(&scope.visible, &self.pin_name(scope), known)
    }

    /// Whether it is started by the first request for it only.
    fn is_lazy(&self) -> bool {
        self.options.is_process && self.config.start == Start::Lazy
    }

    /// Asks a server that need not be started, or should be, whether its saved lists are still right.
    fn wake(self: &Arc<Self>, scope: &Arc<Scope>, asking: &Asking) {
        if scope.is_restored() && !self.is_lazy() {
            self.contacted(scope, asking);
        }
    }

    /// A value that needs no fetch: it is fresh, or a process would have to be started for it.
    fn settled<T: PartialEq + Send + Sync + 'static>(&self, known: &Known<T>) -> Option<Arc<T>> {
        let is_asleep = self.is_lazy() && self.calls.connections() == 0;
        known.fresh().or_else(|| known.last().filter(|_| is_asleep))
    }

    /// The server is running: watches its lists, and fetches those again that were known from an earlier run.
    pub(crate) fn contacted(self: &Arc<Self>, scope: &Arc<Scope>, asking: &Asking) {
        scope.watch(self, asking);
        for kind in scope.take_restored() {
            let (upstream, asking) = (self.clone(), asking.clone());
            let scope = scope.clone();
            tokio::spawn(async move {
                // Readers have had the old list, so a difference is told.
                let now = Instant::now();
                upstream.fetch_list(&scope, kind, &asking, now).await;
            });
        }
    }

    /// Asks a server again that has never told a list, as long as a client wants to know of changes.
    fn try_again(self: &Arc<Self>, scope: &Arc<Scope>, kind: ListKind, asking: &Asking) {
        if scope.is_tried_again(kind, true) {
            return;
        }
        let (upstream, scope, asking) = (self.clone(), scope.clone(), asking.clone());
        tokio::spawn(async move {
            let mut pause = FIRST_PAUSE;
            let is_missing = || scope.list(kind).last().is_none();
            while is_missing() && upstream.has_subscribers() {
                sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
                let now = Instant::now();
                upstream.fetch_list(&scope, kind, &asking, now).await;
            }
            scope.is_tried_again(kind, false);
        });
    }
}
