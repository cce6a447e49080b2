//! A legacy client in front of a modern server.
//!
//! The client's handshake is answered here, with the result of `server/discover`. Every request is then forwarded in an
//! envelope with the capabilities and the info of the client. A result that asks for input becomes requests to the
//! client, and the call is sent again with the answers. One `subscriptions/listen` provides the notifications that a
//! legacy session gets unasked.

mod call;
mod listening;
mod opening;

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use linkspan_wire::{Id, IdKey, Json, Kind, Message, RpcError};

use self::call::{Answered, Asked, Call};
use self::listening::Listening;
use self::opening::Phase;
use super::claims::{self, Sender, wrap};
use super::discovery::{Server, may_go_again};
use super::{Machine, Provenance, Step, Turn, ids, results};
use crate::level::Level;
use crate::method::names;
use crate::revision::Revision;

/// How long a client may think about a question.
const PATIENCE: Duration = Duration::from_secs(600);
/// How often one call may ask for input.
const MAX_ROUNDS: u32 = 16;

/// See the module's description.
pub struct LegacyToModern {
    phase: Phase,
    sender: Sender,
    revision: Revision,
    server: Server,
    level: Option<Level>,
    /// The log level until the client sets one.
    default_level: Option<Level>,
    last: u64,
    /// By the number towards the server, or of its last round.
    calls: BTreeMap<u64, Call>,
    fronts: HashMap<IdKey, u64>,
    /// Questions to the client by their id: the call and the key.
    asked: HashMap<IdKey, Asked>,
    listening: Listening,
    /// `server/discover` was refused for its revision once.
    tried_again: bool,
}

impl Default for LegacyToModern {
    fn default() -> Self {
        Self::new()
    }
}

impl LegacyToModern {
    /// A machine whose client has sent nothing yet.
    pub fn new() -> Self {
        Self {
            phase: Phase::Fresh,
            sender: Sender {
                capabilities: "{}".to_owned(),
                info: r#"{"name":"unnamed","version":"0"}"#.to_owned(),
                marks: false,
            },
            revision: Revision::LAST_LEGACY,
            server: Server::default(),
            level: None,
            default_level: Some(Level::DEFAULT),
            last: 0,
            calls: BTreeMap::new(),
            fronts: HashMap::new(),
            asked: HashMap::new(),
            listening: Listening::default(),
            tried_again: false,
        }
    }

    /// A machine whose requests are marked as those of a legacy client, and name no log level if the client has set
    /// none: for [`signed`](super::signed), which other machines read.
    pub fn signed() -> Self {
        let mut machine = Self {
            default_level: None,
            ..Self::new()
        };
        machine.sender.marks = true;
        machine
    }

    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn request(&mut self, msg: Message, now: Instant) -> Vec<Step> {
        let Some(id) = msg.id() else {
            return Vec::new();
        };
        if self.fronts.contains_key(&id.key()) {
            let error = format!("a request with the id {id} is still in flight");
            return vec![Step::refuse(&id, &RpcError::invalid_request(error))];
        }
        let method = msg.method();
        match &*method {
            names::INITIALIZE => self.initialize(&id, &msg),
            names::PING => vec![Step::answer(&id, "{}")],
            names::SET_LEVEL => vec![self.set_level(&id, &msg)],
            names::SUBSCRIBE => self.subscribe(id, &msg, now),
            names::UNSUBSCRIBE => self.unsubscribe(&id, &msg, now),
            // Tasks were part of the core protocol; the modern feature of that name is another one.
            "tasks/get" | "tasks/result" | "tasks/list" | "tasks/cancel" => {
                vec![Step::refuse(&id, &RpcError::method_not_found(&method))]
            }
            _ => self.forward(id, msg),
        }
    }

