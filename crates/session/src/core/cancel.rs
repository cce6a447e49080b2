//! Cancellation goes hop by hop: the id of one connection means nothing on the next.

use linkspan_mcp::names;
use linkspan_wire::{Id, Message};

use super::Core;
use crate::exchange::Side;
use crate::port::{Envelope, Outbound};

impl Core {
    pub(super) fn pass_cancel(&mut self, from: Side, envelope: Envelope) {
        if let Some(translated) = self.translate_cancel(from, envelope) {
            let outbox = self.outbox(from.other());
            outbox.push(Outbound::One(translated));
        }
    }

    pub(super) fn translate_cancel(&mut self, from: Side, envelope: Envelope) -> Option<Envelope> {
        let id = cancelled_id(&envelope.msg)?;
        let hop = self.exchange.cancel(from, &id)?;
        let spelled = envelope.msg.params()?.get("requestId")?;
        let msg = envelope.msg.with_value(spelled, &hop.to_string());
        Some(Envelope {
            relates_to: Some(hop),
            credit: envelope.credit,
            ..Envelope::new(msg)
        })
    }

    pub(super) fn send_cancel(&mut self, owes: Side, hop: u64, reason: &str) {
        let params = format!(r#"{{"requestId":{hop},"reason":"{reason}"}}"#);
        let msg = Message::notification(names::CANCELLED, Some(&params));
        let envelope = Envelope {
            relates_to: Some(hop),
            ..Envelope::new(msg)
        };
        self.outbox(owes).push(Outbound::One(envelope));
    }
}

/// The request that a `notifications/cancelled` names.
pub(super) fn cancelled_id(message: &Message) -> Option<Id> {
    Id::parse(message.params()?.get("requestId")?)
}
