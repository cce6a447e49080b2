//! Reads the messages of a server that does not write one message per line.
//!
//! Several messages on a line, and a message over several lines, are read. Unreadable text is inspected, because a
//! request may be waiting for it; reading then continues with the next line.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

use crate::clipped::Clipped;
use crate::damage::{elements, inspect};
use crate::error::{Syntax, WireError};
use crate::frame::{Frame, trim};
use crate::id::is_id;
use crate::json::Json;
use crate::limits::{Limits, MAX_ID};
use crate::message::Message;
use crate::walk::{Walk, Walked};

/// Values on one line that are read; a line of 50 MB could hold 25 million.
const MAX_VALUES: usize = 4096;

/// Reads the lines of one stream. Costs time linear in their length, and memory for one message.
pub struct Resync {
    limits: Limits,
    /// The rest of the current line.
    rest: Bytes,
    /// The number of values on it so far.
    values: usize,
    /// The first lines of an incomplete message.
    begun: Option<Begun>,
    /// Frames to return after the current one.
    next: VecDeque<Frame>,
}

struct Begun {
    text: BytesMut,
    walk: Walk,
}

impl Resync {
    /// Before the first line.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            rest: Bytes::new(),
            values: 0,
            begun: None,
            next: VecDeque::new(),
        }
    }

    /// All frames of one text, for example of the body of a response.
    pub fn frames(text: Bytes, limits: Limits) -> impl Iterator<Item = Frame> {
        let mut resync = Self::new(limits);
        resync.push(text);
        let mut ended = false;
        std::iter::from_fn(move || {
            resync.next().or_else(|| {
                let last = !std::mem::replace(&mut ended, true);
                last.then(|| resync.give_up()).flatten()
            })
        })
    }

    /// Adds the next line. The rest of the previous one is dropped.
    pub fn push(&mut self, line: Bytes) {
        self.rest = line;
        self.values = 0;
    }

    /// The next frame of the lines so far. [`Frame::Blank`] is never given.
    #[expect(
        clippy::should_implement_trait,
        reason = "more frames may come after a None"
    )]
    pub fn next(&mut self) -> Option<Frame> {
        if let Some(next) = self.next.pop_front() {
            return Some(next);
        }
        let text = without_controls(trim(std::mem::take(&mut self.rest)));
        let first = *text.first()?;
        if self.values == 0 && (self.begun.is_none() || first == b'{') {
            // The usual case: one message on one line. It cannot be a part of another message.
            match Frame::parse(text.clone(), &self.limits) {
                Frame::Blank => return None,
                frame @ Frame::One(_) => return Some(self.after_begun(frame)),
                Frame::Batch(_) if self.begun.is_some() => {}
                frame @ Frame::Batch(_) => return Some(frame),
                Frame::Other { .. } if self.begun.is_some() => {}
                Frame::Other {
                    why: WireError::Json(_),
                    ..
                } => {}
                Frame::Other { text, why } => return Some(recognized(text, why)),
            }
        }
        match self.begun.take() {
            Some(begun) => self.go_on(begun, text),
            None => self.begin(text),
        }
    }

    /// Whether a message is incomplete and continues on the next line.
    pub fn is_waiting(&self) -> bool {
        self.begun.is_some()
    }

    /// Ends an incomplete message, at the end of the input or after a time limit. [`Resync::next`] may have further
    /// frames of it.
    pub fn give_up(&mut self) -> Option<Frame> {
        let begun = self.begun.take()?;
        Some(self.damaged(begun.text.freeze(), Syntax::Torn))
    }

    /// Returns a message on a line of its own, after the incomplete message before it.
    fn after_begun(&mut self, frame: Frame) -> Frame {
        match self.give_up() {
            Some(unfinished) => {
                self.next.push_back(frame);
                unfinished
            }
            None => frame,
        }
    }

    /// Reads a value at the beginning of `text`.
    fn begin(&mut self, text: Bytes) -> Option<Frame> {
        self.values += 1;
        if !matches!(text.first(), Some(b'{' | b'[')) {
            return Some(self.damaged(text, Syntax::Unexpected(0)));
        }
        let mut walk = Walk::new();
        match walk.feed(&text) {
            // `[12] {"jsonrpc":…` is a line of a log.
            Walked::Done(end) if text[0] == b'[' && end < text.len() => {
                Some(self.damaged(text, Syntax::Unexpected(end)))
            }
            Walked::Done(end) => {
                if self.values < MAX_VALUES {
                    self.rest = text.slice(end..);
                }
                Some(self.whole(text.slice(..end)))
            }
            Walked::More if is_open(&text) => {
                let text = BytesMut::from(&text[..]);
                self.begun = Some(Begun { text, walk });
                None
            }
            Walked::More => Some(self.damaged(text, Syntax::Torn)),
            Walked::Wrong(why) => Some(self.damaged(text, why)),
        }
    }

    /// Continues an incomplete value with `text`.
    fn go_on(&mut self, mut begun: Begun, text: Bytes) -> Option<Frame> {
        if begun.text.len() + text.len() >= self.limits.max_bytes() {
            // The value exceeds the limit; the line may be a message of its own.
            self.rest = text;
            let why = Clipped::of(&begun.text).too_large(&self.limits);
            let text = begun.text.freeze();
            return Some(Frame::Other { text, why });
        }
        match begun.walk.feed(&text) {
            Walked::Done(end) => {
                begun.text.extend_from_slice(b"\n");
                begun.text.extend_from_slice(&text[..end]);
                self.rest = text.slice(end..);
                self.values += 1;
                Some(self.whole(begun.text.freeze()))
            }
            Walked::More => {
                begun.text.extend_from_slice(b"\n");
                begun.text.extend_from_slice(&text);
                self.begun = Some(begun);
                None
            }
            Walked::Wrong(_) => {
                self.rest = text;
                Some(self.damaged(begun.text.freeze(), Syntax::Torn))
            }
        }
    }

    /// Handles a text that is not JSON. The elements of an array are read one by one; behind the first damage their
    /// boundaries are guesses, so no messages are taken from there.
    fn damaged(&mut self, text: Bytes, why: Syntax) -> Frame {
        if text.first() == Some(&b'[') {
            let mut sound = true;
            let found = elements(&text, why).take(MAX_VALUES);
            let frames = found.map(|(extent, why)| {
                let text = text.slice(extent);
                match sound.then(|| self.whole(text.clone())) {
                    None
                    | Some(Frame::Other {
                        why: WireError::Json(_),
                        ..
                    }) => {
                        sound = false;
                        Frame::Other { text, why }
                    }
                    Some(frame) => frame,
                }
            });
            let frames = frames.filter(|frame| !is_foreign(frame));
            let frames: Vec<Frame> = frames.collect();
            self.next.extend(frames);
            if let Some(first) = self.next.pop_front() {
                return first;
            }
        }
        let why = inspect(&text, why);
        Frame::Other { text, why }
    }

    /// A value from its first to its last byte.
    fn whole(&self, text: Bytes) -> Frame {
        match Frame::parse(text, &self.limits) {
            Frame::Other { text, why } => recognized(text, why),
            frame => frame,
        }
    }
}

