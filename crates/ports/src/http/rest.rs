//! What follows on a response after the answer, or where no answer is expected.

use std::time::Duration;

use linkspan_session::{Envelope, Inbound};
use linkspan_wire::{Frame, Hop};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::answer::{self, Events, Media, media};
use super::call::ACCEPT;
use super::endpoint::Endpoint;
use super::listen::pump;
use super::sending::Response;

/// How long what follows an answer on its stream is still read.
const AFTERMATH: Duration = Duration::from_secs(2);

/// Reads on for a while after the answer, so that no message is lost and the connection can be reused.
pub(super) async fn aftermath(
    endpoint: Endpoint,
    mut events: Events,
    tx: mpsc::Sender<Inbound>,
    hop: Hop,
) {
    let rest = async {
        while let Ok(Some(data)) = events.next(&endpoint).await {
            if let Frame::One(msg) = Frame::parse(data.text, &endpoint.limits()) {
                let envelope = Envelope {
                    relates_to: Some(hop),
                    credit: data.credit,
                    ..Envelope::new(msg)
                };
                if tx.send(Inbound::Message(envelope)).await.is_err() {
                    return;
                }
            }
        }
    };
    let _ = timeout(AFTERMATH, rest).await;
}

/// Reads the rest of a response without an answer: messages for a while, if it is an event stream. An unread body would
/// prevent the reuse of the connection.
pub(super) async fn leftover(endpoint: Endpoint, response: Response, tx: mpsc::Sender<Inbound>) {
    if media(&response) == Media::Events {
        let mut events = Events::new(&endpoint, response);
        let _ = timeout(ACCEPT, pump(&endpoint, &mut events, &tx, None)).await;
    } else {
        answer::refusal(response).await;
    }
}
