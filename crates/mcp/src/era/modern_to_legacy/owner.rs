//! Which call a question or a log message belongs to.
//!
//! A server behind HTTP speaks on the stream of the call. Over stdio a question names no call, so it
//! belongs to the only call that can have asked it. Every request that the server may be busy with counts: a
//! parked call may ask a second question, and so may one that its client has cancelled. Where several
//! are left, the question is held or refused.

use std::time::{Duration, Instant};

use super::ModernToLegacy;
use super::call::Call;
use crate::era::{Provenance, ids};

/// For how long a cancelled call counts as one that may still ask or log something: a server is told of
/// the cancellation, but does not say when it has stopped.
const STOPPING: Duration = Duration::from_secs(10);
/// Cancelled calls that are remembered.
const MAX_CANCELLED: usize = 1024;

/// The calls that can have asked a question.
pub(super) enum Candidates {
    /// The transport says which one.
    Named(u64),
    /// All that the server was busy with when it asked.
    All(Vec<u64>),
}

pub(super) enum Owner {
    Call(u64),
    /// Several calls could be meant; the end of one of them may tell.
    Unclear,
    /// One of them was cancelled, and its end is not told.
    Unknowable,
    /// No call is left that could be meant.
    None,
}

/// A call that was cancelled, which the server may not have heard yet.
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
    /// The calls that can have asked what has just arrived.
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

    /// Whose question it is, now that some of the calls may have ended.
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
            // Only some requests may ask: the client of a list, for example, cannot be asked anything.
            (Some(number), None) => match self.calls.get(number) {
                Some(call) if call.may_ask => Owner::Call(*number),
                _ => Owner::None,
            },
            (Some(_), Some(_)) => Owner::Unclear,
        }
    }

    /// Whether everything that the server may be busy with was asked for by the same principal.
    pub(super) fn has_one_principal(&self) -> bool {
        let calls = self.calls.values().map(|call| &call.principal);
        let mut principals = calls.chain(self.cancelled.iter().map(|call| &call.principal));
        let first = principals.next();
        principals.all(|principal| Some(principal) == first)
    }

    /// Remembers a call that the server has just been told to stop.
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

    /// Forgets cancelled calls that have had the time to stop.
    pub(super) fn forget_cancelled(&mut self, now: Instant) {
        let before = self.cancelled.len();
        self.cancelled.retain(|call| call.until > now);
        if self.cancelled.len() < before {
            self.count_unattended();
        }
    }
}
