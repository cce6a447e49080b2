//! One JSON-RPC message: the sender's text and where its parts stand.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use bytes::{BufMut, Bytes, BytesMut};

use crate::depth;
use crate::error::{Syntax, WireError};
use crate::escape::unescape;
use crate::hop::Hop;
use crate::id::{Id, is_id};
use crate::json::{Json, JsonKind};
use crate::limits::MAX_DEPTH;
use crate::scan::Scanner;

/// What a message is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Wants an answer.
    Request,
    /// Wants none: it has no id, or the id `null`, which readers refuse ([`crate::Frame`]) unless their
    /// protocol allows it ([`crate::Limits::with_null_ids`]).
    Notification,
    /// An answer that worked.
    Result,
    /// An answer that did not.
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
    /// Stands in for the id of the text.
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

    /// The same, with another limit than [`MAX_DEPTH`].
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

    /// A request (with an id) or notification whose method and parameters are spelled as somebody else
    /// spelled them. `None` if JSON-RPC allows no such parameters, or the method is no string.
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

    /// An answer whose outcome is spelled as somebody else spelled it: `result` or `error`.
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

    /// What the message is for.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether the message answers something.
    pub fn is_answer(&self) -> bool {
        matches!(self.kind, Kind::Result | Kind::Error)
    }

    /// The id as written; `None` where the message has none.
    pub fn id(&self) -> Option<Id> {
        match (&self.other_id, self.id) {
            (Some(id), _) => Some(id.clone()),
            // Copied: whoever waits for the answer must not hold on to a 50 MB question.
            (None, Some(span)) => Some(Id::from_raw(Bytes::copy_from_slice(
                &self.text[span.range()],
            ))),
            (None, None) => None,
        }
    }

    /// The hop number that the id stands for, if it can be one of ours.
    pub fn hop(&self) -> Option<Hop> {
        self.id()?.as_hop()
    }

    /// Bytes that the id takes in its sender's spelling.
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

    /// The same message under another id. Every other byte stays.
    ///
    /// A notification has no id to replace and stays as it is, unless the text has a `null` one.
    #[must_use]
    pub fn with_id(mut self, id: Id) -> Self {
        if self.id.is_some() {
            self.other_id = Some(id);
        } else if self.kind == Kind::Error {
            return self.given_id(&id);
        }
        self
    }

    /// An error answer that came without an `id` member gets one.
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
        // Nothing else has changed, so nothing has to be read again.
        let moved = |offset: u32| match offset as usize >= end {
            true => (offset as usize + json.len() - inside.text().len()) as u32,
            false => offset,
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

    /// The text in up to three pieces, none of them copied.
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

    /// Whether the text stands on one line, as ndjson needs it; [`crate::one_line`] puts it there.
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

    /// How long the text is.
    pub fn len(&self) -> usize {
        self.pieces().iter().map(Bytes::len).sum()
    }

    /// Never: a message has at least its braces.
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

/// What stands at `span` of a text that the scanner has been over: it is UTF-8, and spans begin and
/// end at ASCII bytes.
pub(crate) fn str_at(text: &[u8], span: Span) -> &str {
    std::str::from_utf8(&text[span.range()]).unwrap_or("")
}

/// The members of a message object that JSON-RPC gives a meaning.
#[derive(Default)]
struct Envelope {
    version: Option<Span>,
    id: Option<Span>,
    method: Option<Span>,
    params: Option<Span>,
    result: Option<Span>,
    error: Option<Span>,
    twice: Option<&'static str>,
    /// The first of two `id` members.
    first_id: Option<Span>,
    line_ends: bool,
}

impl Envelope {
    fn scan(text: &[u8], max_depth: usize) -> Result<Self, WireError> {
        let mut scanner = Scanner::new(text, 0, max_depth - 1);
        if scanner.peek() != Some(b'{') {
            // Not an object: let the scanner say whether it is JSON at all.
            Json::parse(utf8(text)?)?;
            return Err(shape("a message is an object", None, false));
        }
        scanner.at = 1;
        let mut envelope = Self::default();
        scanner.skip_space();
        if scanner.peek() == Some(b'}') {
            scanner.at += 1;
        } else {
            loop {
                scanner.skip_space();
                let key = Span::new(scanner.key()?);
                let value = Span::new(scanner.value()?);
                envelope.note(&unescape(str_at(text, key)), value);
                scanner.skip_space();
                match scanner.peek() {
                    Some(b',') => scanner.at += 1,
                    Some(b'}') => {
                        scanner.at += 1;
                        break;
                    }
                    _ => return Err(scanner.wrong().into()),
                }
            }
        }
        scanner.skip_space();
        envelope.line_ends = scanner.line_ends;
        match scanner.peek() {
            None => Ok(envelope),
            Some(_) => Err(scanner.wrong().into()),
        }
    }

    fn note(&mut self, key: &str, value: Span) {
        let (slot, name) = match key {
            "jsonrpc" => (&mut self.version, "jsonrpc"),
            "id" => (&mut self.id, "id"),
            "method" => (&mut self.method, "method"),
            "params" => (&mut self.params, "params"),
            "result" => (&mut self.result, "result"),
            "error" => (&mut self.error, "error"),
            _ => return,
        };
        if let Some(first) = slot.replace(value) {
            if name == "id" && self.twice != Some("id") {
                self.first_id = Some(first);
            }
            self.twice = Some(name);
        }
    }

    fn classify(&self, text: &[u8]) -> Result<(Kind, Option<Span>), WireError> {
        // Only what is short is looked at as a string; of the body, the first byte tells the kind.
        let value = |span: Span| Json::trusted(str_at(text, span));
        let kind_of = |span: Span| Json::kind_of(text[span.start as usize]);
        let id = self.id.map(value);
        let refuse = |why| {
            // Two ids that are spelled alike are one id.
            let one = self
                .first_id
                .is_none_or(|first| Some(value(first).text()) == id.map(Json::text));
            let known = id.filter(|id| one && is_id(*id));
            let outcome = self.result.or(self.error);
            if self.version.or(self.method).or(outcome).is_none() {
                let id = known.map(|id| Bytes::copy_from_slice(id.text().as_bytes()));
                return Err(WireError::Foreign { id });
            }
            Err(shape(why, known, self.method.is_none()))
        };
        if self.twice.is_some() {
            // Two readers could take different ones, and one of them may be a firewall.
            return refuse("a member of the envelope stands there twice");
        }
        if self.version.map(value).and_then(Json::as_str).as_deref() != Some("2.0") {
            return refuse(r#"`jsonrpc` must be "2.0""#);
        }
        if id.is_some_and(|id| !is_id(id)) {
            return refuse("`id` must be a string or a number");
        }
        match (self.method, self.result, self.error) {
            (Some(method), None, None) => {
                if kind_of(method) != JsonKind::String {
                    return refuse("`method` must be a string");
                }
                match self.params.map(kind_of) {
                    None | Some(JsonKind::Object | JsonKind::Array | JsonKind::Null) => {}
                    Some(_) => return refuse("`params` must be an object or an array"),
                }
                let kind = match id.map(Json::kind) {
                    None | Some(JsonKind::Null) => Kind::Notification,
                    Some(_) => Kind::Request,
                };
                Ok((kind, self.params))
            }
            (None, Some(result), None) if self.id.is_some() => Ok((Kind::Result, Some(result))),
            (None, Some(_), None) => refuse("an answer needs the `id` of its request"),
            (None, None, Some(error)) if kind_of(error) == JsonKind::Object => {
                Ok((Kind::Error, Some(error)))
            }
            (None, None, Some(_)) => refuse("`error` must be an object"),
            (None, None, None) => refuse("neither `method`, `result` nor `error`"),
            _ => refuse("only one of `method`, `result` and `error` may stand"),
        }
    }
}

fn shape(why: &'static str, id: Option<Json<'_>>, is_answer: bool) -> WireError {
    WireError::Shape {
        why,
        id: id.map(|id| Bytes::copy_from_slice(id.text().as_bytes())),
        is_answer,
    }
}

pub(crate) fn utf8(text: &[u8]) -> Result<&str, Syntax> {
    std::str::from_utf8(text).map_err(|e| Syntax::Utf8(e.valid_up_to()))
}
