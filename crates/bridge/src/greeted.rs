//! A server that the probe has initialized, before its session begins.
//!
//! The session has a handshake of its own, which is answered here with the server's answer to the probe; all other
//! messages pass.

use linkspan_mcp::names;
use linkspan_session::{Envelope, Inbound, Outbound, Port, PortEnd};
use linkspan_wire::{Kind, Message};

const QUEUE: usize = 64;

/// Wraps a port; the first `initialize` is answered with `answer`.
pub(crate) fn greeted(port: Port, answer: Message) -> Port {
    let (outer, end) = Port::pair(port.name.clone(), QUEUE);
    tokio::spawn(run(port, end, answer));
    outer
}

async fn run(port: Port, end: PortEnd, answer: Message) {
    let Port {
        tx: to_server,
        rx: mut from_server,
        last_word,
        done,
        ..
    } = port;
    let PortEnd {
        tx: to_session,
        rx: mut from_session,
        last_word: said,
        done: ended,
    } = end;
    let answering = to_session.clone();
    let outwards = async move {
        let mut answering = Some((answering, answer));
        while let Some(item) = from_session.recv().await {
            if let (Outbound::One(envelope), Some((to_session, answer))) = (&item, &answering)
                && envelope.msg.kind() == Kind::Request
                && envelope.msg.method() == names::INITIALIZE
                && let Some(id) = envelope.msg.id()
            {
                let answer = Envelope::new(answer.clone().with_id(id));
                let _ = to_session.send(Inbound::Message(answer)).await;
                answering = None;
                continue;
            }
            if to_server.send(item).await.is_err() {
                break;
            }
        }
    };
    let inwards = async move {
        loop {
            let inbound = tokio::select! {
                inbound = from_server.recv() => inbound,
                () = to_session.closed() => None,
            };
            let Some(inbound) = inbound else { break };
            if to_session.send(inbound).await.is_err() {
                break;
            }
        }
    };
    let last_word = async move {
        let _ = last_word.await;
        drop(said);
    };
    tokio::join!(outwards, inwards, last_word);
    // Resolves when the process has ended.
    let _ = done.await;
    drop(ended);
}
