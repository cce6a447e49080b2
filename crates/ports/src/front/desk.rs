//! A legacy session as its client sees it: streams, and what goes on which. No IO.

mod log;
mod routes;
mod stream;

use std::task::{Poll, Waker};
use std::time::Instant;

use linkspan_mcp::Revision;
use linkspan_session::{Envelope, Fault, Outbound};
use linkspan_wire::{Id, IdKey, Json, Kind, Message, RpcError};

use self::log::Log;
use self::routes::{Route, Routes, STANDING};
use super::ink::{EventId, Ink};

/// How the client listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// Streamable HTTP: a stream for each POST, and one for the rest.
    Streams,
    /// HTTP+SSE: one stream for everything, and nothing is ever sent twice.
    OneStream,
}

/// The state of a session.
#[derive(Debug)]
pub(super) struct Desk {
    manner: Manner,
    routes: Routes,
    log: Log,
    last: u32,
    /// The client's `initialize`, while it waits for its answer.
    opening: Option<IdKey>,
    /// What the client asked for, then what was agreed on.
    version: Option<Box<str>>,
    refused: bool,
    ended: bool,
    /// When the client was last heard of.
    seen: Instant,
}

/// A connection's place at a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seat {
    pub(super) stream: u32,
    turn: u32,
}

/// What is first to be said on a POST.
#[derive(Debug)]
pub(super) enum First {
    /// The answer, and nothing else.
    Answer(Outbound),
    /// Something that is not all.
    Stream,
    /// Nothing ever: the request was cancelled.
    Nothing,
}

/// Why a stream cannot be resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unresumable {
    /// There never was such an event.
    Unknown,
    /// All of it has been sent, or it is too long ago.
    Over,
}

impl Desk {
    pub(super) fn new(manner: Manner, now: Instant) -> Self {
        let mut log = Log::default();
        log.open(STANDING);
        Self {
            manner,
            routes: Routes::default(),
            log,
            last: STANDING,
            opening: None,
            version: None,
            refused: false,
            ended: false,
            seen: now,
        }
    }

    // What clients do.

    /// A POST arrives with these requests. The error is an id that is still in flight.
    pub(super) fn post(&mut self, requests: &[&Message], is_batch: bool) -> Result<Seat, Id> {
        let number = self.last + 1;
        self.routes.open(number, requests, is_batch)?;
        self.last = number;
        let turn = self.log.open(number).attach();
        Ok(Seat {
            stream: number,
            turn,
        })
    }

    /// The first POST of all.
    pub(super) fn begin(&mut self, initialize: &Message) {
        let asked = initialize.params().and_then(|p| p.get("protocolVersion"));
        self.version = asked.and_then(Json::as_str).map(Into::into);
        self.opening = initialize.id().map(|id| id.key());
    }

    /// The client has given up a request.
    pub(super) fn cancel(&mut self, id: &Id, now: Instant) {
        if let Some(number) = self.routes.cancel(id) {
            self.finish(number, now);
        }
    }

    /// Somebody comes for the standing stream.
    pub(super) fn listen(&mut self) -> Seat {
        self.routes.listening = true;
        let turn = self.log.open(STANDING).attach();
        Seat {
            stream: STANDING,
            turn,
        }
    }

    /// Somebody comes back for what follows an event.
    pub(super) fn resume(&mut self, from: EventId) -> Result<Seat, Unresumable> {
        if from.stream > self.last {
            return Err(Unresumable::Unknown);
        }
        let stream = self.log.get(from.stream).ok_or(Unresumable::Over)?;
        stream.rewind(from.number);
        if stream.finished().is_some() && stream.is_sent() {
            return Err(Unresumable::Over);
        }
        if from.stream == STANDING {
            return Ok(self.listen());
        }
        let turn = stream.attach();
        self.routes.set_live(from.stream, true);
        Ok(Seat {
            stream: from.stream,
            turn,
        })
    }

    /// A connection is done with its stream, or broken.
    pub(super) fn leave(&mut self, seat: Seat, now: Instant) {
        self.seen = now;
        let Some(stream) = self.log.get(seat.stream) else {
            return;
        };
        if !stream.is_turn_of(seat.turn) {
            return;
        }
        stream.detach();
        if seat.stream == STANDING {
            self.routes.listening = false;
        } else if stream.is_named() {
            self.routes.set_live(seat.stream, false);
        } else {
            // Without the id of an event nobody can ask for the rest.
            self.routes.lose(seat.stream);
            self.log.remove(seat.stream);
        }
        self.log.trim();
    }

    // What connections take.

    /// What is first to be said on a POST.
    pub(super) fn first(&mut self, seat: Seat, waker: &Waker) -> Poll<First> {
        let Some(stream) = self.log.get(seat.stream) else {
            return Poll::Ready(First::Nothing);
        };
        if let Some(item) = stream.take_whole() {
            self.log.remove(seat.stream);
            return Poll::Ready(First::Answer(item));
        }
        if !stream.is_sent() {
            return Poll::Ready(First::Stream);
        }
        if stream.finished().is_some() {
            self.log.remove(seat.stream);
            return Poll::Ready(First::Nothing);
        }
        stream.wait(waker);
        Poll::Pending
    }

