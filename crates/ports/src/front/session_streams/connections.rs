//! What connections do with the streams of a session: open or resume one, read it, and leave.

use std::task::{Poll, Waker};
use std::time::Instant;

use linkspan_mcp::Revision;
use linkspan_wire::{Id, Json, Message};

use super::routes::STANDING;
use super::{First, Manner, ReaderId, SessionStreams, Unresumable, Unserved};
use crate::front::body::RequestSlot;
use crate::front::sse_writer::{EventId, SseWriter};

impl SessionStreams {
    /// Opens a POST with these requests, which keep their slot until they are answered.
    pub(in crate::front) fn post(
        &mut self,
        requests: &[&Message],
        is_batch: bool,
        slot: Option<&RequestSlot>,
    ) -> Result<ReaderId, Unserved> {
        let number = self.enter(requests, is_batch, slot)?;
        let asked = requests.iter().filter_map(|request| request.id());
        let stream = self.log.open(number);
        stream.set_asked(asked.map(|id| id.key()).collect());
        Ok(ReaderId {
            stream: number,
            turn: stream.attach(),
        })
    }

    /// The same where the answers go to the only stream of the session.
    pub(in crate::front) fn enter(
        &mut self,
        requests: &[&Message],
        is_batch: bool,
        slot: Option<&RequestSlot>,
    ) -> Result<u32, Unserved> {
        if self.ended {
            return Err(Unserved::Ended);
        }
        let number = self.last + 1;
        let opened = self.routes.open(number, requests, is_batch, slot);
        opened.map_err(Unserved::InUse)?;
        self.last = number;
        Ok(number)
    }

    /// Adds the entries of a batch that are answered with errors, independently of its requests.
    pub(in crate::front) fn owe(&mut self, number: u32, errors: usize) {
        self.routes.owe(number, errors);
    }

    /// Records the client's `initialize`.
    pub(in crate::front) fn begin(&mut self, initialize: &Message) {
        let asked = initialize.params().and_then(|p| p.get("protocolVersion"));
        self.version = asked.and_then(Json::as_str).map(Into::into);
        self.opening = initialize.id().map(|id| id.key());
    }

    /// Cancels a request for the client.
    pub(in crate::front) fn cancel(&mut self, id: &Id, now: Instant) {
        let Some(number) = self.routes.cancel(id) else {
            return;
        };
        if let Some(stream) = self.log.get(number) {
            stream.set_asked(Box::default());
            stream.finish(now);
        }
        self.log.tidy(number);
    }

    /// A client opens the standing stream.
    pub(in crate::front) fn listen(&mut self) -> ReaderId {
        self.routes.listening = true;
        let turn = self.log.open(STANDING).attach();
        ReaderId {
            stream: STANDING,
            turn,
        }
    }

    /// A client resumes a stream after an event.
    pub(in crate::front) fn resume(&mut self, from: EventId) -> Result<ReaderId, Unresumable> {
        if from.stream > self.last {
            return Err(Unresumable::Unknown);
        }
        let stream = self.log.recall(from.stream).ok_or(Unresumable::Over)?;
        stream.rewind(from.number);
        if stream.finished().is_some() && stream.is_sent() {
            self.log.tidy(from.stream);
            return Err(Unresumable::Over);
        }
        if from.stream == STANDING {
            return Ok(self.listen());
        }
        let turn = stream.attach();
        self.routes.set_live(from.stream, true);
        Ok(ReaderId {
            stream: from.stream,
            turn,
        })
    }

    /// Detaches a connection that has finished or broken.
    pub(in crate::front) fn leave(&mut self, reader_id: ReaderId, now: Instant) {
        self.seen = now;
        let Some(stream) = self.log.get(reader_id.stream) else {
            return;
        };
        if !stream.is_turn_of(reader_id.turn) {
            return;
        }
        stream.detach();
        if reader_id.stream == STANDING {
            self.routes.listening = false;
        } else if stream.is_named() {
            self.routes.set_live(reader_id.stream, false);
        } else {
            // Without an event id the client cannot resume the stream.
            self.routes.lose(reader_id.stream);
            self.log.remove(reader_id.stream);
        }
        self.log.tidy(reader_id.stream);
        self.log.trim();
    }

    /// Polls for the beginning of the response to a POST.
    pub(in crate::front) fn first(&mut self, reader_id: ReaderId, waker: &Waker) -> Poll<First> {
        let Some(stream) = self.log.get(reader_id.stream) else {
            return Poll::Ready(First::Nothing);
        };
        if let Some(item) = stream.take_whole() {
            self.log.remove(reader_id.stream);
            return Poll::Ready(First::Answer(item));
        }
        if !stream.is_sent() {
            return Poll::Ready(First::Stream);
        }
        if stream.finished().is_some() {
            self.log.remove(reader_id.stream);
            return Poll::Ready(First::Nothing);
        }
        stream.wait(waker);
        Poll::Pending
    }

    /// Writes the queued events of a stream; `false` at its end.
    pub(in crate::front) fn take(
        &mut self,
        reader_id: ReaderId,
        waker: &Waker,
        writer: &mut SseWriter,
    ) -> Poll<bool> {
        let one_stream = self.manner == Manner::OneStream;
        let stream = self.log.get(reader_id.stream);
        let Some(stream) = stream.filter(|stream| stream.is_turn_of(reader_id.turn)) else {
            return Poll::Ready(false);
        };
        let mut wrote = false;
        while !writer.is_full()
            && let Some((number, item)) = stream.take()
        {
            let id = EventId {
                stream: reader_id.stream,
                number,
            };
            writer.message((!one_stream).then_some(id), item);
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

    /// Writes the priming event, if the negotiated version has one.
    pub(in crate::front) fn prime(&mut self, reader_id: ReaderId, writer: &mut SseWriter) {
        let latest = Revision::LAST_LEGACY.as_str();
        if reader_id.stream == STANDING || self.version.as_deref() != Some(latest) {
            return;
        }
        if let Some(stream) = self.log.get(reader_id.stream) {
            stream.name();
            writer.prime(EventId {
                stream: reader_id.stream,
                number: 0,
            });
        }
    }
}
