//! The rules of a session, without IO and without a clock.
//!
//! The caller passes inbound events with the time. Outgoing messages collect in two outboxes; envelopes that a layer
//! processes asynchronously are returned as detours.

mod batches;
mod cancel;
mod requests;
mod subscription;
mod travel;

use std::time::Instant;

use linkspan_mcp::{Revision, names};
use linkspan_wire::{Id, Kind};

use self::cancel::cancelled_id;
use self::requests::revision;
use crate::batch::Batches;
use crate::config::Config;
use crate::exchange::{Exchange, Side};
use crate::fault::Fault;
use crate::lane::{LaneKey, Lanes, Owner};
use crate::layer::{Later, Layer, Way};
use crate::outbox::Outbox;
use crate::port::{Envelope, Inbound, Outbound};

/// An envelope that a layer processes asynchronously.
pub struct Detour {
    /// Resolves to the envelope.
    pub later: Later,
    /// Where the envelope continues; pass it to [`Core::resume`] with the envelope.
    pub at: Resume,
}

/// Where a detour rejoins the road.
#[derive(Debug, Clone)]
pub struct Resume {
    lane: LaneKey,
    /// The next layer.
    layer: usize,
}

/// The state of a session.
pub struct Core {
    config: Config,
    layers: Vec<Box<dyn Layer>>,
    exchange: Exchange,
    lanes: Lanes,
    batches: Batches,
    front: Outbox,
    back: Outbox,
    detours: Vec<Detour>,
    revision: Option<Revision>,
    /// The revision in the client's `initialize`.
    wanted: Option<Revision>,
    /// The client's `initialize`, while it waits for its answer.
    opening: Option<Id>,
    /// The front sends nothing more.
    front_is_silent: bool,
}

impl Core {
    /// A session with `layers` from front to back.
    pub fn new(config: Config, layers: Vec<Box<dyn Layer>>) -> Self {
        Self {
            config,
            layers,
            exchange: Exchange::default(),
            lanes: Lanes::default(),
            batches: Batches::default(),
            front: Outbox::default(),
            back: Outbox::default(),
            detours: Vec::new(),
            revision: None,
            wanted: None,
            opening: None,
            front_is_silent: false,
        }
    }

    /// The queue of messages to a side.
    pub fn outbox(&mut self, side: Side) -> &mut Outbox {
        match side {
            Side::Front => &mut self.front,
            Side::Back => &mut self.back,
        }
    }

    /// New detours since the last call.
    pub fn take_detours(&mut self) -> Vec<Detour> {
        std::mem::take(&mut self.detours)
    }

    /// Whether `side` may be read from.
    ///
    /// When the queue to a peer exceeds the high-water mark, its counterpart is not read. If both queues exceed it,
    /// each peer may be waiting for the other to be read, so reading continues up to twice the hard cap; but a peer
    /// that does not take its own answers is not read any further.
    pub fn may_read(&self, side: Side) -> bool {
        let (from, to) = match side {
            Side::Front => (&self.front, &self.back),
            Side::Back => (&self.back, &self.front),
        };
        let (high, hard) = (self.config.high_water, self.config.hard_cap);
        let both_over = from.bytes() >= high && to.bytes() < hard.saturating_mul(2);
        from.bytes() < hard && (to.bytes() < high || both_over)
    }

    /// The number of open calls of the front.
    pub fn in_flight(&self) -> usize {
        self.exchange.in_flight(Side::Back)
    }

