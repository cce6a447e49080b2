//! Which calls of a legacy server ask their client something, as far as has been seen.
//!
//! A question over stdio does not say which call it belongs to. So from a server's first question on,
//! a call that may ask has it for itself; one that has been seen to end without asking may share it.
//! Most servers never ask, and for them nothing changes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use linkspan_wire::{Json, Message};
use parking_lot::{Mutex, MutexGuard};

use super::question::may_ask;

/// What a server offers, and what a client makes up, is their choice; what we remember is bounded.
const MOST: usize = 10_000;
const LONGEST: usize = 256;

/// What has been seen of one server, by all of its instances together.
#[derive(Debug, Default)]
pub struct Habits {
    ever_asked: AtomicBool,
    wants_roots: AtomicBool,
    calls: Mutex<HashMap<String, Habit>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Habit {
    Quiet,
    Asks,
}

impl Habits {
    /// Whether a client must be expected to be asked something in the course of this request.
    pub fn may_ask(&self, request: &Message) -> bool {
        self.ever_asked.load(Ordering::Relaxed)
            && may_ask(&request.method())
            && !self.is_quiet(request)
    }

    /// Whether it has asked for roots outside any call.
    pub fn wants_roots(&self) -> bool {
        self.wants_roots.load(Ordering::Relaxed)
    }

    pub(crate) fn want_roots(&self) {
        self.wants_roots.store(true, Ordering::Relaxed);
    }

    /// Whether such a request has been seen to ask its client something.
    pub fn has_asked(&self, request: &Message) -> bool {
        self.known().get(&key(request)) == Some(&Habit::Asks)
    }

    fn is_quiet(&self, request: &Message) -> bool {
        self.known().get(&key(request)) == Some(&Habit::Quiet)
    }

    /// A call has worked without a question. A tool that has asked once may ask again.
    pub(crate) fn quiet(&self, key: &str) {
        let mut known = self.known();
        if key.len() <= LONGEST && known.len() < MOST && !known.contains_key(key) {
            known.insert(key.to_owned(), Habit::Quiet);
        }
    }

    /// A call has asked.
    pub(crate) fn ask(&self) {
        self.ever_asked.store(true, Ordering::Relaxed);
    }

    /// A call has asked.
    pub(crate) fn asks(&self, key: &str) {
        self.ask();
        let mut known = self.known();
        if key.len() <= LONGEST && (known.len() < MOST || known.contains_key(key)) {
            known.insert(key.to_owned(), Habit::Asks);
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Habit>> {
        self.calls.lock()
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
    fn once_a_server_has_asked_every_call_may_ask_that_has_not_been_seen_not_to() {
        let habits = Habits::default();
        assert!(!habits.may_ask(&call("a")), "most servers never do");
        habits.asks(&key(&call("c")));
        assert!(habits.may_ask(&call("a")));
        habits.quiet(&key(&call("a")));
        assert!(!habits.may_ask(&call("a")));
        assert!(habits.may_ask(&call("b")), "another tool");
        let list = Message::request(&Id::number(1), "tools/list", None);
        assert!(!habits.may_ask(&list), "no list ever asks");
    }

    #[test]
    fn a_call_that_has_asked_once_may_ask_again() {
        let habits = Habits::default();
        let key = key(&call("a"));
        habits.quiet(&key);
        habits.asks(&key);
        habits.quiet(&key);
        assert!(habits.may_ask(&call("a")));
    }
}