    fn set_level(&mut self, id: &Id, msg: &Message) -> Step {
        if !self.server.can(&["logging"]) {
            return Step::refuse(id, &RpcError::method_not_found(names::SET_LEVEL));
        }
        let level = msg.params().and_then(|p| Level::parse(p.get("level")?));
        match level {
            Some(level) => {
                self.level = Some(level);
                Step::answer(id, "{}")
            }
            None => Step::refuse(id, &RpcError::invalid_params("`level` is not a log level")),
        }
    }

    fn forward(&mut self, id: Id, msg: Message) -> Vec<Step> {
        let number = self.next();
        let call = Call::new(id.clone(), msg);
        let sent = self.envelope(&call, number, None);
        self.fronts.insert(id.key(), number);
        self.calls.insert(number, call);
        vec![Step::Back(sent)]
    }

    /// The client's request as a modern one; with the answers if it is sent again.
    fn envelope(&self, call: &Call, number: u64, answered: Option<&Answered>) -> Message {
        let level = self.level.or(self.default_level);
        let level = level.filter(|_| self.server.can(&["logging"]));
        let without_task = claims::without_task(&call.msg);
        let mut params = wrap(without_task.params(), &self.sender, level);
        if let Some(answered) = answered {
            params = answered.put_into(&params);
        }
        let id = ids::request(number);
        match call.msg.params() {
            Some(old) => call.msg.with_value(old, &params).with_id(id),
            None => Message::request(&id, &call.msg.method(), Some(&params)),
        }
    }

    fn cancel(&mut self, id: &Id, notification: &Message) -> Vec<Step> {
        let Some(number) = self.fronts.remove(&id.key()) else {
            return Vec::new();
        };
        let open = self.forget(number);
        if !open.is_empty() {
            // The call waits for the client, not for the server.
            return open;
        }
        let spelled = notification.params().and_then(|p| p.get("requestId"));
        spelled.map_or_else(Vec::new, |spelled| {
            let id = ids::request(number);
            vec![Step::Back(notification.with_value(spelled, id.text()))]
        })
    }

    /// Removes a call, and cancels its questions to the client.
    fn forget(&mut self, number: u64) -> Vec<Step> {
        let Some(call) = self.calls.remove(&number) else {
            return Vec::new();
        };
        let mut open: Vec<Id> = self
            .asked
            .extract_if(|_, asked| asked.call == number)
            .map(|(_, asked)| asked.id)
            .collect();
        open.sort_by_key(Id::key);
        open.into_iter()
            .map(|id| {
                let params = format!(r#"{{"requestId":{id}}}"#);
                let msg = Message::notification(names::CANCELLED, Some(&params));
                Step::to_front(msg, &call.front)
            })
            .collect()
    }

    fn answer(&mut self, msg: Message, now: Instant) -> Vec<Step> {
        let number = msg.id().and_then(|id| ids::request_number(&id));
        let Some(number) = number else {
            return Vec::new();
        };
        if self.phase.is_discovery(number) {
            return self.discovered(&msg);
        }
        if let Some(steps) = self.listening_ended(number, &msg, now) {
            return steps;
        }
        let Some(call) = self.calls.get(&number) else {
            return Vec::new();
        };
        if msg.kind() == Kind::Result {
            match &*results::result_type(&msg) {
                "complete" => {}
                "input_required" => {
                    let meta = msg.body().and_then(|result| result.get("_meta"));
                    return match results::original_error(meta) {
                        Some(error) => self.give_back(number, error),
                        None => self.ask(number, &msg, now),
                    };
                }
                other => {
                    let error = format!(
                        "the server answered with a result of the type {other:?}, which did not exist in {}",
                        self.revision
                    );
                    return self.fail(number, &RpcError::server(error));
                }
            }
        }
        let data = msg.body().and_then(|error| error.get("data"));
        let is_translated = results::original_error(data).is_some();
        if may_go_again(&msg) && call.may_go_again() && !is_translated {
            return self.go_again(number);
        }
        let id = call.front.clone();
        let method = call.msg.method();
        let answer = match msg.kind() {
            Kind::Error => results::error_down(&msg, &method),
            _ => results::unstamp(&msg, &method),
        };
        self.calls.remove(&number);
        self.fronts.remove(&id.key());
        vec![Step::to_front(answer.with_id(id.clone()), &id)]
    }

    /// Answers with the error of a legacy server that was turned into a question.
    fn give_back(&mut self, number: u64, error: Json<'_>) -> Vec<Step> {
        let Some(call) = self.calls.remove(&number) else {
            return Vec::new();
        };
        self.fronts.remove(&call.front.key());
        let answer = Message::answer_spelled(&call.front, "error", error);
        let steps = answer.map(|answer| Step::to_front(answer, &call.front));
        steps.into_iter().collect()
    }

    fn fail(&mut self, number: u64, error: &RpcError) -> Vec<Step> {
        let Some(id) = self.calls.get(&number).map(|call| call.front.clone()) else {
            return Vec::new();
        };
        let mut steps = self.forget(number);
        self.fronts.remove(&id.key());
        steps.push(Step::refuse(&id, error));
        steps
    }

    /// Forwards a notification that belongs to a request of the client.
    fn pass(&self, msg: Message, provenance: &Provenance) -> Vec<Step> {
        let number = provenance.about.as_ref().and_then(ids::request_number);
        let call = number.and_then(|number| self.calls.get(&number));
        let about = call.map(|call| call.front.clone());
        vec![Step::Front { msg, about }]
    }
}

impl Machine for LegacyToModern {
    fn front(&mut self, msg: Message, now: Instant) -> Turn {
        Turn::Steps(match msg.kind() {
            Kind::Request => self.request(msg, now),
            Kind::Notification => match &*msg.method() {
                names::INITIALIZED => self.listen_anew(now),
                names::CANCELLED => {
                    let id = msg.params().and_then(|p| Id::parse(p.get("requestId")?));
                    id.map_or_else(Vec::new, |id| self.cancel(&id, &msg))
                }
                // Modern servers get requests only.
                method if method.starts_with("notifications/") => Vec::new(),
                _ => return Turn::Pass(msg),
            },
            Kind::Result | Kind::Error => self.replied(&msg),
        })
    }

