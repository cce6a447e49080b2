//! `subscriptionId`: the one place where a modern server repeats a request's id inside a message.

use linkspan_mcp::SUBSCRIPTION_ID;
use linkspan_wire::{Id, Json};

use super::Core;
use crate::exchange::Side;
use crate::port::Envelope;

impl Core {
    /// Restores the asker's subscription id in a notification.
    pub(super) fn restore_subscription(&self, envelope: Envelope) -> Envelope {
        let Some(spelled) = subscription(envelope.msg.params()) else {
            return envelope;
        };
        let hop = Id::parse(spelled).and_then(|id| id.as_hop());
        match hop.and_then(|hop| self.exchange.get(Side::Back, hop)) {
            Some(asked) => rename(&envelope, spelled, &asked.id),
            None => envelope,
        }
    }
}

/// The same in the answer that ends a subscription.
pub(super) fn rename_in_answer(envelope: Envelope, id: &Id) -> Envelope {
    match subscription(envelope.msg.body()) {
        Some(spelled) => rename(&envelope, spelled, id),
        None => envelope,
    }
}

fn subscription(body: Option<Json<'_>>) -> Option<Json<'_>> {
    body?.path(&["_meta", SUBSCRIPTION_ID])
}

fn rename(envelope: &Envelope, spelled: Json<'_>, id: &Id) -> Envelope {
    Envelope {
        relates_to: envelope.relates_to,
        about: Some(id.clone()),
        ..Envelope::new(envelope.msg.with_value(spelled, id.text()))
    }
}
