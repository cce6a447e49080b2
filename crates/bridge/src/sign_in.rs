//! Keeps a client while a person signs in.
//!
//! A client gives `initialize` about a minute, and a person may need longer. So if a sign-in is under way and takes its
//! time, this layer answers in the server's place: the server has one tool, `sign_in`, that shows the page. When the
//! server's own answer is there, the client is told that all lists have changed, and everything passes from then on.
//! It speaks the handshake era: it is the layer next to a legacy client, or behind the translation for a modern one.

mod answers;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use linkspan_auth_io::Prompt;
use linkspan_mcp::names;
use linkspan_session::{Envelope, Layer, Verdict, Way};
use linkspan_wire::{Id, Kind, Message};

use self::answers::Lists;

/// How long a client waits for a person.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// How long a call of `sign_in` waits. Many clients end calls after a minute.
const CALL: Duration = Duration::from_secs(45);
/// How often the state of the sign-in is looked at.
const LOOK: Duration = Duration::from_millis(200);
/// Calls of `sign_in` that wait at once.
const CALLS: usize = 16;
/// The ids of our own requests.
const QUESTION: &str = "linkspan-sign-in";
const REOPENING: &str = "linkspan-initialize";

/// What the layer has to know of the account.
pub(crate) trait SignInState: Send {
    /// What a person is asked to do right now.
    fn prompt(&self) -> Option<Prompt>;
    /// Tells whether the client can show a page to its user.
    fn set_client_shows_pages(&self, can: bool);
}

impl SignInState for linkspan_auth_io::Account {
    fn prompt(&self) -> Option<Prompt> {
        self.prompts().borrow().clone()
    }

    fn set_client_shows_pages(&self, can: bool) {
        self.set_client_shows_pages(can);
    }
}

pub(crate) struct SignInLayer<S> {
    state: S,
    /// How long the client waits before it is answered.
    patience: Duration,
    stage: Stage,
    /// When the state of the sign-in is looked at next.
    next_look: Option<Instant>,
}

enum Stage {
    /// Before `initialize`.
    Fresh,
    /// `initialize` is on its way.
    Opening(Opening),
    /// We have answered `initialize`.
    Greeted(Box<Greeted>),
    /// The server has answered. Lists that it does not have are answered here, if we have promised them.
    Through(Lists),
}

struct Opening {
    request: Message,
    /// When the client has waited long enough.
    due: Instant,
    shows_pages: bool,
}

struct Greeted {
    /// The client's `initialize`.
    request: Message,
    /// Whether it is on its way to the server.
    is_out: bool,
    /// The client's `initialized`, until the server has answered.
    initialized: Option<Envelope>,
    /// Whether the client shows pages and has not been asked yet.
    asks: bool,
    /// Calls of `sign_in` that wait, and until when.
    calls: Vec<(Id, Instant)>,
    /// Why the last sign-in failed.
    failed: Option<String>,
}

impl<S: SignInState> SignInLayer<S> {
    pub(crate) fn new(state: S) -> Self {
        Self {
            state,
            patience: PATIENCE,
            stage: Stage::Fresh,
            next_look: None,
        }
    }

    /// For a client that has waited already.
    pub(crate) fn answering_at_once(state: S) -> Self {
        Self {
            patience: Duration::ZERO,
            ..Self::new(state)
        }
    }

    /// A message of the client before the server has answered `initialize`, once we have.
    fn client_says(&mut self, envelope: Envelope, now: Instant) -> Verdict {
        let Stage::Greeted(greeted) = &mut self.stage else {
            return Verdict::Pass(envelope);
        };
        let method = envelope.msg.method().into_owned();
        match (envelope.msg.kind(), envelope.msg.id()) {
            (Kind::Notification, _) if method == names::INITIALIZED => {
                greeted.initialized = Some(envelope);
                Verdict::Drop
            }
            (Kind::Request, Some(id)) if answers::is_call_of_tool(&envelope.msg) => {
                greeted.call(id, now)
            }
            (Kind::Request, Some(id)) => {
                let prompt = self.state.prompt();
                let why = greeted.failed.as_deref();
                Verdict::Back(Envelope::new(answers::to(
                    &id,
                    &method,
                    prompt.as_ref(),
                    why,
                )))
            }
            // The answer to our own question, and what is for a server that is not there yet.
            _ => Verdict::Drop,
        }
    }

    /// The server's answer to `initialize`, after ours.
    fn server_opened(&mut self, answer: Message) -> Verdict {
        let Stage::Greeted(greeted) = &mut self.stage else {
            return Verdict::Drop;
        };
        if answer.kind() == Kind::Error {
            greeted.is_out = false;
            greeted.failed = Some(answers::reason(&answer));
            let calls = std::mem::take(&mut greeted.calls);
            let text = answers::failed(&answers::reason(&answer));
            return Verdict::Many(answers::results(calls, &text, true));
        }
        let mut several = answers::results(
            std::mem::take(&mut greeted.calls),
            answers::SIGNED_IN,
            false,
        );
        several.extend(greeted.initialized.take().map(|note| (Way::ToBack, note)));
        several.extend(answers::lists_changed().map(|note| (Way::ToFront, Envelope::new(note))));
        self.stage = Stage::Through(Lists::missing_in(&answer));
        self.next_look = None;
        Verdict::Many(several)
    }
}

