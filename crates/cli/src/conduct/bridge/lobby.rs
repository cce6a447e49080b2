//! Connections that have not shown a secret yet.
//!
//! Any program of the user can connect and stay silent, so these must not take places from connections
//! that have shown one. There is a fixed number of them; the oldest one is dropped for a new one. A
//! client of ours shows its secret at once, so that an old one is not one of them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// Connections without a secret at once.
const MOST: usize = 128;

/// All connections that have not shown a secret.
#[derive(Default, Clone)]
pub(super) struct Lobby(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    last: u64,
    /// The oldest first.
    all: VecDeque<(u64, oneshot::Sender<()>)>,
}

/// One of them; it leaves when this is dropped.
pub(super) struct Visit {
    lobby: Lobby,
    number: u64,
    dropped: oneshot::Receiver<()>,
}

impl Lobby {
    /// Lets one more in, for which the oldest one may have to go.
    pub(super) fn enter(&self) -> Visit {
        let (keep, dropped) = oneshot::channel();
        let mut waiting = self.lock();
        waiting.last += 1;
        let number = waiting.last;
        waiting.all.push_back((number, keep));
        if waiting.all.len() > MOST {
            waiting.all.pop_front();
        }
        drop(waiting);
        Visit {
            lobby: self.clone(),
            number,
            dropped,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Visit {
    /// Resolves when this one has to go for a newer one.
    pub(super) async fn has_to_go(&mut self) {
        let _ = (&mut self.dropped).await;
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let mut waiting = self.lobby.lock();
        let at = waiting.all.iter().position(|(own, _)| *own == self.number);
        if let Some(at) = at {
            waiting.all.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot::error::TryRecvError;

    fn goes(visit: &mut Visit) -> bool {
        visit.dropped.try_recv() == Err(TryRecvError::Closed)
    }

    #[test]
    fn the_oldest_goes_for_a_new_one_and_only_then() {
        let lobby = Lobby::default();
        let mut visits: Vec<Visit> = (0..MOST).map(|_| lobby.enter()).collect();
        assert!(!visits.iter_mut().any(goes));
        let mut more = lobby.enter();
        assert!(goes(&mut visits[0]));
        assert!(!visits[1..].iter_mut().any(goes) && !goes(&mut more));
        // Who has left makes room.
        drop(visits.pop());
        let mut another = lobby.enter();
        assert!(!goes(&mut visits[1]) && !goes(&mut another));
        drop((visits, more, another));
        assert!(lobby.lock().all.is_empty());
    }
}
