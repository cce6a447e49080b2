//! A legacy session: the port towards its server, and the streams to its client.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use linkspan_session::{Envelope, Fault, Inbound, Outbound, PortEnd, now};
use linkspan_wire::{Id, RpcError};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::time;

use super::allowance::Allowance;
use super::principal::Principal;
use super::refusal::Refusal;
use super::session_streams::{Behind, Manner, STANDING_STALL, SessionStreams};
use super::sessions::{Key, Sessions};

/// How long a closed session may take to answer its open requests.
const LAST_ANSWERS: Duration = Duration::from_secs(15);
/// Refusals that may be queued for a server that does not read them, before the session stops reading its questions.
const MOST_REFUSED: usize = 1024;
/// Messages that may be queued for a server that does not read.
const MOST_WAITING: usize = 64;
/// How often a session is checked, at most and at least.
const SHORT_TICK: Duration = Duration::from_millis(100);
const TICK: Duration = Duration::from_secs(300);

/// What connections share of a session.
pub(super) struct Session {
    pub(super) key: Key,
    pub(super) principal: Principal,
    pub(super) manner: Manner,
    /// Towards the server.
    pub(super) tx: mpsc::Sender<Inbound>,
    /// The session's part of the shared limits.
    pub(super) allowance: Arc<Allowance>,
    /// Limits the messages that wait for the server.
    waiting: Semaphore,
    streams: Mutex<SessionStreams>,
    /// Questions of the server whose refusals are not sent yet.
    refused: Mutex<VecDeque<Id>>,
    room: Notify,
    closing: Notify,
    /// Has no permits; closed when the session has ended.
    ended: Semaphore,
}

impl Session {
    pub(super) fn new(
        key: Key,
        principal: Principal,
        tx: mpsc::Sender<Inbound>,
        allowance: Arc<Allowance>,
        streams: SessionStreams,
    ) -> Self {
        Self {
            key,
            principal,
            manner: streams.manner(),
            tx,
            allowance,
            waiting: Semaphore::new(MOST_WAITING),
            streams: Mutex::new(streams),
            refused: Mutex::default(),
            room: Notify::new(),
            closing: Notify::new(),
            ended: Semaphore::new(0),
        }
    }

    /// Waits for a place in the queue to the server. The wait is bounded: a server that does not read would otherwise
    /// block connections for ever.
    pub(super) async fn place(&self, most: Duration) -> Result<mpsc::Permit<'_, Inbound>, Refusal> {
        match self.tx.try_reserve() {
            Ok(place) => return Ok(place),
            Err(TrySendError::Closed(())) => return Err(Refusal::no_such_session()),
            Err(TrySendError::Full(())) => {}
        }
        let busy = || Refusal::busy("the server of this session does not read");
        let _waiting = self.waiting.try_acquire().map_err(|_| busy())?;
        let place = time::timeout(most, self.tx.reserve()).await;
        let place = place.map_err(|_| busy())?;
        place.map_err(|_| Refusal::no_such_session())
    }

    /// The lock must not be held across an await.
    pub(super) fn streams(&self) -> MutexGuard<'_, SessionStreams> {
        self.streams.lock()
    }

    /// A client has read: a pump that waits for room continues.
    pub(super) fn make_room(&self) {
        self.room.notify_one();
    }

    /// Refuses questions of the server that the client will not see: at once, or as soon as the queue has room.
    pub(super) fn give_up(&self, unheard: Vec<Id>) {
        for id in unheard {
            if let Err(TrySendError::Full(_)) = self.tx.try_send(refusal(&id)) {
                self.refused().push_back(id);
                // The pump sends it.
                self.make_room();
            }
        }
    }

    fn refused(&self) -> MutexGuard<'_, VecDeque<Id>> {
        self.refused.lock()
    }

    /// Waits until the session's slot is free.
    pub(super) async fn ended(&self) {
        let _ = self.ended.acquire().await;
    }

    /// Ends the session. Open requests are still answered.
    pub(super) fn close(&self) {
        self.closing.notify_one();
    }
}

