//! The end of a chain: sends all queued messages, and answers each request of the editor.

use std::time::Duration;

use futures_util::future::join_all;
use linkspan_session::Inbound;
use tokio::task::yield_now;
use tokio::time::timeout;

use super::{Conductor, Peer, now};
use crate::plan::Node;

/// How long a peer may take to read its queued messages and to end: longer than killing a process takes.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(4);

/// The minimum of that time for the editor, after the components have ended.
const MIN_EDITOR_TIMEOUT: Duration = Duration::from_secs(1);
/// How long the editor has to send nothing before its port is closed at the end.
pub(super) const QUIET: Duration = Duration::from_millis(50);

impl<S> Conductor<S> {
    /// Sends queued messages, closes the components' ports and waits for their tasks, for a limited time. The
    /// editor's requests are answered meanwhile, and until it sends nothing more; then its port is closed
    /// too.
    pub(super) async fn flush_and_close(mut self) {
        // Ports that wait for room would keep their queues open.
        self.rooms.clear();
        let mut peers = std::mem::take(&mut self.peers).into_iter();
        let Some(mut outside) = peers.next() else {
            return;
        };
        let begun = now();
        let leaving = peers.map(|peer| {
            let left = self.chain.left(peer.node);
            peer.port.flush_and_close(left, CLOSE_TIMEOUT)
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
            let _ = timeout(CLOSE_TIMEOUT, last).await;
        }
        // A part of the time has passed while the components ended.
        let limit = CLOSE_TIMEOUT
            .saturating_sub(now() - begun)
            .max(MIN_EDITOR_TIMEOUT);
        let _ = timeout(limit, self.close_outside(outside, limit)).await;
    }

    /// Answers the editor's requests until there are no more to read, closes its port and waits for its task.
    async fn close_outside(mut self, mut outside: Peer, limit: Duration) {
        loop {
            self.send_left(&mut outside).await;
            // Lets the port's task run and read: after its first turn it knows whether there is input.
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

    /// Sends the editor its queued messages; `false` if it accepts no more.
    async fn send_left(&mut self, outside: &mut Peer) -> bool {
        if let Some(outbox) = self.chain.outbox(Node::Outside) {
            outbox.send_all(&outside.port.tx).await;
            return outbox.is_empty();
        }
        true
    }

    /// Sends the editor its queued messages, then handles its next message. `false` if that was the last one.
    /// Cancel safe.
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