    fn back(&mut self, msg: Message, provenance: Provenance, now: Instant) -> Turn {
        Turn::Steps(match msg.kind() {
            Kind::Request => {
                let id = msg.id().unwrap_or_else(Id::null);
                let error = RpcError::method_not_found(&msg.method());
                vec![Step::Back(error.answer(&id))]
            }
            Kind::Notification if msg.method() == names::CANCELLED => {
                let id = msg.params().and_then(|p| Id::parse(p.get("requestId")?));
                let number = id.as_ref().and_then(ids::request_number);
                let end = Message::result(&Id::null(), "{}");
                let ended = number.and_then(|number| self.listening_ended(number, &end, now));
                ended.unwrap_or_default()
            }
            Kind::Notification => match self.news(&msg, now) {
                Some(steps) => steps,
                None => self.pass(msg, &provenance),
            },
            // Not an answer to a request of ours: it refers to the client's own message.
            _ if !ids::is_ours(&msg) => return Turn::Pass(msg),
            Kind::Result | Kind::Error => self.answer(msg, now),
        })
    }

    fn next_wake(&self) -> Option<Instant> {
        let calls = self.calls.values().filter_map(|call| call.until);
        calls.chain(self.listening.next_wake()).min()
    }

    fn on_time(&mut self, now: Instant) -> Vec<Step> {
        let mut steps = self.listening_due(now);
        let late: Vec<u64> = self
            .calls
            .iter()
            .filter(|(_, call)| call.until.is_some_and(|until| until <= now))
            .map(|(number, _)| *number)
            .collect();
        let error = RpcError::server(format!(
            "the client has not answered the server's question within {} s",
            PATIENCE.as_secs()
        ))
        .with_data(r#"{"kind":"timeout"}"#);
        for number in late {
            steps.extend(self.fail(number, &error));
        }
        steps
    }
}

#[cfg(test)]
mod tests;
