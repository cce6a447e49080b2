//! A server of the gateway: its connections, and what is known about it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use linkspan_bridge::{Caller, Calls, CallsClosing, RequestService};
use linkspan_gateway::config::{ServerConfig, Start};
use linkspan_gateway::{Alias, Breaker, ListKind, ServerList};
use linkspan_ports::{Answering, Principal};
use linkspan_session::{Envelope, Fault, now};
use linkspan_wire::Message;
use parking_lot::Mutex;
use tokio::sync::broadcast;
use tokio::time::Instant;

use crate::asking::Asking;
use crate::change::Change;
use crate::fetch::{self, Description};
use crate::outcome::Outcome;
use crate::pinning::{PinRules, Pinning};
use crate::saved;
use crate::scope::Scope;
use crate::slots::Slots;

/// Principals whose lists are kept, for a server that is not shared.
const MOST_SCOPES: usize = 256;

/// How a server is used, besides its configuration.
#[derive(Debug, Clone)]
pub(crate) struct UpstreamOptions {
    /// It is started for its first request; otherwise it runs elsewhere.
    pub(crate) is_process: bool,
    /// A server that has not been used for this long is no longer watched for changes, so that it can be closed.
    pub(crate) idle: Option<Duration>,
    /// Where its lists are saved.
    pub(crate) file: Option<PathBuf>,
}

/// A server of the gateway.
pub(crate) struct Upstream {
    config: ServerConfig,
    pub(crate) options: UpstreamOptions,
    pub(crate) pins: PinRules,
    pinning: Option<Pinning>,
    pub(crate) calls: Calls,
    closing: Mutex<Option<CallsClosing>>,
    breaker: Mutex<Breaker>,
    slots: Slots,
    scopes: Mutex<HashMap<Principal, Arc<Scope>>>,
    changes: broadcast::Sender<Change>,
    /// Every request in flight has a clone.
    running: Arc<()>,
}

impl Upstream {
    /// A server that is reached by these calls.
    pub(crate) fn new(
        config: ServerConfig,
        options: UpstreamOptions,
        (pinning, pins): (Option<Pinning>, PinRules),
        (calls, closing): (Calls, CallsClosing),
        changes: broadcast::Sender<Change>,
    ) -> Arc<Self> {
        Arc::new(Self {
            slots: Slots::new(config.concurrency),
            config,
            options,
            pins,
            pinning,
            calls,
            closing: Mutex::new(Some(closing)),
            breaker: Mutex::default(),
            scopes: Mutex::default(),
            changes,
            running: Arc::default(),
        })
    }

    /// Whether it is configured like this, wherever that is in the file.
    pub(crate) fn is_of(&self, config: &ServerConfig) -> bool {
        let at = config.at;
        let own = ServerConfig {
            at,
            ..self.config.clone()
        };
        own == *config && self.closing.lock().is_some()
    }

    /// Requests of clients that are not answered yet.
    pub(crate) fn in_flight(&self) -> usize {
        Arc::strong_count(&self.running) - 1
    }

    /// The name of its pins. A remote server may show each principal something else.
    fn pin_name(&self, scope: &Scope) -> String {
        match scope.principal.as_ref().and_then(Principal::key) {
            Some(key) if !self.options.is_process => {
                let hash = blake3::hash(key).to_hex();
                format!("{}@{}", self.config.key, &hash[..12])
            }
            _ => self.config.key.clone(),
        }
    }

    /// Everything that is known is fetched again when it is needed.
    pub(crate) fn invalidate(&self) {
        let scopes: Vec<_> = self.scopes.lock().values().cloned().collect();
        for scope in scopes {
            scope.description.invalidate();
            for kind in ListKind::ALL {
                scope.list(kind).invalidate();
            }
        }
    }

    /// Writes the lists to their file.
    fn save(&self, scope: &Scope) {
        let anonymous = Principal::anonymous();
        let file = self.file(scope.principal.as_ref().unwrap_or(&anonymous));
        let (Some(file), Some(description)) = (file, scope.description.last()) else {
            return;
        };
        let file = file.to_owned();
        let lists = ListKind::ALL.into_iter();
        let lists = lists.filter_map(|kind| Some((kind, scope.list(kind).last()?)));
        let lists: Vec<_> = lists.collect();
        tokio::task::spawn_blocking(move || {
            if let Err(why) = saved::write(&file, &description, &lists) {
                tracing::warn!("cannot save lists to {}: {why}", file.display());
            }
        });
    }

    /// Its short name.
    pub(crate) fn alias(&self) -> &Alias {
        &self.config.alias
    }

    pub(crate) fn name(&self) -> &str {
        self.config.alias.as_str()
    }

    /// Ends its connections.
    pub(crate) async fn close(&self) {
        let closing = self.closing.lock().take();
        if let Some(closing) = closing {
            closing.close().await;
        }
    }

    /// What is known about it, as this client sees it.
    pub(crate) fn scope(&self, principal: &Principal) -> Arc<Scope> {
        let of = match self.config.share {
            true => &Principal::anonymous(),
            false => principal,
        };
        let mut scopes = self.scopes.lock();
        if let Some(scope) = scopes.get(of) {
            return scope.clone();
        }
        if scopes.len() >= MOST_SCOPES {
            let oldest = scopes.iter().min_by_key(|(_, scope)| scope.last_use());
            if let Some(oldest) = oldest.map(|(principal, _)| principal.clone()) {
                scopes.remove(&oldest);
            }
        }
        let scope = Arc::new(Scope::new((!self.config.share).then(|| of.clone())));
        if let Some((description, lists)) = self.file(of).and_then(saved::read) {
            scope.restore(description, lists);
        }
        scopes.insert(of.clone(), scope.clone());
        scope
    }

