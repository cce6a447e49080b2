//! A modern client in front of a legacy server.
//!
//! The server is initialized once, on behalf of the first request. Then the client's requests are forwarded without
//! their envelope. A question that the server asks during a call ends the client's request with `input_required`, while
//! the server's request waits (it is *parked*) until the client returns with the answers: it never runs a second time.

mod asking;
mod call;
mod news;
mod opening;
mod options;
mod owner;
mod rooted;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::Ordering;
use std::time::Instant;

use linkspan_wire::{Id, IdKey, Json, Kind, Message, RpcError};

use self::asking::Held;
use self::call::Call;
use self::news::{Listener, Wanted};
use self::opening::{OwnRequest, Phase};
pub use self::options::{MachineStatus, ModernToLegacyOptions, PARK};
use self::owner::Cancelled;
use self::rooted::Roots;
use super::claims::{Claims, strip};
use super::discovery::Server;
use super::{Machine, Provenance, Step, Turn, ids, question, results};
use crate::level::Level;
use crate::method::names;

/// Requests of the handshake era that a modern server does not know.
const REMOVED: [&str; 10] = [
    names::INITIALIZE,
    names::PING,
    names::SET_LEVEL,
    names::SUBSCRIBE,
    names::UNSUBSCRIBE,
    // Modern tasks are an extension, and another protocol.
    "tasks/get",
    "tasks/update",
    "tasks/result",
    "tasks/list",
    "tasks/cancel",
];

/// See the module's description.
pub struct ModernToLegacy {
    options: ModernToLegacyOptions,
    phase: Phase,
    server: Server,
    last: u64,
    /// By the number towards the server.
    calls: BTreeMap<u64, Call>,
    /// The open requests of the client.
    fronts: HashMap<IdKey, u64>,
    /// Parked calls by their `requestState`.
    states: HashMap<String, u64>,
    /// Questions that could belong to several calls.
    held: Vec<Held>,
    /// Calls that the server may not have stopped yet, oldest first.
    cancelled: VecDeque<Cancelled>,
    /// Requests of our own.
    own_requests: HashMap<u64, OwnRequest>,
    listeners: Vec<Listener>,
    /// Resources that clients have subscribed to.
    subscribed: BTreeMap<String, Wanted>,
    /// The log level that was sent to the server.
    level: Option<Level>,
    /// A legacy client has set no level, so the server's level must include the default level.
    has_default_level: bool,
    /// When the handshake was complete.
    ready_at: Option<Instant>,
    /// The server has answered the ping after `initialized`: later questions belong to a call.
    has_settled: bool,
    roots: Roots,
}

/// The home of a `requestState`: the machine that has parked the call.
pub fn home_of(request: &Message) -> Option<String> {
    let state = request.params()?.get("requestState")?.as_str()?;
    state.split_once('.').map(|(home, _)| home.to_owned())
}

impl ModernToLegacy {
    /// A machine for a server that is not initialized.
    pub fn new(options: ModernToLegacyOptions) -> Self {
        Self {
            options,
            phase: Phase::Fresh,
            server: Server::default(),
            last: 0,
            calls: BTreeMap::new(),
            fronts: HashMap::new(),
            states: HashMap::new(),
            held: Vec::new(),
            cancelled: VecDeque::new(),
            own_requests: HashMap::new(),
            listeners: Vec::new(),
            subscribed: BTreeMap::new(),
            level: None,
            has_default_level: false,
            ready_at: None,
            has_settled: false,
            roots: Roots::default(),
        }
    }

    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn request(&mut self, msg: Message, now: Instant) -> Vec<Step> {
        let Some(id) = msg.id() else {
            return Vec::new();
        };
        let method = msg.method();
        if REMOVED.contains(&&*method) {
            return vec![Step::refuse(&id, &RpcError::method_not_found(&method))];
        }
        let claims = match Claims::read(&msg) {
            Ok(claims) => claims,
            Err(error) => return vec![Step::refuse(&id, &error)],
        };
        if self.is_in_use(&id.key()) {
            let error = format!("a request with the id {id} is still in flight");
            return vec![Step::refuse(&id, &RpcError::invalid_request(error))];
        }
        if self.must_wait(&method) {
            return self.open(msg, &claims, now);
        }
        self.dispatch(id, msg, claims, now)
    }

