//! Questions of the server: parks calls, and resumes them when their clients return.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use linkspan_wire::{Id, Message, RpcError, quote};

use super::ModernToLegacy;
use super::call::{Call, Parked, responses};
use super::owner::{Candidates, Owner};
use crate::era::claims::Claims;
use crate::era::digest::digest;
use crate::era::question::{Question, is_question};
use crate::era::{Provenance, Step, results};
use crate::method::names;
use linkspan_wire::Object;

/// How long we wait for further questions of the same breath.
const BREATH: Duration = Duration::from_millis(20);
/// How long a question waits until its call is known.
const DOUBT: Duration = Duration::from_secs(10);
/// Questions that may wait for one call.
const MAX_QUESTIONS: usize = 64;

/// How long after its start a server may ask for roots outside a call: some keep a copy of them.
const START: Duration = Duration::from_secs(3);
/// How long this question waits for the open call to end: a call that ends did not ask it.
const ALIBI: Duration = Duration::from_secs(1);

/// A question whose call is not known yet.
pub(super) struct Held {
    pub(super) question: Question,
    candidates: Candidates,
    pub(super) until: Instant,
    /// It may belong to no call.
    at_start: bool,
}

impl ModernToLegacy {
    /// Handles a question of the server.
    pub(super) fn asked(
        &mut self,
        msg: Message,
        provenance: &Provenance,
        now: Instant,
    ) -> Vec<Step> {
        let Some(id) = msg.id() else {
            return Vec::new();
        };
        let method = msg.method();
        if method == names::PING {
            return vec![Step::Back(Message::result(&id, "{}"))];
        }
        if !is_question(&method) {
            return vec![Step::Back(RpcError::method_not_found(&method).answer(&id))];
        }
        let question = Question {
            key: provenance.origin.as_ref().unwrap_or(&id).bare(),
            id,
            msg: msg.clone(),
        };
        self.options.history.ask();
        if method == names::ROOTS_LIST {
            let is_about_a_call = provenance.about.is_some() || provenance.late;
            if let Some(steps) = self.own_roots(&question, is_about_a_call, now) {
                return steps;
            }
        }
        let at_start = provenance.about.is_none()
            && method == names::ROOTS_LIST
            && self.ready_at.is_some_and(|ready| now < ready + START);
        let held = Held {
            question,
            candidates: self.candidates(provenance),
            until: now + if at_start { ALIBI } else { DOUBT },
            at_start,
        };
        self.place_question(held, now)
    }

