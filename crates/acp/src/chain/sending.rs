//! Sending: assigns hop numbers to requests, wraps messages in envelopes and reports them to the tracer.

use std::time::Instant;

use linkspan_session::Credit;
use linkspan_wire::{Hop, Id, Message, RpcError};

use super::{Chain, Leg, MOST_QUESTIONS, Travelling};
use crate::envelope;
use crate::error;
use crate::plan::Node;
use crate::questions::{Asked, Purpose};
use crate::trace::Passing;

impl Chain {
    /// Forwards a message; a request under a hop number.
    pub(super) fn forward(&mut self, one: Travelling, leg: Leg, purpose: Purpose, now: Instant) {
        let Travelling {
            from,
            msg,
            inner,
            credit,
        } = one;
        let Some(id) = msg.id() else {
            self.trace(from, leg.to, &msg, None, None);
            let sent = wrapped(&msg, leg);
            return self.send(from, leg.to, sent, credit);
        };
        let refusal = if self.questions.is_asked(from, &id) {
            let why = "a request with this id is already in flight";
            Some(RpcError::invalid_request(why))
        } else if self.questions.len() >= MOST_QUESTIONS {
            Some(error::overloaded("requests that wait for an answer"))
        } else {
            None
        };
        if let Some(error) = refusal {
            if let Purpose::Setup {
                declaration_ids, ..
            } = &purpose
            {
                self.tail.revoke(declaration_ids);
            }
            return self.refuse(from, &msg, inner.as_ref(), &error);
        }
        let asked = Asked {
            inner,
            purpose,
            since: now,
        };
        let peers = (from, leg.to);
        let Some(number) = self.questions.ask(peers, id, &msg.method(), asked) else {
            return;
        };
        let msg = msg.with_id(number.id());
        self.trace(from, leg.to, &msg, Some(number), None);
        let sent = wrapped(&msg, leg);
        self.send(from, leg.to, sent, credit);
    }

    /// Forwards a cancellation with the number that the request has on the next hop.
    pub(super) fn cancel(&mut self, one: &Travelling) {
        let Travelling { from, msg, .. } = one;
        let from = *from;
        if msg.id().is_some() {
            let error = RpcError::invalid_request("`$/cancel_request` is a notification");
            return self.refuse(from, msg, one.inner.as_ref(), &error);
        }
        let named = msg.params().and_then(|params| params.get("requestId"));
        let Some((named, id)) = named.and_then(|named| Some((named, Id::parse(named)?))) else {
            return;
        };
        let Some(question) = self.questions.find(from, &id) else {
            if !self.take_back(from, &id) {
                tracing::debug!("a cancellation of no pending request");
            }
            return;
        };
        let to = question.to;
        let again = msg.with_value(named, &question.hop.to_string());
        self.trace(from, to, &again, None, None);
        self.send(from, to, again, Credit::default());
    }

    /// Answers a request with an error on behalf of its receiver; drops other messages.
    pub(super) fn refuse(&mut self, to: Node, msg: &Message, inner: Option<&Id>, error: &RpcError) {
        let Some(id) = msg.id().filter(|_| !msg.is_answer()) else {
            tracing::debug!("dropped: {msg:?}");
            return;
        };
        let answer = error.answer(&id);
        let answer = match inner {
            Some(inner) => envelope::wrap_answer(&answer, inner),
            None => answer,
        };
        self.say(to, answer);
    }

    /// Sends a message of the conductor itself.
    pub(super) fn say(&mut self, to: Node, msg: Message) {
        // The receiver of such a message has caused it.
        self.send(to, to, msg, Credit::default());
    }

    /// Queues a message for `to`; `from` caused it.
    pub(super) fn send(&mut self, from: Node, to: Node, msg: Message, credit: Credit) {
        if let Some(tracer) = &mut self.tracer {
            tracer.said(to, &msg);
        }
        self.flow.push(from, to, msg, credit);
    }

    pub(super) fn trace(
        &mut self,
        from: Node,
        to: Node,
        msg: &Message,
        hop: Option<Hop>,
        answers: Option<&str>,
    ) {
        if let Some(tracer) = &mut self.tracer {
            tracer.passing(&Passing {
                from,
                to,
                msg,
                hop,
                answers,
            });
        }
    }
}

fn wrapped(msg: &Message, leg: Leg) -> Message {
    match leg.wrap {
        Some((dialect, towards)) => envelope::wrap(msg, dialect, towards),
        None => msg.clone(),
    }
}
