//! The requests of a chain's peers, and what their answers mean for the chain.

use std::time::Instant;

use linkspan_session::Pending;
use linkspan_wire::{Hop, Id};

use crate::bridge::DeclarationId;
use crate::dialect::Dialect;
use crate::plan::Node;

/// A request that waits for its answer.
pub(crate) type Question = linkspan_session::Question<Node, Asked>;

/// What a chain remembers of a request.
#[derive(Debug)]
pub(crate) struct Asked {
    /// The id inside the envelope, if the asker's dialect has one there.
    pub(crate) inner: Option<Id>,
    pub(crate) purpose: Purpose,
    pub(crate) since: Instant,
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
        declaration_ids: Vec<DeclarationId>,
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

impl Purpose {
    fn is_start(&self) -> bool {
        matches!(self, Self::StartProxy { .. } | Self::StartTail)
    }

    fn starts(&self, part: usize) -> bool {
        matches!(self, Self::StartProxy { part: of, .. } if *of == part)
    }
}

/// All requests in flight.
#[derive(Debug, Default)]
pub(crate) struct Questions {
    pending: Pending<Node, Asked>,
    /// How many of them are about the beginning.
    starts: usize,
}

impl Questions {
    /// Notes a request and gives it the number that it goes on under; `None` if its id is in use.
    pub(crate) fn ask(
        &mut self,
        (from, to): (Node, Node),
        id: Id,
        method: &str,
        asked: Asked,
    ) -> Option<Hop> {
        let is_start = asked.purpose.is_start();
        let hop = self.pending.ask(from, to, id, method, asked)?;
        self.starts += usize::from(is_start);
        Some(hop)
    }

    /// Takes the question that `by` answers under this number.
    pub(crate) fn answered(&mut self, by: Node, hop: Hop) -> Option<Question> {
        let question = self.pending.answered(by, hop)?;
        self.starts -= usize::from(question.data.purpose.is_start());
        Some(question)
    }

    /// Takes all questions for which `wanted` holds, in the order in which they were asked.
    pub(crate) fn take_if(&mut self, wanted: impl Fn(&Question) -> bool) -> Vec<Question> {
        let taken = self.pending.take_if(wanted);
        let starts = taken.iter().filter(|q| q.data.purpose.is_start());
        self.starts -= starts.count();
        taken
    }

    /// Whether `from` waits for an answer under this id already.
    pub(crate) fn is_asked(&self, from: Node, id: &Id) -> bool {
        self.pending.is_in_use(from, &id.key())
    }

    /// The request that `from` has in flight under this id.
    pub(crate) fn find(&self, from: Node, id: &Id) -> Option<&Question> {
        self.pending.find(from, id)
    }

    /// How many `from` waits for.
    pub(crate) fn asked_by(&self, from: Node) -> usize {
        self.pending.iter().filter(|q| q.from == from).count()
    }

    /// The requests to begin that are not answered yet.
    pub(crate) fn starting(&self) -> impl Iterator<Item = &Question> {
        let some = (self.starts > 0).then(|| self.pending.iter());
        some.into_iter()
            .flatten()
            .filter(|q| q.data.purpose.is_start())
    }

    /// Whether a proxy is told that it is one and has not answered.
    pub(crate) fn begins(&self, part: usize) -> bool {
        self.starting().any(|q| q.data.purpose.starts(part))
    }

    /// What a proxy was told to begin with is its turn from now on.
    pub(crate) fn renew(&mut self, part: usize, now: Instant) {
        let questions = self.pending.iter_mut();
        for question in questions.filter(|q| q.data.purpose.starts(part)) {
            question.data.since = now;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.pending.len()
    }
}
