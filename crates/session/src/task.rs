//! The session's task: moves envelopes between the ports and the core. All decisions are the core's.

use std::pin::Pin;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::time::timeout;

use crate::clock::{now, sleep_until};
use crate::config::Config;
use crate::core::{Core, Detour, Resume};
use crate::exchange::Side;
use crate::fault::Fault;
use crate::layer::Layer;
use crate::outbox::Outbox;
use crate::port::{Envelope, Inbound, Outbound, Port};

/// Why a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The front closed its side.
    FrontClosed,
    /// The back closed the connection.
    BackClosed(Fault),
    /// The session was asked to stop.
    Stopped,
}

/// A front and a back, joined.
pub struct Session {
    config: Config,
    core: Core,
    front: Port,
    back: Port,
    detours: FuturesUnordered<Pin<Box<Underway>>>,
    /// When to stop reading the front's queued input; set at the end of its input.
    front_ends: Option<Instant>,
}

type Underway = dyn Future<Output = (Resume, Envelope)> + Send;

/// A practically endless wait.
const LONGEST: Duration = Duration::from_secs(86_400);

/// Which sides the loop reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Both,
    /// The front sends nothing more, and waits only for open answers.
    BackUntilIdle,
}

impl Session {
    /// Joins two ports through `layers`, given from front to back.
    pub fn new(config: Config, front: Port, back: Port, layers: Vec<Box<dyn Layer>>) -> Self {
        Self {
            core: Core::new(config.clone(), layers),
            config,
            front,
            back,
            detours: FuturesUnordered::new(),
            front_ends: None,
        }
    }

    /// Processes an event of the front from before the session was made: the first message may decide how the session
    /// is set up.
    #[must_use]
    pub fn begun_with(mut self, word: Option<Inbound>) -> Self {
        if let Some(inbound) = word {
            self.core.on(Side::Front, inbound, now());
        }
        self
    }

    /// Runs until a side closes or `stop` resolves, then closes both ports.
    pub async fn run(mut self, stop: impl Future<Output = ()>) -> Ended {
        tokio::pin!(stop);
        let ended = self.relay(stop.as_mut(), Reading::Both).await;
        let waited = self.front_ends.is_some_and(|end| end <= now());
        if ended == Ended::FrontClosed && !waited {
            let limit = self.config.drain;
            self.core.front_is_silent(now());
            let _ = timeout(limit, self.relay(stop, Reading::BackUntilIdle)).await;
        }
        if matches!(ended, Ended::BackClosed(_)) {
            let _ = timeout(self.config.close_timeout, self.end_detours()).await;
        }
        self.core.give_up(now());
        self.flush_and_close().await;
        ended
    }

    /// The loop.
    async fn relay(
        &mut self,
        mut stop: Pin<&mut impl Future<Output = ()>>,
        reading: Reading,
    ) -> Ended {
        loop {
            // The loop must not await a send: a peer that does not read must not block the other one.
            self.flush();
            self.begin_detours();
            let draining = reading == Reading::BackUntilIdle;
            if draining && self.is_idle() {
                return Ended::FrontClosed;
            }
            let wake = self.core.next_wake();
            tokio::select! {
                biased;
                () = &mut stop => return Ended::Stopped,
                inbound = self.back.rx.recv(), if self.core.may_read(Side::Back) => {
                    let inbound = inbound.unwrap_or_else(|| Inbound::Closed(gone(&self.back.name)));
                    let closed = match &inbound {
                        Inbound::Closed(why) => Some(why.clone()),
                        _ => None,
                    };
                    self.core.on(Side::Back, inbound, now());
                    if let Some(why) = closed {
                        return Ended::BackClosed(why);
                    }
                }
                inbound = self.front.rx.recv(), if !draining && self.core.may_read(Side::Front) => {
                    match inbound {
                        None | Some(Inbound::Closed(_)) => return Ended::FrontClosed,
                        Some(inbound) => {
                            self.core.on(Side::Front, inbound, now());
                            // Extends the time while queued input is being read.
                            self.front_ends = self.front_ends.map(|_| self.patience());
                        }
                    }
                }
                Some((at, envelope)) = self.detours.next() => self.core.resume(at, envelope, now()),
                room = self.front.tx.reserve(), if !self.core.outbox(Side::Front).is_empty() => {
                    if !hand_over(room, &mut self.core, Side::Front) {
                        return Ended::FrontClosed;
                    }
                }
                room = self.back.tx.reserve(), if !self.core.outbox(Side::Back).is_empty() => {
                    if !hand_over(room, &mut self.core, Side::Back) {
                        return Ended::BackClosed(gone(&self.back.name));
                    }
                }
                _ = &mut self.front.last_word, if self.front_ends.is_none() => {
                    // A server that does not read must not keep us from noticing.
                    self.front_ends = Some(self.patience());
                }
                () = sleep_until(self.front_ends), if !draining && self.front_ends.is_some() => {
                    return Ended::FrontClosed;
                }
                () = sleep_until(wake) => self.core.on_time(now()),
            }
        }
    }

    /// When to give up the front after the end of its input.
    fn patience(&self) -> Instant {
        now() + self.config.drain.min(LONGEST)
    }

    /// Whether no answer or message is pending.
    fn is_idle(&mut self) -> bool {
        self.core.in_flight() == 0
            && self.detours.is_empty()
            && self.core.outbox(Side::Back).is_empty()
    }

    /// Waits for the detours that began before the peer closed; their messages are still delivered.
    async fn end_detours(&mut self) {
        loop {
            self.flush();
            self.begin_detours();
            match self.detours.next().await {
                Some((at, envelope)) => self.core.resume(at, envelope, now()),
                None => return,
            }
        }
    }

    fn begin_detours(&mut self) {
        for Detour { later, at } in self.core.take_detours() {
            self.detours
                .push(Box::pin(async move { (at, later.await) }));
        }
    }

    /// Sends what is queued, closes both ports and waits for their tasks, each for a limited time.
    async fn flush_and_close(mut self) {
        let limit = self.config.close_timeout;
        let to_back = std::mem::take(self.core.outbox(Side::Back));
        // The front is first, because a slow server must not delay the client's answers.
        let to_front = self.core.outbox(Side::Front);
        let _ = timeout(limit, to_front.send_all(&self.front.tx)).await;
        self.back.flush_and_close(to_back, limit).await;
        self.front.flush_and_close(Outbox::default(), limit).await;
    }

    fn flush(&mut self) {
        for side in [Side::Front, Side::Back] {
            let tx = match side {
                Side::Front => &self.front.tx,
                Side::Back => &self.back.tx,
            };
            let outbox = self.core.outbox(side);
            while let Some(item) = outbox.pop() {
                match tx.try_send(item) {
                    Ok(()) => {}
                    Err(TrySendError::Full(item) | TrySendError::Closed(item)) => {
                        outbox.unpop(item);
                        break;
                    }
                }
            }
        }
    }
}

/// Sends the next item through a permit. `false` if the port is closed.
fn hand_over(
    room: Result<mpsc::Permit<'_, Outbound>, mpsc::error::SendError<()>>,
    core: &mut Core,
    side: Side,
) -> bool {
    let Ok(room) = room else { return false };
    if let Some(item) = core.outbox(side).pop() {
        room.send(item);
    }
    true
}

fn gone(peer: &str) -> Fault {
    Fault::PeerClosed {
        peer: peer.to_owned(),
        why: "the connection closed without an error".to_owned(),
    }
}