    fn dispatch(&mut self, id: Id, msg: Message, claims: Claims, now: Instant) -> Vec<Step> {
        let method = msg.method();
        match &*method {
            names::DISCOVER => return vec![Step::answer(&id, &self.server.discover_result())],
            names::LISTEN => return self.listen(id, &msg),
            _ => {}
        }
        let msg = match self.with_roots(&id, &msg, &claims, now) {
            Ok(msg) => msg,
            Err(first) => return first,
        };
        if question::may_ask(&method) {
            let params = msg.params();
            if let Some(state) = params.and_then(|p| p.get("requestState")) {
                // A state that is not a string is not ours; the call must not run again because of it.
                let state = state.as_str().unwrap_or_default();
                return self.resume(id, &msg, claims, &state, now);
            }
        }
        if let Some(level) = self.level_for(&claims) {
            return self.set_level(level, msg);
        }
        self.forward(id, &msg, claims)
    }

    fn forward(&mut self, id: Id, msg: &Message, claims: Claims) -> Vec<Step> {
        let call = match Call::new(&id, msg, claims) {
            Ok(call) => call,
            Err(error) => return vec![Step::refuse(&id, &error)],
        };
        let number = self.next();
        self.fronts.insert(id.key(), number);
        self.calls.insert(number, call);
        vec![Step::Back(strip(msg).with_id(ids::request(number)))]
    }

    /// The client no longer waits.
    fn cancel(&mut self, id: &Id, now: Instant) -> Vec<Step> {
        if let Some(steps) = self.stop_listening(id) {
            return steps;
        }
        for waiting in self.waiting_lists() {
            waiting.retain(|msg| msg.id().map(|id| id.key()) != Some(id.key()));
        }
        let Some(number) = self.fronts.remove(&id.key()) else {
            return Vec::new();
        };
        let mut steps = self.abandon(number, "the client has cancelled", now);
        steps.extend(self.settle_held(now));
        steps
    }

    /// The queues of requests that wait before they are sent to the server.
    fn waiting_lists(&mut self) -> impl Iterator<Item = &mut Vec<Message>> {
        let opening = match &mut self.phase {
            Phase::Opening { waiting, .. } | Phase::Settling { waiting, .. } => Some(waiting),
            _ => None,
        };
        let own_requests =
            self.own_requests
                .values_mut()
                .filter_map(|own_request| match own_request {
                    OwnRequest::Level(waiting) => Some(waiting),
                    _ => None,
                });
        opening.into_iter().chain(own_requests)
    }

    /// Whether the client has an open request with this id.
    fn is_in_use(&mut self, key: &IdKey) -> bool {
        self.fronts.contains_key(key)
            || self.listeners.iter().any(|l| l.id.key() == *key)
            || self
                .waiting_lists()
                .flatten()
                .any(|msg| msg.id().map(|id| id.key()).as_ref() == Some(key))
    }

    /// Cancels a call at the server for a client that no longer waits for it.
    fn abandon(&mut self, number: u64, reason: &str, now: Instant) -> Vec<Step> {
        let Some(call) = self.calls.remove(&number) else {
            return Vec::new();
        };
        self.unpark(&call);
        let mut steps = call.leave_unanswered(reason);
        if call.outcome.is_none() {
            let params = format!(
                r#"{{"requestId":{},"reason":{}}}"#,
                ids::request(number),
                linkspan_wire::quote(reason)
            );
            let cancel = Message::notification(names::CANCELLED, Some(&params));
            steps.push(Step::Back(cancel));
            self.remember_cancelled(Cancelled::new(number, &call, now));
        }
        steps
    }

    /// Publishes the number of calls that run without a client, which the pool considers when it chooses a server.
    fn count_unattended(&self) {
        let failed = self.calls.values().filter(|call| call.is_unattended());
        let count = self.cancelled.len() + failed.count();
        let unattended = &self.options.status.unattended;
        unattended.store(count, Ordering::Relaxed);
    }