    /// Writes what waits on a stream; `false` if nothing more will come.
    pub(super) fn take(&mut self, seat: Seat, waker: &Waker, ink: &mut Ink) -> Poll<bool> {
        let one_stream = self.manner == Manner::OneStream;
        let stream = self.log.get(seat.stream);
        let Some(stream) = stream.filter(|stream| stream.is_turn_of(seat.turn)) else {
            return Poll::Ready(false);
        };
        let mut wrote = false;
        while !ink.is_full()
            && let Some((number, item)) = stream.take()
        {
            let id = EventId {
                stream: seat.stream,
                number,
            };
            ink.message((!one_stream).then_some(id), item);
            wrote = true;
        }
        if one_stream {
            stream.forget_sent();
        }
        if wrote {
            self.log.trim();
            return Poll::Ready(true);
        }
        if stream.finished().is_some() || self.ended {
            return Poll::Ready(false);
        }
        stream.wait(waker);
        Poll::Pending
    }

    /// The event that primes a stream, where the client knows what to do with it.
    pub(super) fn prime(&mut self, seat: Seat, ink: &mut Ink) {
        let latest = Revision::LAST_LEGACY.as_str();
        if seat.stream == STANDING || self.version.as_deref() != Some(latest) {
            return;
        }
        if let Some(stream) = self.log.get(seat.stream) {
            stream.name();
            ink.prime(EventId {
                stream: seat.stream,
                number: 0,
            });
        }
    }

    // What the server does.

    /// The server says something.
    pub(super) fn say(&mut self, item: Outbound, now: Instant) {
        self.learn(&item);
        let (number, is_last) = match self.manner {
            Manner::OneStream => (STANDING, false),
            Manner::Streams => match self.routes.route(&item) {
                Route::To(number) => (number, false),
                Route::Last(number) => (number, true),
                Route::Nowhere => return,
            },
        };
        let Some(stream) = self.log.get(number) else {
            return;
        };
        stream.push(item);
        if is_last {
            stream.finish(now);
        } else {
            stream.wake();
        }
        if !stream.is_live() {
            self.log.trim();
        }
    }

    /// The server is gone. Whoever still waits is told so; every stream ends.
    pub(super) fn end(&mut self, now: Instant) {
        self.ended = true;
        let why = Fault::PeerClosed {
            peer: "the server".to_owned(),
            why: "the session has ended".to_owned(),
        };
        for (key, number) in self.routes.give_up() {
            if let Some(stream) = self.log.get(number) {
                let answer = RpcError::from(&why).answer(&spelled(&key));
                stream.push(Outbound::One(Envelope::new(answer)));
            }
        }
        for (_, stream) in self.log.iter_mut() {
            stream.finish(now);
        }
    }

    // How things stand.

    /// Whether the session has to wait until somebody has read.
    pub(super) fn is_full(&self) -> bool {
        self.log.is_full()
    }

    /// Whether `initialize` was answered with an error.
    pub(super) fn is_refused(&self) -> bool {
        self.refused
    }

    /// The client shows that it is there.
    pub(super) fn touch(&mut self, now: Instant) {
        self.seen = now;
    }

    /// Since when the client has not been heard of; `None` while it is there or waits for something.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let busy = self.log.has_readers() || self.routes.owed() > 0;
        (!busy).then_some(self.seen)
    }

    /// Forgets what is too old.
    pub(super) fn expire(&mut self, now: Instant) {
        self.log.expire(now);
    }

    /// Whether the client may name this version in its headers.
    pub(super) fn speaks(&self, version: &str) -> bool {
        self.version.as_deref() == Some(version)
    }

    fn finish(&mut self, number: u32, now: Instant) {
        if let Some(stream) = self.log.get(number) {
            stream.finish(now);
        }
    }

    fn learn(&mut self, item: &Outbound) {
        let Outbound::One(envelope) = item else {
            return;
        };
        if self.opening.is_none()
            || !envelope.msg.is_answer()
            || envelope.msg.id().map(|id| id.key()) != self.opening
        {
            return;
        }
        self.opening = None;
        self.refused = envelope.msg.kind() == Kind::Error;
        let version = envelope.msg.body().and_then(|b| b.get("protocolVersion"));
        self.version = version.and_then(Json::as_str).map(Into::into);
    }
}

/// An id from what it means.
fn spelled(key: &IdKey) -> Id {
    let text = match key {
        IdKey::Null => "null".to_owned(),
        IdKey::Number(digits) => digits.to_string(),
        IdKey::String(text) => linkspan_wire::quote(text),
    };
    Json::parse(&text)
        .ok()
        .and_then(Id::parse)
        .unwrap_or_else(Id::null)
}

#[cfg(test)]
#[path = "desk/desk_tests.rs"]
mod tests;
