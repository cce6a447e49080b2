//! A carrier between two ports: the back of an MCP session, and a peer of the chain.

use std::collections::VecDeque;
use std::time::Duration;

use linkspan_session::{
    Credit, Envelope, Fault, Inbound, Outbound, Port, PortEnd, now, sleep_until,
};
use linkspan_wire::RpcError;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::{Carrier, Out, fault, revoked};
use crate::bridge::{ChainHandle, DeclarationId};

/// Envelopes that may wait in each queue of a port.
const QUEUE: usize = 64;
/// Messages queued towards one side above which the other side is not read.
const HIGH: usize = 64;
/// The same limit while both queues have reached [`HIGH`].
const HARD: usize = 1024;
/// How long late requests are still answered after the end.
const LATE_REQUESTS: Duration = Duration::from_secs(2);
/// How long a side may take to read the last messages.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);

/// The state of a declaration that carriers serve.
#[derive(Debug, Clone, Default)]
pub struct Life {
    /// The session id, once known.
    pub session: Option<String>,
    /// Whether the declaration is no longer valid.
    pub revoked: bool,
}

/// The server behind `carrier` as the back of a session. It joins the chain as a peer of its own.
pub fn port(
    carrier: Carrier,
    life: watch::Receiver<Life>,
    chain: &ChainHandle,
    declaration_id: DeclarationId,
) -> Port {
    let (back, mcp) = Port::pair("the MCP server in the chain", QUEUE);
    let (peer, acp) = Port::pair("the MCP bridge", QUEUE);
    if chain.join(declaration_id, peer).is_err() {
        // `peer` is dropped, so the task finds this side closed.
        tracing::debug!("the chain accepts no more connections");
    }
    let running = Running {
        carrier,
        mcp: Side::new(mcp),
        acp: Side::new(acp),
        credits: Vec::new(),
    };
    tokio::spawn(running.run(life));
    back
}

struct Running {
    carrier: Carrier,
    mcp: Side,
    acp: Side,
    /// The credits of messages that wait for a connection.
    credits: Vec<Credit>,
}

/// A port's end, and the messages that it had no room for.
struct Side {
    end: PortEnd,
    queue: VecDeque<Envelope>,
}

impl Side {
    fn new(end: PortEnd) -> Self {
        Self {
            end,
            queue: VecDeque::new(),
        }
    }

    fn flush(&mut self) {
        while let Some(next) = self.queue.pop_front() {
            match self.end.tx.try_send(Inbound::Message(next)) {
                Ok(()) => {}
                Err(
                    mpsc::error::TrySendError::Full(Inbound::Message(next))
                    | mpsc::error::TrySendError::Closed(Inbound::Message(next)),
                ) => return self.queue.push_front(next),
                Err(_) => return,
            }
        }
    }

    /// Sends the queued messages, then the reason of the end.
    async fn close(mut self, why: Option<Fault>) {
        self.end.rx.close();
        let last = async {
            let rest = self.queue.into_iter().map(Inbound::Message);
            for inbound in rest.chain(why.map(Inbound::Closed)) {
                if self.end.tx.send(inbound).await.is_err() {
                    return;
                }
            }
        };
        let _ = timeout(CLOSE_TIMEOUT, last).await;
    }
}

/// The event that woke the task; `None` if a side has closed.
enum Happened {
    Acp(Option<Outbound>),
    Mcp(Option<Outbound>),
    Time,
    /// Room in a queue, or a change of the declaration: the next round of the loop handles it.
    Nothing,
}

/// Whether `from` may be read, whose messages go to `to`.
fn may_read(from: &Side, to: &Side) -> bool {
    let (from, to) = (from.queue.len(), to.queue.len());
    // If both queues are full, each peer may be waiting for the other's queue to empty.
    to < HIGH || (from >= HIGH && to < HARD)
}

impl Running {
    async fn run(mut self, life: watch::Receiver<Life>) {
        let why = self.converse(life).await;
        let outs = self.carrier.end(&why);
        self.scatter(outs, Credit::default());
        let _ = timeout(LATE_REQUESTS, self.close_unwanted_connections()).await;
        let fault = Fault::SessionLost {
            peer: "the MCP server in the chain".to_owned(),
            why: why.message().to_owned(),
        };
        // The chain is notified at once; late requests are still answered with the reason.
        let refusing = refuse_late(self.carrier, self.mcp, fault);
        tokio::join!(refusing, self.acp.close(None));
    }

