//! The client's first message, which decides its era.

use linkspan_mcp::{Era, era_of, names};
use linkspan_session::{Envelope, Fault, Inbound, Outbound, Port};
use linkspan_wire::{Kind, Message, RpcError};

/// The first message of a client.
pub(crate) struct First {
    pub(crate) era: Era,
    /// `None` if the client has closed the connection without a message.
    pub(crate) message: Option<Inbound>,
}

impl First {
    /// The message, unless it is a batch.
    pub(crate) fn request(&self) -> Option<&Message> {
        match &self.message {
            Some(Inbound::Message(envelope)) => Some(&envelope.msg),
            _ => None,
        }
    }

    /// The client's own `server/discover`.
    pub(crate) fn discover(&self) -> Option<&Message> {
        match &self.message {
            Some(Inbound::Message(envelope)) if is_discover(&envelope.msg) => Some(&envelope.msg),
            _ => None,
        }
    }
}

/// Waits for the first message, or for the end of the input. Invalid messages are answered at once.
pub(crate) async fn first_message(front: &mut Port) -> First {
    loop {
        let (era, message) = match front.rx.recv().await {
            Some(Inbound::Message(envelope)) => {
                (spoken(&envelope.msg), Some(Inbound::Message(envelope)))
            }
            Some(Inbound::Bad(why)) => {
                tracing::warn!("the client sent an invalid message: {why}");
                let answer = Envelope::new(why.to_rpc().answer(&why.id()));
                let _ = front.tx.send(Outbound::One(answer)).await;
                continue;
            }
            None | Some(Inbound::Closed(_)) => (Era::Legacy, None),
            // Only the handshake era has batches.
            Some(other) => (Era::Legacy, Some(other)),
        };
        return First { era, message };
    }
}

fn spoken(msg: &Message) -> Era {
    if is_discover(msg) {
        Era::Modern
    } else {
        era_of(msg)
    }
}

fn is_discover(msg: &Message) -> bool {
    msg.kind() == Kind::Request && msg.method() == names::DISCOVER
}

/// Answers the first message with a fault.
pub(crate) async fn refuse(front: &Port, message: Option<Inbound>, why: &Fault) {
    if let Some(Inbound::Message(envelope)) = message
        && envelope.msg.kind() == Kind::Request
        && let Some(id) = envelope.msg.id()
    {
        let answer = Envelope::new(RpcError::from(why).answer(&id));
        let _ = front.tx.send(Outbound::One(answer)).await;
    }
}
