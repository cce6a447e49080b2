//! What becomes of an event that is kept.

use linkspan_session::{Envelope, Fault, Outbound};
use linkspan_wire::{Id, Kind, RpcError};

use super::log::MOST;

/// The same for a reader; the credit goes with it.
pub(super) fn share(item: &mut Outbound) -> Outbound {
    match item {
        Outbound::One(envelope) => Outbound::One(Envelope {
            credit: std::mem::take(&mut envelope.credit),
            ..Envelope::new(envelope.msg.clone())
        }),
        Outbound::Array(text) => Outbound::Array(text.clone()),
    }
}

/// What is kept while no stream is read must not hold up the server, so it has no credit, and what is
/// too large for that is an answer that is lost.
pub(super) fn settle(item: &mut Outbound) {
    let too_large = item.len() > MOST.bytes;
    let Outbound::One(envelope) = item else {
        return;
    };
    envelope.credit = Default::default();
    if !too_large {
        return;
    }
    let why = lost("it is too large to be kept until a client reads it");
    if let (true, Some(id)) = (envelope.msg.is_answer(), envelope.msg.id()) {
        envelope.msg = RpcError::from(&why).answer(&id);
    }
}

pub(super) fn lost(why: &str) -> Fault {
    Fault::AnswerLost {
        peer: "the server".to_owned(),
        why: why.to_owned(),
    }
}

/// The id of a question that the server asks.
pub(super) fn question(item: &Outbound) -> Option<Id> {
    match item {
        Outbound::One(envelope) if envelope.msg.kind() == Kind::Request => envelope.msg.id(),
        _ => None,
    }
}
