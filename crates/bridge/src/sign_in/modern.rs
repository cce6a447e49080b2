//! A modern client of a modern server, for which a person has to sign in during the session.
//!
//! A client that shows pages is asked by its call: the call is answered with the question and is sent to the server,
//! where it waits for the sign-in. The client returns to it, as to any call that wants input.

use std::collections::HashMap;
use std::time::Instant;

use linkspan_auth_io::Prompt;
use linkspan_mcp::era::{PARK, digest, may_ask};
use linkspan_mcp::names;
use linkspan_session::{Envelope, Layer, Verdict, Way};
use linkspan_wire::{Id, IdKey, Json, Kind, Message, RpcError};

use super::asking::{Asking, Reply};
use super::{LOOK, SignInState, answers};

pub(crate) struct ModernSignInLayer<S: SignInState> {
    state: S,
    asking: Asking,
    /// Calls in whose course the client can be asked, until they are answered or parked.
    waiting: HashMap<IdKey, Message>,
    parked: Vec<Parked>,
    next_look: Option<Instant>,
}

/// A call that the client was asked in the course of.
struct Parked {
    /// As the server got it.
    request: Message,
    /// The question, which is the `requestState`, too.
    question: Id,
    /// The client's request that waits for it now.
    front: Option<Id>,
    /// The progress token of that one, as spelled.
    token: Option<String>,
    /// Until when the client has to come back.
    until: Instant,
    /// The server's answer, if it came before the client.
    outcome: Option<Envelope>,
}

impl<S: SignInState> ModernSignInLayer<S> {
    pub(crate) fn new(state: S) -> Self {
        let layer = Self {
            state,
            // Each request says what its client can do.
            asking: Asking::of_client(true),
            waiting: HashMap::new(),
            parked: Vec::new(),
            next_look: None,
        };
        layer.tell_account();
        layer
    }

    fn can_ask(&self) -> bool {
        !self.waiting.is_empty() || self.parked.iter().any(|call| call.front.is_some())
    }

    fn tell_account(&self) {
        self.state.set_client_shows_pages(self.can_ask());
        self.state.set_patience(self.asking.patience(true));
    }

    /// What is to be done after a change of the calls.
    fn changed(&mut self, now: Instant) {
        self.tell_account();
        if self.can_ask() {
            self.next_look.get_or_insert(now + LOOK);
        }
    }

    fn request(&mut self, envelope: Envelope, now: Instant) -> Verdict {
        let msg = &envelope.msg;
        let Some(id) = msg.id().filter(|_| may_ask(&msg.method())) else {
            return Verdict::Pass(envelope);
        };
        let params = msg.params();
        let member = |name| params.and_then(|params| params.get(name));
        let state = member("requestState");
        if let Some(state) = state.and_then(Json::as_str)
            && self.asking.has_asked(&state)
        {
            let verdict = self.resume(id, &envelope.msg, &state);
            self.changed(now);
            return verdict;
        }
        // A later round of a call that the server has asked for input would lose what the server wants to see again.
        let is_first = state.is_none() && member("inputResponses").is_none();
        if is_first && answers::modern_shows_pages(msg) {
            self.waiting.insert(id.key(), msg.clone());
            self.changed(now);
        }
        Verdict::Pass(envelope)
    }

    /// The client comes back to a parked call.
    fn resume(&mut self, id: Id, msg: &Message, state: &str) -> Verdict {
        let at = self
            .parked
            .iter()
            .position(|call| call.question.bare() == state && call.front.is_none());
        let Some(at) = at else {
            return refuse(&id, "requestState is not known here");
        };
        let call = &mut self.parked[at];
        if digest(&call.request) != digest(msg) {
            return refuse(&id, "requestState belongs to another request");
        }
        let reply = msg
            .params()
            .and_then(|params| params.path(&["inputResponses", state]));
        let reply = answers::reply(reply);
        self.asking.replied(&call.question, reply);
        let Some(outcome) = call.outcome.take() else {
            call.front = Some(id);
            call.token = progress_token(msg, &["_meta", "progressToken"]).map(str::to_owned);
            return Verdict::Drop;
        };
        let call = self.parked.remove(at);
        if answers::is_not_signed_in(&outcome.msg) && reply == Reply::Accepted {
            // It has not run, and its sign-in has ended before the person could begin.
            let again = call.request.with_id(id.clone());
            self.waiting.insert(id.key(), again.clone());
            return Verdict::Pass(Envelope::new(again));
        }
        Verdict::Back(Envelope {
            msg: outcome.msg.with_id(id.clone()),
            about: Some(id),
            ..outcome
        })
    }

    fn cancelled(&mut self, envelope: Envelope, now: Instant) -> Verdict {
        let Some(id) = answers::cancelled_id(&envelope.msg) else {
            return Verdict::Pass(envelope);
        };
        self.waiting.remove(&id.key());
        let at = self
            .parked
            .iter()
            .position(|call| call.front.as_ref() == Some(&id));
        let call = at.map(|at| self.parked.remove(at));
        self.changed(now);
        match call.and_then(|call| call.request.id()) {
            Some(known) => Verdict::Pass(Envelope::new(answers::cancelled(&known))),
            None => Verdict::Pass(envelope),
        }
    }

