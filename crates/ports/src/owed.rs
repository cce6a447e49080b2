//! Tracks the answers that a server owes on one stream, and answers that name no request.
//!
//! An unreadable line, or an error with the id `null`, may be the answer to any request that was open when it arrived.
//! Requests that are answered shortly afterwards were not meant; the others fail. Requests of several principals can be
//! open on one stream, so the text of such an error is passed on only if a single request can be meant.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use linkspan_mcp::names;
use linkspan_session::{Envelope, Inbound};
use linkspan_wire::{Code, Frame, Hop, Id, Kind, Message, WireError};
use parking_lot::{Mutex, MutexGuard};

/// How long other answers may still arrive before the requests without one fail.
pub(crate) const DOUBT: Duration = Duration::from_secs(3);
/// Doubts at once; further ones join the last.
const MAX_DOUBTS: usize = 8;

/// The answers that a server owes. Does no IO; the caller passes the time.
#[derive(Default)]
pub(crate) struct Owed {
    /// Open requests by their hop, and when each was sent. Subscriptions are not included, because they are normally
    /// silent.
    open: BTreeMap<Hop, u64>,
    /// Counts requests.
    newest: u64,
    /// The highest hop so far: a number above it is the id of no request.
    highest: Hop,
    /// Requests were sent whose ids are not hop numbers: then an unknown id belongs to one of them.
    other_ids: bool,
    /// Open notifications; some servers, wrongly, answer them with an error whose id is `null`.
    notes: u32,
    /// The newest request that was sent before the last of these notifications.
    before_note: u64,
    /// This server does answer notifications.
    answers_notes: bool,
    /// A request was cancelled or failed after a doubt: an error without an id may still belong to it.
    abandoned: bool,
    /// Oldest first.
    doubts: Vec<Doubt>,
    /// Requests whose answer was found behind other text on a line, and when each fails if no other answer arrives: the
    /// line may have been a log.
    quoted: BTreeMap<Hop, Instant>,
}

/// An answer to one of several requests.
struct Doubt {
    due: Instant,
    /// The newest request that it can belong to.
    up_to: u64,
    what: Nameless,
}

enum Nameless {
    Bad(WireError),
    /// An error that belongs to this request, or to a notification.
    ErrorFor(Hop, Message),
    /// An error that belongs to one of several requests, so its text is not shown to the others.
    Error,
}

/// Shared by the writer and the reader of a server.
#[derive(Clone, Default)]
pub(crate) struct Shared(Arc<Mutex<Owed>>);

impl Shared {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Owed> {
        self.0.lock()
    }
}

impl Owed {
    /// Records a message that is sent.
    pub(crate) fn sent(&mut self, msg: &Message) {
        match msg.kind() {
            Kind::Request => match msg.hop() {
                Some(hop) => {
                    self.newest += 1;
                    self.highest = self.highest.max(hop);
                    if msg.method() != names::LISTEN {
                        self.open.insert(hop, self.newest);
                    }
                }
                None => self.other_ids = true,
            },
            Kind::Notification => {
                if msg.method() == names::CANCELLED {
                    let id = msg.params().and_then(|p| Id::parse(p.get("requestId")?));
                    if let Some(hop) = id.and_then(|id| id.as_hop()) {
                        self.abandoned |= self.open.remove(&hop).is_some();
                    }
                }
                self.notes = self.notes.saturating_add(1);
                self.before_note = self.newest;
            }
            Kind::Result | Kind::Error => {}
        }
    }

    /// Records a received frame. Returns the event for the session.
    pub(crate) fn heard(&mut self, frame: Frame, now: Instant) -> Option<Inbound> {
        match frame {
            Frame::Blank => None,
            Frame::One(msg) if msg.is_answer() => self.answer(msg, now),
            Frame::One(msg) => Some(Inbound::Message(Envelope::new(msg))),
            Frame::Batch(entries) => {
                for msg in entries.iter().flatten().filter(|msg| msg.is_answer()) {
                    if let Some(hop) = msg.hop() {
                        self.answered(hop);
                    }
                }
                Some(Inbound::Batch(entries))
            }
            Frame::Other { why, .. } => self.bad(why, now),
        }
    }

    /// Records an unreadable line.
    pub(crate) fn bad(&mut self, why: WireError, now: Instant) -> Option<Inbound> {
        if let Some(hop) = why.answered_hop() {
            self.answered(hop);
        } else if let Some(hop) = why.quoted_hop().filter(|hop| self.open.contains_key(hop)) {
            self.quoted.entry(hop).or_insert(now + DOUBT);
            return None;
        } else if why.is_nameless_answer() && !self.open.is_empty() {
            tracing::warn!("the server sent an answer that names no request: {why}");
            self.doubt(Nameless::Bad(why), now + DOUBT);
            return None;
        }
        Some(Inbound::Bad(why))
    }

