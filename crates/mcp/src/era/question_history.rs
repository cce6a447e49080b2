//! Records which calls of a legacy server send questions to their client.
//!
//! A question over stdio does not say which call it belongs to. So after a server's first question, a call that may ask
//! gets the server to itself; a call that was seen to end without a question may share it. Most servers never ask, and
//! nothing changes for them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use linkspan_wire::{Json, Message};
use parking_lot::{Mutex, MutexGuard};

use super::question::may_ask;

/// Servers and clients choose these names, so the number and length of the stored ones are bounded.
const MOST: usize = 10_000;
const LONGEST: usize = 256;

/// The history of one server, shared by all of its instances.
#[derive(Debug, Default)]
pub struct QuestionHistory {
    ever_asked: AtomicBool,
    wants_roots: AtomicBool,
    calls: Mutex<HashMap<String, Seen>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Quiet,
    Asks,
}

impl QuestionHistory {
    /// Whether the server may send a question during this request.
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

    /// Whether the server has sent a question during a request of this kind.
    pub fn has_asked(&self, request: &Message) -> bool {
        self.known().get(&key(request)) == Some(&Seen::Asks)
    }

    fn is_quiet(&self, request: &Message) -> bool {
        self.known().get(&key(request)) == Some(&Seen::Quiet)
    }

    /// Records a call that worked without a question. A tool that has asked once may ask again.
    pub(crate) fn quiet(&self, key: &str) {
        let mut known = self.known();
        if key.len() <= LONGEST && known.len() < MOST && !known.contains_key(key) {
            known.insert(key.to_owned(), Seen::Quiet);
        }
    }

    /// Records a question.
    pub(crate) fn ask(&self) {
        self.ever_asked.store(true, Ordering::Relaxed);
    }

    /// Records a question during this kind of call.
    pub(crate) fn asks(&self, key: &str) {
        self.ask();
        let mut known = self.known();
        if key.len() <= LONGEST && (known.len() < MOST || known.contains_key(key)) {
            known.insert(key.to_owned(), Seen::Asks);
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Seen>> {
        self.calls.lock()
    }
}

/// The kind of a request: its method, with its tool or prompt.
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
        let history = QuestionHistory::default();
        assert!(!history.may_ask(&call("a")), "most servers never do");
        history.asks(&key(&call("c")));
        assert!(history.may_ask(&call("a")));
        history.quiet(&key(&call("a")));
        assert!(!history.may_ask(&call("a")));
        assert!(history.may_ask(&call("b")), "another tool");
        let list = Message::request(&Id::number(1), "tools/list", None);
        assert!(!history.may_ask(&list), "no list ever asks");
    }

    #[test]
    fn a_call_that_has_asked_once_may_ask_again() {
        let history = QuestionHistory::default();
        let key = key(&call("a"));
        history.quiet(&key);
        history.asks(&key);
        history.quiet(&key);
        assert!(history.may_ask(&call("a")));
    }
}
