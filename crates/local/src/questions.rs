//! What a local server has asked its client.

use std::collections::HashMap;

use linkspan_wire::{Id, IdKey, Message};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

/// Questions without an answer, by their id.
#[derive(Default)]
pub(super) struct Questions(Mutex<Open>);

#[derive(Default)]
struct Open {
    last: u64,
    waiting: HashMap<IdKey, oneshot::Sender<Message>>,
}

impl Questions {
    /// An id for a new question, and where its answer will come. A name that is free becomes the id:
    /// clients of the stateless era see it, and may know what it stands for.
    pub(super) fn open(&self, name: Option<&str>) -> (Id, oneshot::Receiver<Message>) {
        let (tell, told) = oneshot::channel();
        let mut open = self.lock();
        let named = name.map(Id::string);
        let named = named.filter(|id| !open.waiting.contains_key(&id.key()));
        let id = named.unwrap_or_else(|| {
            open.last += 1;
            Id::number(open.last)
        });
        open.waiting.insert(id.key(), tell);
        (id, told)
    }

    /// Hands an answer to its question.
    pub(super) fn answered(&self, answer: Message) {
        let id = answer.id();
        let waiting = id.and_then(|id| self.lock().waiting.remove(&id.key()));
        if let Some(waiting) = waiting {
            let _ = waiting.send(answer);
        }
    }

    /// Forgets a question; `true` if it had no answer.
    pub(super) fn forget(&self, id: &Id) -> bool {
        self.lock().waiting.remove(&id.key()).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock()
    }
}
