//! What a local server has asked its client.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use linkspan_wire::Message;
use tokio::sync::oneshot;

/// Questions without an answer, by their number.
#[derive(Default)]
pub(super) struct Questions(Mutex<Open>);

#[derive(Default)]
struct Open {
    last: u64,
    waiting: HashMap<u64, oneshot::Sender<Message>>,
}

impl Questions {
    /// A number for a new question, and where its answer will come.
    pub(super) fn open(&self) -> (u64, oneshot::Receiver<Message>) {
        let (tell, told) = oneshot::channel();
        let mut open = self.lock();
        open.last += 1;
        let number = open.last;
        open.waiting.insert(number, tell);
        (number, told)
    }

    /// Hands an answer to whoever waits for it.
    pub(super) fn answered(&self, answer: Message) {
        let number = answer.id().and_then(|id| id.as_hop());
        let waiting = number.and_then(|number| self.lock().waiting.remove(&number));
        if let Some(waiting) = waiting {
            let _ = waiting.send(answer);
        }
    }

    /// Forgets a question; `true` if it had no answer.
    pub(super) fn forget(&self, number: u64) -> bool {
        self.lock().waiting.remove(&number).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
