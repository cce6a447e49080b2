//! Server-sent events: what HTTP servers stream messages in.

use std::fmt::Write as _;

use bytes::{Buf, Bytes, BytesMut};
use memchr::memchr2;

use crate::clipped::Clipped;
use crate::error::WireError;
use crate::limits::Limits;

/// One event, with every field that its sender gave it.
///
/// Unlike a browser we also report events without data: MCP servers prime a stream with an id only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// `event:`; a message when absent.
    pub name: Option<Bytes>,
    /// `data:` lines joined by newlines.
    pub data: Option<Bytes>,
    /// `id:`, which a resumption names.
    pub id: Option<Bytes>,
    /// `retry:`, the wait before a reconnection in milliseconds.
    pub retry: Option<u64>,
}

const BOM: &[u8] = b"\xEF\xBB\xBF";
const DATA: &[u8] = b"data:";

/// What [`SseReader::next`] finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SseItem {
    /// An event.
    Event(Event),
    /// An event larger than the limit; it was dropped, and the stream goes on.
    TooLarge {
        /// The event's own id.
        id: Option<Bytes>,
        /// The error, with the id of the message if it was found.
        why: WireError,
    },
}

/// Cuts a byte stream into events, in time linear in its length.
#[derive(Debug)]
pub struct SseReader {
    buf: BytesMut,
    /// The length of the prefix of `buf` that has no line end.
    searched: usize,
    /// The last line ended in CR: an LF that follows belongs to it.
    after_cr: bool,
    at_start: bool,
    /// The rest of a line that is too long runs past; is it data?
    rest: Option<bool>,
    event: Event,
    /// Bytes of `event` so far; too many turn `skipping` on.
    held: usize,
    skipping: Option<Clipped>,
    limits: Limits,
}

impl SseReader {
    /// An empty stream.
    pub fn new(limits: Limits) -> Self {
        Self {
            buf: BytesMut::new(),
            searched: 0,
            after_cr: false,
            at_start: true,
            rest: None,
            event: Event::default(),
            held: 0,
            skipping: None,
            limits,
        }
    }

    /// Adds bytes from the stream.
    pub fn push(&mut self, chunk: &[u8]) {
        self.buf.extend_from_slice(chunk);
    }

