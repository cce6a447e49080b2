//! Assigns questions and log messages to calls.
//!
//! A server behind HTTP sends them on the stream of the call. Over stdio a question names no call, so it belongs to the
//! only call that can have asked it. Every request that the server may be working on counts: a parked call may ask a
//! second question, and so may a call that its client has cancelled. While there are several candidates, the question
//! is held or refused.

use std::time::{Duration, Instant};

use super::ModernToLegacy;
use super::call::Call;
use crate::era::{Provenance, ids};

/// How long a cancelled call counts as one that may still ask or log: the server gets the cancellation, but does not
/// report when it has stopped.
const STOPPING: Duration = Duration::from_secs(10);
/// Cancelled calls that are remembered.
const MAX_CANCELLED: usize = 1024;

/// The calls that can have asked a question.
pub(super) enum Candidates {
    /// The transport names the call.
    Named(u64),
    /// All calls that were open at the server when it asked.
    All(Vec<u64>),
}

pub(super) enum Owner {
    Call(u64),
    /// There are several candidates; one of them may end.
    Unclear,
    /// A candidate was cancelled, and its end is not reported.
    Unknowable,
    /// No candidate is left.
    None,
}

/// A cancelled call that the server may not have stopped yet.
pub(super) struct Cancelled {
    number: u64,
    principal: Option<String>,
    pub(super) until: Instant,
}

impl Cancelled {
    pub(super) fn new(number: u64, call: &Call, now: Instant) -> Self {
        Self {
            number,
            principal: call.principal.clone(),
            until: now + STOPPING,
        }
    }
}

impl ModernToLegacy {
    /// The candidates for a question that has just arrived.
    pub(super) fn candidates(&self, provenance: &Provenance) -> Candidates {
        if let Some(number) = provenance.about.as_ref().and_then(ids::request_number) {
            return Candidates::Named(number);
        }
        if provenance.late {
            return Candidates::All(Vec::new());
        }
        let cancelled = self.cancelled.iter().map(|call| call.number);
        Candidates::All(self.calls.keys().copied().chain(cancelled).collect())
    }

    /// The owner of a question, now that some of the candidates may have ended.
    pub(super) fn owner_among(&self, candidates: &Candidates) -> Owner {
        let numbers = match candidates {
            Candidates::Named(number) => std::slice::from_ref(number),
            Candidates::All(numbers) => numbers,
        };
        let mut under_way = numbers.iter().filter(|n| self.calls.contains_key(n));
        let is_cancelled = |n: &u64| self.cancelled.iter().any(|call| call.number == *n);
        match (under_way.next(), under_way.next()) {
            (None, _) => Owner::None,
            (Some(_), _) if numbers.iter().any(is_cancelled) => Owner::Unknowable,
            // Only some requests may ask: the client of a list request, for example, accepts no questions.
            (Some(number), None) => match self.calls.get(number) {
                Some(call) if call.may_ask => Owner::Call(*number),
                _ => Owner::None,
            },
            (Some(_), Some(_)) => Owner::Unclear,
        }
    }

    /// Whether all requests that the server may be working on belong to one principal.
    pub(super) fn has_one_principal(&self) -> bool {
        let calls = self.calls.values().map(|call| &call.principal);
        let mut principals = calls.chain(self.cancelled.iter().map(|call| &call.principal));
        let first = principals.next();
        principals.all(|principal| Some(principal) == first)
    }

    /// Remembers a call that was just cancelled at the server.
    pub(super) fn remember_cancelled(&mut self, call: Cancelled) {
        if self.options.alone {
            return;
        }
        if self.cancelled.len() >= MAX_CANCELLED {
            self.cancelled.pop_front();
        }
        self.cancelled.push_back(call);
        self.count_unattended();
    }

    /// Drops cancelled calls that have had the time to stop.
    pub(super) fn forget_cancelled(&mut self, now: Instant) {
        let before = self.cancelled.len();
        self.cancelled.retain(|call| call.until > now);
        if self.cancelled.len() < before {
            self.count_unattended();
        }
    }
}