    /// Handles an event of a port.
    pub fn on(&mut self, side: Side, inbound: Inbound, now: Instant) {
        match (side, inbound) {
            (Side::Front, Inbound::Message(envelope)) => self.arrive_front(envelope, now),
            (Side::Back, Inbound::Message(envelope)) => self.arrive_back(envelope, now),
            (Side::Front, Inbound::Batch(entries)) => self.batch(entries, now),
            (Side::Back, Inbound::Batch(entries)) => {
                for message in entries.into_iter().flatten() {
                    self.arrive_back(Envelope::new(message), now);
                }
            }
            (Side::Front, Inbound::Bad(why)) => self.refuse(&why, now),
            (Side::Back, Inbound::Bad(why)) => self.bad_answer(&why, now),
            (side, Inbound::Failed { hop, why }) => {
                if let Some(asked) = self.exchange.answer(side, hop) {
                    self.fail(asked, &why, now);
                }
            }
            (side, Inbound::Lost { up_to, except, why }) => {
                self.lose(
                    side,
                    |hop| hop <= up_to && !except.contains(&hop),
                    &why,
                    now,
                );
            }
            (side, Inbound::Closed(why)) => self.lose(side, |_| true, &why, now),
        }
    }

    /// Continues with an envelope after its detour.
    pub fn resume(&mut self, at: Resume, envelope: Envelope, now: Instant) {
        let waiting = self.lanes.release(&at.lane);
        self.travel(at.lane.way, at.lane.clone(), at.layer, envelope, now);
        for next in waiting {
            self.enter(at.lane.clone(), next, now);
        }
    }

    /// Handles the deadlines of requests and layers.
    pub fn on_time(&mut self, now: Instant) {
        if let Some(newest) = self.exchange.newest_question() {
            // While a question to the client is open, the calls that are older than the question do not time out.
            let expires = self.expiry(now);
            self.exchange.touch_older(Side::Back, newest, expires);
        }
        for asked in self.exchange.expired(now) {
            let (owes, hop) = (asked.to, asked.hop);
            let after = match owes {
                Side::Back => self.config.timeout.unwrap_or_default(),
                Side::Front => self.config.question,
            };
            match owes {
                Side::Back => self.send_cancel(owes, hop, "timeout"),
                // The cancellation passes the layers, which may have translated the question.
                Side::Front => {
                    let cancel = self.cancel_of(hop, "timeout");
                    self.enter(LaneKey::unowned(Way::ToFront), cancel, now);
                }
            }
            self.fail(asked, &Fault::Timeout { after }, now);
        }
        for layer in 0..self.layers.len() {
            if self.layers[layer].next_wake().is_some_and(|at| at <= now) {
                let due = self.layers[layer].on_time(now);
                self.scatter(layer, due, &LaneKey::unowned(Way::ToFront), now);
            }
        }
    }

    /// When [`Core::on_time`] has to be called next.
    pub fn next_wake(&self) -> Option<Instant> {
        let layers = self.layers.iter().filter_map(|layer| layer.next_wake());
        layers.chain(self.exchange.next_expiry()).min()
    }

    /// The front sends nothing more, though it may still read: its open questions fail, because the client cannot
    /// answer them.
    pub fn front_is_silent(&mut self, now: Instant) {
        self.front_is_silent = true;
        self.lose(Side::Front, |_| true, &Fault::Closing, now);
    }

    /// The front is closed: cancels the open requests at the back and answers the rest.
    pub fn give_up(&mut self, now: Instant) {
        for asked in self.exchange.owed_by(Side::Back, |_| true) {
            self.send_cancel(Side::Back, asked.hop, "the client has gone");
            self.fail(asked, &Fault::Closing, now);
        }
        for asked in self.exchange.owed_by(Side::Front, |_| true) {
            self.fail(asked, &Fault::Closing, now);
        }
    }

    // From the front, through the layers, to the back.