impl Opening {
    /// Our own answer to `initialize`, if the sign-in takes too long, or if only the client can show the page.
    fn greeted(&self, prompt: Option<&Prompt>, now: Instant) -> Option<(Greeted, Message)> {
        let prompt = prompt?;
        let only_client = self.shows_pages && !prompt.opened;
        if !only_client && now < self.due {
            return None;
        }
        let answer = answers::greeting(&self.request, prompt)?;
        let greeted = Greeted {
            request: self.request.clone(),
            is_out: true,
            initialized: None,
            asks: self.shows_pages,
            calls: Vec::new(),
            failed: None,
        };
        Some((greeted, answer))
    }
}

impl Greeted {
    /// Asks the client once to show the page, after it has said that it is ready.
    fn question(&mut self, prompt: Option<&Prompt>) -> Option<(Way, Envelope)> {
        let prompt = prompt.filter(|_| self.asks && self.initialized.is_some())?;
        self.asks = false;
        let question = answers::question(&Id::string(QUESTION), prompt);
        Some((Way::ToFront, Envelope::new(question)))
    }

    /// A call of `sign_in` waits for the end of the sign-in; after a failed one it begins another.
    fn call(&mut self, id: Id, now: Instant) -> Verdict {
        if self.calls.len() >= CALLS {
            let text = answers::failed("too many calls wait already");
            return Verdict::Back(Envelope::new(answers::result(&id, &text, true)));
        }
        self.calls.push((id, now + CALL));
        if self.is_out {
            return Verdict::Drop;
        }
        self.is_out = true;
        self.failed = None;
        let again = self.request.clone().with_id(Id::string(REOPENING));
        Verdict::Many(vec![(Way::ToBack, Envelope::new(again))])
    }

    /// Calls that have waited long enough are answered with what there is to do.
    fn due_calls(&mut self, prompt: Option<&Prompt>, now: Instant) -> Vec<(Way, Envelope)> {
        let (due, waiting) = std::mem::take(&mut self.calls)
            .into_iter()
            .partition(|(_, until)| *until <= now);
        self.calls = waiting;
        answers::results(due, &answers::waiting(prompt), false)
    }
}

impl<S: SignInState> Layer for SignInLayer<S> {
    fn on(&mut self, way: Way, envelope: Envelope, now: Instant) -> Verdict {
        match (&mut self.stage, way) {
            (Stage::Through(missing), Way::ToBack) => match missing.answer(&envelope.msg) {
                Some(answer) => Verdict::Back(Envelope::new(answer)),
                None => Verdict::Pass(envelope),
            },
            (Stage::Through(_), Way::ToFront) => Verdict::Pass(envelope),
            (Stage::Fresh, Way::ToBack) => {
                let msg = &envelope.msg;
                if msg.kind() == Kind::Request && msg.method() == names::INITIALIZE {
                    let shows_pages = answers::shows_pages(msg);
                    self.state.set_client_shows_pages(shows_pages);
                    self.stage = Stage::Opening(Opening {
                        request: msg.clone(),
                        due: now + self.patience,
                        shows_pages,
                    });
                    self.next_look = Some(now + LOOK);
                }
                Verdict::Pass(envelope)
            }
            (Stage::Opening(opening), Way::ToFront) => {
                if envelope.msg.is_answer() && envelope.msg.id() == opening.request.id() {
                    self.stage = Stage::Through(Lists::default());
                    self.next_look = None;
                }
                Verdict::Pass(envelope)
            }
            (Stage::Greeted(greeted), Way::ToFront) => {
                let id = envelope.msg.id();
                let is_opening = id == greeted.request.id() || id == Some(Id::string(REOPENING));
                if envelope.msg.is_answer() && is_opening {
                    return self.server_opened(envelope.msg);
                }
                Verdict::Pass(envelope)
            }
            (Stage::Greeted(_), Way::ToBack) => self.client_says(envelope, now),
            _ => Verdict::Pass(envelope),
        }
    }

    fn next_wake(&self) -> Option<Instant> {
        self.next_look
    }

    fn on_time(&mut self, now: Instant) -> Vec<(Way, Envelope)> {
        let prompt = self.state.prompt();
        let due = match &mut self.stage {
            Stage::Opening(opening) => match opening.greeted(prompt.as_ref(), now) {
                Some((greeted, answer)) => {
                    self.stage = Stage::Greeted(Box::new(greeted));
                    vec![(Way::ToFront, Envelope::new(answer))]
                }
                None => Vec::new(),
            },
            Stage::Greeted(greeted) => {
                let mut due = greeted.due_calls(prompt.as_ref(), now);
                due.extend(greeted.question(prompt.as_ref()));
                due
            }
            Stage::Fresh | Stage::Through(_) => Vec::new(),
        };
        let is_waiting = matches!(self.stage, Stage::Opening(_) | Stage::Greeted(_));
        self.next_look = is_waiting.then(|| now + LOOK);
        due
    }
}