    /// Waits for connections that were requested and are no longer needed, to close them: the provider would
    /// keep them open for ever.
    async fn close_unwanted_connections(&mut self) {
        while self.carrier.may_get_unwanted_connection() {
            self.mcp.flush();
            self.acp.flush();
            let Some(Outbound::One(envelope)) = self.acp.end.rx.recv().await else {
                return;
            };
            let outs = self.carrier.from_chain(envelope.msg, now());
            self.scatter(outs, envelope.credit);
        }
    }

    /// Carries messages until a side has closed or the declaration is no longer valid; returns the reason.
    async fn converse(&mut self, mut life: watch::Receiver<Life>) -> RpcError {
        loop {
            {
                let life = life.borrow_and_update();
                if life.revoked {
                    return revoked();
                }
                if let Some(session) = &life.session {
                    self.carrier.began(session);
                }
            }
            self.mcp.flush();
            self.acp.flush();
            if self.carrier.is_over() {
                return fault::gone("the provider has closed the MCP connection");
            }
            let wake = self.carrier.next_wake();
            let takes = self.carrier.has_room() && may_read(&self.mcp, &self.acp);
            let happened = tokio::select! {
                biased;
                alive = life.changed() => match alive {
                    Ok(()) => Happened::Nothing,
                    Err(_) => return revoked(),
                },
                said = self.acp.end.rx.recv(), if may_read(&self.acp, &self.mcp) => {
                    Happened::Acp(said)
                }
                said = self.mcp.end.rx.recv(), if takes => Happened::Mcp(said),
                room = self.mcp.end.tx.reserve(), if !self.mcp.queue.is_empty() => match room {
                    Ok(_) => Happened::Nothing,
                    Err(_) => Happened::Mcp(None),
                },
                room = self.acp.end.tx.reserve(), if !self.acp.queue.is_empty() => match room {
                    Ok(_) => Happened::Nothing,
                    Err(_) => Happened::Acp(None),
                },
                () = sleep_until(wake) => Happened::Time,
            };
            match happened {
                Happened::Acp(None) => return fault::gone("the chain has ended"),
                Happened::Mcp(None) => return fault::gone("the MCP client has disconnected"),
                Happened::Acp(Some(Outbound::One(envelope))) => {
                    let outs = self.carrier.from_chain(envelope.msg, now());
                    self.scatter(outs, envelope.credit);
                }
                Happened::Mcp(Some(Outbound::One(envelope))) => {
                    let outs = self.carrier.from_mcp(envelope.msg, now());
                    self.scatter(outs, envelope.credit);
                }
                Happened::Time => {
                    let outs = self.carrier.on_time(now());
                    self.scatter(outs, Credit::default());
                }
                // Sessions send arrays to fronts only.
                Happened::Acp(Some(Outbound::Array(_)))
                | Happened::Mcp(Some(Outbound::Array(_))) => {}
                Happened::Nothing => {}
            }
        }
    }

    /// Queues the carrier's messages. The first one gets the credit of the message that caused them; a
    /// message that is held for a connection keeps its credit in `credits`.
    fn scatter(&mut self, outs: Vec<Out>, credit: Credit) {
        let mut credit = Some(credit);
        for out in outs {
            let credit = credit.take().unwrap_or_default();
            match out {
                Out::Chain(msg) => self.acp.queue.push_back(Envelope {
                    credit,
                    ..Envelope::new(msg)
                }),
                Out::Mcp { msg, about } => {
                    let about = about.filter(|_| !msg.is_answer());
                    self.mcp.queue.push_back(Envelope {
                        credit,
                        relates_to: about.and_then(|id| id.as_hop()),
                        ..Envelope::new(msg)
                    });
                }
            }
        }
        self.credits.extend(credit);
        if !self.carrier.is_holding() {
            self.credits.clear();
        }
    }
}

/// Answers requests that still arrive with the reason of the end, for a limited time, then closes the side.
async fn refuse_late(mut carrier: Carrier, mut mcp: Side, fault: Fault) {
    let mut answer = |said: Outbound, queue: &mut VecDeque<Envelope>| {
        let Outbound::One(envelope) = said else {
            return;
        };
        for out in carrier.from_mcp(envelope.msg, now()) {
            if let Out::Mcp { msg, .. } = out {
                queue.push_back(Envelope::new(msg));
            }
        }
    };
    let asking = async {
        while mcp.queue.len() < HARD {
            mcp.flush();
            match mcp.end.rx.recv().await {
                Some(said) => answer(said, &mut mcp.queue),
                None => return,
            }
        }
    };
    let _ = timeout(LATE_REQUESTS, asking).await;
    mcp.end.rx.close();
    while let Ok(said) = mcp.end.rx.try_recv() {
        answer(said, &mut mcp.queue);
    }
    mcp.close(Some(fault)).await;
}

#[cfg(test)]
#[path = "port_tests.rs"]
mod tests;
