//! The start of the chain: each proxy is assigned its role, in its dialect.
//!
//! A proxy does not announce its dialect. The first request uses the newest one. A proxy that does not know
//! the method either refuses it (-32601), or forwards it to its successor in an envelope of its own dialect,
//! which identifies the dialect.

use std::time::Instant;

use linkspan_session::Credit;
use linkspan_wire::{Id, Kind, Message, RpcError, quote};

use super::{Chain, Leg, Travelling, forged_initialize};
use crate::caps;
use crate::dialect::Dialect;
use crate::envelope::{renamed, with_params};
use crate::names;
use crate::plan::Node;
use crate::questions::{Purpose, Question};

impl Chain {
    /// The outside's first request as a plain `initialize`.
    pub(super) fn introduced(&mut self, msg: &Message) -> Result<Message, RpcError> {
        let old_role = caps::is_proxy(msg.params());
        if !self.plan.as_proxy {
            return match &*msg.method() {
                names::INITIALIZE => Ok(msg.clone()),
                _ => Err(forged_initialize()),
            };
        }
        self.outside = match &*msg.method() {
            names::PROXY_INITIALIZE => Dialect::Current,
            names::OLD_PROXY_INITIALIZE => Dialect::Underscore,
            _ if old_role => Dialect::Symposium,
            _ => {
                return Err(
                    RpcError::invalid_request("expected `proxy/initialize`").with_data(quote(
                        "linkspan was started with --proxy, which is for another conductor; leave it out for an editor",
                    )),
                );
            }
        };
        Ok(match msg.params().filter(|_| old_role) {
            Some(params) => with_params(msg, &caps::without_role(params)),
            None => renamed(msg, names::INITIALIZE),
        })
    }

    /// Sends a proxy the request that assigns its role.
    pub(super) fn start_proxy(&mut self, part: usize, one: Travelling, now: Instant) {
        let dialect = self.parts[part].dialect;
        let purpose = Purpose::StartProxy {
            part,
            dialect,
            request: one.msg.clone(),
        };
        let msg = match dialect {
            Dialect::Current => renamed(&one.msg, names::PROXY_INITIALIZE),
            Dialect::Underscore => renamed(&one.msg, names::OLD_PROXY_INITIALIZE),
            Dialect::Symposium | Dialect::Draft => {
                with_params(&one.msg, &caps::as_proxy(one.msg.params()))
            }
        };
        let one = Travelling { msg, ..one };
        self.forward(one, Leg::plain(Node::Part(part)), purpose, now);
        // Not if the request could not be sent: without an answer, the held messages would wait for ever.
        self.parts[part].is_asked = !self.parts[part].forwarded && self.questions.begins(part);
    }

    /// A proxy has understood its role: forwards the messages held for it.
    pub(super) fn release(&mut self, part: usize, now: Instant) {
        self.parts[part].is_asked = false;
        for one in self.parts[part].held.take() {
            self.reach_proxy(part, one, now);
        }
    }

    /// A proxy has forwarded its own first request in an envelope: it speaks another dialect, that of the
    /// envelope.
    pub(super) fn astray(&mut self, part: usize, one: &Travelling, now: Instant) {
        let error = RpcError::method_not_found(&one.msg.method());
        self.refuse(one.from, &one.msg, one.inner.as_ref(), &error);
        let spoken = self.parts[part].dialect;
        let waiting = self
            .questions
            .take_if(|question| match &question.data.purpose {
                Purpose::StartProxy {
                    part: of, dialect, ..
                } => *of == part && *dialect != spoken,
                _ => false,
            });
        for question in waiting {
            tracing::debug!("{} speaks {spoken:?}", self.plan.describe(part));
            self.start_again(question, now);
        }
    }

    /// Repeats the first request in the dialect that is now known.
    fn start_again(&mut self, question: Question, now: Instant) {
        let Purpose::StartProxy { part, request, .. } = question.data.purpose else {
            return;
        };
        let one = Travelling {
            from: question.from,
            msg: request,
            inner: question.data.inner,
            credit: Credit::default(),
        };
        self.start_proxy(part, one, now);
    }

    /// Handles a proxy's answer to its first request.
    pub(super) fn proxy_started(&mut self, question: Question, answer: Message, now: Instant) {
        let Purpose::StartProxy { part, dialect, .. } = &question.data.purpose else {
            return;
        };
        let (part, dialect) = (*part, *dialect);
        let forwarded = self.parts[part].forwarded;
        if is_unknown_method(&answer) && !forwarded && self.plan.parts[part].dialect.is_none() {
            let older = match dialect {
                Dialect::Current => Some(Dialect::Underscore),
                Dialect::Underscore => Some(Dialect::Symposium),
                // The draft starts like Symposium.
                Dialect::Symposium | Dialect::Draft => None,
            };
            if let Some(older) = older {
                self.parts[part].dialect = older;
                return self.start_again(question, now);
            }
        }
        self.release(part, now);
        if answer.kind() == Kind::Result && !forwarded {
            let who = self.plan.describe(part);
            let error = RpcError::internal(format!(
                "{who} answered `initialize` without asking its successor: it is no proxy"
            ))
            .with_data(quote(
                "the agent comes last; all components before it are proxies",
            ));
            return self.settle_start(question, error.answer(&Id::null()), now);
        }
        let answer = match dialect {
            Dialect::Symposium | Dialect::Draft => caps::without_echo(&answer),
            Dialect::Current | Dialect::Underscore => answer,
        };
        self.settle_start(question, answer, now);
    }

    /// Forwards an answer to `initialize`, in the dialect of its receiver.
    pub(super) fn settle_start(&mut self, question: Question, answer: Message, now: Instant) {
        if let Node::Part(part) = question.from {
            // Until now the predecessor has waited for this answer; its own timeout starts here.
            self.questions.renew(part, now);
        }
        let answer = match question.from {
            _ if answer.kind() != Kind::Result => answer,
            Node::Part(part) if self.tail.bridges() => {
                caps::welcoming_in(&answer, self.parts[part].dialect)
            }
            Node::Outside if self.outside == Dialect::Symposium => caps::with_echo(&answer),
            _ => answer,
        };
        self.settle(question, answer, Credit::default());
    }
}

fn is_unknown_method(answer: &Message) -> bool {
    let code = answer.body().and_then(|error| error.get("code"));
    answer.kind() == Kind::Error && code.is_some_and(|code| code.as_i64() == Some(-32601))
}
