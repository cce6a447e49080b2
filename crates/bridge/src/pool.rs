//! The upstream connections of an HTTP front.
//!
//! A legacy client has its own connection during its session. Requests of modern clients are independent of each other
//! and share connections that are kept warm ([`warm`]). With [`PoolOptions::share`], legacy sessions are split into
//! independent requests ([`requests`]), so that one connection serves all of them.

mod closing;
mod lease;
mod needs;
mod warm;

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use linkspan_mcp::era::{
    Claims, LegacyToModern, MachineStatus, ModernToLegacyOptions, QuestionHistory, given_roots,
    home_of, signed, with_default_level,
};
use linkspan_mcp::{Era, Level};
use linkspan_ports::{Answering, FrontService, Principal};
use linkspan_session::{
    Asker, Config, Ended, Envelope, EraLayer, Fault, Hub, Inbound, Layer, Port, Session, now,
};
use linkspan_wire::Message;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

pub(crate) use self::closing::Closing;
use self::lease::{Key, Lease, Upstream};
use self::needs::{Needs, key_of};
use self::warm::{Opening, Slot, WarmUpstreams, wait};
use crate::client_era;
use crate::layers::{Answered, Holds, SessionInfo, legacy_layers, modern_layers};
use crate::probe::Questions;
use crate::requests::{self, Caller, RequestService};
use crate::secret::secret;
use crate::server::{EVERYTHING, Server};
use crate::setbacks::Cause;

/// How often a connection is opened for one call: other calls may take the opened connection first.
const MOST_OPENINGS: usize = 8;
/// How long a call waits for a server that does not read.
const READING: Duration = Duration::from_secs(10);
/// Envelopes that may wait in front of a shared connection.
const QUEUE: usize = 64;

/// Bounds of a pool.
pub(crate) struct PoolOptions {
    /// One connection for all legacy sessions.
    pub(crate) share: bool,
    /// How long a parked call waits for its client.
    pub(crate) park: Duration,
    /// When an unused connection is closed; `None` keeps it.
    pub(crate) idle: Option<Duration>,
    pub(crate) max_servers: usize,
    pub(crate) session: Config,
}

/// Clones share the pool.
#[derive(Clone)]
pub(crate) struct UpstreamPool(Arc<Shared>);

struct Shared {
    server: Arc<Server>,
    options: PoolOptions,
    warm: Arc<WarmUpstreams>,
    history: Arc<QuestionHistory>,
    aliases: RandomState,
    /// Legacy sessions so far that share a connection.
    sessions: AtomicU64,
    stop: watch::Receiver<bool>,
    /// Each session holds a clone, which makes it possible to wait for the end of all. [`Closing`] has the first one.
    alive: mpsc::WeakSender<()>,
}

impl Shared {
    /// A number for a caller that reveals nothing about its credentials.
    fn alias(&self, caller: &Caller) -> u64 {
        let Caller { principal, session } = caller;
        self.aliases.hash_one((principal, session))
    }
}

impl UpstreamPool {
    pub(crate) fn new(server: Server, options: PoolOptions) -> (Self, Closing) {
        let (stop, stopped) = watch::channel(false);
        let (alive, ended) = mpsc::channel(1);
        let pool = Self(Arc::new(Shared {
            server: Arc::new(server),
            warm: Arc::new(WarmUpstreams::new(options.max_servers)),
            options,
            history: Arc::default(),
            aliases: RandomState::new(),
            sessions: AtomicU64::new(0),
            stop: stopped,
            alive: alive.downgrade(),
        }));
        pool.reap();
        (pool, Closing::new(stop, alive, ended))
    }

    /// The era of the server, once it is known.
    pub(crate) fn era(&self) -> Option<Era> {
        self.0.server.era()
    }

    /// Connections that are open.
    pub(crate) fn connections(&self) -> usize {
        self.0.warm.len()
    }

