//! A legacy session: the port towards its server, and the desk where its client is served.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use linkspan_session::{Budget, Envelope, Fault, Inbound, Outbound, PortEnd};
use linkspan_wire::{Id, RpcError};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::time;

use super::desk::{Desk, Manner};
use super::house::Principal;
use super::sessions::{Key, Sessions};

/// How long a session that was closed may take to answer what it owes.
const LAST_ANSWERS: Duration = Duration::from_secs(15);
/// How often a session is looked after, at most and at least.
const SHORT_TICK: Duration = Duration::from_millis(100);
const TICK: Duration = Duration::from_secs(300);

/// What connections share of a session.
pub(super) struct Session {
    pub(super) key: Key,
    pub(super) principal: Principal,
    pub(super) manner: Manner,
    /// Towards the server.
    pub(super) tx: mpsc::Sender<Inbound>,
    /// What requests of this session may weigh that its server has not taken yet.
    pub(super) budget: Budget,
    desk: Mutex<Desk>,
    room: Notify,
    closing: Notify,
    /// Has no permits, and is closed at the end.
    ended: Semaphore,
}

impl Session {
    pub(super) fn new(
        key: Key,
        principal: Principal,
        tx: mpsc::Sender<Inbound>,
        budget: Budget,
        desk: Desk,
    ) -> Self {
        Self {
            key,
            principal,
            manner: desk.manner(),
            tx,
            budget,
            desk: Mutex::new(desk),
            room: Notify::new(),
            closing: Notify::new(),
            ended: Semaphore::new(0),
        }
    }

    /// The lock is never held across an await.
    pub(super) fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody has read; the session may go on.
    pub(super) fn make_room(&self) {
        self.room.notify_one();
    }

    /// Answers questions of the server that nobody will see.
    pub(super) fn give_up(&self, unheard: Vec<Id>) {
        let why = Fault::Overloaded {
            what: "too much waits for a client that does not read",
        };
        for id in unheard {
            let answer = Envelope::new(RpcError::from(&why).answer(&id));
            let full = match self.tx.try_send(Inbound::Message(answer)) {
                Err(TrySendError::Full(answer)) => answer,
                _ => continue,
            };
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                let tx = self.tx.clone();
                runtime.spawn(async move {
                    let _ = tx.send(full).await;
                });
            }
        }
    }

    /// Waits until its place is free.
    pub(super) async fn ended(&self) {
        let _ = self.ended.acquire().await;
    }

    /// Ends the session. What it owes is still answered.
    pub(super) fn close(&self) {
        self.closing.notify_one();
    }
}

/// The session's end of things: takes what the server says to the desk, until it says no more.
pub(super) struct Pump {
    pub(super) session: Arc<Session>,
    pub(super) sessions: Arc<Sessions>,
    pub(super) idle: Option<Duration>,
    /// The session's place among all.
    pub(super) room: OwnedSemaphorePermit,
}

impl Pump {
    pub(super) async fn run(self, end: Ends) {
        let Ends {
            mut rx,
            last_word,
            done,
        } = end;
        let mut last_word = Some(last_word);
        let mut is_full = false;
        // Looked at now and then, so that a message pays nothing for it.
        let tick = time::sleep_until(self.next_tick().into());
        tokio::pin!(tick);
        loop {
            tokio::select! {
                biased;
                () = self.session.closing.notified(), if last_word.is_some() => {
                    self.hang_up();
                    last_word = None;
                    tick.as_mut().reset((now() + LAST_ANSWERS).into());
                }
                () = &mut tick => {
                    if last_word.is_none() {
                        break;
                    }
                    tick.as_mut().reset(self.next_tick().into());
                }
                item = rx.recv(), if !is_full => match item {
                    Some(item) => is_full = self.pass_on(item, &mut rx),
                    None => break,
                },
                () = self.session.room.notified(), if is_full => {
                    is_full = self.session.desk().is_full();
                }
            }
        }
        self.sessions.remove(self.session.key);
        self.session.desk().end(now());
        drop(done);
        drop(self.room);
        self.session.ended.close();
    }

    /// Hands on what there is; `true` if a reader has to catch up first.
    fn pass_on(&self, item: Outbound, rx: &mut mpsc::Receiver<Outbound>) -> bool {
        let mut desk = self.session.desk();
        let now = now();
        desk.say(item, now);
        while !desk.is_full()
            && let Ok(item) = rx.try_recv()
        {
            desk.say(item, now);
        }
        self.session.give_up(desk.unheard());
        if desk.is_refused() {
            // It never began.
            self.session.close();
        }
        desk.is_full()
    }

    /// Forgets what is old, ends the session if its client is gone, and says when to look again.
    fn next_tick(&self) -> Instant {
        let now = now();
        let mut desk = self.session.desk();
        desk.expire(now);
        let Some(limit) = self.idle else {
            return now + TICK;
        };
        let ends = desk.idle_since().unwrap_or(now) + limit;
        if ends <= now {
            tracing::info!("a session was idle for {} s and ends", limit.as_secs());
            self.session.close();
        }
        ends.clamp(now + SHORT_TICK, now + TICK)
    }

    fn hang_up(&self) {
        self.sessions.remove(self.session.key);
        let why = Fault::PeerClosed {
            peer: "the client".to_owned(),
            why: "its session is over".to_owned(),
        };
        // If there is no room, the dropped last word says it.
        let _ = self.session.tx.try_send(Inbound::Closed(why));
    }
}

/// What the pump has of the port.
pub(super) struct Ends {
    pub(super) rx: mpsc::Receiver<Outbound>,
    pub(super) last_word: oneshot::Sender<()>,
    pub(super) done: oneshot::Sender<()>,
}

impl Ends {
    /// Parts a port's end into what connections use and what the pump uses.
    pub(super) fn part(end: PortEnd) -> (mpsc::Sender<Inbound>, Self) {
        let ends = Self {
            rx: end.rx,
            last_word: end.last_word,
            done: end.done,
        };
        (end.tx, ends)
    }
}

pub(super) fn now() -> Instant {
    time::Instant::now().into_std()
}
