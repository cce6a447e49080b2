//! The conductor's task: moves messages between ports and the chain. All rules are in [`Chain`].

mod closing;

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use linkspan_session::{
    Budget, Credit, Envelope, Fault, Inbound, Outbound, Port, now, sleep_until,
};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{self, OwnedPermit};
use tokio::sync::oneshot;

use crate::bridge::Joining;
use crate::chain::{Chain, ChainBroken, StartError};
use crate::plan::Node;

/// Bytes that a peer's port may hold before it has written them.
const AHEAD: usize = 256 << 10;

/// How a chain ended.
#[derive(Debug)]
pub enum ChainEnded {
    /// The editor closed its side.
    OutsideClosed,
    /// We were asked to stop.
    Stopped,
    /// A component failed.
    Broken(ChainBroken),
}

/// A chain and its ports.
pub struct Conductor<S> {
    chain: Chain,
    peers: Vec<Peer>,
    start: S,
    parts: usize,
    started: bool,
    joins: mpsc::Receiver<Joining>,
    rooms: FuturesUnordered<Pin<Box<Room>>>,
    drain: Duration,
    /// Resolves when the editor has sent its last message, which may not be read yet.
    last_word: oneshot::Receiver<()>,
    /// Set after that: the deadline for pending requests.
    ends: Option<Instant>,
    /// The peer to poll first; round robin.
    turn: usize,
}

type Room = dyn Future<Output = (Node, Option<OwnedPermit<Outbound>>, Credit)> + Send;

struct Peer {
    node: Node,
    port: Port,
    /// A message that was received but may not be handled yet; an inner `None` is the end.
    next: Option<Option<Inbound>>,
    /// The budget for messages in the peer's port.
    ahead: Budget,
    /// The peer has ended and will send nothing more.
    gone: bool,
    /// The peer's end has been handled.
    silent: bool,
    /// A task waits for room in the peer's queue.
    waiting: bool,
}

impl<S: FnMut(usize) -> Result<Port, StartError>> Conductor<S> {
    /// Joins the outside and the components. `start` starts the components when the first `initialize`
    /// arrives.
    pub fn new(
        chain: Chain,
        mut outside: Port,
        parts: usize,
        start: S,
        joins: mpsc::Receiver<Joining>,
        drain: Duration,
    ) -> Self {
        let unused = oneshot::channel().1;
        Self {
            chain,
            last_word: std::mem::replace(&mut outside.last_word, unused),
            peers: vec![Peer::new(Node::Outside, outside)],
            start,
            parts,
            started: false,
            joins,
            rooms: FuturesUnordered::new(),
            drain,
            ends: None,
            turn: 0,
        }
    }

    /// Runs until the editor closes its side, a component fails, or `stop` resolves; then closes all
    /// connections.
    pub async fn run(mut self, stop: impl Future<Output = ()>) -> ChainEnded {
        tokio::pin!(stop);
        let ended = self.relay(stop).await;
        self.chain.stop();
        self.answer_queued();
        self.flush_and_close().await;
        ended
    }

    async fn relay(&mut self, mut stop: Pin<&mut impl Future<Output = ()>>) -> ChainEnded {
        loop {
            self.flush();
            if let Some(broken) = self.chain.broken() {
                return ChainEnded::Broken(broken.clone());
            }
            if self.peers[0].silent && self.chain.in_flight() == 0 {
                return ChainEnded::OutsideClosed;
            }
            let wake = self.chain.next_wake();
            let listens = self.ends.is_none();
            tokio::select! {
                biased;
                () = &mut stop => return ChainEnded::Stopped,
                Some((node, permit, credit)) = self.rooms.next() => {
                    self.hand_over(node, permit, credit);
                }
                Some(joining) = self.joins.recv() => self.let_in(joining),
                _ = &mut self.last_word, if listens => {
                    // Not only in `take_in`: the editor's end may wait behind messages that the agent does
                    // not read.
                    self.ends = Some(now() + self.drain);
                }
                () = sleep_until(self.ends), if !listens => return ChainEnded::OutsideClosed,
                () = sleep_until(wake) => self.chain.on_time(now()),
                // Last, so that a peer that never stops sending does not starve the other branches.
                (at, inbound) = heard(&mut self.peers, &self.chain, &mut self.turn) => {
                    self.take_in(at, inbound);
                }
            }
        }
    }

    fn take_in(&mut self, at: usize, inbound: Option<Inbound>) {
        let peer = &mut self.peers[at];
        let node = peer.node;
        let inbound = inbound.unwrap_or_else(|| {
            Inbound::Closed(Fault::PeerClosed {
                peer: peer.port.name.clone(),
                why: "the connection closed without an error".to_owned(),
            })
        });
        let closed = matches!(inbound, Inbound::Closed(_));
        if closed {
            peer.silent = true;
            if node == Node::Outside {
                // The editor may still wait for answers.
                self.ends = self.ends.or_else(|| Some(now() + self.drain));
                return;
            }
        }
        self.chain.receive(node, inbound, now());
        if node == Node::Outside {
            // Extends the deadline for a message that the editor sent before it closed.
            let later = now() + self.drain;
            self.ends = self
                .ends
                .map(|ends| if ends > now() { later } else { ends });
        }
        if closed && matches!(node, Node::Joined(_)) {
            self.peers.remove(at);
        }
        if self.chain.has_begun() && !self.started {
            self.start_all();
        }
    }

    /// Starts all components at once: each may take a while.
    fn start_all(&mut self) {
        self.started = true;
        for part in 0..self.parts {
            match (self.start)(part) {
                Ok(port) => self.peers.push(Peer::new(Node::Part(part), port)),
                Err(why) => return self.chain.not_started(part, why, now()),
            }
        }
    }