    /// Handles an answer of the server.
    fn answer(&mut self, msg: Message, now: Instant) -> Vec<Step> {
        let number = msg.id().and_then(|id| ids::request_number(&id));
        let Some(number) = number else {
            return Vec::new();
        };
        if let Some(own_request) = self.own_requests.remove(&number) {
            return self.run(own_request, &msg, now);
        }
        if results::is_timeout(&msg)
            && let Some(call) = self.calls.get(&number)
        {
            // The session has answered for the server, which has only been sent a cancellation.
            let cancelled = Cancelled::new(number, call, now);
            self.remember_cancelled(cancelled);
        }
        let mut steps = self.conclude(number, msg);
        steps.extend(self.settle_held(now));
        steps
    }

    fn conclude(&mut self, number: u64, msg: Message) -> Vec<Step> {
        let Some(call) = self.calls.get_mut(&number) else {
            return Vec::new();
        };
        let Some(id) = call.front.clone() else {
            if call.is_unattended() {
                self.calls.remove(&number);
                self.count_unattended();
            } else {
                // Parked: the answer is kept until the client returns or the time limit passes.
                call.outcome = Some(msg);
            }
            return Vec::new();
        };
        let Some(call) = self.calls.remove(&number) else {
            return Vec::new();
        };
        self.fronts.remove(&id.key());
        if call.may_ask && !call.asked && worked(&msg) {
            self.options.history.quiet(&call.history_key);
        }
        let mut steps = call.leave_unanswered("the call has ended");
        let info = self.server.info.as_deref();
        let answer = match msg.kind() {
            Kind::Error => match call.url_needed(&msg, &id, info) {
                Some(answer) => answer,
                None => {
                    let uri = call.uri.as_deref();
                    results::error_up(&msg, &call.method, uri).with_id(id.clone())
                }
            },
            _ => results::stamp(&msg, &call.method, info).with_id(id.clone()),
        };
        steps.push(Step::to_front(answer, &id));
        steps
    }
}

/// Whether a call has succeeded: a call that failed may have ended before it would have asked.
fn worked(answer: &Message) -> bool {
    let failed = answer.body().and_then(|r| r.get("isError"));
    answer.kind() == Kind::Result && failed.and_then(Json::as_bool) != Some(true)
}

impl Machine for ModernToLegacy {
    fn front(&mut self, msg: Message, now: Instant) -> Turn {
        Turn::Steps(match msg.kind() {
            Kind::Request => self.request(msg, now),
            Kind::Notification if msg.method() == names::CANCELLED => {
                let id = msg.params().and_then(|p| Id::parse(p.get("requestId")?));
                id.map_or_else(Vec::new, |id| self.cancel(&id, now))
            }
            // The protocol defines no other notification in this direction; unknown ones may be known to the server.
            Kind::Notification if !msg.method().starts_with("notifications/") => {
                return Turn::Pass(msg);
            }
            _ => Vec::new(),
        })
    }

    fn back(&mut self, msg: Message, provenance: Provenance, now: Instant) -> Turn {
        Turn::Steps(match msg.kind() {
            Kind::Request => self.asked(msg, &provenance, now),
            Kind::Notification => self.notified(msg, &provenance),
            // Not an answer to a request of ours: it refers to the client's own message.
            _ if !ids::is_ours(&msg) => return Turn::Pass(msg),
            Kind::Result | Kind::Error => self.answer(msg, now),
        })
    }

    fn next_wake(&self) -> Option<Instant> {
        let calls = self.calls.values().filter_map(Call::next_wake);
        let held = self.held.iter().map(|held| held.until);
        let cancelled = self.cancelled.front().map(|call| call.until);
        let roots = self.roots_due();
        let others = self
            .phase
            .deadline()
            .into_iter()
            .chain(cancelled)
            .chain(roots);
        calls.chain(held).chain(others).min()
    }

    fn on_time(&mut self, now: Instant) -> Vec<Step> {
        self.forget_cancelled(now);
        let mut steps = self.opening_late(now);
        steps.extend(self.roots_late(now));
        let due: Vec<u64> = self
            .calls
            .iter()
            .filter(|(_, call)| call.next_wake().is_some_and(|at| at <= now))
            .map(|(number, _)| *number)
            .collect();
        for number in due {
            steps.extend(self.call_due(number, now));
        }
        steps.extend(self.settle_held(now));
        steps
    }
}

#[cfg(test)]
mod tests;
