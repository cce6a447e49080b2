//! The pool as a port: the back of a legacy session that shares its connection with others.

use std::collections::HashMap;

use linkspan_mcp::names;
use linkspan_session::{Envelope, Inbound, Outbound, Port, PortEnd};
use linkspan_wire::{Hop, Id, Kind, Message};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use super::{Caller, UpstreamPool};

const QUEUE: usize = 64;

/// A port that sends every request to the pool on its own.
pub(super) fn port(pool: UpstreamPool, caller: Caller) -> Port {
    let (port, end) = Port::pair("the shared server", QUEUE);
    tokio::spawn(run(pool, caller, end));
    port
}

async fn run(pool: UpstreamPool, caller: Caller, mut end: PortEnd) {
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
                        let call = call(pool.clone(), caller.clone(), ask, hop, end.tx.clone());
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
    pool: UpstreamPool,
    caller: Caller,
    ask: Envelope,
    hop: Hop,
    tx: mpsc::Sender<Inbound>,
) -> Hop {
    match pool.call(ask, &caller).await {
        Ok(mut answering) => {
            while let Some(envelope) = answering.rx.recv().await {
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
