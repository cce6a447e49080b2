//! The client's first word: it tells which era it speaks.

use linkspan_mcp::{Era, era_of, names};
use linkspan_session::{Envelope, Fault, Inbound, Outbound, Port};
use linkspan_wire::{Kind, Message, RpcError};

/// What a client has said so far.
pub(crate) struct First {
    pub(crate) era: Era,
    /// Nothing, if it has gone without a word.
    pub(crate) word: Option<Inbound>,
}

impl First {
    /// What it has said, if that is a message.
    pub(crate) fn request(&self) -> Option<&Message> {
        match &self.word {
            Some(Inbound::Message(envelope)) => Some(&envelope.msg),
            _ => None,
        }
    }

    /// The client's own question which era the server speaks.
    pub(crate) fn discover(&self) -> Option<&Message> {
        match &self.word {
            Some(Inbound::Message(envelope)) if is_discover(&envelope.msg) => Some(&envelope.msg),
            _ => None,
        }
    }
}

/// Waits for the first message, or for the end. What is no message is answered at once.
pub(crate) async fn word(front: &mut Port) -> First {
    loop {
        let (era, word) = match front.rx.recv().await {
            Some(Inbound::Message(envelope)) => {
                (spoken(&envelope.msg), Some(Inbound::Message(envelope)))
            }
            Some(Inbound::Bad(why)) => {
                tracing::warn!("the client sent something that is no message: {why}");
                let answer = Envelope::new(why.to_rpc().answer(&why.id()));
                let _ = front.tx.send(Outbound::One(answer)).await;
                continue;
            }
            None | Some(Inbound::Closed(_)) => (Era::Legacy, None),
            // Only the handshake era has batches.
            Some(other) => (Era::Legacy, Some(other)),
        };
        return First { era, word };
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

/// Answers the first word.
pub(crate) async fn refuse(front: &Port, word: Option<Inbound>, why: &Fault) {
    if let Some(Inbound::Message(envelope)) = word
        && envelope.msg.kind() == Kind::Request
        && let Some(id) = envelope.msg.id()
    {
        let answer = Envelope::new(RpcError::from(why).answer(&id));
        let _ = front.tx.send(Outbound::One(answer)).await;
    }
}
