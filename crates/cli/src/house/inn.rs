//! The house of `expose`.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use linkspan_mcp::era::{
    Claims, Down, Figures, Habits, UpOptions, given_roots, home_of, signed, with_default_level,
};
use linkspan_mcp::{Era, Level};
use linkspan_ports::{Answering, Guest, House, Principal};
use linkspan_session::{
    Asker, Config, Ended, Envelope, EraLayer, Fault, Hub, Inbound, Layer, Port, Session,
};
use linkspan_wire::Message;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::first;

use super::layers::{Answered, legacy_layers, modern_layers, secret};
use super::lease::{Key, Lease, Upstream};
use super::pool::{Opening, Pool, Room, Want, wait};
use super::probe::Questions;
use super::server::{EVERYTHING, Server};
use super::setbacks::Cause;
use super::through;

/// How often a server is opened for one call; somebody else may be faster to take it.
const MOST_OPENINGS: usize = 8;
/// How long a call waits for a server that does not read.
const READING: Duration = Duration::from_secs(10);
/// Envelopes that may wait in front of a shared server.
const QUEUE: usize = 64;

pub(crate) struct InnOptions {
    /// One server for all legacy sessions.
    pub(crate) share: bool,
    /// How long a parked call waits for its client.
    pub(crate) park: Duration,
    /// When a server that nobody uses is let go; `None` keeps it.
    pub(crate) idle: Option<Duration>,
    pub(crate) max_servers: usize,
    pub(crate) session: Config,
}

/// Clones are the same house.
#[derive(Clone)]
pub(crate) struct Inn(Arc<Shared>);

struct Shared {
    server: Arc<Server>,
    options: InnOptions,
    pool: Arc<Pool>,
    habits: Arc<Habits>,
    aliases: RandomState,
    /// Legacy sessions so far that share a server.
    sessions: AtomicU64,
    stop: watch::Receiver<bool>,
    /// Held by every session, so that the end of the last one can be waited for.
    alive: mpsc::Sender<()>,
}

impl Shared {
    /// A number for a caller that says nothing about its credentials.
    fn alias(&self, caller: &Caller) -> u64 {
        let Caller { guest, session } = caller;
        self.aliases.hash_one((&guest.principal, session))
    }
}

/// The client that a request comes from, as far as it can be told.
#[derive(Clone)]
pub(super) struct Caller {
    pub(super) guest: Guest,
    /// The legacy session that shares a server with others; modern requests have none.
    pub(super) session: Option<u64>,
}

/// Tells an [`Inn`] to close, and waits until it has.
pub(crate) struct Closing {
    stop: watch::Sender<bool>,
    ended: mpsc::Receiver<()>,
}

impl Closing {
    /// Ends every call and every session; what is under way is answered with an error.
    pub(crate) fn begin(&self) {
        let _ = self.stop.send(true);
    }

    /// Waits until every server has ended.
    pub(crate) async fn wait(mut self, inn: Inn) {
        self.begin();
        inn.0.pool.clear();
        drop(inn);
        // Every session has bounds of its own for its farewell; this only bounds their sum.
        let all = async { while self.ended.recv().await.is_some() {} };
        let _ = tokio::time::timeout(Duration::from_secs(10), all).await;
    }
}

impl Inn {
    pub(crate) fn new(server: Server, options: InnOptions) -> (Self, Closing) {
        let (stop, stopped) = watch::channel(false);
        let (alive, ended) = mpsc::channel(1);
        let inn = Self(Arc::new(Shared {
            server: Arc::new(server),
            pool: Arc::new(Pool::new(options.max_servers)),
            options,
            habits: Arc::default(),
            aliases: RandomState::new(),
            sessions: AtomicU64::new(0),
            stop: stopped,
            alive,
        }));
        inn.reap();
        (inn, Closing { stop, ended })
    }

