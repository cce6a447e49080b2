//! How an event is kept for a client that resumes its stream.

use linkspan_session::{Envelope, Fault, Outbound};
use linkspan_wire::{Id, Kind, RpcError};

use super::log::MOST;

/// Copies an item for a reader; the credit moves with the copy.
pub(super) fn share(item: &mut Outbound) -> Outbound {
    match item {
        Outbound::One(envelope) => Outbound::One(Envelope {
            credit: std::mem::take(&mut envelope.credit),
            ..Envelope::new(envelope.msg.clone())
        }),
        Outbound::Array(text) => Outbound::Array(text.clone()),
    }
}

/// Prepares an item to be kept without a reader. It gives its credit back, because kept items must not block the
/// server; an answer that is too large to keep is replaced by an error.
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

/// The id, if the item is a request of the server.
pub(super) fn question(item: &Outbound) -> Option<Id> {
    match item {
        Outbound::One(envelope) if envelope.msg.kind() == Kind::Request => envelope.msg.id(),
        _ => None,
    }
}