    /// Closes connections that have been idle for too long, as long as the pool exists.
    fn reap(&self) {
        let Some(idle) = self.0.options.idle else {
            return;
        };
        let shared = Arc::downgrade(&self.0);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep((idle / 4).max(Duration::from_millis(250))).await;
                match shared.upgrade() {
                    Some(shared) => shared.warm.reap(idle),
                    None => return,
                }
            }
        });
    }

    /// Sends a modern request.
    async fn call(&self, call: Envelope, caller: &Caller) -> Result<Answering, Fault> {
        let shared = &self.0;
        let seen = shared.server.seen(&call.msg);
        let (lease, era) = self.lease(&seen, &caller.principal).await?;
        lease.upstream.key.principal.renew(&caller.principal);
        let alias = shared.alias(caller);
        let is_legacy = caller.session.is_some();
        let msg = match (era, shared.options.share) {
            // The calls of all clients are parked in the same translator.
            (Era::Legacy, true) => signed(&call.msg, &format!("{alias:016x}"), is_legacy),
            (Era::Modern, _) if is_legacy => with_default_level(&call.msg, Level::DEFAULT),
            _ => call.msg,
        };
        let call = Envelope { msg, ..call };
        let asking = timeout(READING, lease.upstream.hub.ask(call, Asker(alias))).await;
        let asking = asking.map_err(|_| Fault::Overloaded {
            what: "the server does not read",
        })??;
        Ok(Answering::new(asking.rx, (asking.guard, lease)))
    }

    /// A connection for a call, and the era of its server.
    async fn lease(&self, call: &Message, principal: &Principal) -> Result<(Lease, Era), Fault> {
        let shared = &self.0;
        for _ in 0..MOST_OPENINGS {
            if shared.warm.drop_wrong() {
                shared.server.forget_era();
            }
            let era = match shared.server.era() {
                Some(era) => era,
                None => self.detect_era(call, principal).await?,
            };
            let needs = self.needs(call, principal, era);
            let open = || self.open(needs.key.clone(), needs.key.clone(), self.questions(call));
            if let Some(lease) = shared.warm.lease(&needs, open).await? {
                return Ok((lease, era));
            }
        }
        Err(Fault::Overloaded {
            what: "other calls took every connection that was opened for this call",
        })
    }

    /// Opens a first connection to detect the server's era. All calls wait for the same one.
    async fn detect_era(&self, call: &Message, principal: &Principal) -> Result<Era, Fault> {
        let first = Key {
            principal: Principal::anonymous(),
            scope: None,
            capabilities: Some("the first of all".to_owned()),
            roots: None,
        };
        // Roots are only for a server that is known to ask for them.
        let key = key_of(call, principal, self.0.options.share, None);
        wait(self.open(first, key, self.questions(call))).await?;
        Ok(self.0.server.era().unwrap_or(Era::Legacy))
    }

    fn needs(&self, call: &Message, principal: &Principal, era: Era) -> Needs {
        let share = self.0.options.share;
        let asks = Claims::read(call).is_ok_and(|claims| claims.caps.any());
        let roots = given_roots(call).ok().flatten();
        let mut key = key_of(call, principal, share, roots);
        if era == Era::Modern {
            key = key_of(call, principal, share, None);
            key.capabilities = None;
        }
        let history = &self.0.history;
        // All clients of a shared server use the same process, so only calls that are known to ask wait for their turn;
        // questions of other calls are held or refused meanwhile.
        let may_ask = if share {
            history.has_asked(call)
        } else {
            history.may_ask(call)
        };
        Needs {
            key,
            asks: era == Era::Legacy && asks && !self.0.server.keeps_sessions() && may_ask,
            home: home_of(call).filter(|_| era == Era::Legacy),
            share,
            sticky: self.0.server.keeps_sessions(),
        }
    }

    /// The requests of the probe for this call.
    fn questions(&self, call: &Message) -> Questions<'static> {
        let shared = self.0.options.share.then_some(EVERYTHING);
        Questions::of(Some(call), shared)
    }

    /// Opens a connection for `key` in the background, unless one is being opened under the same `name`.
    fn open(&self, name: Key, key: Key, questions: Questions<'static>) -> Opening {
        let pool = self.clone();
        let mut stop = self.0.stop.clone();
        self.0.warm.open(name, move |home, slot| async move {
            let opened = tokio::select! {
                opened = pool.open_now(home, key, slot, questions) => opened,
                _ = stop.wait_for(|stop| *stop) => Err(Fault::Closing),
            };
            if let Err(why) = &opened {
                tracing::warn!("{why}");
            }
            opened
        })
    }

    async fn open_now(
        &self,
        home: String,
        key: Key,
        slot: Slot,
        questions: Questions<'static>,
    ) -> Result<Arc<Upstream>, Fault> {
        let shared = &self.0;
        let cause = Cause {
            principal: key.principal.clone(),
            handshake: shared.aliases.hash_one(&questions.initialize),
        };
        let (back, era) = shared.server.open_known(&questions, &cause).await?;
        let status = Arc::<MachineStatus>::default();
        let (hub, front) = Hub::new("the clients", QUEUE);
        let options = ModernToLegacyOptions {
            home: home.clone(),
            capabilities: shared.options.share.then(|| EVERYTHING.to_owned()),
            alone: false,
            roots: key.roots.clone(),
            park: shared.options.park,
            secret: Box::new(secret),
            status: status.clone(),
            history: shared.history.clone(),
        };
        let key = Key {
            capabilities: key.capabilities.filter(|_| era == Era::Legacy),
            roots: key.roots.filter(|_| era == Era::Legacy),
            ..key
        };
        let holds = Holds::default();
        let session = SessionInfo {
            one_client: false,
            principal: &key.principal,
            holds: &holds,
        };
        let layers = modern_layers(&self.0.server, era, options, session, None);
        self.run(front, back, layers, Some(slot), (cause, None));
        Ok(Upstream::new(home, key, hub, status, holds))
    }

    /// Joins two ports until one of them closes. Gets the cause that the server was started for, and the client's first
    /// message if there is one.
    fn run(
        &self,
        front: Port,
        back: Port,
        mut layers: Vec<Box<dyn Layer>>,
        slot: Option<Slot>,
        (cause, first): (Cause, Option<Inbound>),
    ) {
        let answered = Answered::default();
        layers.push(Box::new(answered.clone()));
        let session = Session::new(self.0.options.session.clone(), front, back, layers);
        let session = session.begun_with(first);
        let (server, alive) = (self.0.server.clone(), self.0.alive.upgrade());
        let mut stop = self.0.stop.clone();
        tokio::spawn(async move {
            let began = now();
            let stop = async move {
                let _ = stop.wait_for(|stop| *stop).await;
            };
            match session.run(stop).await {
                Ended::BackClosed(why) => {
                    tracing::warn!("{why}");
                    server.ended(&cause, answered.get(), now().duration_since(began));
                }
                Ended::FrontClosed | Ended::Stopped => {}
            }
            drop((alive, slot));
        });
    }

    async fn begin(&self, mut front: Port, principal: Principal) {
        if self.0.options.share {
            let session = self.0.sessions.fetch_add(1, Ordering::Relaxed);
            let session = Some(session);
            let caller = Caller { principal, session };
            let back = requests::port("the shared server", self.clone(), caller);
            let layers: Vec<Box<dyn Layer>> =
                vec![Box::new(EraLayer::new(LegacyToModern::signed()))];
            return self.run(front, back, layers, None, (Cause::only(), None));
        }
        let Some(first) = front.rx.recv().await else {
            return;
        };
        let handshake = match &first {
            Inbound::Message(envelope) => envelope.msg.params().map(|params| params.text()),
            _ => None,
        };
        let cause = Cause {
            principal,
            handshake: self.0.aliases.hash_one(handshake),
        };
        let mut stop = self.0.stop.clone();
        let opened = tokio::select! {
            opened = self.0.server.open(&cause) => opened,
            _ = stop.wait_for(|stop| *stop) => Err(Fault::Closing),
        };
        let back = match opened {
            Ok(back) => back,
            Err(why) => {
                tracing::warn!("{why}");
                return client_era::refuse(&front, Some(first), &why).await;
            }
        };
        let layers = legacy_layers(&self.0.server, &cause.principal);
        self.run(front, back, layers, None, (cause, Some(first)));
    }
}

impl RequestService for UpstreamPool {
    async fn request(&self, call: Envelope, caller: &Caller) -> Result<Answering, Fault> {
        self.call(call, caller).await
    }
}

impl FrontService for UpstreamPool {
    fn admit(&self, front: Port, principal: &Principal) {
        let (pool, principal) = (self.clone(), principal.clone());
        tokio::spawn(async move { pool.begin(front, principal).await });
    }

    fn has_view(&self, name: &str) -> bool {
        self.0.server.has_view(name)
    }

    fn figures(&self) -> Vec<(&'static str, u64)> {
        vec![("servers", self.0.warm.len() as u64)]
    }

    async fn ask(&self, call: Envelope, principal: &Principal) -> Result<Answering, Fault> {
        let principal = principal.clone();
        let session = None;
        self.call(call, &Caller { principal, session }).await
    }
}

#[cfg(test)]
mod tests;
