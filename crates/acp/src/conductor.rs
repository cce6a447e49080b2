//! The conductor's task: moves messages between ports and the chain, and decides nothing.

mod farewell;

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

/// Bytes that may be handed to a peer's port before it has written them.
const AHEAD: usize = 256 << 10;

/// How a chain came to its end.
#[derive(Debug)]
pub enum ChainEnded {
    /// The editor closed its side.
    OutsideClosed,
    /// We were asked to stop.
    Stopped,
    /// A component is gone.
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
    /// Resolves when the editor has said its last word, though it may still wait to be read.
    last_word: oneshot::Receiver<()>,
    /// Set then: how long it is waited for what is under way.
    ends: Option<Instant>,
    /// Who is looked at first; takes turns.
    turn: usize,
}

type Room = dyn Future<Output = (Node, Option<OwnedPermit<Outbound>>, Credit)> + Send;

struct Peer {
    node: Node,
    port: Port,
    /// What it has said and we have not heard yet, because we may not; `None` inside is its end.
    next: Option<Option<Inbound>>,
    /// What its port may hold.
    ahead: Budget,
    /// Has gone: nothing will be added to what waits to be heard.
    gone: bool,
    /// Has said its last word, and we have heard it.
    silent: bool,
    /// Waits for room in its queue.
    waiting: bool,
}

impl<S: FnMut(usize) -> Result<Port, StartError>> Conductor<S> {
    /// Joins the outside and the components, which `start` starts when the first `initialize` comes.
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

    /// Runs until the editor closes its side, a component is gone, or `stop` resolves; then closes all connections.
    pub async fn run(mut self, stop: impl Future<Output = ()>) -> ChainEnded {
        tokio::pin!(stop);
        let ended = self.relay(stop).await;
        self.chain.stop();
        self.answer_queued();
        self.farewell().await;
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
                    // An agent that does not read must not keep us from noticing.
                    self.ends = Some(now() + self.drain);
                }
                () = sleep_until(self.ends), if !listens => return ChainEnded::OutsideClosed,
                () = sleep_until(wake) => self.chain.on_time(now()),
                // Last: a peer that never stops sending must not keep us from anything else.
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
                // It may still be waiting for answers.
                self.ends = self.ends.or_else(|| Some(now() + self.drain));
                return;
            }
        }
        self.chain.receive(node, inbound, now());
        if node == Node::Outside {
            // There is still time for what it said before it went.
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

    /// Never waits: a peer that does not read must not hold up the others.
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
                        // With its credit it would wait for itself.
                        outbox.unpop(with_credit(item, Credit::default()));
                        peer.waiting = true;
                        self.rooms.push(peer.room(len));
                        break;
                    }
                    // Our stdout is closed: the editor is gone, whatever our stdin does.
                    Err(TrySendError::Closed(_)) if peer.node == Node::Outside => {
                        self.ends = Some(now());
                    }
                    // It is gone, and will say so itself.
                    Err(TrySendError::Closed(_)) => {}
                }
            }
        }
    }

    /// Puts the next item into the room that a port has made.
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
            // The same as in `flush`.
            None if node == Node::Outside => self.ends = Some(now()),
            None => {}
        }
    }

    /// Answers what peers have sent before they could know that the chain has ended.
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

    /// Notices that it has gone; the editor's end is noticed elsewhere, because it has time to listen.
    fn look_after(&mut self, cx: &mut Context<'_>) {
        if !self.gone && self.node != Node::Outside {
            self.gone = Pin::new(&mut self.port.last_word).poll(cx).is_ready();
        }
    }

    /// What it has sent and was not received yet, at most as much as its queue holds: it may go on
    /// sending meanwhile.
    fn queued(&mut self) -> Vec<Inbound> {
        let first = self.next.take().flatten();
        let most = self.port.rx.max_capacity();
        let rest = std::iter::from_fn(|| self.port.rx.try_recv().ok()).take(most);
        let queued = first.into_iter().chain(rest);
        queued
            .filter(|inbound| !matches!(inbound, Inbound::Closed(_)))
            .collect()
    }

    /// Waits until its port takes an item of that size.
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

/// The item, which counts until its port has written it.
fn with_credit(item: Outbound, credit: Credit) -> Outbound {
    match item {
        Outbound::One(envelope) => Outbound::One(Envelope { credit, ..envelope }),
        array => array,
    }
}

/// The next message of a peer that may be read; peers take turns.
async fn heard(peers: &mut [Peer], chain: &Chain, turn: &mut usize) -> (usize, Option<Inbound>) {
    let look = |cx: &mut Context<'_>| {
        // Also those that may not be read: whether they have sent something decides which others may be.
        for peer in peers.iter_mut() {
            peer.look_after(cx);
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
            // The last messages of a component that has ended are few, and every request waits for its end.
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