    /// When [`Owed::on_time`] has to be called next.
    pub(crate) fn next_wake(&self) -> Option<Instant> {
        let doubt = self.doubts.first().map(|doubt| doubt.due);
        self.quoted.values().copied().chain(doubt).min()
    }

    /// Fails the requests that were in doubt and still have no answer.
    pub(crate) fn on_time(&mut self, now: Instant) -> Vec<Inbound> {
        let mut told = Vec::new();
        for (hop, _) in self.quoted.extract_if(.., |_, due| *due <= now) {
            if self.open.remove(&hop).is_some() {
                let id = hop.id();
                let why = WireError::Quoted {
                    id: id.bytes().clone(),
                };
                told.push(Inbound::Bad(why.answering(&id)));
            }
        }
        while self.doubts.first().is_some_and(|doubt| doubt.due <= now) {
            let doubt = self.doubts.remove(0);
            let meant = self.open.extract_if(.., |_, sent| *sent <= doubt.up_to);
            told.extend(meant.map(|(hop, _)| doubt.what.answering(hop)));
            self.abandoned |= !told.is_empty();
        }
        told
    }

    fn answer(&mut self, msg: Message, now: Instant) -> Option<Inbound> {
        let id = msg.id().filter(|id| id.text() != "null");
        let hop = id.map(|id| id.as_hop().filter(|hop| *hop <= self.highest));
        match (hop, msg.kind()) {
            (Some(Some(hop)), _) => self.answered(hop),
            // At most an answer to a request of another stream.
            (Some(None), _) if self.other_ids || self.open.is_empty() => {}
            (None, Kind::Error) => return self.nameless_error(msg, now),
            (Some(None) | None, _) => {
                let why = WireError::Shape {
                    why: "an answer with an `id` that no request has",
                    id: None,
                    is_answer: true,
                };
                return self.bad(why, now);
            }
        }
        Some(Inbound::Message(Envelope::new(msg)))
    }

    fn nameless_error(&mut self, msg: Message, now: Instant) -> Option<Inbound> {
        let code = msg.body().and_then(|error| error.get("code")?.as_i64());
        // A server that answers "method not found" has parsed the message, including its id.
        let to_note = self.answers_notes || code == Some(Code::MethodNotFound.number());
        // Each notification accounts for one error: a slow call does not fail for it.
        if self.open.is_empty() || (self.notes > 0 && to_note) {
            self.answers_notes |= self.notes > 0;
            self.notes = self.notes.saturating_sub(1);
            tracing::debug!("an error that answers no request: {msg:?}");
            return None;
        }
        let only = self.open.first_key_value().map(|(hop, _)| *hop);
        let only = only.filter(|_| self.open.len() == 1 && !self.abandoned);
        if let Some(hop) = only.filter(|_| self.notes == 0) {
            self.open.remove(&hop);
            let msg = msg.with_id(hop.id());
            return Some(Inbound::Message(Envelope::new(msg)));
        }
        tracing::warn!("the server sent an error that names no request: {msg:?}");
        let what = match only {
            Some(hop) => Nameless::ErrorFor(hop, msg),
            None => Nameless::Error,
        };
        self.doubt(what, now + DOUBT);
        None
    }

    fn doubt(&mut self, what: Nameless, due: Instant) {
        let up_to = self.newest;
        if self.doubts.len() == MAX_DOUBTS {
            self.doubts.pop();
        }
        self.doubts.push(Doubt { due, up_to, what });
    }

    fn answered(&mut self, hop: Hop) {
        let sent = self.open.remove(&hop);
        self.quoted.remove(&hop);
        if sent.is_some_and(|sent| sent > self.before_note) {
            // Servers take messages in order: the notifications before this request got no error.
            self.notes = 0;
            self.abandoned = false;
        }
        if self.doubts.is_empty() {
            return;
        }
        let oldest = self.open.values().min().copied();
        let (answers_notes, notes) = (&mut self.answers_notes, &mut self.notes);
        self.doubts.retain(|doubt| {
            let meant = oldest.is_some_and(|oldest| oldest <= doubt.up_to);
            if !meant && !matches!(doubt.what, Nameless::Bad(_)) {
                // All requests have their answers, so the error belonged to a notification.
                *answers_notes = true;
                *notes = notes.saturating_sub(1);
            }
            meant
        });
    }
}

impl Nameless {
    fn answering(&self, hop: Hop) -> Inbound {
        let id = hop.id();
        match self {
            Self::Bad(why) => Inbound::Bad(why.clone().answering(&id)),
            Self::ErrorFor(meant, msg) if *meant == hop => {
                Inbound::Message(Envelope::new(msg.clone().with_id(id)))
            }
            Self::ErrorFor(..) | Self::Error => Inbound::Bad(WireError::Shape {
                why: "the server sent an error that names no request",
                id: Some(id.bytes().clone()),
                is_answer: true,
            }),
        }
    }
}

#[cfg(test)]
mod tests;
