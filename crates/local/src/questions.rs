//! Requests from a local server to its client.

use std::collections::HashMap;

use linkspan_wire::{Id, IdKey, Message};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

/// Unanswered questions by id.
#[derive(Default)]
pub(super) struct Questions(Mutex<Open>);

#[derive(Default)]
struct Open {
    last: u64,
    waiting: HashMap<IdKey, oneshot::Sender<Message>>,
}

impl Questions {
    /// The id of a new question and the receiver of its answer. `name` becomes the id if no open question has
    /// it: clients of the stateless era see the id, and may recognise it.
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

    /// Delivers an answer to its question.
    pub(super) fn answered(&self, answer: Message) {
        let id = answer.id();
        let waiting = id.and_then(|id| self.lock().waiting.remove(&id.key()));
        if let Some(waiting) = waiting {
            let _ = waiting.send(answer);
        }
    }

    /// Removes a question; `true` if it was unanswered.
    pub(super) fn forget(&self, id: &Id) -> bool {
        self.lock().waiting.remove(&id.key()).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock()
    }
}
