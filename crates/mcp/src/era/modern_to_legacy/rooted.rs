//! Roots that the server asks for outside a call.
//!
//! A server that several clients use gets roots only if it was started for them: then all its clients have sent the
//! same roots. Any other shared server gets none, and the client of a call is asked for its roots first, so that the
//! call can be sent to the right server. A server with a single client gets the roots of that client.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use linkspan_wire::{Id, Json, Message, RpcError};

use super::asking::undeclared;
use super::opening::Phase;
use super::{ModernToLegacy, ModernToLegacyOptions};
use crate::era::caps::Caps;
use crate::era::claims::Claims;
use crate::era::question::{self, Question};
use crate::era::{Step, roots};
use crate::method::names;

/// How long a server waits for roots before it gets none.
const PATIENCE: Duration = Duration::from_secs(50);
/// How long a server may take to process the roots.
const TAKING: Duration = Duration::from_millis(250);

/// The roots of the only client.
#[derive(Default)]
pub(super) struct Roots {
    /// The capabilities in `initialize` included roots.
    declared: bool,
    known: Option<String>,
    /// The server's open question, and its deadline.
    wanted: Option<(Question, Instant)>,
    /// `notifications/roots/list_changed` was sent.
    announced: bool,
}

impl Roots {
    /// Records the capabilities that the server gets.
    pub(super) fn declare(&mut self, capabilities: &str) {
        let caps = Json::parse(capabilities).map(Caps::of);
        self.declared = caps.is_ok_and(Caps::has_roots);
    }

    pub(super) fn are_declared(&self) -> bool {
        self.declared
    }
}

impl ModernToLegacy {
    /// The request to send, or the steps that have to be taken first.
    pub(super) fn with_roots(
        &mut self,
        id: &Id,
        msg: &Message,
        claims: &Claims,
        now: Instant,
    ) -> Result<Message, Vec<Step>> {
        if !question::may_ask(&msg.method()) {
            return Ok(msg.clone());
        }
        let given = roots::given_roots(msg).map_err(|error| vec![Step::refuse(id, &error)])?;
        let is_known = if self.options.alone {
            self.roots.known.is_some()
        } else {
            self.options.roots.is_some()
        };
        match given {
            Some(given) if self.options.alone && !is_known => {
                Err(self.give_roots(given, roots::without_roots(msg), now))
            }
            None if !is_known
                && claims.caps.has_roots()
                && self.options.history.wants_roots()
                && roots::is_first_round(msg) =>
            {
                let ask = roots::ask_for_roots(id, self.server.info.as_deref());
                Err(vec![Step::to_front(ask, id)])
            }
            _ => Ok(roots::without_roots(msg)),
        }
    }

    /// Gives the roots of the only client to the server before its call.
    fn give_roots(&mut self, roots: String, call: Message, now: Instant) -> Vec<Step> {
        let step = match self.roots.wanted.take() {
            Some((question, _)) => roots::answer(&question.id, &roots),
            None => {
                self.roots.announced = true;
                Message::notification(names::ROOTS_CHANGED, None)
            }
        };
        self.roots.known = Some(roots);
        self.phase = Phase::Settling {
            waiting: vec![call],
            until: now + TAKING,
            asked: true,
        };
        vec![Step::Back(step)]
    }

    /// Answers `roots/list` without a client; `None` if a client has to be asked.
    pub(super) fn own_roots(
        &mut self,
        question: &Question,
        is_about_a_call: bool,
        now: Instant,
    ) -> Option<Vec<Step>> {
        let is_settling = matches!(self.phase, Phase::Settling { .. });
        let is_own = is_settling && !is_about_a_call;
        if is_own && !self.roots.declared && !self.roots.announced {
            // The server needs no time to process a refusal.
            self.options.history.want_roots();
            return Some(vec![Step::Back(undeclared(question))]);
        }
        if let Phase::Settling { until, asked, .. } = &mut self.phase {
            *asked = true;
            *until = now + TAKING;
        }
        if let Some(roots) = &self.options.roots {
            return Some(vec![Step::Back(roots::answer(&question.id, roots))]);
        }
        if std::mem::take(&mut self.roots.announced)
            && let Some(roots) = &self.roots.known
        {
            return Some(vec![Step::Back(roots::answer(&question.id, roots))]);
        }
        if !is_own {
            return None;
        }
        self.options.history.want_roots();
        if self.options.alone {
            let wanted = (question.clone(), now + PATIENCE);
            let before = self.roots.wanted.replace(wanted);
            return Some(before.into_iter().map(|(q, _)| refuse(&q)).collect());
        }
        Some(vec![refuse(question)])
    }

    /// Records a question that belongs to no call: if it asks for roots, the next call provides them.
    pub(super) fn ownerless(&mut self, question: &Question) {
        if question.msg.method() == names::ROOTS_LIST {
            self.options.history.want_roots();
        }
    }

    pub(super) fn roots_due(&self) -> Option<Instant> {
        self.roots.wanted.as_ref().map(|(_, until)| *until)
    }

    /// Refuses a question for roots that has waited too long.
    pub(super) fn roots_late(&mut self, now: Instant) -> Vec<Step> {
        let late = self.roots.wanted.take_if(|(_, until)| *until <= now);
        late.into_iter().map(|(q, _)| refuse(&q)).collect()
    }
}

impl ModernToLegacyOptions {
    /// Records that a server which was not started for certain roots got those of a client.
    pub(super) fn told_roots(&self, question: &Question) {
        let is_roots = question.msg.method() == names::ROOTS_LIST;
        if is_roots && !self.alone && self.roots.is_none() {
            self.status.knows_roots.store(true, Ordering::Relaxed);
        }
    }
}

fn refuse(question: &Question) -> Step {
    let error = RpcError::server("no client has sent its roots yet").with_data(
        r#"{"hint":"a client of 2026-07-28 can only be asked in the course of a call"}"#,
    );
    Step::Back(error.answer(&question.id))
}
