//! A client that waits for the server's answer to `initialize`, or has been answered in the server's place.

use std::time::Instant;

use linkspan_auth_io::Prompt;
use linkspan_session::{Envelope, Verdict, Way};
use linkspan_wire::{Id, Message};

use super::{CALL, CALLS, REOPENING, answers};

pub(super) struct Opening {
    pub(super) request: Message,
    /// When the client has waited long enough.
    pub(super) due: Instant,
}

pub(super) struct Greeted {
    /// The client's `initialize`.
    pub(super) request: Message,
    /// Whether it is on its way to the server.
    pub(super) is_out: bool,
    /// The client's `initialized`, until the server has answered.
    pub(super) initialized: Option<Envelope>,
    /// Calls of `sign_in` that wait, and until when.
    pub(super) calls: Vec<(Id, Instant)>,
    /// Why the last sign-in failed.
    pub(super) failed: Option<String>,
}

impl Opening {
    /// Our own answer to `initialize`, if the sign-in takes too long, or if only the client can show the page.
    pub(super) fn greeted(
        &self,
        prompt: Option<&Prompt>,
        shows_pages: bool,
        now: Instant,
    ) -> Option<(Greeted, Message)> {
        let prompt = prompt?;
        let only_client = shows_pages && !prompt.opened;
        if !only_client && now < self.due {
            return None;
        }
        let answer = answers::greeting(&self.request, prompt)?;
        let greeted = Greeted {
            request: self.request.clone(),
            is_out: true,
            initialized: None,
            calls: Vec::new(),
            failed: None,
        };
        Some((greeted, answer))
    }
}

impl Greeted {
    /// A call of `sign_in` waits for the end of the sign-in; after a failed one it begins another.
    pub(super) fn call(&mut self, id: Id, now: Instant) -> Verdict {
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
    pub(super) fn due_calls(
        &mut self,
        prompt: Option<&Prompt>,
        now: Instant,
    ) -> Vec<(Way, Envelope)> {
        let (due, waiting) = std::mem::take(&mut self.calls)
            .into_iter()
            .partition(|(_, until)| *until <= now);
        self.calls = waiting;
        answers::results(due, &answers::waiting(prompt), false)
    }
}
