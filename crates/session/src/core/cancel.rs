//! Cancellation is translated for each hop, because an id is valid on one connection only.

use linkspan_mcp::names;
use linkspan_wire::{Hop, Id, Message};

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

    pub(super) fn send_cancel(&mut self, owes: Side, hop: Hop, reason: &str) {
        let cancel = self.cancel_of(hop, reason);
        self.outbox(owes).push(Outbound::One(cancel));
    }

    pub(super) fn cancel_of(&self, hop: Hop, reason: &str) -> Envelope {
        let params = format!(r#"{{"requestId":{hop},"reason":"{reason}"}}"#);
        Envelope {
            relates_to: Some(hop),
            ..Envelope::new(Message::notification(names::CANCELLED, Some(&params)))
        }
    }

    /// Handles a cancellation from the server, which may end a subscription by it, but no other request.
    pub(super) fn ended_subscription(&mut self, envelope: &Envelope) -> Option<Envelope> {
        let spelled = envelope.msg.params()?.get("requestId")?;
        let hop = Id::parse(spelled)?.as_hop()?;
        let asked = self.exchange.get(Side::Back, hop)?;
        if &*asked.method != names::LISTEN {
            return None;
        }
        let asked = self.exchange.answer(Side::Back, hop)?;
        Some(Envelope {
            about: Some(asked.id.clone()),
            ..Envelope::new(envelope.msg.with_value(spelled, asked.id.text()))
        })
    }
}

/// The request that a `notifications/cancelled` names.
pub(super) fn cancelled_id(message: &Message) -> Option<Id> {
    Id::parse(message.params()?.get("requestId")?)
}