    fn arrive_front(&mut self, envelope: Envelope, now: Instant) {
        let owner = match envelope.msg.kind() {
            Kind::Notification if envelope.msg.method() == names::CANCELLED => {
                let id = cancelled_id(&envelope.msg);
                if id.is_some() && id == self.opening {
                    // The protocol does not allow `initialize` to be cancelled.
                    return;
                }
                // This precedes the layers, which may know the request under another id.
                if let Some(array) = id.as_ref().and_then(|id| self.batches.forget(&id.key())) {
                    self.front.push(Outbound::Array(array));
                }
                id
            }
            Kind::Notification => None,
            Kind::Request if self.is_in_use(&envelope.msg) => return,
            Kind::Request if envelope.msg.method() == names::INITIALIZE => {
                self.opening = envelope.msg.id();
                let params = envelope.msg.params();
                self.wanted = params.and_then(|p| revision(p.get("protocolVersion")));
                envelope.msg.id()
            }
            _ => envelope.msg.id(),
        };
        let lane = LaneKey {
            way: Way::ToBack,
            owner: owner.map_or(Owner::None, |id| Owner::Id(id.key())),
        };
        self.enter(lane, envelope, now);
    }

    fn leave_back(&mut self, envelope: Envelope, now: Instant) {
        match envelope.msg.kind() {
            Kind::Request => self.ask(Side::Front, envelope, now),
            Kind::Notification if envelope.msg.method() == names::CANCELLED => {
                self.pass_cancel(Side::Front, envelope);
            }
            Kind::Notification => self.note(Side::Back, envelope),
            Kind::Result | Kind::Error => {
                let newest = self.exchange.newest_question();
                if let Some((envelope, hop)) = self.settle(Side::Front, envelope) {
                    // The answer to a ping is no sign of life for a call.
                    if newest.is_some_and(|newest| hop <= newest) {
                        let expires = self.expiry(now);
                        self.exchange.touch_older(Side::Back, hop, expires);
                    }
                    self.back.push(Outbound::One(envelope));
                }
            }
        }
    }

    // From the back, through the layers, to the front.

    fn arrive_back(&mut self, mut envelope: Envelope, now: Instant) {
        let expires = self.expiry(now);
        if let Some(hop) = envelope.relates_to {
            self.exchange.touch(Side::Back, hop, expires);
            let asked = self.exchange.get(Side::Back, hop);
            envelope.about = asked.map(|asked| asked.id.clone());
        }
        if envelope.relates_to.is_none() && envelope.msg.method() == names::PROGRESS {
            // Not every transport names the request of a progress notification; it is a sign of life for all of them.
            self.exchange.touch_all(Side::Back, expires);
        }
        let mut owner = envelope.relates_to.map_or(Owner::None, Owner::Hop);
        match envelope.msg.kind() {
            Kind::Request => {
                let Some(asked) = self.ask_front(envelope, now) else {
                    return;
                };
                if asked.msg.method() != names::PING {
                    // A question is a sign of life: the timeout of its call starts again.
                    self.exchange.touch_all(Side::Back, expires);
                }
                envelope = asked;
            }
            Kind::Notification if envelope.msg.method() == names::CANCELLED => {
                envelope = match self.ended_subscription(&envelope) {
                    Some(ended) => ended,
                    None => match self.translate_cancel(Side::Back, envelope) {
                        Some(translated) => translated,
                        None => return,
                    },
                };
            }
            Kind::Notification => envelope = self.restore_subscription(envelope),
            Kind::Result | Kind::Error => {
                let Some((settled, hop)) = self.settle(Side::Back, envelope) else {
                    return;
                };
                envelope = settled;
                owner = Owner::Hop(hop);
            }
        }
        let lane = LaneKey {
            way: Way::ToFront,
            owner,
        };
        self.enter(lane, envelope, now);
    }

    fn leave_front(&mut self, envelope: Envelope) {
        if envelope.msg.is_answer() {
            if self.opening.is_some() && self.opening == envelope.msg.id() {
                self.opening = None;
                self.learn_revision(&envelope.msg);
            }
            match self.batches.gather(&envelope.msg) {
                Ok(Some(array)) => return self.front.push(Outbound::Array(array)),
                Ok(None) => return,
                Err(_) => {}
            }
        }
        self.note(Side::Front, envelope);
    }

    fn expiry(&self, now: Instant) -> Option<Instant> {
        now.checked_add(self.config.timeout?)
    }
}
