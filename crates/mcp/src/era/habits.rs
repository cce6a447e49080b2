//! Which calls of a legacy server ask their client something, as far as has been seen.
//!
//! A question over stdio does not say which call it belongs to. So a call that may ask has a server
//! for itself; one that has been seen to end without asking may share it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use linkspan_wire::{Json, Message};

use super::question::may_ask;

/// What a server offers is its own choice; what we remember of it is bounded.
const MOST: usize = 10_000;

/// What has been seen of one server, by all of its instances together.
#[derive(Debug, Default)]
pub struct Habits(Mutex<HashMap<String, Habit>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Habit {
    Quiet,
    Asks,
}

impl Habits {
    /// Whether a client may be asked something in the course of this request.
    pub fn may_ask(&self, request: &Message) -> bool {
        may_ask(&request.method()) && self.known().get(&key(request)) != Some(&Habit::Quiet)
    }

    /// A call has ended without a question. Whoever has asked once may ask again.
    pub(crate) fn quiet(&self, key: &str) {
        let mut known = self.known();
        if known.len() < MOST && !known.contains_key(key) {
            known.insert(key.to_owned(), Habit::Quiet);
        }
    }

    /// A call has asked.
    pub(crate) fn asks(&self, key: &str) {
        let mut known = self.known();
        if known.len() < MOST || known.contains_key(key) {
            known.insert(key.to_owned(), Habit::Asks);
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Habit>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a request has in common with others of its kind: the tool or the prompt.
pub(crate) fn key(request: &Message) -> String {
    let name = request
        .params()
        .and_then(|params| params.get("name"))
        .and_then(Json::as_str);
    format!("{} {}", request.method(), name.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::Id;

    fn call(name: &str) -> Message {
        let params = format!(r#"{{"name":"{name}"}}"#);
        Message::request(&Id::number(1), "tools/call", Some(&params))
    }

    #[test]
    fn a_call_may_ask_until_it_has_been_seen_not_to() {
        let habits = Habits::default();
        assert!(habits.may_ask(&call("a")));
        habits.quiet(&key(&call("a")));
        assert!(!habits.may_ask(&call("a")));
        assert!(habits.may_ask(&call("b")), "another tool");
        let list = Message::request(&Id::number(1), "tools/list", None);
        assert!(!habits.may_ask(&list), "no list ever asks");
    }

    #[test]
    fn who_has_asked_once_may_ask_again() {
        let habits = Habits::default();
        let key = key(&call("a"));
        habits.quiet(&key);
        habits.asks(&key);
        habits.quiet(&key);
        assert!(habits.may_ask(&call("a")));
    }
}
