//! The house of `expose`.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};

use linkspan_mcp::Era;
use linkspan_mcp::era::{Claims, Down, Figures, Habits, UpOptions, home_of, signed};
use linkspan_ports::{Answering, Guest, House, Principal};
use linkspan_session::{
    Config, Ended, Envelope, EraLayer, Fault, Hub, Inbound, Layer, Outbound, Port, Session,
};
use linkspan_wire::{Kind, Message, RpcError};
use tokio::sync::{mpsc, watch};

use super::layers::{legacy_layers, modern_layers, secret};
use super::lease::{Key, Lease, Upstream};
use super::pool::{Opening, Pool, Room, Want, wait};
use super::server::{EVERYTHING, Server};
use super::through;

/// How often a server is opened for one call; somebody else may be faster to take it.
const MOST_OPENINGS: usize = 8;
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
    stop: watch::Receiver<bool>,
    /// Held by every session, so that the end of the last one can be waited for.
    alive: mpsc::Sender<()>,
}

impl Shared {
    /// A name for somebody that says nothing about their credentials.
    fn alias(&self, principal: &Principal) -> String {
        format!("{:016x}", self.aliases.hash_one(principal))
    }
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
    pub(super) async fn call(&self, call: Envelope, guest: &Guest) -> Result<Answering, Fault> {
        let shared = &self.0;
        let (lease, era) = self.lease(&call.msg, guest).await?;
        let call = match shared.options.share && era == Era::Legacy {
            // Everybody's calls are parked in the same place.
            true => Envelope {
                msg: signed(&call.msg, &shared.alias(&guest.principal)),
                ..call
            },
            false => call,
        };
        let asking = lease.upstream.hub.ask(call).await?;
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
            let open = || self.open(want.key.clone(), want.key.clone());
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
        };
        let key = self.want(call, guest, Era::Legacy).key;
        wait(self.open(first, key)).await?;
        Ok(self.0.server.era().unwrap_or(Era::Legacy))
    }

    fn want(&self, call: &Message, guest: &Guest, era: Era) -> Want {
        let share = self.0.options.share;
        let asks = Claims::read(call).is_ok_and(|claims| claims.caps.any());
        let mut key = want_key(call, guest, share);
        if era == Era::Modern {
            key.capabilities = None;
        }
        Want {
            key,
            asks: era == Era::Legacy
                && asks
                && !self.0.server.keeps_sessions()
                && self.0.habits.may_ask(call),
            home: home_of(call).filter(|_| era == Era::Legacy),
            share,
        }
    }

    /// Begins to open a server for `key`, unless somebody has under the same `slot`.
    fn open(&self, slot: Key, key: Key) -> Opening {
        let inn = self.clone();
        let mut stop = self.0.stop.clone();
        self.0.pool.open(slot, move |home, room| async move {
            let opened = tokio::select! {
                opened = inn.open_now(home, key, room) => opened,
                _ = stop.wait_for(|stop| *stop) => Err(Fault::Closing),
            };
            if let Err(why) = &opened {
                tracing::warn!("{why}");
            }
            opened
        })
    }

    async fn open_now(&self, home: String, key: Key, room: Room) -> Result<Arc<Upstream>, Fault> {
        let shared = &self.0;
        let (back, era) = shared.server.open_known().await?;
        let figures = Arc::<Figures>::default();
        let (hub, front) = Hub::new("the clients", QUEUE);
        let options = UpOptions {
            home: home.clone(),
            capabilities: shared.options.share.then(|| EVERYTHING.to_owned()),
            park: shared.options.park,
            secret: Box::new(secret),
            figures: figures.clone(),
            habits: shared.habits.clone(),
        };
        let key = Key {
            capabilities: key.capabilities.filter(|_| era == Era::Legacy),
            ..key
        };
        self.run(
            front,
            back,
            modern_layers(&self.0.server, era, options, false, &key.principal),
            Some(room),
        );
        Ok(Upstream::new(home, key, hub, figures))
    }

    /// Joins two ports until one of them closes.
    fn run(&self, front: Port, back: Port, layers: Vec<Box<dyn Layer>>, room: Option<Room>) {
        let session = Session::new(self.0.options.session.clone(), front, back, layers);
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
                    server.ended(began.elapsed());
                }
                Ended::FrontClosed | Ended::Stopped => server.works(),
            }
            drop((alive, room));
        });
    }

    async fn begin(&self, front: Port, guest: Guest) {
        if self.0.options.share {
            let back = through::port(self.clone(), guest);
            let layers: Vec<Box<dyn Layer>> = vec![Box::new(EraLayer::new(Down::new()))];
            return self.run(front, back, layers, None);
        }
        let mut stop = self.0.stop.clone();
        let opened = tokio::select! {
            opened = self.0.server.open() => opened,
            _ = stop.wait_for(|stop| *stop) => Err(Fault::Closing),
        };
        let back = match opened {
            Ok(back) => back,
            Err(why) => return refuse(front, &why).await,
        };
        let layers = legacy_layers(&self.0.server, &guest.principal);
        self.run(front, back, layers, None);
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
        self.call(call, guest).await
    }
}

fn want_key(call: &Message, guest: &Guest, share: bool) -> Key {
    if share {
        return Key {
            principal: Principal(None),
            capabilities: None,
        };
    }
    let claims = Claims::read(call).ok();
    Key {
        principal: guest.principal.clone(),
        capabilities: claims.map(|claims| claims.capability_key()),
    }
}

/// Answers a client whose server could not be opened.
async fn refuse(mut front: Port, why: &Fault) {
    tracing::warn!("{why}");
    while let Some(Inbound::Message(envelope)) = front.rx.recv().await {
        if let (Kind::Request, Some(id)) = (envelope.msg.kind(), envelope.msg.id()) {
            let answer = RpcError::from(why).answer(&id);
            let outbound = Outbound::One(Envelope::new(answer));
            let _ = front.tx.send(outbound).await;
            return;
        }
    }
}
