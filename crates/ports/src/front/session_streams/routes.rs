//! The stream that a message of the server belongs to.
//!
//! A client may have many POSTs open and one standing GET stream. A message goes to exactly one of them: to its own
//! stream if that is known, else to the one where it does least harm.

use std::collections::{BTreeMap, HashMap};

use linkspan_mcp::names;
use linkspan_session::{Envelope, Outbound};
use linkspan_wire::{Frame, Id, IdKey, Json, Kind, Limits, Message};

use crate::front::body::RequestSlot;

/// The number of the standing stream; POSTs have others.
pub(super) const STANDING: u32 = 0;

const LOG_MESSAGE: &str = "notifications/message";

/// The POSTs that wait for answers.
#[derive(Debug, Default)]
pub(super) struct Routes {
    posts: BTreeMap<u32, Post>,
    /// Requests in flight. If their POST is closed, the answer is dropped.
    ids: HashMap<IdKey, Owed>,
    tokens: HashMap<Box<str>, u32>,
    /// Whether the standing stream has a reader.
    pub(super) listening: bool,
}

/// A request in flight, whether or not its client is still connected.
#[derive(Debug)]
struct Owed {
    /// Its POST.
    number: u32,
    _slot: Option<RequestSlot>,
}

#[derive(Debug)]
struct Post {
    owed: usize,
    is_batch: bool,
    live: bool,
}

/// The destination of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    /// To this stream.
    To(u32),
    /// To this stream, as its last message.
    Last(u32),
    /// Its answer is no longer waited for.
    Nowhere,
}

impl Routes {
    /// Adds a POST with `requests`, which keep their slot until they are answered. The error is an id that is already
    /// in flight.
    pub(super) fn open(
        &mut self,
        number: u32,
        requests: &[&Message],
        is_batch: bool,
        slot: Option<&RequestSlot>,
    ) -> Result<(), Id> {
        let ids = requests.iter().filter_map(|request| request.id());
        if let Some(id) = ids.clone().find(|id| self.ids.contains_key(&id.key())) {
            return Err(id);
        }
        let owed = |id: Id| {
            let _slot = slot.cloned();
            (id.key(), Owed { number, _slot })
        };
        self.ids.extend(ids.map(owed));
        for request in requests {
            let meta = request.params().and_then(|params| params.get("_meta"));
            if let Some(token) = meta.and_then(|meta| meta.get("progressToken")) {
                self.tokens.insert(token.text().into(), number);
            }
        }
        let post = Post {
            owed: requests.len(),
            is_batch,
            live: true,
        };
        self.posts.insert(number, post);
        Ok(())
    }

    /// Adds the errors that a batch is answered with in addition: it is answered even if all its requests are
    /// cancelled.
    pub(super) fn owe(&mut self, number: u32, errors: usize) {
        if let Some(post) = self.posts.get_mut(&number) {
            post.owed += errors;
        }
    }

    /// Routes a message. An answer completes its request.
    pub(super) fn route(&mut self, item: &Outbound) -> Route {
        match item {
            Outbound::Array(text) => self.answers(text),
            Outbound::One(envelope) if envelope.msg.is_answer() => self.answer(&envelope.msg),
            Outbound::One(envelope) => Route::To(self.other(envelope)),
        }
    }

    /// Drops a cancelled request. Returns its POST if no other answer is owed to that.
    pub(super) fn cancel(&mut self, id: &Id) -> Option<u32> {
        let Owed { number, .. } = self.ids.remove(&id.key())?;
        self.settle(number).then_some(number)
    }

    /// Records whether the stream of a POST has a reader.
    pub(super) fn set_live(&mut self, number: u32, live: bool) {
        if let Some(post) = self.posts.get_mut(&number) {
            post.live = live;
        }
    }

    /// Removes a POST whose stream can never be read again.
    pub(super) fn lose(&mut self, number: u32) {
        self.posts.remove(&number);
        self.tokens.retain(|_, of| *of != number);
    }

    /// The number of open requests.
    pub(super) fn owed(&self) -> usize {
        self.ids.len()
    }

    /// Removes all open requests, and returns them with their POSTs.
    pub(super) fn give_up(&mut self) -> Vec<(IdKey, u32)> {
        self.posts.clear();
        self.tokens.clear();
        let owed = self.ids.drain();
        owed.map(|(key, owed)| (key, owed.number)).collect()
    }

    fn answer(&mut self, answer: &Message) -> Route {
        let key = answer.id().map_or(IdKey::Null, |id| id.key());
        if key == IdKey::Null {
            // Only a batch can be refused as a whole.
            return self.oldest_batch();
        }
        match self.ids.remove(&key).map(|owed| owed.number) {
            Some(number) if self.settle(number) => Route::Last(number),
            Some(number) if self.posts.contains_key(&number) => Route::To(number),
            _ => Route::Nowhere,
        }
    }

    fn answers(&mut self, array: &bytes::Bytes) -> Route {
        let Frame::Batch(entries) = Frame::parse(array.clone(), &Limits::MOST) else {
            return Route::Nowhere;
        };
        let mut found = None;
        for id in entries.iter().flatten().filter_map(Message::id) {
            let owed = self.ids.remove(&id.key());
            found = owed.map(|owed| owed.number).or(found);
        }
        match found {
            Some(number) if self.posts.contains_key(&number) => self.close(number),
            Some(_) => Route::Nowhere,
            None => self.oldest_batch(),
        }
    }

    fn oldest_batch(&mut self) -> Route {
        let mut batches = self.posts.iter().filter(|(_, post)| post.is_batch);
        match batches.next() {
            Some((&number, _)) => self.close(number),
            None => Route::Nowhere,
        }
    }

    fn close(&mut self, number: u32) -> Route {
        self.lose(number);
        self.ids.retain(|_, owed| owed.number != number);
        Route::Last(number)
    }

    /// Counts one answer to a POST; `true` if it was the last.
    fn settle(&mut self, number: u32) -> bool {
        let Some(post) = self.posts.get_mut(&number) else {
            return false;
        };
        post.owed = post.owed.saturating_sub(1);
        let done = post.owed == 0;
        if done {
            self.lose(number);
        }
        done
    }

    fn other(&self, envelope: &Envelope) -> u32 {
        let about = envelope.about.as_ref();
        let owner = about.and_then(|id| self.ids.get(&id.key()));
        let token = || self.tokens.get(token(&envelope.msg)?).copied();
        if let Some(number) = owner.map(|owed| owed.number).or_else(token)
            && self.posts.contains_key(&number)
        {
            return number;
        }
        let asks = envelope.msg.kind() == Kind::Request || envelope.msg.method() == LOG_MESSAGE;
        if asks
            && self.posts.len() == 1
            && let Some((number, post)) = self.posts.first_key_value()
            && (post.live || !self.listening)
        {
            return *number;
        }
        if self.listening {
            return STANDING;
        }
        let mut newest = self.posts.iter().rev().filter(|(_, post)| post.live);
        newest.next().map_or(STANDING, |(number, _)| *number)
    }
}

/// The token of a progress notification.
fn token(message: &Message) -> Option<&str> {
    if message.method() != names::PROGRESS {
        return None;
    }
    let token = message.params()?.get("progressToken");
    token.map(Json::text)
}

#[cfg(test)]
#[path = "routes_tests.rs"]
mod tests;