/// The task of a session: puts the server's messages into the streams, until it closes.
pub(super) struct Pump {
    pub(super) session: Arc<Session>,
    pub(super) sessions: Arc<Sessions>,
    pub(super) idle: Option<Duration>,
    /// The session's slot.
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
        let mut stall: Option<Stall> = None;
        let look = time::sleep(STANDING_STALL);
        // The check runs periodically, so that messages do not pay for it.
        let tick = time::sleep_until(self.next_tick().into());
        tokio::pin!(tick, look);
        loop {
            let refused = self.session.refused().len();
            if !is_full {
                stall = None;
            } else if stall.is_none() {
                stall = Some(Stall::new(&mut self.session.streams(), now()));
                look.as_mut().reset((now() + STANDING_STALL).into());
            }
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
                Ok(place) = self.session.tx.reserve(), if refused > 0 => {
                    if let Some(id) = self.session.refused().pop_front() {
                        place.send(refusal(&id));
                    }
                }
                item = rx.recv(), if !is_full && refused < MOST_REFUSED => match item {
                    Some(item) => is_full = self.pass_on(item, &mut rx),
                    None => break,
                },
                () = self.session.room.notified() => {
                    is_full = self.session.streams().is_full();
                }
                () = &mut look, if is_full => {
                    look.as_mut().reset((now() + STANDING_STALL).into());
                    let mut streams = self.session.streams();
                    if let Some(stall) = &mut stall {
                        stall.look(&mut streams, now());
                    }
                    self.session.give_up(streams.unheard());
                    is_full = streams.is_full();
                }
            }
        }
        self.sessions.remove(self.session.key);
        self.session.streams().end(now());
        drop(done);
        drop(self.room);
        self.session.ended.close();
        self.sessions.ended();
    }

    /// Moves queued items to the streams; `true` if a reader has to catch up first.
    fn pass_on(&self, item: Outbound, rx: &mut mpsc::Receiver<Outbound>) -> bool {
        let mut streams = self.session.streams();
        let now = now();
        streams.say(item, now);
        while !streams.is_full()
            && let Ok(item) = rx.try_recv()
        {
            streams.say(item, now);
        }
        self.session.give_up(streams.unheard());
        if streams.is_refused() {
            // It never began.
            self.session.close();
        }
        streams.is_full()
    }

    /// Drops expired streams, closes the session if it was idle too long, and returns the time of the next check.
    fn next_tick(&self) -> Instant {
        let now = now();
        let mut streams = self.session.streams();
        streams.expire(now);
        let Some(limit) = self.idle else {
            return now + TICK;
        };
        let ends = streams.idle_since().unwrap_or(now) + limit;
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
            why: "its session has ended".to_owned(),
        };
        // If the queue is full, dropping `last_word` closes it.
        let _ = self.session.tx.try_send(Inbound::Closed(why));
    }
}

/// The refusal of a question that the client will not see.
fn refusal(question: &Id) -> Inbound {
    let why = Fault::Overloaded {
        what: "too many messages are queued for a client that does not read",
    };
    Inbound::Message(Envelope::new(RpcError::from(&why).answer(question)))
}

/// The readers that block the session, and since when.
struct Stall {
    since: Instant,
    behind: Behind,
}

impl Stall {
    fn new(streams: &mut SessionStreams, now: Instant) -> Self {
        Self {
            since: now,
            behind: streams.behind(),
        }
    }

    /// Detaches readers that have taken nothing for too long.
    fn look(&mut self, streams: &mut SessionStreams, now: Instant) {
        let after = now.saturating_duration_since(self.since);
        streams.shed(&self.behind, after);
        // A reader that has taken an event gets the whole time again.
        if self.behind != streams.behind() {
            *self = Self::new(streams, now);
        }
    }
}

/// The pump's ends of the port.
pub(super) struct Ends {
    pub(super) rx: mpsc::Receiver<Outbound>,
    pub(super) last_word: oneshot::Sender<()>,
    pub(super) done: oneshot::Sender<()>,
}

impl Ends {
    /// Splits a port's end into the part of connections and the part of the pump.
    pub(super) fn part(end: PortEnd) -> (mpsc::Sender<Inbound>, Self) {
        let ends = Self {
            rx: end.rx,
            last_word: end.last_word,
            done: end.done,
        };
        (end.tx, ends)
    }
}
