//! A legacy session as its client sees it: streams, and the routing of messages to them. No IO.

mod connections;
mod keeping;
mod log;
mod routes;
mod stall;
mod stream;

use std::time::Instant;

use linkspan_session::{Envelope, Fault, Outbound};
use linkspan_wire::{Id, IdKey, Json, Kind, RpcError};

use self::log::Log;
use self::routes::{Route, Routes, STANDING};
pub(super) use self::stall::{Behind, STANDING_STALL};

/// How the client listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// Streamable HTTP: a stream for each POST, and one for the rest.
    Streams,
    /// HTTP+SSE: one stream for all messages, without resumption.
    OneStream,
}

/// The state of a session.
#[derive(Debug)]
pub(super) struct SessionStreams {
    manner: Manner,
    routes: Routes,
    log: Log,
    last: u32,
    /// The client's `initialize`, while it waits for its answer.
    opening: Option<IdKey>,
    /// The version that the client asked for, then the negotiated one.
    version: Option<Box<str>>,
    refused: bool,
    ended: bool,
    /// When the client last sent something.
    seen: Instant,
}

/// Names a reader of a stream. A newer reader of the same stream replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReaderId {
    pub(super) stream: u32,
    turn: u32,
}

impl ReaderId {
    /// Whether it reads the standing stream, which no answer ends.
    pub(super) fn is_standing(self) -> bool {
        self.stream == STANDING
    }
}

/// The beginning of the response to a POST.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "almost always the answer, and moved only once"
)]
pub(super) enum First {
    /// The answer is the only item.
    Answer(Outbound),
    /// More items follow.
    Stream,
    /// There will be no item: the request was cancelled.
    Nothing,
}

/// Why a POST is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unserved {
    /// A request with this id is in flight.
    InUse(Id),
    /// The session has ended.
    Ended,
}

/// Why a stream cannot be resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unresumable {
    /// There never was an event with this id.
    Unknown,
    /// The stream was sent completely, or has expired.
    Over,
}

impl SessionStreams {
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

    pub(super) fn manner(&self) -> Manner {
        self.manner
    }

    /// Queues a message of the server.
    pub(super) fn say(&mut self, item: Outbound, now: Instant) {
        self.learn(&item);
        let (number, is_last) = match self.manner {
            Manner::OneStream => {
                // Routing only releases the answered requests here.
                self.routes.route(&item);
                (STANDING, false)
            }
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

    /// The server has closed the connection. Requests in flight are answered with an error; every stream ends.
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

    /// Whether the session has to wait until a client has read.
    pub(super) fn is_full(&self) -> bool {
        self.log.is_full()
    }

    /// Whether `initialize` was answered with an error.
    pub(super) fn is_refused(&self) -> bool {
        self.refused
    }

    /// Records a sign of life of the client.
    pub(super) fn touch(&mut self, now: Instant) {
        self.seen = now;
    }

    /// Since when the client is idle; `None` while it reads a stream or waits for an answer.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let busy = self.log.has_readers() || self.routes.owed() > 0;
        (!busy).then_some(self.seen)
    }

    /// Whether requests of the client are in flight.
    pub(super) fn owes(&self) -> bool {
        self.routes.owed() > 0
    }

    /// Drops expired streams.
    pub(super) fn expire(&mut self, now: Instant) {
        self.log.expire(now);
    }

    /// Questions of the server that no client will see.
    pub(super) fn unheard(&mut self) -> Vec<Id> {
        self.log.unheard()
    }

    /// Whether the client may use this version in its headers.
    pub(super) fn speaks(&self, version: &str) -> bool {
        self.version.as_deref() == Some(version)
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

/// The id of a key.
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
#[path = "session_streams/tests.rs"]
mod tests;