    /// Lets servers go that nobody uses, as long as the house stands.
    fn reap(&self) {
        let Some(idle) = self.0.options.idle else {
            return;
        };
        let shared = Arc::downgrade(&self.0);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep((idle / 4).max(Duration::from_millis(250))).await;
                match shared.upgrade() {
                    Some(shared) => shared.pool.reap(idle),
                    None => return,
                }
            }
        });
    }

    /// A request that stands alone.
    pub(super) async fn call(&self, call: Envelope, caller: &Caller) -> Result<Answering, Fault> {
        let shared = &self.0;
        let (lease, era) = self.lease(&call.msg, &caller.guest).await?;
        let alias = shared.alias(caller);
        let is_legacy = caller.session.is_some();
        let msg = match (era, shared.options.share) {
            // The calls of all clients are parked in the same machine.
            (Era::Legacy, true) => signed(&call.msg, &format!("{alias:016x}"), is_legacy),
            (Era::Modern, true) if is_legacy => with_default_level(&call.msg, Level::DEFAULT),
            _ => call.msg,
        };
        let call = Envelope { msg, ..call };
        let asking = timeout(READING, lease.upstream.hub.ask(call, Asker(alias))).await;
        let asking = asking.map_err(|_| Fault::Overloaded {
            what: "the server does not read",
        })??;
        Ok(Answering {
            rx: asking.rx,
            guard: Box::new((asking.guard, lease)),
        })
    }

    /// A server for a call, and the era that it speaks.
    async fn lease(&self, call: &Message, guest: &Guest) -> Result<(Lease, Era), Fault> {
        let shared = &self.0;
        for _ in 0..MOST_OPENINGS {
            if shared.pool.drop_wrong() {
                shared.server.forget_era();
            }
            let era = match shared.server.era() {
                Some(era) => era,
                None => self.find_out(call, guest).await?,
            };
            let want = self.want(call, guest, era);
            let open = || self.open(want.key.clone(), want.key.clone(), self.questions(call));
            if let Some(lease) = shared.pool.lease(&want, open).await? {
                return Ok((lease, era));
            }
        }
        Err(Fault::Overloaded {
            what: "others took every server that was opened for this call",
        })
    }

    /// Opens a first server to see which era it speaks. Everybody waits for the same one.
    async fn find_out(&self, call: &Message, guest: &Guest) -> Result<Era, Fault> {
        let first = Key {
            principal: Principal(None),
            capabilities: Some("the first of all".to_owned()),
            roots: None,
        };
        // Roots are for a server that is known to want them.
        let key = want_key(call, guest, self.0.options.share, None);
        wait(self.open(first, key, self.questions(call))).await?;
        Ok(self.0.server.era().unwrap_or(Era::Legacy))
    }

    fn want(&self, call: &Message, guest: &Guest, era: Era) -> Want {
        let share = self.0.options.share;
        let asks = Claims::read(call).is_ok_and(|claims| claims.caps.any());
        let roots = given_roots(call).ok().flatten();
        let mut key = want_key(call, guest, share, roots);
        if era == Era::Modern {
            key = want_key(call, guest, share, None);
            key.capabilities = None;
        }
        let habits = &self.0.habits;
        // All clients of a shared server have the same process: only a call that is known to ask waits
        // for its turn, and what another call asks meanwhile is held or refused.
        let may_ask = match share {
            true => habits.has_asked(call),
            false => habits.may_ask(call),
        };
        Want {
            key,
            asks: era == Era::Legacy && asks && !self.0.server.keeps_sessions() && may_ask,
            home: home_of(call).filter(|_| era == Era::Legacy),
            share,
            sticky: self.0.server.keeps_sessions(),
        }
    }

    /// What a server is asked that is opened for this call.
    fn questions(&self, call: &Message) -> Questions<'static> {
        let shared = self.0.options.share.then_some(EVERYTHING);
        Questions::of(Some(call), shared)
    }

    /// Begins to open a server for `key`, unless that has begun under the same `slot`.
    fn open(&self, slot: Key, key: Key, questions: Questions<'static>) -> Opening {
        let inn = self.clone();
        let mut stop = self.0.stop.clone();
        self.0.pool.open(slot, move |home, room| async move {
            let opened = tokio::select! {
                opened = inn.open_now(home, key, room, questions) => opened,
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
        room: Room,
        questions: Questions<'static>,
    ) -> Result<Arc<Upstream>, Fault> {
        let shared = &self.0;
        let cause = Cause {
            principal: key.principal.clone(),
            handshake: shared.aliases.hash_one(&questions.initialize),
        };
        let (back, era) = shared.server.open_known(&questions, &cause).await?;
        let figures = Arc::<Figures>::default();
        let (hub, front) = Hub::new("the clients", QUEUE);
        let options = UpOptions {
            home: home.clone(),
            capabilities: shared.options.share.then(|| EVERYTHING.to_owned()),
            alone: false,
            roots: key.roots.clone(),
            park: shared.options.park,
            secret: Box::new(secret),
            figures: figures.clone(),
            habits: shared.habits.clone(),
        };
        let key = Key {
            capabilities: key.capabilities.filter(|_| era == Era::Legacy),
            roots: key.roots.filter(|_| era == Era::Legacy),
            ..key
        };
        let layers = modern_layers(&self.0.server, era, options, false, &key.principal);
        self.run(front, back, layers, Some(room), (cause, None));
        Ok(Upstream::new(home, key, hub, figures))
    }

    /// Joins two ports until one of them closes; `begun` is what the server was started for, and what the
    /// client has said so far.
    fn run(
        &self,
        front: Port,
        back: Port,
        mut layers: Vec<Box<dyn Layer>>,
        room: Option<Room>,
        (cause, word): (Cause, Option<Inbound>),
    ) {
        let answered = Answered::default();
        layers.push(Box::new(answered.clone()));
        let session = Session::new(self.0.options.session.clone(), front, back, layers);
        let session = session.begun_with(word);
        let (server, alive) = (self.0.server.clone(), self.0.alive.clone());
        let mut stop = self.0.stop.clone();
        tokio::spawn(async move {
            let began = Instant::now();
            let stop = async move {
                let _ = stop.wait_for(|stop| *stop).await;
            };
            match session.run(stop).await {
                Ended::BackClosed(why) => {
                    tracing::warn!("{why}");
                    server.ended(&cause, answered.get(), began.elapsed());
                }
                Ended::FrontClosed | Ended::Stopped => {}
            }
            drop((alive, room));
        });
    }

    async fn begin(&self, mut front: Port, guest: Guest) {
        if self.0.options.share {
            let session = self.0.sessions.fetch_add(1, Ordering::Relaxed);
            let session = Some(session);
            let back = through::port(self.clone(), Caller { guest, session });
            let layers: Vec<Box<dyn Layer>> = vec![Box::new(EraLayer::new(Down::signed()))];
            return self.run(front, back, layers, None, (Cause::only(), None));
        }
        let Some(word) = front.rx.recv().await else {
            return;
        };
        let handshake = match &word {
            Inbound::Message(envelope) => envelope.msg.params().map(|params| params.text()),
            _ => None,
        };
        let cause = Cause {
            principal: guest.principal,
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
                return first::refuse(&front, Some(word), &why).await;
            }
        };
        let layers = legacy_layers(&self.0.server, &cause.principal);
        self.run(front, back, layers, None, (cause, Some(word)));
    }
}

impl House for Inn {
    fn admit(&self, front: Port, guest: &Guest) {
        let (inn, guest) = (self.clone(), guest.clone());
        tokio::spawn(async move { inn.begin(front, guest).await });
    }

    fn figures(&self) -> Vec<(&'static str, u64)> {
        vec![("servers", self.0.pool.len() as u64)]
    }

    async fn ask(&self, call: Envelope, guest: &Guest) -> Result<Answering, Fault> {
        let guest = guest.clone();
        let session = None;
        self.call(call, &Caller { guest, session }).await
    }
}

/// Who may share the server of a call. Also where all clients share one server, roots are those of one
/// principal.
fn want_key(call: &Message, guest: &Guest, share: bool, roots: Option<String>) -> Key {
    if share {
        let principal = match roots {
            Some(_) => guest.principal.clone(),
            None => Principal(None),
        };
        return Key {
            principal,
            capabilities: None,
            roots,
        };
    }
    let claims = Claims::read(call).ok();
    Key {
        principal: guest.principal.clone(),
        capabilities: claims.map(|claims| claims.capability_key()),
        roots,
    }
}
