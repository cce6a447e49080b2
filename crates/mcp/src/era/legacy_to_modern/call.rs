//! A call of the client, and the questions that it waits for.

use std::time::Instant;

use linkspan_wire::{Id, Json, Kind, Message, RpcError, quote};

use super::{LegacyToModern, MAX_ROUNDS, PATIENCE};
use crate::era::caps::Caps;
use crate::era::question::is_question;
use crate::era::{Step, results};
use crate::revision::Revision;
use linkspan_wire::Object;

pub(super) struct Call {
    pub(super) front: Id,
    /// The client's request; it may have to be sent again.
    pub(super) msg: Message,
    rounds: u32,
    tried_again: bool,
    /// The `requestState` of the server, as spelled.
    state: Option<String>,
    /// The number of open questions of this round, and the answers so far.
    open: usize,
    answers: Vec<(String, String)>,
    /// The deadline for the client's answers.
    pub(super) until: Option<Instant>,
}

impl Call {
    /// Whether it was sent only once, and has asked nothing so far.
    pub(super) fn may_go_again(&self) -> bool {
        self.rounds == 0 && !self.tried_again
    }

    pub(super) fn new(front: Id, msg: Message) -> Self {
        Self {
            front,
            msg,
            rounds: 0,
            tried_again: false,
            state: None,
            open: 0,
            answers: Vec::new(),
            until: None,
        }
    }
}

/// A question that was sent to the client.
pub(super) struct Asked {
    pub(super) id: Id,
    pub(super) call: u64,
    key: String,
}

/// What a repeated request carries.
pub(super) struct Answered {
    state: Option<String>,
    answers: Vec<(String, String)>,
}

impl Answered {
    pub(super) fn put_into(&self, params: &str) -> String {
        let mut answers = Object::empty();
        for (key, answer) in &self.answers {
            answers.push(key, answer);
        }
        let mut object = Object::of(Json::parse(params).ok());
        if !self.answers.is_empty() {
            object = object.with("inputResponses", &answers.text());
        }
        object
            .with_some("requestState", self.state.as_deref())
            .text()
    }
}

impl LegacyToModern {
    /// Handles a result that asks for input.
    pub(super) fn ask(&mut self, number: u64, msg: &Message, now: Instant) -> Vec<Step> {
        let Some(result) = msg.body() else {
            return Vec::new();
        };
        let caps = Json::parse(&self.sender.capabilities).map(Caps::of);
        let caps = caps.unwrap_or_default();
        let mut questions = Vec::new();
        let requests = result.get("inputRequests");
        for (key, request) in requests.into_iter().flat_map(Json::members) {
            let method = request.get("method").and_then(Json::as_str);
            let method = method.unwrap_or_default();
            let id = self.question_id(&key);
            let params = legacy_params(request.get("params"), &id, self.revision);
            let msg = Message::request(&id, &method, params.as_deref());
            if !is_question(&method) {
                let error = RpcError::server(format!(
                    "the server asks for {method:?}, which is not known"
                ));
                return self.fail(number, &error);
            }
            if let Some(required) = caps.lacks(&msg) {
                return self.fail(number, &results::missing_capability(&method, required));
            }
            // Of equal keys the last one counts.
            questions.retain(|(asked, _): &(Asked, Message)| asked.key != key);
            let asked = Asked {
                id,
                call: number,
                key: key.into_owned(),
            };
            questions.push((asked, msg));
        }
        let Some(call) = self.calls.get_mut(&number) else {
            return Vec::new();
        };
        call.rounds += 1;
        call.state = result.get("requestState").map(|s| s.text().to_owned());
        call.answers.clear();
        call.open = questions.len();
        if call.rounds > MAX_ROUNDS {
            let error = RpcError::server(format!("the server has asked {MAX_ROUNDS} times"));
            return self.fail(number, &error);
        }
        if questions.is_empty() {
            // No questions: the server only wants its state back.
            return self.go_again(number);
        }
        call.until = Some(now + PATIENCE);
        let about = call.front.clone();
        questions
            .into_iter()
            .map(|(asked, msg)| {
                self.asked.insert(asked.id.key(), asked);
                Step::to_front(msg, &about)
            })
            .collect()
    }

    /// The client has answered a question.
    pub(super) fn replied(&mut self, msg: &Message) -> Vec<Step> {
        let asked = msg.id().and_then(|id| self.asked.remove(&id.key()));
        let Some(Asked {
            call: number, key, ..
        }) = asked
        else {
            return Vec::new();
        };
        let Some(call) = self.calls.get_mut(&number) else {
            return Vec::new();
        };
        let Some(answer) = msg.body().filter(|_| msg.kind() == Kind::Result) else {
            let why = msg.body().and_then(|e| e.get("message")?.as_str());
            let error = RpcError::server(format!(
                "the client could not answer the server's question {}: {}",
                quote(&key),
                why.as_deref().unwrap_or("no reason given")
            ));
            return self.fail(number, &error);
        };
        call.answers.push((key, answer.text().to_owned()));
        call.open -= 1;
        if call.open > 0 {
            return Vec::new();
        }
        self.go_again(number)
    }

    /// The key itself if that id is free: another bridge in front of us makes a key of the id again, so that the client
    /// sees the server's own key.
    fn question_id(&mut self, key: &str) -> Id {
        let id = Id::string(key);
        if !self.asked.contains_key(&id.key()) {
            return id;
        }
        Id::string(&format!("{key}-{}", self.next()))
    }

    pub(super) fn go_again(&mut self, number: u64) -> Vec<Step> {
        let Some(mut call) = self.calls.remove(&number) else {
            return Vec::new();
        };
        call.until = None;
        call.tried_again = true;
        let answered = Answered {
            state: call.state.take(),
            answers: std::mem::take(&mut call.answers),
        };
        let number = self.next();
        let msg = self.envelope(&call, number, Some(&answered));
        self.fronts.insert(call.front.key(), number);
        self.calls.insert(number, call);
        vec![Step::Back(msg)]
    }
}

/// Parameters of a question for a legacy client.
fn legacy_params(params: Option<Json<'_>>, id: &Id, revision: Revision) -> Option<String> {
    let params = params?;
    let mode = params.get("mode").and_then(Json::as_str);
    if mode.as_deref() == Some("url") && params.get("elicitationId").is_none() {
        // Legacy elicitations of this mode need an id, which the notification of their completion refers to.
        let id = quote(&id.bare());
        return Some(Object::of(Some(params)).with("elicitationId", &id).text());
    }
    if mode.is_some() && revision < Revision::V2025_11_25 {
        return Some(Object::of(Some(params)).without(&["mode"]).text());
    }
    Some(params.text().to_owned())
}
