//! The question to the client that shows the page: once for each prompt.

use std::time::Duration;

use linkspan_auth_io::Prompt;
use linkspan_wire::{Id, Message};

use super::{CALL, PATIENCE, answers};

/// What the ids of our questions begin with; a number follows.
const QUESTION: &str = "linkspan-sign-in-";

/// The questions to one client.
#[derive(Default)]
pub(super) struct Asking {
    /// Whether the client can show pages.
    shows_pages: bool,
    /// How many questions there were.
    count: u64,
    newest: Option<Asked>,
}

struct Asked {
    id: Id,
    prompt: Prompt,
    /// The version of the credential at that time.
    generation: Option<u64>,
    reply: Option<Reply>,
    /// Whether the sign-in has not ended.
    is_open: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reply {
    /// The user has agreed to open the page.
    Accepted,
    /// Anything else: the sign-in goes on with the printed URL.
    Declined,
}

impl Asking {
    pub(super) fn of_client(shows_pages: bool) -> Self {
        Self {
            shows_pages,
            ..Self::default()
        }
    }

    pub(super) fn shows_pages(&self) -> bool {
        self.shows_pages
    }

    /// The prompt that the client has to be asked to show. One that a browser was opened with needs no client.
    pub(super) fn due<'a>(&self, prompt: Option<&'a Prompt>) -> Option<&'a Prompt> {
        let prompt = prompt.filter(|prompt| self.shows_pages && !prompt.opened)?;
        let newest = self.newest.as_ref();
        newest
            .is_none_or(|asked| asked.prompt != *prompt)
            .then_some(prompt)
    }

    /// The client is asked: the id of the question. `generation` is the version of the credential at hand.
    pub(super) fn begin(&mut self, prompt: &Prompt, generation: Option<u64>) -> Id {
        self.count += 1;
        let id = Id::string(&format!("{QUESTION}{}", self.count));
        self.newest = Some(Asked {
            id: id.clone(),
            prompt: prompt.clone(),
            generation,
            reply: None,
            is_open: true,
        });
        id
    }

    /// Whether a question of ours has that name.
    pub(super) fn has_asked(&self, name: &str) -> bool {
        let number = name.strip_prefix(QUESTION).map(str::parse::<u64>);
        matches!(number, Some(Ok(number)) if (1..=self.count).contains(&number))
    }

    /// Whether this is the answer to a question of ours, which is not for the server.
    pub(super) fn takes(&mut self, msg: &Message) -> bool {
        let Some(id) = msg.id().filter(|_| self.count > 0 && msg.is_answer()) else {
            return false;
        };
        let is_ours = self.has_asked(&id.bare());
        if is_ours {
            self.replied(&id, answers::reply(msg.body()));
        }
        is_ours
    }

    /// Notes what the user said to a question.
    pub(super) fn replied(&mut self, id: &Id, reply: Reply) {
        if let Some(asked) = self.newest.as_mut().filter(|asked| asked.id == *id) {
            asked.reply.get_or_insert(reply);
        }
    }

    /// Compares the newest question with what is asked of the user now. At the end of its sign-in, tells a legacy
    /// client about that.
    pub(super) fn settle(
        &mut self,
        prompt: Option<&Prompt>,
        generation: Option<u64>,
    ) -> Vec<Message> {
        let Some(asked) = &mut self.newest else {
            return Vec::new();
        };
        let was_open = asked.is_open;
        asked.is_open = prompt == Some(&asked.prompt);
        if asked.is_open || !was_open {
            return Vec::new();
        }
        let is_done = generation != asked.generation && asked.reply != Some(Reply::Declined);
        let complete = is_done.then(|| answers::complete(&asked.id));
        let cancelled = asked.reply.is_none().then(|| answers::cancelled(&asked.id));
        complete.into_iter().chain(cancelled).collect()
    }

    /// Whether the sign-in of the newest question goes on.
    pub(super) fn is_open(&self) -> bool {
        self.newest.as_ref().is_some_and(|asked| asked.is_open)
    }

    /// How long requests wait for the user; `None`: as long as the sign-in takes. While a question is open, calls
    /// that are `parked` keep no client waiting.
    pub(super) fn patience(&self, parked: bool) -> Option<Duration> {
        let open = self.newest.as_ref().filter(|asked| asked.is_open);
        match open.map(|asked| asked.reply) {
            None | Some(Some(Reply::Declined)) => Some(PATIENCE),
            Some(Some(Reply::Accepted)) => None,
            Some(None) => (!parked).then_some(CALL),
        }
    }
}
