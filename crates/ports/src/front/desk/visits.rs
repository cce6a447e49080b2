//! What connections do at the desk: come, take what is theirs, and go.

use std::task::{Poll, Waker};
use std::time::Instant;

use linkspan_mcp::Revision;
use linkspan_wire::{Id, Json, Message};

use super::routes::STANDING;
use super::{Desk, First, Manner, Seat, Unresumable, Unserved};
use crate::front::ink::{EventId, Ink};

impl Desk {
    /// A POST arrives with these requests.
    pub(in crate::front) fn post(
        &mut self,
        requests: &[&Message],
        is_batch: bool,
    ) -> Result<Seat, Unserved> {
        if self.ended {
            return Err(Unserved::Ended);
        }
        let number = self.last + 1;
        let opened = self.routes.open(number, requests, is_batch);
        opened.map_err(Unserved::InUse)?;
        self.last = number;
        let turn = self.log.open(number).attach();
        Ok(Seat {
            stream: number,
            turn,
        })
    }

    /// The first POST of all.
    pub(in crate::front) fn begin(&mut self, initialize: &Message) {
        let asked = initialize.params().and_then(|p| p.get("protocolVersion"));
        self.version = asked.and_then(Json::as_str).map(Into::into);
        self.opening = initialize.id().map(|id| id.key());
    }

    /// The client has given up a request.
    pub(in crate::front) fn cancel(&mut self, id: &Id, now: Instant) {
        let over = self.routes.cancel(id);
        if let Some(stream) = over.and_then(|number| self.log.get(number)) {
            stream.finish(now);
        }
    }

    /// Somebody comes for the standing stream.
    pub(in crate::front) fn listen(&mut self) -> Seat {
        self.routes.listening = true;
        let turn = self.log.open(STANDING).attach();
        Seat {
            stream: STANDING,
            turn,
        }
    }

    /// Somebody comes back for what follows an event.
    pub(in crate::front) fn resume(&mut self, from: EventId) -> Result<Seat, Unresumable> {
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
    pub(in crate::front) fn leave(&mut self, seat: Seat, now: Instant) {
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

    /// What is first to be said on a POST.
    pub(in crate::front) fn first(&mut self, seat: Seat, waker: &Waker) -> Poll<First> {
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
    pub(in crate::front) fn take(
        &mut self,
        seat: Seat,
        waker: &Waker,
        ink: &mut Ink,
    ) -> Poll<bool> {
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
    pub(in crate::front) fn prime(&mut self, seat: Seat, ink: &mut Ink) {
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
}
