//! One JSON-RPC message: the sender's text and the positions of its parts.

mod envelope;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use bytes::{BufMut, Bytes, BytesMut};

use self::envelope::Envelope;
use crate::depth;
use crate::error::{Syntax, WireError};
use crate::hop::Hop;
use crate::id::Id;
use crate::json::Json;
use crate::limits::MAX_DEPTH;

/// The role of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Requires an answer.
    Request,
    /// Requires no answer: it has no id, or the id `null`, which readers refuse ([`crate::Frame`]) unless their
    /// protocol allows it ([`crate::Limits::with_null_ids`]).
    Notification,
    /// An answer that worked.
    Result,
    /// An error answer.
    Error,
}

/// One JSON-RPC message.
///
/// Cloning is cheap. [`Message::with_id`] replaces the id without copying the text, so that a 50 MB
/// result crosses the bridge in the buffer it arrived in.
#[derive(Clone)]
pub struct Message {
    text: Bytes,
    kind: Kind,
    id: Option<Span>,
    method: Option<Span>,
    body: Option<Span>,
    /// Replaces the id of the text.
    other_id: Option<Id>,
    line_ends: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Span {
    pub(crate) fn new((start, end): (usize, usize)) -> Self {
        // Readers cap a message below 4 GiB (`Limits`).
        Self {
            start: start as u32,
            end: end as u32,
        }
    }

    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl Message {
    /// Reads one message object. White space around it must have been taken off.
    pub fn parse(text: Bytes) -> Result<Self, WireError> {
        Self::within(text, MAX_DEPTH)
    }

    /// The same with another limit than [`MAX_DEPTH`].
    pub(crate) fn within(text: Bytes, max_depth: usize) -> Result<Self, WireError> {
        let members = Envelope::scan(&text, max_depth)?;
        let (kind, body) = members.classify(&text)?;
        Ok(Self {
            text,
            kind,
            id: members.id,
            method: members.method,
            body,
            other_id: None,
            line_ends: members.line_ends,
        })
    }

    /// A request of our own. `params` is JSON text.
    pub fn request(id: &Id, method: &str, params: Option<&str>) -> Self {
        Self::with_method(&format!(r#""id":{id},"#), method, params)
    }

    /// A notification of our own. `params` is JSON text.
    pub fn notification(method: &str, params: Option<&str>) -> Self {
        Self::with_method("", method, params)
    }

    /// A request (with an id) or notification whose method and parameters keep their sender's spelling. `None` if
    /// JSON-RPC does not allow the parameters, or the method is not a string.
    pub fn spelled(id: Option<&Id>, method: Json<'_>, params: Option<Json<'_>>) -> Option<Self> {
        let id = id.map_or_else(String::new, |id| format!(r#""id":{id},"#));
        let params = match params {
            Some(params) => format!(r#","params":{}"#, params.text()),
            None => String::new(),
        };
        let method = method.text();
        let text = format!(r#"{{"jsonrpc":"2.0",{id}"method":{method}{params}}}"#);
        Self::within(Bytes::from(text), depth::MOST).ok()
    }

    /// An answer whose `result` or `error` keeps the spelling of its sender.
    pub fn answer_spelled(id: &Id, member: &str, outcome: Json<'_>) -> Option<Self> {
        let outcome = outcome.text();
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":{outcome}}}"#);
        Self::within(Bytes::from(text), depth::MOST).ok()
    }

    /// An answer of our own. `result` is JSON text.
    pub fn result(id: &Id, result: &str) -> Self {
        Self::ours(Bytes::from(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
        )))
    }

    fn with_method(id: &str, method: &str, params: Option<&str>) -> Self {
        let method = crate::escape::quote(method);
        let params = match params {
            Some(params) => format!(r#","params":{params}"#),
            None => String::new(),
        };
        Self::ours(Bytes::from(format!(
            r#"{{"jsonrpc":"2.0",{id}"method":{method}{params}}}"#
        )))
    }

    /// For text that this workspace wrote. It may hold a peer's values, a few levels deeper than they
    /// stood in the peer's own message.
    pub(crate) fn ours(text: Bytes) -> Self {
        Self::within(text, depth::MOST).expect("messages that we write are JSON-RPC")
    }

    /// The role of the message.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether the message is an answer.
    pub fn is_answer(&self) -> bool {
        matches!(self.kind, Kind::Result | Kind::Error)
    }

    /// The id as written; `None` if the message has none.
    pub fn id(&self) -> Option<Id> {
        match (&self.other_id, self.id) {
            (Some(id), _) => Some(id.clone()),
            // Copied: an id that is kept must not keep a message of 50 MB alive.
            (None, Some(span)) => Some(Id::from_raw(Bytes::copy_from_slice(
                &self.text[span.range()],
            ))),
            (None, None) => None,
        }
    }

    /// The hop number of the id, if it can be one of ours.
    pub fn hop(&self) -> Option<Hop> {
        self.id()?.as_hop()
    }

    /// The length of the id in its sender's spelling.
    pub(crate) fn id_len(&self) -> usize {
        match (&self.other_id, self.id) {
            (Some(id), _) => id.text().len(),
            (None, Some(span)) => span.range().len(),
            (None, None) => 0,
        }
    }

    /// The method; empty for an answer.
    pub fn method(&self) -> Cow<'_, str> {
        let token = self.method.map_or("", |span| self.slice(span));
        Json::trusted(token).as_str().unwrap_or_default()
    }

    /// The method in its sender's spelling; `None` for an answer.
    pub fn method_json(&self) -> Option<Json<'_>> {
        self.method.map(|span| Json::trusted(self.slice(span)))
    }

    /// `params` of a request or notification.
    pub fn params(&self) -> Option<Json<'_>> {
        self.body().filter(|_| !self.is_answer())
    }

    /// `params`, `result` or `error`, whichever this kind of message has.
    pub fn body(&self) -> Option<Json<'_>> {
        self.body.map(|span| Json::trusted(self.slice(span)))
    }

    /// The message with another id. All other bytes stay.
    ///
    /// A notification has no id and stays as it is, unless the text has a `null` one.
    #[must_use]
    pub fn with_id(mut self, id: Id) -> Self {
        if self.id.is_some() {
            self.other_id = Some(id);
        } else if self.kind == Kind::Error {
            return self.given_id(&id);
        }
        self
    }

    /// Adds an id to an error answer without an `id` member.
    fn given_id(&self, id: &Id) -> Self {
        let mut text = BytesMut::with_capacity(self.text.len() + id.bytes().len() + 8);
        text.put_slice(b"{\"id\":");
        text.put_slice(id.bytes());
        text.put_u8(b',');
        text.put_slice(&self.text[1..]);
        Self::ours(text.freeze())
    }

    /// The same message with the value at `inside` replaced by JSON text.
    ///
    /// `inside` must be a part of this message's own [`body`](Self::body), and `json` a JSON value.
    #[must_use]
    pub fn with_value(&self, inside: Json<'_>, json: &str) -> Self {
        let start = inside.text().as_ptr() as usize - self.text.as_ptr() as usize;
        let end = start + inside.text().len();
        let mut text = BytesMut::with_capacity(self.text.len() - inside.text().len() + json.len());
        text.put_slice(&self.text[..start]);
        text.put_slice(json.as_bytes());
        text.put_slice(&self.text[end..]);
        // Nothing else has changed, so the text need not be parsed again.
        let moved = |offset: u32| {
            if offset as usize >= end {
                (offset as usize + json.len() - inside.text().len()) as u32
            } else {
                offset
            }
        };
        let moved = |span: Span| Span {
            start: moved(span.start),
            end: moved(span.end),
        };
        Self {
            text: text.freeze(),
            kind: self.kind,
            id: self.id.map(moved),
            method: self.method.map(moved),
            body: self.body.map(moved),
            other_id: self.other_id.clone(),
            line_ends: self.line_ends || json.contains(['\n', '\r']),
        }
    }

    /// The text in up to three pieces, without copying.
    pub fn pieces(&self) -> [Bytes; 3] {
        match (&self.other_id, self.id) {
            (Some(id), Some(span)) => [
                self.text.slice(..span.start as usize),
                id.bytes().clone(),
                self.text.slice(span.end as usize..),
            ],
            _ => [self.text.clone(), Bytes::new(), Bytes::new()],
        }
    }

    /// Whether the text has no line ends, as ndjson requires; [`crate::one_line`] removes them.
    pub fn is_one_line(&self) -> bool {
        !self.line_ends
    }

    /// The text in one piece; copied only if the id was replaced.
    pub fn to_bytes(&self) -> Bytes {
        if self.other_id.is_none() {
            return self.text.clone();
        }
        let mut out = BytesMut::with_capacity(self.len());
        for piece in self.pieces() {
            out.put(piece);
        }
        out.freeze()
    }

    /// The text as a string, for logs and tests.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.to_bytes()).into_owned()
    }

    /// The length of the text.
    pub fn len(&self) -> usize {
        self.pieces().iter().map(Bytes::len).sum()
    }

    /// Always `false`: a message has at least its braces.
    pub fn is_empty(&self) -> bool {
        false
    }

    fn slice(&self, span: Span) -> &str {
        str_at(&self.text, span)
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text();
        match text.char_indices().nth(200) {
            Some((cut, _)) => write!(f, "{}… ({} bytes)", &text[..cut], text.len()),
            None => f.write_str(&text),
        }
    }
}

/// The text at `span` of a text that the scanner has accepted: it is UTF-8, and spans begin and end at ASCII bytes.
pub(crate) fn str_at(text: &[u8], span: Span) -> &str {
    std::str::from_utf8(&text[span.range()]).unwrap_or("")
}

pub(crate) fn utf8(text: &[u8]) -> Result<&str, Syntax> {
    std::str::from_utf8(text).map_err(|e| Syntax::Utf8(e.valid_up_to()))
}