    /// The file for the lists, if they are those of clients without credentials.
    fn file(&self, principal: &Principal) -> Option<&Path> {
        let file = self.options.file.as_deref();
        file.filter(|_| principal.key().is_none())
    }

    /// On whose behalf the gateway asks for lists.
    pub(crate) fn asking(&self, request: &Message, caller: &Caller) -> Asking {
        if self.config.share {
            Asking::own()
        } else {
            Asking::of(request, caller)
        }
    }

    /// Its description, as far as it is known by the deadline.
    pub(crate) async fn description(
        self: &Arc<Self>,
        asking: &Asking,
        deadline: Instant,
    ) -> Option<Arc<Description>> {
        let scope = self.scope(&asking.caller.principal);
        self.wake(&scope, asking);
        if let Some(known) = self.settled(&scope.description) {
            return Some(known);
        }
        let fetch = || {
            let (upstream, asking, scope) = (self.clone(), asking.clone(), scope.clone());
            async move {
                let (description, freshness) = fetch::description(&upstream, &asking).await?;
                upstream.contacted(&scope, &asking);
                let description = match &upstream.pinning {
                    Some(pins) => {
                        pins.description(&upstream.pin_name(&scope), upstream.pins, description)
                    }
                    None => description,
                };
                Ok((description, freshness))
            }
        };
        let (upstream, of_change) = (self.clone(), scope.clone());
        let stored = move |unseen: bool| {
            // Its lists come with it.
            for kind in ListKind::ALL.into_iter().filter(|_| unseen) {
                let _ = upstream.changes.send(upstream.change(&of_change, kind));
            }
        };
        scope.description.fetch(deadline, fetch, stored).await;
        scope.description.last()
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
        let known = scope.list(kind);
        if let Some(known) = self.settled(known) {
            return Some(known);
        }
        if let Some(description) = self.description(asking, deadline).await
            && !description.has(kind.capability())
        {
            return Some(Arc::default());
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
                let list = fetch::list(&upstream, &asking, kind).await?;
                let freshness = fetch::freshness(&list, scope.is_watched(kind));
                let list = match &upstream.pinning {
                    Some(pins) => pins.list(&upstream.pin_name(&scope), upstream.pins, kind, list),
                    None => list,
                };
                Ok((list, freshness))
            }
        };
        let (upstream, of_change) = (self.clone(), scope.clone());
        let stored = move |unseen: bool| {
            upstream.save(&of_change);
            if unseen {
                let _ = upstream.changes.send(upstream.change(&of_change, kind));
            }
        };
        known.fetch(deadline, fetch, stored).await;
        known.last()
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
    fn settled<T: PartialEq + Send + Sync + 'static>(
        &self,
        known: &crate::known::Known<T>,
    ) -> Option<Arc<T>> {
        let is_asleep = self.is_lazy() && self.calls.connections() == 0;
        known.fresh().or_else(|| known.last().filter(|_| is_asleep))
    }

    /// The server is running: watches its lists, and fetches those again that were known from an earlier run.
    fn contacted(self: &Arc<Self>, scope: &Arc<Scope>, asking: &Asking) {
        scope.watch(self, asking, self.changes.clone());
        for kind in scope.take_restored() {
            let (upstream, asking) = (self.clone(), asking.clone());
            tokio::spawn(async move {
                // Readers have had the old list, so a difference is told.
                upstream.list(kind, &asking, Instant::now()).await;
            });
        }
    }

    pub(crate) fn change(&self, scope: &Scope, kind: ListKind) -> Change {
        Change::of(&self.config.alias, scope.principal.as_ref(), kind)
    }

    /// Sends a client's request.
    pub(crate) async fn request(
        self: &Arc<Self>,
        call: Envelope,
        caller: &Caller,
    ) -> Result<Answering, Fault> {
        self.admitted()?;
        let slot = self.slots.take().await?;
        let answering = self.send(call, caller).await?;
        Ok(answering.holding((slot, self.running.clone())))
    }

    /// Sends a client's subscription. It is no call: it needs no slot, and the server may be closed meanwhile.
    pub(crate) async fn listen(
        self: &Arc<Self>,
        listen: Envelope,
        caller: &Caller,
    ) -> Result<Answering, Fault> {
        self.admitted()?;
        self.send(listen, caller).await
    }

    /// Whether the breaker is closed.
    fn admitted(&self) -> Result<(), Fault> {
        let admitted = self.breaker.lock().admit(now());
        admitted.map_err(|wait| Fault::Paused {
            peer: self.name().to_owned(),
            wait,
        })
    }

    async fn send(self: &Arc<Self>, call: Envelope, caller: &Caller) -> Result<Answering, Fault> {
        let scope = self.scope(&caller.principal);
        scope.touch();
        let first = scope.is_unwatched().then(|| self.asking(&call.msg, caller));
        let answering = self.calls.request(call, caller).await;
        let answering = answering.inspect_err(|why| self.heard(Outcome::of_fault(why)))?;
        if let Some(asking) = first {
            self.contacted(&scope, &asking);
        }
        let upstream = self.clone();
        Ok(answering.edited(move |envelope| {
            if envelope.msg.is_answer() {
                upstream.heard(Outcome::of_answer(&envelope.msg));
            }
            envelope
        }))
    }

    /// Whether an answer is not the server's own: the connection was lost, or the request has not reached it.
    pub(crate) fn is_lost(answer: &Message) -> bool {
        Outcome::of_answer(answer) != Outcome::Answered
    }

    fn heard(&self, outcome: Outcome) {
        match outcome {
            Outcome::Answered => self.breaker.lock().succeeded(),
            Outcome::Failed => self.breaker.lock().failed(now()),
            Outcome::Neither => {}
        }
    }
}
