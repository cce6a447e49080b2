//! The end of a chain: each peer gets what is left, and the editor an answer to each request.

use std::time::Duration;

use futures_util::future::join_all;
use linkspan_session::Inbound;
use tokio::task::yield_now;
use tokio::time::timeout;

use super::{Conductor, Peer, now};
use crate::plan::Node;

/// How long a peer may take to take what is left for it, and to say goodbye: longer than a process that
/// has to be killed.
const FAREWELL: Duration = Duration::from_secs(4);

/// What the editor has of that at least, after the components have ended.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// How long the editor has to be silent before its port is closed at the end.
pub(super) const QUIET: Duration = Duration::from_millis(50);

impl<S> Conductor<S> {
    /// Sends what is left, closes the components' ports and waits for their tasks, for a limited time.
    /// Meanwhile, and until it sends nothing more, the editor's requests are still answered; then its
    /// port is closed too.
    pub(super) async fn farewell(mut self) {
        // Ports that waited for room hold their queues open.
        self.rooms.clear();
        let mut peers = std::mem::take(&mut self.peers).into_iter();
        let Some(mut outside) = peers.next() else {
            return;
        };
        let begun = now();
        let leaving = peers.map(|peer| {
            let left = self.chain.left(peer.node);
            peer.port.flush_and_close(left, FAREWELL)
        });
        let leaving = join_all(leaving.collect::<Vec<_>>());
        tokio::pin!(leaving);
        let mut hears = !outside.silent;
        loop {
            tokio::select! {
                _ = &mut leaving => break,
                more = self.answer_next(&mut outside), if hears => hears = more,
            }
        }
        if hears {
            let last = async {
                while let Ok(true) = timeout(QUIET, self.answer_next(&mut outside)).await {}
            };
            let _ = timeout(FAREWELL, last).await;
        }
        // Part of its time has passed while the components ended.
        let limit = FAREWELL.saturating_sub(now() - begun).max(LAST_WORDS);
        let _ = timeout(limit, self.leave_outside(outside, limit)).await;
    }

    /// Answers what the editor has sent until there is nothing more to read, closes its port and waits for
    /// its task.
    async fn leave_outside(mut self, mut outside: Peer, limit: Duration) {
        loop {
            self.send_left(&mut outside).await;
            // The port's task has its turn to read: after the first, it knows whether there is anything.
            for _ in 0..2 {
                yield_now().await;
            }
            match outside.port.rx.try_recv() {
                Err(_) | Ok(Inbound::Closed(_)) => break,
                Ok(inbound) => self.chain.receive(Node::Outside, inbound, now()),
            }
        }
        // A port that waits for room here could not end.
        outside.port.rx.close();
        for inbound in outside.queued() {
            self.chain.receive(Node::Outside, inbound, now());
        }
        let left = self.chain.left(Node::Outside);
        outside.port.flush_and_close(left, limit).await;
    }

    /// Sends the editor what waits for it; `false` if it takes nothing more.
    async fn send_left(&mut self, outside: &mut Peer) -> bool {
        if let Some(outbox) = self.chain.outbox(Node::Outside) {
            outbox.send_all(&outside.port.tx).await;
            return outbox.is_empty();
        }
        true
    }

    /// Sends the editor what waits for it, then takes in the next thing that it sends. `false` if that
    /// was the last. Nothing is lost if this is dropped while it waits.
    async fn answer_next(&mut self, outside: &mut Peer) -> bool {
        if !self.send_left(outside).await {
            return false;
        }
        match outside.port.rx.recv().await {
            None | Some(Inbound::Closed(_)) => false,
            Some(inbound) => {
                self.chain.receive(Node::Outside, inbound, now());
                true
            }
        }
    }
}
