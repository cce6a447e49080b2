//! Connections that have not shown a secret yet.
//!
//! Any program of the user can connect and stay silent, so these connections are counted apart from those
//! that have shown a secret. Their number is limited; the oldest is closed for a new one. `linkspan mcp`
//! shows its secret at once, so it is unlikely to own the oldest connection.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// Unproven connections at once.
const MAX_UNPROVEN: usize = 128;

/// All connections that have not shown a secret.
#[derive(Default, Clone)]
pub(super) struct UnprovenConnections(Arc<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    last_number: u64,
    /// The oldest first.
    all: VecDeque<(u64, oneshot::Sender<()>)>,
}

/// An unproven connection, until this is dropped.
pub(super) struct UnprovenConnection {
    all: UnprovenConnections,
    number: u64,
    evicted: oneshot::Receiver<()>,
}

impl UnprovenConnections {
    /// Adds a connection; the oldest may be evicted for it.
    pub(super) fn add(&self) -> UnprovenConnection {
        let (keep, evicted) = oneshot::channel();
        let mut queue = self.0.lock();
        queue.last_number += 1;
        let number = queue.last_number;
        queue.all.push_back((number, keep));
        if queue.all.len() > MAX_UNPROVEN {
            queue.all.pop_front();
        }
        drop(queue);
        UnprovenConnection {
            all: self.clone(),
            number,
            evicted,
        }
    }
}

impl UnprovenConnection {
    /// Resolves when this connection has to be closed for a newer one.
    pub(super) async fn evicted(&mut self) {
        let _ = (&mut self.evicted).await;
    }
}

impl Drop for UnprovenConnection {
    fn drop(&mut self) {
        let mut queue = self.all.0.lock();
        let at = queue.all.iter().position(|(own, _)| *own == self.number);
        if let Some(at) = at {
            queue.all.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot::error::TryRecvError;

    fn is_evicted(connection: &mut UnprovenConnection) -> bool {
        connection.evicted.try_recv() == Err(TryRecvError::Closed)
    }

    #[test]
    fn the_oldest_is_evicted_only_for_a_new_one() {
        let all = UnprovenConnections::default();
        let mut connections: Vec<UnprovenConnection> =
            (0..MAX_UNPROVEN).map(|_| all.add()).collect();
        assert!(!connections.iter_mut().any(is_evicted));
        let mut more = all.add();
        assert!(is_evicted(&mut connections[0]));
        assert!(!connections[1..].iter_mut().any(is_evicted) && !is_evicted(&mut more));
        // A closed connection makes room.
        drop(connections.pop());
        let mut another = all.add();
        assert!(!is_evicted(&mut connections[1]) && !is_evicted(&mut another));
        drop((connections, more, another));
        assert!(all.0.lock().all.is_empty());
    }
}
