//! Keeps a client while a person signs in.
//!
//! A client gives `initialize` about a minute, and a person may need longer. So if a sign-in is under way and takes its
//! time, this layer answers in the server's place: the server has one tool, `sign_in`, that shows the page. When the
//! server's own answer is there, the client is told that all lists have changed, and everything passes from then on.
//! A sign-in may also become necessary later. Then a client that shows pages is asked once while a request of it waits,
//! and the account ends the wait of a request after [`PATIENCE`].
//! It speaks the handshake era: it is the layer next to a legacy client, or behind the translation for a modern one.
//! [`ModernSignInLayer`] is for a modern client of a modern server.

pub(crate) mod answers;
mod asking;
mod greeted;
mod modern;
#[cfg(test)]
mod tests;
mod through;

use std::time::{Duration, Instant};

use linkspan_auth_io::Prompt;
use linkspan_mcp::names;
use linkspan_session::{Envelope, Layer, Verdict, Way};
use linkspan_wire::{Id, Kind, Message};

use self::answers::Lists;
use self::asking::Asking;
use self::greeted::{Greeted, Opening};
pub(crate) use self::modern::ModernSignInLayer;
use self::through::Through;

/// How long a client waits for a person.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// How long a call of `sign_in` waits, and one whose client has been asked to show the page. Many clients end calls
/// after a minute.
const CALL: Duration = Duration::from_secs(45);
/// How often the state of the sign-in is looked at.
const LOOK: Duration = Duration::from_millis(200);
/// Calls of `sign_in` that wait at once.
const CALLS: usize = 16;
/// The id of an `initialize` of our own.
const REOPENING: &str = "linkspan-initialize";

/// What the layer has to know of the account.
pub(crate) trait SignInState: Send {
    /// What a person is asked to do right now.
    fn prompt(&self) -> Option<Prompt>;
    /// Tells whether the client can show a page to its user.
    fn set_client_shows_pages(&self, can: bool);
    /// How long a request waits for a person; `None`: as long as the sign-in takes.
    fn set_patience(&self, patience: Option<Duration>);
    /// The version of the credential at hand.
    fn generation(&self) -> Option<u64>;
    /// The user wants to be asked again, after a sign-in that led to nothing.
    fn ask_again(&self);
}

impl SignInState for linkspan_auth_io::Account {
    fn prompt(&self) -> Option<Prompt> {
        self.prompts().borrow().clone()
    }

    fn set_client_shows_pages(&self, can: bool) {
        self.set_client_shows_pages(can);
    }

    fn set_patience(&self, patience: Option<Duration>) {
        self.set_patience(patience);
    }

    fn generation(&self) -> Option<u64> {
        self.generation()
    }

    fn ask_again(&self) {
        self.ask_again();
    }
}

pub(crate) struct SignInLayer<S: SignInState> {
    state: S,
    /// How long the client waits before it is answered.
    patience: Duration,
    /// Whether the client is a modern one behind a translation.
    is_translated: bool,
    asking: Asking,
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
    /// The server has answered.
    Through(Through),
}

impl<S: SignInState> SignInLayer<S> {
    pub(crate) fn new(state: S) -> Self {
        Self {
            state,
            patience: PATIENCE,
            is_translated: false,
            asking: Asking::default(),
            stage: Stage::Fresh,
            next_look: None,
        }
    }

    /// For a modern client, behind the translation.
    pub(crate) fn translated(state: S) -> Self {
        let mut layer = Self::new(state);
        layer.is_translated = true;
        layer
    }

    /// The same for a client that has waited already.
    pub(crate) fn answering_at_once(state: S) -> Self {
        let mut layer = Self::translated(state);
        layer.patience = Duration::ZERO;
        layer
    }

    /// Tells the account whether the client can be asked right now, and how long requests wait. Where the client cannot
    /// be asked, there are codes for another device.
    fn tell_account(&self) {
        let (can_be_asked, patience) = match &self.stage {
            Stage::Fresh => (false, None),
            // `initialize` waits in any case, and the client is answered here.
            Stage::Opening(_) => (!self.is_translated, None),
            Stage::Greeted(greeted) => (!self.is_translated || !greeted.calls.is_empty(), None),
            Stage::Through(through) => {
                let patience = self.asking.patience(self.is_translated);
                (through.waits().is_some(), patience)
            }
        };
        let can = can_be_asked && self.asking.shows_pages();
        self.state.set_client_shows_pages(can);
        self.state.set_patience(patience);
    }

    /// The handshake is over.
    fn pass_from_now(&mut self, missing: Lists, now: Instant) {
        self.stage = Stage::Through(Through::without(missing));
        self.next_look = self.asking.is_open().then(|| now + LOOK);
        self.tell_account();
    }

    /// Looks at what passes after the handshake.
    fn pass(&mut self, way: Way, envelope: Envelope, now: Instant) -> Verdict {
        let Stage::Through(through) = &mut self.stage else {
            return Verdict::Pass(envelope);
        };
        let was_waiting = through.waits().is_some();
        match way {
            Way::ToBack => {
                if let Some(answer) = through.answer(&envelope.msg) {
                    return Verdict::Back(Envelope::new(answer));
                }
                if self.asking.shows_pages() {
                    through.sent(&envelope.msg, self.is_translated);
                }
            }
            Way::ToFront if envelope.msg.is_answer() => {
                through.answered(&envelope.msg, || self.state.generation());
            }
            Way::ToFront => {}
        }
        let is_waiting = through.waits().is_some();
        if is_waiting || through.hopes() {
            self.next_look.get_or_insert(now + LOOK);
        }
        if is_waiting != was_waiting {
            self.tell_account();
        }
        Verdict::Pass(envelope)
    }

