//! Answers on their way to the peer that sent the request.

use std::time::Instant;

use linkspan_session::Credit;
use linkspan_wire::{Kind, Message};

use super::Chain;
use crate::dialect::Dialect;
use crate::envelope;
use crate::plan::Node;
use crate::questions::{Purpose, Question};

impl Chain {
    /// Handles an answer of a peer.
    pub(super) fn answer(&mut self, from: Node, answer: Message, credit: Credit, now: Instant) {
        let hop = answer.hop();
        let Some(question) = hop.and_then(|hop| self.questions.answered(from, hop)) else {
            tracing::debug!("{} answers no open request", self.plan.name(from));
            return;
        };
        let answer = match self.dialect_of(from) {
            Some(Dialect::Draft) => envelope::unwrap_answer(answer),
            _ => answer,
        };
        self.conclude(question, answer, credit, now);
    }

    /// Applies the effect of an answer on the chain, then forwards it.
    pub(super) fn conclude(
        &mut self,
        question: Question,
        answer: Message,
        credit: Credit,
        now: Instant,
    ) {
        match &question.data.purpose {
            Purpose::Relay => self.settle(question, answer, credit),
            Purpose::StartProxy { .. } => self.proxy_started(question, answer, now),
            Purpose::StartTail => {
                let answer = self.tail.introduced(&answer);
                self.settle_start(question, answer, now);
            }
            Purpose::Setup {
                declaration_ids,
                session,
            } => {
                self.tail
                    .set_up(declaration_ids, session.as_deref(), &answer);
                self.settle(question, answer, credit);
            }
            Purpose::Close { session } => {
                if answer.kind() == Kind::Result {
                    self.tail.close(session);
                }
                self.settle(question, answer, credit);
            }
            Purpose::Connect { server } => {
                self.tail
                    .connected(question.from, server.as_deref(), &answer);
                self.settle(question, answer, credit);
            }
            Purpose::Carry { server, request } => {
                self.tail.carried(server, request);
                self.settle(question, answer, credit);
            }
        }
    }

    /// Forwards an answer to the peer that sent the request, under that peer's own id.
    pub(super) fn settle(&mut self, question: Question, answer: Message, credit: Credit) {
        let Question {
            hop,
            from,
            id,
            to,
            method,
            data,
        } = question;
        let answer = answer.with_id(id);
        self.trace(to, from, &answer, Some(hop), Some(&method));
        let answer = match &data.inner {
            Some(inner) => envelope::wrap_answer(&answer, inner),
            None => answer,
        };
        self.send(to, from, answer, credit);
    }

    fn dialect_of(&self, node: Node) -> Option<Dialect> {
        match node {
            Node::Outside => self.plan.as_proxy.then_some(self.outside),
            Node::Part(part) => Some(self.parts[part].dialect),
            Node::Joined(_) => None,
        }
    }
}