    /// The next complete event. An event that is incomplete at the end of the stream is dropped, as the format demands.
    #[expect(
        clippy::should_implement_trait,
        reason = "more events may come after a None"
    )]
    pub fn next(&mut self) -> Option<SseItem> {
        while let Some(line) = self.line() {
            if line.is_empty() {
                if let Some(item) = self.dispatch() {
                    return Some(item);
                }
            } else {
                self.field(&line);
            }
        }
        None
    }

    /// Bytes of an incomplete event.
    pub fn pending(&self) -> usize {
        self.held + self.buf.len()
    }

    fn dispatch(&mut self) -> Option<SseItem> {
        let event = std::mem::take(&mut self.event);
        self.held = 0;
        if let Some(clipped) = self.skipping.take() {
            let why = clipped.too_large(&self.limits);
            return Some(SseItem::TooLarge { id: event.id, why });
        }
        (event != Event::default()).then_some(SseItem::Event(event))
    }

    fn line(&mut self) -> Option<Bytes> {
        loop {
            let line = self.raw_line()?;
            match self.rest.take() {
                None => return Some(line),
                Some(true) => self.skip(&line),
                Some(false) => {}
            }
        }
    }

    fn raw_line(&mut self) -> Option<Bytes> {
        if self.after_cr && !self.buf.is_empty() {
            self.after_cr = false;
            if self.buf[0] == b'\n' {
                self.buf.advance(1);
                self.searched = 0;
            }
        }
        if self.at_start && self.buf.len() >= BOM.len() {
            self.at_start = false;
            if self.buf.starts_with(BOM) {
                self.buf.advance(BOM.len());
                self.searched = 0;
            }
        }
        let Some(offset) = memchr2(b'\r', b'\n', &self.buf[self.searched..]) else {
            self.searched = self.buf.len();
            self.shed();
            return None;
        };
        let end = self.searched + offset;
        self.searched = 0;
        let line = self.buf.split_to(end).freeze();
        self.after_cr = self.buf[0] == b'\r';
        self.buf.advance(1);
        self.at_start = false;
        Some(line)
    }

    /// Drops a line that exceeds the limit of an event.
    fn shed(&mut self) {
        let too_long = self.held + self.buf.len() > self.limits.max_bytes();
        // Until its name is complete, the kind of the line is unknown.
        if self.rest.is_none() && !(too_long && self.buf.len() >= DATA.len()) {
            return;
        }
        // Not `clear`: the buffer has grown to the limit and should be freed.
        let line = std::mem::take(&mut self.buf);
        self.searched = 0;
        match self.rest {
            Some(true) => self.skip(&line),
            Some(false) => {}
            // A comment is not part of the event.
            None if line[0] == b':' => self.rest = Some(false),
            None => {
                self.skip_event();
                let data = line.strip_prefix(DATA);
                self.rest = Some(data.is_some());
                self.skip(data.unwrap_or_default());
            }
        }
    }

    fn field(&mut self, line: &Bytes) {
        let (name, value) = match memchr::memchr(b':', line) {
            Some(0) => return,
            Some(colon) => {
                let value = line.slice(colon + 1..);
                let value = match value.strip_prefix(b" ") {
                    Some(bare) => value.slice_ref(bare),
                    None => value,
                };
                (&line[..colon], value)
            }
            None => (&line[..], Bytes::new()),
        };
        self.held += line.len();
        if self.held > self.limits.max_bytes() {
            self.skip_event();
            // The line that exceeds the limit is dropped, as it is when it arrives in pieces.
            if name == b"data" {
                self.skip(&value);
            }
            return;
        }
        match name {
            b"id" if !value.contains(&0) => self.event.id = Some(value),
            b"data" if self.skipping.is_some() => self.skip(&value),
            _ if self.skipping.is_some() => {}
            b"event" => self.event.name = Some(value),
            b"retry" => {
                let digits = std::str::from_utf8(&value).ok();
                let digits = digits.filter(|d| d.bytes().all(|b| b.is_ascii_digit()));
                if let Some(millis) = digits.and_then(|d| d.parse().ok()) {
                    self.event.retry = Some(millis);
                }
            }
            b"data" => {
                self.event.data = Some(match self.event.data.take() {
                    None => value,
                    Some(before) => {
                        // Reuses the buffer when it is not shared, so that many lines take linear time.
                        let mut joined = before.try_into_mut().unwrap_or_else(|b| b[..].into());
                        joined.extend_from_slice(b"\n");
                        joined.extend_from_slice(&value);
                        joined.freeze()
                    }
                });
            }
            _ => {}
        }
    }

    fn skip_event(&mut self) {
        let so_far = self.event.data.take().unwrap_or_default();
        self.skipping.get_or_insert_default().push(&so_far);
        self.event.name = None;
        self.held = 0;
    }

    fn skip(&mut self, data: &[u8]) {
        if let Some(clipped) = &mut self.skipping {
            clipped.push(data);
        }
    }
}

/// Writes an event. Line ends inside `data` become several `data:` lines.
pub fn write_event(out: &mut String, name: Option<&str>, id: Option<&str>, data: &str) {
    if let Some(name) = name {
        let _ = writeln!(out, "event: {name}");
    }
    if let Some(id) = id {
        let _ = writeln!(out, "id: {id}");
    }
    for line in data.split('\n') {
        let _ = writeln!(out, "data: {}", line.trim_end_matches('\r'));
    }
    out.push('\n');
}

#[cfg(test)]
#[path = "sse_tests.rs"]
mod tests;