    fn let_in(&mut self, joining: Joining) {
        let node = self.chain.join(joining.declaration_id);
        self.peers.push(Peer::new(node, joining.port));
    }

    /// Never waits: a peer that does not read must not block the others.
    fn flush(&mut self) {
        for peer in &mut self.peers {
            let Some(outbox) = self.chain.outbox(peer.node).filter(|_| !peer.waiting) else {
                continue;
            };
            while let Some(item) = outbox.pop() {
                let len = item.len();
                let Some(credit) = peer.ahead.take(len).now_or_never() else {
                    outbox.unpop(item);
                    peer.waiting = true;
                    self.rooms.push(peer.room(len));
                    break;
                };
                match peer.port.tx.try_send(with_credit(item, credit)) {
                    Ok(()) => {}
                    Err(TrySendError::Full(item)) => {
                        // Without its credit: the item would wait for the budget that it holds itself.
                        outbox.unpop(with_credit(item, Credit::default()));
                        peer.waiting = true;
                        self.rooms.push(peer.room(len));
                        break;
                    }
                    // Our stdout is closed: the editor is gone, even if our stdin is still open.
                    Err(TrySendError::Closed(_)) if peer.node == Node::Outside => {
                        self.ends = Some(now());
                    }
                    // The peer has ended; its port reports that.
                    Err(TrySendError::Closed(_)) => {}
                }
            }
        }
    }

    /// Sends the next item with the permit of a port.
    fn hand_over(&mut self, node: Node, permit: Option<OwnedPermit<Outbound>>, credit: Credit) {
        if let Some(peer) = self.peers.iter_mut().find(|peer| peer.node == node) {
            peer.waiting = false;
        }
        match permit {
            Some(permit) => {
                if let Some(item) = self.chain.outbox(node).and_then(|outbox| outbox.pop()) {
                    permit.send(with_credit(item, credit));
                }
            }
            // As in `flush`.
            None if node == Node::Outside => self.ends = Some(now()),
            None => {}
        }
    }

    /// Answers requests that peers sent before they could know that the chain had ended.
    fn answer_queued(&mut self) {
        for at in 0..self.peers.len() {
            let peer = &mut self.peers[at];
            let (node, queued) = (peer.node, peer.queued());
            for inbound in queued {
                self.chain.receive(node, inbound, now());
            }
        }
    }
}

impl Peer {
    fn new(node: Node, port: Port) -> Self {
        Self {
            node,
            port,
            next: None,
            ahead: Budget::strict(AHEAD),
            gone: false,
            silent: false,
            waiting: false,
        }
    }

    /// Polls for the peer's end; the editor's end is handled in `relay`, because it gets time to read.
    fn poll_end(&mut self, cx: &mut Context<'_>) {
        if !self.gone && self.node != Node::Outside {
            self.gone = Pin::new(&mut self.port.last_word).poll(cx).is_ready();
        }
    }

    /// The received but unhandled messages, at most as many as its queue holds: the peer may go on sending.
    fn queued(&mut self) -> Vec<Inbound> {
        let first = self.next.take().flatten();
        let most = self.port.rx.max_capacity();
        let rest = std::iter::from_fn(|| self.port.rx.try_recv().ok()).take(most);
        let queued = first.into_iter().chain(rest);
        queued
            .filter(|inbound| !matches!(inbound, Inbound::Closed(_)))
            .collect()
    }

    /// Waits until the peer's port accepts an item of that size.
    fn room(&self, len: usize) -> Pin<Box<Room>> {
        let (node, tx, ahead) = (self.node, self.port.tx.clone(), self.ahead.clone());
        Box::pin(async move {
            let credit = tokio::select! {
                credit = ahead.take(len) => credit,
                () = tx.closed() => Credit::default(),
            };
            (node, tx.reserve_owned().await.ok(), credit)
        })
    }
}

/// The item with the credit that it holds until its port has written it.
fn with_credit(item: Outbound, credit: Credit) -> Outbound {
    match item {
        Outbound::One(envelope) => Outbound::One(Envelope { credit, ..envelope }),
        array => array,
    }
}

/// The next message of a peer that may be read; round robin.
async fn heard(peers: &mut [Peer], chain: &Chain, turn: &mut usize) -> (usize, Option<Inbound>) {
    let look = |cx: &mut Context<'_>| {
        // Also polls peers that may not be read: whether they have sent messages decides which others may be
        // read.
        for peer in peers.iter_mut() {
            peer.poll_end(cx);
            if peer.next.is_none()
                && !peer.silent
                && let Poll::Ready(inbound) = peer.port.rx.poll_recv(cx)
            {
                peer.next = Some(inbound);
            }
        }
        let speaks = |node| {
            let peer = peers.iter().find(|peer| peer.node == node);
            peer.is_some_and(|peer| peer.next.is_some())
        };
        let count = peers.len();
        let at = (0..count).map(|step| (*turn + step) % count).find(|at| {
            let peer = &peers[*at];
            // The last messages of an ended component are few, and every request waits for its end.
            peer.next.is_some() && (peer.gone || chain.may_read(peer.node, speaks))
        });
        match at.and_then(|at| Some((at, peers[at].next.take()?))) {
            Some((at, inbound)) => {
                *turn = at + 1;
                Poll::Ready((at, inbound))
            }
            None => Poll::Pending,
        }
    };
    std::future::poll_fn(look).await
}

#[cfg(test)]
mod tests;