    fn answered(&mut self, envelope: Envelope, now: Instant) -> Verdict {
        let Some(id) = envelope.msg.id() else {
            return Verdict::Pass(envelope);
        };
        if self.waiting.remove(&id.key()).is_some() {
            self.changed(now);
            return Verdict::Pass(envelope);
        }
        let at = self
            .parked
            .iter()
            .position(|call| call.request.id().as_ref() == Some(&id));
        let Some(at) = at else {
            return Verdict::Pass(envelope);
        };
        let Some(front) = self.parked[at].front.clone() else {
            self.parked[at].outcome = Some(envelope);
            return Verdict::Drop;
        };
        self.parked.remove(at);
        self.changed(now);
        Verdict::Pass(Envelope {
            msg: envelope.msg.with_id(front.clone()),
            about: Some(front),
            ..envelope
        })
    }

    /// Progress of a parked call goes on under the token of the request that waits for it now.
    fn progress(&self, envelope: Envelope) -> Verdict {
        let Some(token) = progress_token(&envelope.msg, &["progressToken"]) else {
            return Verdict::Pass(envelope);
        };
        let of = |call: &&Parked| {
            progress_token(&call.request, &["_meta", "progressToken"]) == Some(token)
        };
        let Some(call) = self.parked.iter().find(of) else {
            return Verdict::Pass(envelope);
        };
        let params = envelope.msg.params();
        let spelled = params.and_then(|params| params.get("progressToken"));
        match (spelled, &call.token) {
            (Some(spelled), Some(now)) => Verdict::Pass(Envelope {
                msg: envelope.msg.with_value(spelled, now),
                about: call.front.clone(),
                ..envelope
            }),
            _ => Verdict::Drop,
        }
    }

    /// Asks the client, once for each prompt, in the course of a call that waits.
    fn question(&mut self, prompt: Option<&Prompt>, now: Instant) -> Option<(Way, Envelope)> {
        let prompt = self.asking.due(prompt)?;
        let first = self.waiting.keys().next().cloned();
        let request = first.and_then(|key| self.waiting.remove(&key));
        let (request, front) = match request {
            Some(request) => {
                let id = request.id()?;
                (request, id)
            }
            None => {
                let at = self.parked.iter().position(|call| call.front.is_some())?;
                let call = self.parked.remove(at);
                (call.request, call.front?)
            }
        };
        let question = self.asking.begin(prompt, self.state.generation());
        let answer = answers::input_required(&front, &question, prompt);
        self.parked.push(Parked {
            request,
            question,
            front: None,
            token: None,
            until: now + PARK,
            outcome: None,
        });
        let envelope = Envelope {
            about: Some(front),
            ..Envelope::new(answer)
        };
        Some((Way::ToFront, envelope))
    }

    /// Ends calls whose clients have not come back.
    fn forget(&mut self, now: Instant) -> Vec<(Way, Envelope)> {
        let is_late = |call: &mut Parked| call.front.is_none() && call.until <= now;
        let late: Vec<Parked> = self.parked.extract_if(.., is_late).collect();
        let under_way = late.into_iter().filter(|call| call.outcome.is_none());
        let known = under_way.filter_map(|call| call.request.id());
        let cancel = known.map(|id| (Way::ToBack, Envelope::new(answers::cancelled(&id))));
        cancel.collect()
    }
}

fn progress_token<'a>(msg: &'a Message, path: &[&str]) -> Option<&'a str> {
    Some(msg.params()?.path(path)?.text())
}

fn refuse(id: &Id, why: &'static str) -> Verdict {
    let error = RpcError::invalid_params(why)
        .with_data(r#"{"hint":"call anew without requestState and inputResponses"}"#);
    Verdict::Back(Envelope::new(error.answer(id)))
}

impl<S: SignInState> Layer for ModernSignInLayer<S> {
    fn on(&mut self, way: Way, envelope: Envelope, now: Instant) -> Verdict {
        match (way, envelope.msg.kind()) {
            (Way::ToBack, Kind::Request) => self.request(envelope, now),
            (Way::ToBack, Kind::Notification) if envelope.msg.method() == names::CANCELLED => {
                self.cancelled(envelope, now)
            }
            (Way::ToFront, Kind::Result | Kind::Error) => self.answered(envelope, now),
            (Way::ToFront, Kind::Notification)
                if !self.parked.is_empty() && envelope.msg.method() == names::PROGRESS =>
            {
                self.progress(envelope)
            }
            _ => Verdict::Pass(envelope),
        }
    }

    fn next_wake(&self) -> Option<Instant> {
        let parked = self.parked.iter().filter(|call| call.front.is_none());
        let parked = parked.map(|call| call.until);
        parked.chain(self.next_look).min()
    }

    fn on_time(&mut self, now: Instant) -> Vec<(Way, Envelope)> {
        let mut due = self.forget(now);
        let prompt = self.state.prompt();
        // A modern client hears of the end with the answer to its call.
        self.asking.settle(prompt.as_ref(), self.state.generation());
        due.extend(self.question(prompt.as_ref(), now));
        self.tell_account();
        let looks = self.can_ask() || self.asking.is_open();
        self.next_look = looks.then(|| now + LOOK);
        due
    }
}

/// The client has gone, and cannot be asked any more.
impl<S: SignInState> Drop for ModernSignInLayer<S> {
    fn drop(&mut self) {
        self.state.set_client_shows_pages(false);
        self.state.set_patience(None);
    }
}
