//! A legacy session whose handshake is over: what the layer has to know of the client's requests.

use std::collections::HashMap;

use linkspan_mcp::era::may_ask;
use linkspan_mcp::names;
use linkspan_wire::{Id, IdKey, Kind, Message};

use super::answers::{self, Lists};

#[derive(Default)]
pub(super) struct Through {
    /// Lists that the server does not have and that we have promised.
    missing: Lists,
    /// Requests that wait for their answers, if the client can be asked in their course.
    waiting: HashMap<IdKey, Id>,
    /// A request has failed because there was no sign-in; the version of the credential at that time.
    refused: Option<Option<u64>>,
}

impl Through {
    pub(super) fn without(missing: Lists) -> Self {
        Self {
            missing,
            ..Self::default()
        }
    }

    /// Our own answer to a request, in the server's place.
    pub(super) fn answer(&self, request: &Message) -> Option<Message> {
        self.missing.answer(request)
    }

    /// Notes what the client sends. A modern client behind a translation can be asked in the course of some requests
    /// only.
    pub(super) fn sent(&mut self, msg: &Message, is_translated: bool) {
        match (msg.kind(), msg.id()) {
            (Kind::Request, Some(id)) if !is_translated || may_ask(&msg.method()) => {
                self.waiting.insert(id.key(), id);
            }
            (Kind::Notification, _) if msg.method() == names::CANCELLED => {
                if let Some(id) = answers::cancelled_id(msg) {
                    self.waiting.remove(&id.key());
                }
            }
            _ => {}
        }
    }

    /// Notes what the client gets. `generation` is the version of the credential at hand.
    pub(super) fn answered(&mut self, msg: &Message, generation: impl FnOnce() -> Option<u64>) {
        if !self.waiting.is_empty()
            && let Some(id) = msg.id()
        {
            self.waiting.remove(&id.key());
        }
        if answers::is_not_signed_in(msg) {
            self.refused = Some(generation());
        }
    }

    /// A request in whose course the client can be asked now.
    pub(super) fn waits(&self) -> Option<&Id> {
        self.waiting.values().next()
    }

    /// Whether the client has to hear that there is a credential now, after a request that failed without.
    pub(super) fn is_news(&mut self, is_asked: bool, generation: Option<u64>) -> bool {
        let Some(before) = self.refused else {
            return false;
        };
        let is_news = generation != before;
        if is_news || !is_asked {
            self.refused = None;
        }
        is_news
    }

    /// Whether the end of the sign-in would be news.
    pub(super) fn hopes(&self) -> bool {
        self.refused.is_some()
    }
}