    /// Asks the client to show the page, once for each prompt.
    fn question(&mut self, prompt: Option<&Prompt>) -> Option<(Way, Envelope)> {
        let prompt = self.asking.due(prompt)?;
        let about = match &self.stage {
            // Before `initialized` it must not be asked anything.
            Stage::Greeted(greeted) if greeted.initialized.is_some() => {
                greeted.calls.last().map(|(id, _)| id)
            }
            Stage::Through(through) => Some(through.waits()?),
            _ => return None,
        };
        let about = about.filter(|_| self.is_translated).cloned();
        if self.is_translated && about.is_none() {
            return None;
        }
        let id = self.asking.begin(prompt, self.state.generation());
        let envelope = Envelope {
            about,
            ..Envelope::new(answers::question(&id, prompt))
        };
        Some((Way::ToFront, envelope))
    }

    /// What the client has to hear of sign-ins that have ended.
    fn news(&mut self, prompt: Option<&Prompt>) -> Vec<(Way, Envelope)> {
        let generation = self.state.generation();
        let mut news = self.asking.settle(prompt, generation);
        if self.is_translated {
            // A modern client knows no other end of a question than its own.
            news.retain(|msg| msg.method() == names::CANCELLED);
        }
        if let Stage::Through(through) = &mut self.stage
            && through.is_news(prompt.is_some(), generation)
        {
            news.extend(answers::lists_changed());
        }
        let news = news.into_iter();
        news.map(|msg| (Way::ToFront, Envelope::new(msg))).collect()
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
                if !greeted.is_out {
                    self.state.ask_again();
                }
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
    fn server_opened(&mut self, answer: Message, now: Instant) -> Verdict {
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
        self.pass_from_now(Lists::missing_in(&answer), now);
        Verdict::Many(several)
    }
}

impl<S: SignInState> Layer for SignInLayer<S> {
    fn on(&mut self, way: Way, envelope: Envelope, now: Instant) -> Verdict {
        if way == Way::ToBack && self.asking.takes(&envelope.msg) {
            self.tell_account();
            return Verdict::Drop;
        }
        match (&mut self.stage, way) {
            (Stage::Through(_), way) => self.pass(way, envelope, now),
            (Stage::Fresh, Way::ToBack) => {
                let msg = &envelope.msg;
                if msg.kind() == Kind::Request && msg.method() == names::INITIALIZE {
                    self.asking = Asking::of_client(answers::shows_pages(msg));
                    self.stage = Stage::Opening(Opening {
                        request: msg.clone(),
                        due: now + self.patience,
                    });
                    self.next_look = Some(now + LOOK);
                    self.tell_account();
                }
                Verdict::Pass(envelope)
            }
            (Stage::Opening(opening), Way::ToFront) => {
                if envelope.msg.is_answer() && envelope.msg.id() == opening.request.id() {
                    self.pass_from_now(Lists::default(), now);
                }
                Verdict::Pass(envelope)
            }
            (Stage::Greeted(greeted), Way::ToFront) => {
                let id = envelope.msg.id();
                let is_opening = id == greeted.request.id() || id == Some(Id::string(REOPENING));
                if envelope.msg.is_answer() && is_opening {
                    return self.server_opened(envelope.msg, now);
                }
                Verdict::Pass(envelope)
            }
            (Stage::Greeted(_), Way::ToBack) => {
                let said = self.client_says(envelope, now);
                self.tell_account();
                said
            }
            _ => Verdict::Pass(envelope),
        }
    }

    fn next_wake(&self) -> Option<Instant> {
        self.next_look
    }

    fn on_time(&mut self, now: Instant) -> Vec<(Way, Envelope)> {
        let prompt = self.state.prompt();
        let prompt = prompt.as_ref();
        let mut due = match &mut self.stage {
            Stage::Opening(opening) => {
                match opening.greeted(prompt, self.asking.shows_pages(), now) {
                    Some((greeted, answer)) => {
                        self.stage = Stage::Greeted(Box::new(greeted));
                        vec![(Way::ToFront, Envelope::new(answer))]
                    }
                    None => Vec::new(),
                }
            }
            Stage::Greeted(greeted) => greeted.due_calls(prompt, now),
            Stage::Fresh | Stage::Through(_) => Vec::new(),
        };
        due.extend(self.news(prompt));
        due.extend(self.question(prompt));
        self.tell_account();
        let looks = match &self.stage {
            Stage::Fresh => false,
            Stage::Opening(_) | Stage::Greeted(_) => true,
            Stage::Through(through) => {
                through.waits().is_some() || through.hopes() || self.asking.is_open()
            }
        };
        self.next_look = looks.then(|| now + LOOK);
        due
    }
}

/// The client has gone, and cannot be asked any more.
impl<S: SignInState> Drop for SignInLayer<S> {
    fn drop(&mut self) {
        self.state.set_client_shows_pages(false);
        self.state.set_patience(None);
    }
}
