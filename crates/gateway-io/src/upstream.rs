//! A server of the gateway: its connections, and what is known about it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use linkspan_bridge::{Caller, Calls, CallsClosing, RequestService};
use linkspan_gateway::config::ServerConfig;
use linkspan_gateway::{Alias, Breaker, ListKind};
use linkspan_ports::{Answering, Principal};
use linkspan_session::{Envelope, Fault, now};
use linkspan_wire::Message;
use parking_lot::Mutex;
use tokio::sync::broadcast;

use crate::asking::Asking;
use crate::change::Change;
use crate::outcome::Outcome;
use crate::saved;
use crate::scope::Scope;
use crate::slots::Slots;
use crate::visible::ServerPins;

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
    pub(crate) config: ServerConfig,
    pub(crate) options: UpstreamOptions,
    pub(crate) pins: ServerPins,
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
        pins: ServerPins,
        (calls, closing): (Calls, CallsClosing),
        changes: broadcast::Sender<Change>,
    ) -> Arc<Self> {
        Arc::new(Self {
            slots: Slots::new(config.concurrency),
            config,
            options,
            pins,
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
    pub(crate) fn pin_name(&self, scope: &Scope) -> String {
        match scope.principal.as_ref().and_then(Principal::key) {
            Some(key) if !self.options.is_process => {
                let hash = blake3::hash(key).to_hex();
                format!("{}@{}", self.config.key, &hash[..12])
            }
            _ => self.config.key.clone(),
        }
    }

    /// Writes the lists to their file.
    pub(crate) fn save(&self, scope: &Arc<Scope>) {
        let anonymous = Principal::anonymous();
        let file = self.file(scope.principal.as_ref().unwrap_or(&anonymous));
        let Some(file) = file.map(Path::to_owned) else {
            return;
        };
        let scope = scope.clone();
        tokio::task::spawn_blocking(move || scope.save(&file));
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

    /// Tells subscriptions that one of its lists has changed.
    pub(crate) fn tell_change(&self, scope: &Scope, kind: ListKind) {
        let change = Change::of(&self.config.alias, scope.principal.as_ref(), kind);
        let _ = self.changes.send(change);
    }

    /// Whether it is open, and a client wants to know of changes.
    pub(crate) fn has_subscribers(&self) -> bool {
        self.changes.receiver_count() > 0 && self.closing.lock().is_some()
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

    fn heard(&self, outcome: Outcome) {
        match outcome {
            Outcome::Answered => self.breaker.lock().succeeded(),
            Outcome::Failed => self.breaker.lock().failed(now()),
            Outcome::Neither => {}
        }
    }
}
