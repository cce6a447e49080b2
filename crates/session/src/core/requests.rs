//! Requests get a hop number, answers get the id of their request back.

use std::time::Instant;

use linkspan_mcp::{Revision, names};
use linkspan_wire::{Hop, Id, Json, Message, RpcError, WireError};

use super::Core;
use super::subscription::rename_in_answer;
use crate::exchange::{Asked, Side};
use crate::fault::Fault;
use crate::lane::{LaneKey, Owner};
use crate::layer::Way;
use crate::port::{Envelope, Outbound};

impl Core {
    /// Sends a request of the front to the back.
    pub(super) fn ask(&mut self, from: Side, envelope: Envelope, now: Instant) {
        let Some(id) = envelope.msg.id() else { return };
        if let Some(why) = self.overload(from.other()) {
            return self.reply(&id, &RpcError::from(&why), now);
        }
        match self.hop_for(from, &envelope, now) {
            Some(hop) => {
                let msg = envelope.msg.clone().with_id(hop.id());
                self.back.push(Outbound::One(Envelope { msg, ..envelope }));
            }
            None => self.reply(&id, &id_in_use(&id), now),
        }
    }

    /// Gives a request of the back the id that the front sees.
    pub(super) fn ask_front(&mut self, envelope: Envelope, now: Instant) -> Option<Envelope> {
        let id = envelope.msg.id()?;
        let closing = self.front_is_silent.then_some(Fault::Closing);
        let error = match closing.or_else(|| self.overload(Side::Front)) {
            Some(why) => RpcError::from(&why),
            None => match self.hop_for(Side::Back, &envelope, now) {
                Some(hop) => {
                    let msg = envelope.msg.clone().with_id(hop.id());
                    let origin = Some(id);
                    return Some(Envelope {
                        msg,
                        origin,
                        ..envelope
                    });
                }
                None => id_in_use(&id),
            },
        };
        let reply = Envelope {
            relates_to: envelope.relates_to,
            ..Envelope::new(error.answer(&id))
        };
        self.back.push(Outbound::One(reply));
        None
    }

    pub(super) fn hop_for(&mut self, from: Side, envelope: &Envelope, now: Instant) -> Option<Hop> {
        let id = envelope.msg.id()?;
        let method = envelope.msg.method();
        // A subscription is silent while nothing changes.
        let expires = match (from, &*method) {
            (Side::Back, _) => now.checked_add(self.config.question),
            (Side::Front, names::LISTEN) => None,
            (Side::Front, _) => self.expiry(now),
        };
        self.exchange.call(from, id, &method, expires)
    }

    /// Restores the asker's id in an answer of `from`.
    pub(super) fn settle(&mut self, from: Side, envelope: Envelope) -> Option<(Envelope, Hop)> {
        let hop = envelope.msg.hop();
        let Some((hop, asked)) = hop.and_then(|hop| Some((hop, self.exchange.answer(from, hop)?)))
        else {
            let id = envelope.msg.id().unwrap_or_else(Id::null);
            tracing::debug!("an answer to no open request, id {id}");
            return None;
        };
        let mut envelope = envelope;
        if &*asked.method == names::LISTEN {
            envelope = rename_in_answer(envelope, &asked.id);
        }
        let msg = envelope.msg.with_id(asked.id);
        Some((Envelope { msg, ..envelope }, hop))
    }

    pub(super) fn learn_revision(&mut self, answer: &Message) {
        let result = answer.body();
        self.revision = result.and_then(|result| revision(result.get("protocolVersion")));
    }

    /// Answers the open requests to a side with a fault.
    pub(super) fn lose(
        &mut self,
        side: Side,
        which: impl Fn(Hop) -> bool,
        why: &Fault,
        now: Instant,
    ) {
        for asked in self.exchange.owed_by(side, which) {
            self.fail(asked, why, now);
        }
    }

    pub(super) fn fail(&mut self, asked: Asked, why: &Fault, now: Instant) {
        let error = RpcError::from(why);
        match asked.from {
            Side::Front => self.reply(&asked.id, &error, now),
            Side::Back => {
                let answer = Envelope::new(error.answer(&asked.id));
                self.back.push(Outbound::One(answer));
            }
        }
    }

    /// Sends our own error to the front, through the layers.
    pub(super) fn reply(&mut self, id: &Id, error: &RpcError, now: Instant) {
        let lane = LaneKey {
            way: Way::ToFront,
            owner: Owner::Id(id.key()),
        };
        self.enter(lane, Envelope::new(error.answer(id)), now);
    }

    /// Refuses a request whose id is still in flight.
    ///
    /// The refusal bypasses the layers: they could take it for the answer to the first request.
    pub(super) fn is_in_use(&mut self, request: &Message) -> bool {
        let Some(id) = request.id() else { return false };
        if self.layers.iter().any(|layer| layer.renumbers()) {
            // The ids in flight are the layer's; it checks the client's.
            return false;
        }
        let taken = self.exchange.is_in_use(Side::Front, &id.key());
        if taken {
            let refusal = Envelope::new(id_in_use(&id).answer(&id));
            self.front.push(Outbound::One(refusal));
        }
        taken
    }

    /// Handles an invalid message of the server. If it was an answer, the request fails; if it was a request, the
    /// server gets an error.
    pub(super) fn bad_answer(&mut self, why: &WireError, now: Instant) {
        tracing::warn!("the server sent an invalid message: {why}");
        if let Some(id) = why.asked() {
            let refusal = Envelope::new(why.to_rpc().answer(&id));
            return self.back.push(Outbound::One(refusal));
        }
        let hop = why.answered_hop();
        let Some(asked) = hop.and_then(|hop| self.exchange.answer(Side::Back, hop)) else {
            return;
        };
        let peer = "the server".to_owned();
        let fault = match why {
            WireError::TooLarge { limit, .. } => Fault::TooLarge {
                peer,
                limit: *limit,
            },
            _ => Fault::BadAnswer {
                peer,
                why: why.to_string(),
            },
        };
        self.fail(asked, &fault, now);
    }

    pub(super) fn refuse(&mut self, why: &WireError, now: Instant) {
        tracing::warn!("the client sent an invalid message: {why}");
        self.reply(&why.id(), &why.to_rpc(), now);
    }

    pub(super) fn overload(&mut self, to: Side) -> Option<Fault> {
        if self.exchange.len() >= self.config.max_in_flight {
            return Some(Fault::Overloaded {
                what: "too many requests",
            });
        }
        let hard_cap = self.config.hard_cap;
        (self.outbox(to).bytes() > hard_cap).then_some(Fault::Overloaded {
            what: "the peer does not read",
        })
    }

    /// Sends a notification. Progress is coalesced when a peer does not read.
    pub(super) fn note(&mut self, to: Side, envelope: Envelope) {
        let hard_cap = self.config.hard_cap;
        let outbox = self.outbox(to);
        if outbox.bytes() > hard_cap && envelope.msg.method() == names::PROGRESS {
            outbox.coalesce(envelope);
        } else {
            outbox.push(Outbound::One(envelope));
        }
    }
}

pub(super) fn id_in_use(id: &Id) -> RpcError {
    RpcError::invalid_request(format!("a request with the id {id} is still in flight"))
}

/// The revision in a member, if it is known.
pub(super) fn revision(version: Option<Json<'_>>) -> Option<Revision> {
    Revision::parse(&version?.as_str()?)
}
