//! Who asked whom what: the only place where ids of two connections meet.

use std::collections::HashMap;
use std::time::Instant;

use linkspan_wire::{Id, IdKey};

use crate::bridge::DeclarationId;
use crate::dialect::Dialect;
use crate::plan::Node;

/// A request that waits for its answer.
#[derive(Debug)]
pub(crate) struct Question {
    /// The number that it went on under.
    pub(crate) hop: u64,
    /// Who asked.
    pub(crate) from: Node,
    /// Under which id, as written.
    pub(crate) id: Id,
    /// The id inside the envelope, if the asker's dialect has one there.
    pub(crate) inner: Option<Id>,
    /// Who owes the answer.
    pub(crate) to: Node,
    pub(crate) method: Box<str>,
    pub(crate) purpose: Purpose,
    pub(crate) since: Instant,
}

impl Question {
    fn is_start(&self) -> bool {
        matches!(
            self.purpose,
            Purpose::StartProxy { .. } | Purpose::StartTail
        )
    }
}

/// What we have to do with the answer besides passing it on.
#[derive(Debug)]
pub(crate) enum Purpose {
    /// Nothing.
    Relay,
    /// A proxy is told that it is one, in a dialect that it may not know.
    StartProxy {
        part: usize,
        dialect: Dialect,
        /// The request as the asker sent it, for another try.
        request: linkspan_wire::Message,
    },
    /// The end of the chain begins; its answer says what it can do.
    StartTail,
    /// A session is set up, with these servers of the chain made reachable.
    Setup {
        tickets: Vec<DeclarationId>,
        /// The session, if the request names it.
        session: Option<String>,
    },
    /// A session ends.
    Close { session: String },
    /// An MCP connection is made for a peer that joined, to the server of that id if it has one.
    Connect { server: Option<String> },
    /// An MCP request of a peer that joined, by the names that its messages will have.
    Carry { server: String, request: String },
}

/// All requests in flight.
#[derive(Debug, Default)]
pub(crate) struct Questions {
    pending: HashMap<u64, Question>,
    hops: HashMap<(Node, IdKey), u64>,
    last: u64,
    /// How many of them are about the beginning.
    starts: usize,
}

impl Questions {
    /// Whether `from` waits for an answer under this id already.
    pub(crate) fn is_asked(&self, from: Node, id: &Id) -> bool {
        self.hops.contains_key(&(from, id.key()))
    }

    /// Notes a request and gives it the number that it goes on under.
    pub(crate) fn ask(&mut self, mut question: Question) -> u64 {
        self.last += 1;
        question.hop = self.last;
        self.starts += usize::from(question.is_start());
        let key = (question.from, question.id.key());
        self.hops.insert(key, self.last);
        self.pending.insert(self.last, question);
        self.last
    }

    /// The question that `by` answers under this number.
    pub(crate) fn answered(&mut self, by: Node, hop: u64) -> Option<Question> {
        if self.pending.get(&hop)?.to != by {
            return None;
        }
        self.take(hop)
    }

    /// Takes a question back.
    pub(crate) fn take(&mut self, hop: u64) -> Option<Question> {
        let question = self.pending.remove(&hop)?;
        self.hops.remove(&(question.from, question.id.key()));
        self.starts -= usize::from(question.is_start());
        Some(question)
    }

    /// Where a request of `from` went, and under which number.
    pub(crate) fn find(&self, from: Node, id: &Id) -> Option<(u64, &Question)> {
        let hop = *self.hops.get(&(from, id.key()))?;
        Some((hop, self.pending.get(&hop)?))
    }

    /// The numbers of all questions for which `wanted` holds, in the order in which they were asked.
    pub(crate) fn which(&self, wanted: impl Fn(&Question) -> bool) -> Vec<u64> {
        let found = self.pending.iter().filter(|(_, question)| wanted(question));
        let mut hops: Vec<u64> = found.map(|(hop, _)| *hop).collect();
        hops.sort_unstable();
        hops
    }

    pub(crate) fn get(&self, hop: u64) -> Option<&Question> {
        self.pending.get(&hop)
    }

    /// How many `from` waits for.
    pub(crate) fn asked_by(&self, from: Node) -> usize {
        self.pending.values().filter(|q| q.from == from).count()
    }

    /// Whether somebody is told to begin and has not answered.
    pub(crate) fn is_starting(&self) -> bool {
        self.starts > 0
    }

    /// Whether a proxy is told that it is one and has not answered.
    pub(crate) fn begins(&self, part: usize) -> bool {
        let told = |question: &Question| matches!(&question.purpose, Purpose::StartProxy { part: of, .. } if *of == part);
        self.starts > 0 && self.pending.values().any(told)
    }

    /// What a proxy was told to begin with is its turn from now on.
    pub(crate) fn renew(&mut self, part: usize, now: Instant) {
        for question in self.pending.values_mut() {
            if matches!(&question.purpose, Purpose::StartProxy { part: of, .. } if *of == part) {
                question.since = now;
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.pending.len()
    }
}
