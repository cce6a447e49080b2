//! Servers and clients that know single requests only, instead of sessions.

use std::collections::HashMap;

use linkspan_mcp::names;
use linkspan_ports::{Answering, Principal};
use linkspan_session::{Envelope, Fault, Inbound, Outbound, Port, PortEnd};
use linkspan_wire::{Hop, Id, Kind, Message};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

const QUEUE: usize = 64;

/// Answers modern requests, each on its own. Clones serve the same clients.
pub trait RequestService: Clone + Send + Sync + 'static {
    /// Sends a request to the server. Dropping what it returns cancels the request.
    fn request(
        &self,
        call: Envelope,
        caller: &Caller,
    ) -> impl Future<Output = Result<Answering, Fault>> + Send;
}

/// The client of a request, as far as it is known.
#[derive(Debug, Clone)]
pub struct Caller {
    /// On whose behalf the request came.
    pub principal: Principal,
    /// The legacy session that the request belongs to, where several sessions share a connection; modern requests have
    /// none.
    pub session: Option<u64>,
}

/// A port that gives every request to the service on its own.
pub(crate) fn port(name: &str, service: impl RequestService, caller: Caller) -> Port {
    let (port, end) = Port::pair(name, QUEUE);
    tokio::spawn(run(service, caller, end));
    port
}

async fn run(service: impl RequestService, caller: Caller, mut end: PortEnd) {
    let mut calls = JoinSet::new();
    let mut running: HashMap<Hop, AbortHandle> = HashMap::new();
    loop {
        tokio::select! {
            outbound = end.rx.recv() => match outbound {
                None => break,
                Some(Outbound::One(envelope)) => {
                    let msg = &envelope.msg;
                    if let Some(hop) = cancelled(msg) {
                        if let Some(call) = running.remove(&hop) {
                            // Dropping what waits for the answer cancels the request.
                            call.abort();
                        }
                    } else if let (Kind::Request, Some(hop)) = (msg.kind(), msg.hop()) {
                        // The request keeps its credit, because it may wait for its connection.
                        let ask = Envelope {
                            credit: envelope.credit,
                            ..Envelope::new(msg.clone())
                        };
                        let call = call(service.clone(), caller.clone(), ask, hop, end.tx.clone());
                        running.insert(hop, calls.spawn(call));
                    }
                }
                Some(Outbound::Array(_)) => {}
            },
            Some(ended) = calls.join_next() => {
                if let Ok(hop) = ended {
                    running.remove(&hop);
                }
            }
        }
    }
    drop(end.last_word);
    drop(end.done);
}

/// Sends one request; returns its hop when it is done.
async fn call(
    service: impl RequestService,
    caller: Caller,
    ask: Envelope,
    hop: Hop,
    tx: mpsc::Sender<Inbound>,
) -> Hop {
    match service.request(ask, &caller).await {
        Ok(mut answering) => {
            while let Some(envelope) = answering.recv().await {
                let envelope = Envelope {
                    relates_to: Some(hop),
                    ..envelope
                };
                if tx.send(Inbound::Message(envelope)).await.is_err() {
                    break;
                }
            }
        }
        Err(why) => {
            let _ = tx.send(Inbound::Failed { hop, why }).await;
        }
    }
    hop
}

fn cancelled(msg: &Message) -> Option<Hop> {
    if msg.method() != names::CANCELLED {
        return None;
    }
    Id::parse(msg.params()?.get("requestId")?)?.as_hop()
}