/// Whether a line ends where a multi-line value may be broken.
fn is_open(text: &[u8]) -> bool {
    matches!(text.last(), Some(b'{' | b'[' | b',' | b':'))
}

/// Whether a frame has no member of a message.
fn is_foreign(frame: &Frame) -> bool {
    use WireError::{Foreign, Json};
    matches!(
        frame,
        Frame::Other {
            why: Json(_) | Foreign { .. },
            ..
        }
    )
}

/// Some servers end a line with the NUL of a C string, which then precedes the next line.
fn without_controls(text: Bytes) -> Bytes {
    let is_control = |b: &u8| b.is_ascii_control() || b.is_ascii_whitespace();
    let controls = text.iter().take_while(|b| is_control(b)).count();
    text.slice(controls..)
}

/// Inspects a JSON value that is not a message.
fn recognized(text: Bytes, why: WireError) -> Frame {
    match &why {
        WireError::Foreign { .. } => {
            let why = in_other_case(&text).unwrap_or(why);
            Frame::Other { text, why }
        }
        _ => without_null_id(text, why),
    }
}

/// Recognizes an answer with capital letters in its members, such as `{"Jsonrpc":"2.0","ID":1,"Result":{}}`. With any
/// other member it may be a line of a log.
fn in_other_case(text: &[u8]) -> Option<WireError> {
    let json = Json::parse(std::str::from_utf8(text).ok()?).ok()?;
    let (mut ids, mut outcomes) = (Vec::new(), 0);
    for (key, value) in json.members() {
        match &*key.to_ascii_lowercase() {
            "jsonrpc" => {}
            "id" => ids.push(value),
            "result" | "error" => outcomes += 1,
            _ => return None,
        }
    }
    let id = match ids[..] {
        [id] if is_id(id) && id.text().len() <= MAX_ID => Some(id.text()),
        _ => None,
    };
    (outcomes > 0).then(|| WireError::Shape {
        why: "members of an answer in capital letters",
        id: id.map(|id| Bytes::copy_from_slice(id.as_bytes())),
        is_answer: true,
    })
}

/// Some servers write `"id":null` into notifications, which are accepted: they need no answer, so the meaning is clear.
fn without_null_id(text: Bytes, why: WireError) -> Frame {
    let is_note = why.asked().is_some_and(|id| id.text() == "null");
    match is_note.then(|| note(&text)).flatten() {
        Some(message) => Frame::One(message),
        None => Frame::Other { text, why },
    }
}

fn note(text: &Bytes) -> Option<Message> {
    let json = Json::parse(std::str::from_utf8(text).ok()?).ok()?;
    let method = json.get("method")?;
    method
        .as_str()?
        .starts_with("notifications/")
        .then_some(())?;
    let fits = json
        .members()
        .all(|(key, _)| matches!(&*key, "jsonrpc" | "id" | "method" | "params"));
    fits.then(|| Message::spelled(None, method, json.get("params")))?
}
