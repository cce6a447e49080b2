//! Lines of a peer that are not valid messages.

use std::time::Instant;

use linkspan_session::Credit;
use linkspan_wire::{Id, RpcError, WireError};

use super::{BreakReason, Chain};
use crate::plan::Node;

/// Consecutive invalid lines after which a component is given up.
const MAX_INVALID_LINES: u32 = 1000;

impl Chain {
    /// Handles an invalid line. If it is the answer to a request, that request fails.
    pub(super) fn invalid_line(&mut self, from: Node, why: &WireError, now: Instant) {
        tracing::warn!("{} sent an invalid message: {why}", self.plan.name(from));
        if let Some(hop) = why.answered_hop()
            && let Some(question) = self.questions.answered(from, hop)
        {
            let error = RpcError::internal(format!(
                "{} sent no valid answer: {why}",
                self.plan.name(from)
            ));
            let answer = error.answer(&Id::null());
            return self.conclude(question, answer, Credit::default(), now);
        }
        match from {
            Node::Part(part) => {
                // An envelope can make a message too large; its sender may wait for an answer.
                if let Some(id) = why.asked() {
                    self.say(from, why.to_rpc().answer(&id));
                }
                self.parts[part].invalid_lines += 1;
                if self.parts[part].invalid_lines > MAX_INVALID_LINES {
                    self.give_up(part, BreakReason::InvalidLines, now);
                }
            }
            Node::Outside => self.say(from, why.to_rpc().answer(&why.id())),
            Node::Joined(_) => {}
        }
    }
}
