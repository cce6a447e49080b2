//! The end of a joined client and of a component, and the start timeout of components.

use std::error::Error;
use std::fmt;
use std::time::{Duration, Instant};

use linkspan_session::{Credit, Fault};
use linkspan_wire::{Id, Message, RpcError, quote};

use super::Chain;
use super::owners::unsealed;
use crate::error;
use crate::names;
use crate::plan::Node;

/// The failure that ended a chain.
#[derive(Debug, Clone)]
pub struct ChainBroken {
    /// The error for every pending request.
    pub error: RpcError,
    /// The kind of failure.
    pub why: BreakReason,
}

/// How a component failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BreakReason {
    /// It could not be started.
    NotStarted(StartError),
    /// It ended.
    Ended(Fault),
    /// It has not passed on or answered `initialize` in this time.
    Silent(Duration),
    /// It sends too many invalid lines.
    InvalidLines,
    /// It does not read its input.
    Stuck,
}

/// Why a component could not be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartError(String);

impl StartError {
    /// The cause of an error, or the error itself without one: messages name the component themselves.
    pub fn new(error: &dyn Error) -> Self {
        Self(error.source().unwrap_or(error).to_string())
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for StartError {}

impl Chain {
    /// The failure that ended the chain, if any.
    pub fn broken(&self) -> Option<&ChainBroken> {
        self.broken.as_ref()
    }

    /// Reports that a component could not be started.
    pub fn not_started(&mut self, part: usize, why: StartError, now: Instant) {
        self.give_up(part, BreakReason::NotStarted(why), now);
    }

    /// A peer's connection has closed.
    pub(super) fn closed(&mut self, node: Node, fault: Fault, now: Instant) {
        match node {
            Node::Part(part) => {
                self.flow.close(node);
                self.give_up(part, BreakReason::Ended(fault), now);
            }
            Node::Joined(_) => {
                self.tail.leave(node);
                self.cancel_all(node);
                self.answer_for(node);
                self.flow.close(node);
            }
            Node::Outside => self.cancel_all(node),
        }
    }

    /// Answers the requests that a closed peer will never answer.
    fn answer_for(&mut self, gone: Node) {
        let error = RpcError::internal(format!(
            "{} has closed its connection",
            self.plan.name(gone)
        ))
        .with_data(quote("the agent has closed its MCP connection"));
        for question in self.questions.take_if(|question| question.to == gone) {
            self.settle(question, error.answer(&Id::null()), Credit::default());
        }
    }

    /// Cancels all requests of a closed peer.
    fn cancel_all(&mut self, from: Node) {
        for question in self.questions.take_if(|question| question.from == from) {
            // Cancelling a disconnect would leave the connection open.
            let method = unsealed(&question.method).unwrap_or(&question.method);
            if method == names::MCP_DISCONNECT {
                continue;
            }
            let params = format!(r#"{{"requestId":{}}}"#, question.hop);
            let cancel = Message::notification(names::CANCEL, Some(&params));
            self.trace(from, question.to, &cancel, None, None);
            self.send(from, question.to, cancel, Credit::default());
        }
    }

    /// Ends the chain because of a component; every pending request is answered with the reason.
    pub(super) fn give_up(&mut self, part: usize, why: BreakReason, _: Instant) {
        if self.ended.is_some() {
            return;
        }
        let error = self.explain(part, &why);
        tracing::warn!("{}", error.message());
        self.broken = Some(ChainBroken {
            error: error.clone(),
            why,
        });
        self.end(error);
    }

    /// Ends the chain without a failure: the editor has closed its side, or we were asked to stop.
    pub fn stop(&mut self) {
        if self.ended.is_none() {
            self.end(error::of_fault(&Fault::Closing));
        }
    }

    /// Answers all pending requests with this error, in the order in which they arrived, and all requests
    /// that arrive later.
    fn end(&mut self, error: RpcError) {
        self.ended = Some(error.clone());
        for part in 0..self.parts.len() {
            for one in self.parts[part].held.take() {
                self.refuse(one.from, &one.msg, one.inner.as_ref(), &error);
            }
        }
        for question in self.questions.take_if(|_| true) {
            self.settle(question, error.answer(&Id::null()), Credit::default());
        }
        self.tail.close_all();
    }

    fn explain(&self, part: usize, why: &BreakReason) -> RpcError {
        let who = self.plan.describe(part);
        let (what, hint) = match why {
            BreakReason::NotStarted(why) => (
                format!("{who} cannot be started: {why}"),
                "install it, or give its full path",
            ),
            BreakReason::Ended(Fault::Ended { status, .. }) => (
                format!("{who} ended: {status}"),
                "its last output may tell why",
            ),
            BreakReason::Ended(fault) => (
                format!("{who} ended: {fault}"),
                "start it by hand to see why",
            ),
            BreakReason::Silent(limit) => (
                format!(
                    "{who} has not {} within {} s",
                    if self.plan.is_proxy(part) && !self.parts[part].forwarded {
                        "passed `initialize` on to its successor"
                    } else {
                        "answered `initialize`"
                    },
                    limit.as_secs_f64()
                ),
                "raise --start-timeout if it needs longer",
            ),
            BreakReason::InvalidLines => (
                format!("{who} writes text to its stdout that is not a message"),
                "stdout belongs to the protocol; logs go to stderr",
            ),
            BreakReason::Stuck => (format!("{who} does not read its stdin"), "restart it"),
        };
        let command = self.plan.parts.get(part).map_or("", |plan| &plan.command);
        let mut data = format!(
            r#"{{"component":{},"command":{}"#,
            quote(&self.plan.name(Node::Part(part))),
            quote(command)
        );
        if let BreakReason::Ended(Fault::Ended {
            status, last_words, ..
        }) = why
        {
            data += &format!(
                r#","exit":{},"stderrTail":{}"#,
                quote(status),
                quote(last_words)
            );
        }
        data += &format!(r#","hint":{}}}"#, quote(hint));
        RpcError::internal(what).with_data(data)
    }

    /// When [`Chain::on_time`] has to be called next.
    pub fn next_wake(&self) -> Option<Instant> {
        let (since, _) = self.holding()?;
        since.checked_add(self.plan.start_timeout)
    }

    /// Gives up a component whose start timeout has passed.
    pub fn on_time(&mut self, now: Instant) {
        let Some((since, part)) = self.holding() else {
            return;
        };
        if now.saturating_duration_since(since) >= self.plan.start_timeout {
            self.give_up(part, BreakReason::Silent(self.plan.start_timeout), now);
        }
    }

    /// The component nearest to the agent that has not answered its first request, and when that was sent:
    /// the components before it only wait for it.
    fn holding(&self) -> Option<(Instant, usize)> {
        let starting = self.questions.starting();
        let starting = starting.filter(|question| matches!(question.to, Node::Part(_)));
        let newest = starting.max_by_key(|question| (question.to, question.data.since))?;
        match newest.to {
            Node::Part(part) => Some((newest.data.since, part)),
            _ => None,
        }
    }
}