    fn place_question(&mut self, held: Held, now: Instant) -> Vec<Step> {
        let is_late = now >= held.until;
        match self.owner_among(&held.candidates) {
            Owner::Call(number) if held.at_start && !self.has_roots(number) => {
                if self.has_settled {
                    return self.ask(number, held.question, now);
                }
                // The question may belong to no call, so the call must not fail because of it.
                vec![Step::Back(undeclared(&held.question))]
            }
            Owner::Call(number) if held.at_start && !is_late && !self.is_asking(number) => {
                self.held.push(held);
                Vec::new()
            }
            Owner::Call(number) => self.ask(number, held.question, now),
            Owner::None => {
                self.ownerless(&held.question);
                let error = RpcError::server("no open call can have asked this")
                    .with_data(r#"{"hint":"a client of 2026-07-28 can only be asked in the course of a call"}"#);
                vec![Step::Back(error.answer(&held.question.id))]
            }
            Owner::Unclear if !is_late => {
                self.held.push(held);
                Vec::new()
            }
            Owner::Unclear | Owner::Unknowable => {
                let error = RpcError::server(
                    "several calls are open, and it is unknown which of them asked this",
                )
                .with_data(r#"{"hint":"call again when the other calls have ended"}"#);
                vec![Step::Back(error.answer(&held.question.id))]
            }
        }
    }

    /// Tries again to assign the held questions, after a candidate has ended.
    pub(super) fn settle_held(&mut self, now: Instant) -> Vec<Step> {
        let held = std::mem::take(&mut self.held);
        held.into_iter()
            .flat_map(|held| self.place_question(held, now))
            .collect()
    }

    fn has_roots(&self, number: u64) -> bool {
        let call = self.calls.get(&number);
        call.is_some_and(|call| call.caps.has_roots())
    }

    /// Whether a call has questions that are not sent to its client yet.
    fn is_asking(&self, number: u64) -> bool {
        let call = self.calls.get(&number);
        call.is_some_and(|call| call.ask_at.is_some())
    }

    /// Notes a question for the client of a call.
    fn ask(&mut self, number: u64, question: Question, now: Instant) -> Vec<Step> {
        let Some(call) = self.calls.get_mut(&number) else {
            return Vec::new();
        };
        let id = &question.id;
        let method = question.msg.method();
        if let Some(required) = call.caps.lacks(&question.msg) {
            let mut steps = vec![Step::Back(undeclared(&question))];
            if call.is_legacy {
                // The server itself would have got this answer from the client.
                return steps;
            }
            steps.extend(self.fail(number, results::missing_capability(&method, required)));
            return steps;
        }
        if let Some(why) = &call.failed {
            return vec![Step::Back(why.answer(id))];
        }
        let known = call
            .in_advance
            .iter()
            .position(|(key, _)| *key == question.key);
        if let Some(at) = known {
            let (_, answer) = call.in_advance.remove(at);
            self.options.told_roots(&question);
            return vec![Step::Back(Message::result(id, &answer))];
        }
        if call.questions.len() >= MAX_QUESTIONS {
            let error = RpcError::server("too many questions at once");
            return vec![Step::Back(error.answer(id))];
        }
        let mut question = question;
        while call.questions.iter().any(|q| q.key == question.key) {
            // `1` and `"1"` are different ids, but the same text.
            question.key.push('\'');
        }
        call.questions.push(question);
        call.asked = true;
        self.options.history.asks(&call.history_key);
        if call.parked.is_none() {
            call.ask_at = Some(now + BREATH);
        }
        // Other questions that arrived at the same time belong to the same call.
        self.settle_held(now)
    }

    /// Ends the client's request with an error. The server continues its own; its later questions and notifications
    /// have no client.
    fn fail(&mut self, number: u64, error: RpcError) -> Vec<Step> {
        let Some(call) = self.calls.get_mut(&number) else {
            return Vec::new();
        };
        let mut steps = call.leave_unanswered("the call has failed");
        call.questions.clear();
        call.ask_at = None;
        // A parked call fails when its client retries.
        if let Some(id) = call.front.take() {
            self.fronts.remove(&id.key());
            steps.push(Step::refuse(&id, &error));
        }
        call.failed = Some(error);
        self.count_unattended();
        steps
    }

    /// Handles the deadline of a call: its questions are sent, or its client did not return.
    pub(super) fn call_due(&mut self, number: u64, now: Instant) -> Vec<Step> {
        let is_parked = |call: &Call| call.parked.is_some();
        match self.calls.get(&number).map(is_parked) {
            Some(true) => self.abandon(number, "the client did not return in time", now),
            Some(false) => self.park(number, now),
            None => Vec::new(),
        }
    }

    /// Ends the client's request with the questions; the server's request stays open.
    fn park(&mut self, number: u64, now: Instant) -> Vec<Step> {
        let secret = (self.options.secret)();
        if secret.is_empty() {
            return self.cannot_park(number, now);
        }
        let state = format!("{}.{secret}", self.options.home);
        let Some(call) = self.calls.get_mut(&number) else {
            return Vec::new();
        };
        call.ask_at = None;
        let Some(id) = call.front.take() else {
            return Vec::new();
        };
        let mut requests = Object::empty();
        for question in &call.questions {
            requests = requests.with(&question.key, &question.request());
        }
        let result = Object::empty()
            .with("resultType", r#""input_required""#)
            .with("inputRequests", &requests.text())
            .with("requestState", &quote(&state))
            .with_some(
                "_meta",
                results::meta(self.server.info.as_deref()).as_deref(),
            );
        call.parked = Some(Parked {
            state: state.clone(),
            until: now + self.options.park,
        });
        self.options.status.parked.fetch_add(1, Ordering::Relaxed);
        self.states.insert(state, number);
        self.fronts.remove(&id.key());
        vec![Step::answer(&id, &result.text())]
    }

    /// The system has no random numbers for a secret name.
    fn cannot_park(&mut self, number: u64, now: Instant) -> Vec<Step> {
        let id = self.calls.get(&number).and_then(|call| call.front.clone());
        let mut steps = self.abandon(number, "the client cannot be asked", now);
        if let Some(id) = id {
            self.fronts.remove(&id.key());
            let error = RpcError::internal("the system provides no random numbers");
            steps.push(Step::refuse(&id, &error));
        }
        steps
    }

    /// Resumes a parked call for its client.
    pub(super) fn resume(
        &mut self,
        id: Id,
        msg: &Message,
        claims: Claims,
        state: &str,
        now: Instant,
    ) -> Vec<Step> {
        let number = self.states.get(state).copied();
        let Some((number, call)) = number.and_then(|n| Some((n, self.calls.get_mut(&n)?))) else {
            let error = RpcError::invalid_params("unknown requestState")
                .with_data(r#"{"hint":"it was altered, used before, or its time is over; call anew without it"}"#);
            return vec![Step::refuse(&id, &error)];
        };
        if call.digest != digest(msg) || call.principal != claims.principal {
            let error = RpcError::invalid_params("requestState belongs to another request")
                .with_data(r#"{"hint":"retry with the parameters of the first request"}"#);
            return vec![Step::refuse(&id, &error)];
        }
        let answers = match responses(msg) {
            Ok(answers) => answers,
            Err(error) => return vec![Step::refuse(&id, &error)],
        };
        self.states.remove(state);
        self.options.status.parked.fetch_sub(1, Ordering::Relaxed);
        self.fronts.insert(id.key(), number);
        call.parked = None;
        call.front = Some(id);
        call.level = claims.log_level();
        call.token = claims.token;
        call.caps = claims.caps;
        let missed = call.progress.take();
        let mut steps: Vec<Step> = missed.and_then(|p| call.report(&p)).into_iter().collect();
        for (key, answer) in answers {
            if let Some(at) = call.questions.iter().position(|q| q.key == key) {
                let question = call.questions.remove(at);
                steps.push(Step::Back(Message::result(&question.id, &answer)));
                self.options.told_roots(&question);
            }
        }
        let missing = call.questions.iter().find_map(|question| {
            let required = call.caps.lacks(&question.msg)?;
            Some(results::missing_capability(
                &question.msg.method(),
                required,
            ))
        });
        if let Some(why) = call.failed.clone() {
            let outcome = call.outcome.take();
            steps.extend(self.fail(number, why));
            steps.extend(outcome.map_or_else(Vec::new, |outcome| self.conclude(number, outcome)));
        } else if let Some(outcome) = call.outcome.take() {
            steps.extend(self.conclude(number, outcome));
        } else if let Some(why) = missing {
            steps.extend(self.fail(number, why));
        } else if !call.questions.is_empty() {
            // Unanswered and new questions are asked at once.
            steps.extend(self.park(number, now));
        }
        steps
    }

    /// Removes the parked state of a call that is dropped.
    pub(super) fn unpark(&mut self, call: &Call) {
        if let Some(parked) = &call.parked {
            self.states.remove(&parked.state);
            self.options.status.parked.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Handles a cancelled question.
    pub(super) fn withdrawn(&mut self, msg: &Message) {
        let id = msg.params().and_then(|p| Id::parse(p.get("requestId")?));
        let Some(id) = id else { return };
        self.held.retain(|held| held.question.id != id);
        for call in self.calls.values_mut() {
            call.questions.retain(|question| question.id != id);
            if call.questions.is_empty() {
                call.ask_at = None;
            }
        }
    }
}

/// The answer to a question whose capability the client has not declared. A legacy client without the capability would
/// answer the same.
pub(super) fn undeclared(question: &Question) -> Message {
    RpcError::method_not_found(&question.msg.method())
        .with_data(r#"{"hint":"the client has not declared the capability for this"}"#)
        .answer(&question.id)
}
