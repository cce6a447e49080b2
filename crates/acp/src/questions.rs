//! The pending requests of a chain's peers, and the effect of their answers on the chain.

use std::time::Instant;

use linkspan_session::Pending;
use linkspan_wire::{Hop, Id};

use crate::bridge::DeclarationId;
use crate::dialect::Dialect;
use crate::plan::Node;

/// A request that waits for its answer.
pub(crate) type Question = linkspan_session::Question<Node, Asked>;

/// The chain's own data of a pending request.
#[derive(Debug)]
pub(crate) struct Asked {
    /// The id inside the envelope, if the sender's dialect has one.
    pub(crate) inner: Option<Id>,
    pub(crate) purpose: Purpose,
    pub(crate) since: Instant,
}

/// What to do with the answer besides forwarding it.
#[derive(Debug)]
pub(crate) enum Purpose {
    /// Nothing.
    Relay,
    /// Assigns a proxy its role, in a dialect that the proxy may not know.
    StartProxy {
        part: usize,
        dialect: Dialect,
        /// The request as received, to repeat it in another dialect.
        request: linkspan_wire::Message,
    },
    /// Initializes the agent's end of the chain; the answer contains its capabilities.
    StartTail,
    /// Sets up a session with these replaced declarations.
    Setup {
        declaration_ids: Vec<DeclarationId>,
        /// The session, if the request names it.
        session: Option<String>,
    },
    /// Ends a session.
    Close { session: String },
    /// Opens an MCP connection for a joined peer, to the server with that id, if given.
    Connect { server: Option<String> },
    /// An MCP request of a joined peer, with the names in its messages.
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
    /// The number of pending requests with a purpose that starts a component.
    starts: usize,
}

impl Questions {
    /// Stores a request and assigns its hop number; `None` if its id is in use.
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

    /// Removes the request that `by` answers under this number.
    pub(crate) fn answered(&mut self, by: Node, hop: Hop) -> Option<Question> {
        let question = self.pending.answered(by, hop)?;
        self.starts -= usize::from(question.data.purpose.is_start());
        Some(question)
    }

    /// Removes all requests for which `wanted` holds, in the order in which they were sent.
    pub(crate) fn take_if(&mut self, wanted: impl Fn(&Question) -> bool) -> Vec<Question> {
        let taken = self.pending.take_if(wanted);
        let starts = taken.iter().filter(|q| q.data.purpose.is_start());
        self.starts -= starts.count();
        taken
    }

    /// Whether `from` has a pending request with this id.
    pub(crate) fn is_asked(&self, from: Node, id: &Id) -> bool {
        self.pending.is_in_use(from, &id.key())
    }

    /// The pending request of `from` with this id.
    pub(crate) fn find(&self, from: Node, id: &Id) -> Option<&Question> {
        self.pending.find(from, id)
    }

    /// The number of pending requests of `from`.
    pub(crate) fn asked_by(&self, from: Node) -> usize {
        self.pending.iter().filter(|q| q.from == from).count()
    }

    /// The pending requests that start a component.
    pub(crate) fn starting(&self) -> impl Iterator<Item = &Question> {
        let some = (self.starts > 0).then(|| self.pending.iter());
        some.into_iter()
            .flatten()
            .filter(|q| q.data.purpose.is_start())
    }

    /// Whether a proxy has not answered its first request.
    pub(crate) fn begins(&self, part: usize) -> bool {
        self.starting().any(|q| q.data.purpose.starts(part))
    }

    /// Restarts the timeout of a proxy's first request.
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
