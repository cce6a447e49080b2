//! Events as text: small ones are written together, large ones are not copied.

use std::collections::VecDeque;
use std::fmt::Write as _;

use bytes::{Bytes, BytesMut};
use linkspan_session::{Credit, Outbound};

/// Pieces above this size are not copied.
const LARGE: usize = 16 * 1024;
/// Once this much is gathered, it is written.
const ENOUGH: usize = 64 * 1024;
/// How long a client waits before it resumes a stream, in milliseconds.
const RETRY: u32 = 1000;

/// Names an event: its stream, and its number in that stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EventId {
    pub(super) stream: u32,
    pub(super) number: u32,
}

impl EventId {
    /// Reads what [`SseWriter`] wrote.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (stream, number) = text.split_once('-')?;
        Some(Self {
            stream: stream.parse().ok()?,
            number: number.parse().ok()?,
        })
    }
}

/// Data to be written to a stream.
#[derive(Debug, Default)]
pub(super) struct SseWriter {
    small: BytesMut,
    frames: VecDeque<Bytes>,
    waiting: usize,
    /// The credits of `frames`; returned when all of them have been written.
    credits: Vec<Credit>,
}

impl SseWriter {
    /// Writes a message.
    pub(super) fn message(&mut self, id: Option<EventId>, item: Outbound) {
        self.small.extend_from_slice(b"event: message\n");
        if let Some(id) = id {
            self.id(id);
        }
        self.small.extend_from_slice(b"data: ");
        for piece in item.on_one_line() {
            self.piece(piece);
        }
        self.small.extend_from_slice(b"\n\n");
        if let Outbound::One(envelope) = item
            && envelope.msg.len() > LARGE
        {
            self.credits.push(envelope.credit);
        }
    }

    /// Writes the priming event, which gives a client an id to resume by.
    pub(super) fn prime(&mut self, id: EventId) {
        self.id(id);
        let _ = write!(self.small, "retry: {RETRY}\ndata: \n\n");
    }

    /// Writes where to POST to (2024-11-05).
    pub(super) fn endpoint(&mut self, uri: &str) {
        let _ = write!(self.small, "event: endpoint\ndata: {uri}\n\n");
    }

    /// Writes a comment as keep-alive.
    pub(super) fn comment(&mut self) {
        self.small.extend_from_slice(b": alive\n\n");
    }

    /// Whether enough is gathered for one write.
    pub(super) fn is_full(&self) -> bool {
        self.waiting + self.small.len() >= ENOUGH
    }

    /// The next part of the body.
    pub(super) fn next(&mut self) -> Option<Bytes> {
        if let Some(frame) = self.frames.pop_front() {
            self.waiting -= frame.len();
            return Some(frame);
        }
        if !self.small.is_empty() {
            return Some(self.small.split().freeze());
        }
        self.credits.clear();
        None
    }

    fn id(&mut self, id: EventId) {
        let _ = writeln!(self.small, "id: {}-{}", id.stream, id.number);
    }

    fn piece(&mut self, piece: Bytes) {
        if piece.len() <= LARGE {
            return self.small.extend_from_slice(&piece);
        }
        let before = self.small.split().freeze();
        self.waiting += before.len() + piece.len();
        self.frames.push_back(before);
        self.frames.push_back(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_session::Envelope;
    use linkspan_wire::{Id, Message};

    fn item(text: &str) -> Outbound {
        let msg = Message::parse(Bytes::copy_from_slice(text.as_bytes())).unwrap();
        Outbound::One(Envelope::new(msg))
    }

    fn written(writer: &mut SseWriter) -> Vec<Bytes> {
        std::iter::from_fn(|| writer.next()).collect()
    }

    #[test]
    fn small_events_go_out_together() {
        let mut writer = SseWriter::default();
        let id = EventId {
            stream: 3,
            number: 0,
        };
        writer.prime(id);
        let text = "{\"jsonrpc\":\"2.0\",\n\"method\":\"m\"}";
        writer.message(Some(EventId { number: 1, ..id }), item(text));
        writer.comment();
        assert_eq!(
            written(&mut writer),
            ["id: 3-0\nretry: 1000\ndata: \n\n\
              event: message\nid: 3-1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n\n\
              : alive\n\n"]
        );
        assert_eq!(EventId::parse("3-1"), Some(EventId { number: 1, ..id }));
        for bad in ["", "3", "3-", "-1", "3-1-1", "a-b", "4294967296-0"] {
            assert_eq!(EventId::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_large_message_is_not_copied() {
        let long = format!(
            r#"{{"jsonrpc":"2.0","id":7,"result":"{}"}}"#,
            "x".repeat(LARGE)
        );
        let Outbound::One(envelope) = item(&long) else {
            unreachable!()
        };
        let msg = envelope.msg.with_id(Id::number(8));
        let tail = msg.pieces()[2].clone();
        let mut writer = SseWriter::default();
        writer.message(None, Outbound::One(Envelope::new(msg)));
        let frames = written(&mut writer);
        assert_eq!(frames.len(), 3);
        assert_eq!(frames[1].as_ptr(), tail.as_ptr());
    }
}
