//! The members of a JSON-RPC message, found in one pass.

use bytes::Bytes;

use super::{Kind, Span, str_at, utf8};
use crate::error::WireError;
use crate::escape::unescape;
use crate::id::is_id;
use crate::json::{Json, JsonKind};
use crate::scan::Scanner;

/// The members of a message object that JSON-RPC defines.
#[derive(Default)]
pub(super) struct Envelope {
    pub(super) version: Option<Span>,
    pub(super) id: Option<Span>,
    pub(super) method: Option<Span>,
    pub(super) params: Option<Span>,
    pub(super) result: Option<Span>,
    pub(super) error: Option<Span>,
    pub(super) twice: Option<&'static str>,
    /// The first of two `id` members.
    pub(super) first_id: Option<Span>,
    pub(super) line_ends: bool,
}

impl Envelope {
    pub(super) fn scan(text: &[u8], max_depth: usize) -> Result<Self, WireError> {
        let mut scanner = Scanner::new(text, 0, max_depth - 1);
        if scanner.peek() != Some(b'{') {
            // Not an object: the scanner decides whether it is JSON at all.
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

    pub(super) fn classify(&self, text: &[u8]) -> Result<(Kind, Option<Span>), WireError> {
        // Only short values are parsed as strings; of the body, the first byte gives the kind.
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
            // Two readers could use different ones, and one of them may be a firewall.
            return refuse("a member of the envelope occurs twice");
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
            _ => refuse("only one of `method`, `result` and `error` may occur"),
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
