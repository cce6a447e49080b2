//! Members with alternative spellings.

use std::borrow::Cow;

use super::ManifestOptions;
use super::build::UNKNOWN;
use super::error::Problem;
use super::fields::{Field, Fields, Value};
use super::json::Result;
use super::pick::{needs, wrong};
use super::values::parse_int;
use crate::block::Content;
use crate::names::{AnnotationKind, END, Kind, Lang, Priority};
use crate::tree::Entries;

impl Fields {
    /// A language by its name or its number. An unknown name is `unknown`, as in the reference
    /// implementation; `other(66)` is our spelling of a byte without a name.
    pub(super) fn lang(&self, what: &'static str) -> Result<Lang> {
        if let Value::Number(_) = self.value_of(Field::Lang) {
            let byte = self.byte(Field::Lang)?;
            return Ok(byte.map_or(Lang::UNKNOWN, Lang));
        }
        let word = self.need(what, Field::Lang)?;
        let other = word.strip_prefix("other(");
        let other = other.and_then(|rest| rest.strip_suffix(')')?.parse().ok());
        Ok(other.map_or_else(|| Lang::parse(&word), Lang))
    }

    /// `"lines": [10, 300]`, or `"line_start"` and `"line_end"`.
    pub(super) fn lines(&self) -> Result<Option<(u32, u32)>> {
        let max = u64::from(u32::MAX);
        let start = self.int(Field::LineStart, max)?;
        let end = self.int(Field::LineEnd, max)?;
        let ends = match (start, end) {
            (None, None) => None,
            (Some(start), Some(end)) => Some((start, end)),
            (Some(_), None) => return Err(needs(Field::LineStart.quoted(), &[Field::LineEnd])),
            (None, Some(_)) => return Err(needs(Field::LineEnd.quoted(), &[Field::LineStart])),
        };
        let pair = match self.value_of(Field::Lines) {
            Value::Absent => None,
            Value::Pair(start, end) => Some((*start, *end)),
            other => return Err(wrong(Field::Lines, other, "an array of two numbers")),
        };
        if pair.is_some() && ends.is_some() {
            return Err(Problem::Both(Field::Lines.name(), Field::LineStart.name()));
        }
        // Both conversions were checked above.
        Ok(pair.or(ends).map(|(start, end)| (start as u32, end as u32)))
    }

    pub(super) fn entries(&self, what: &'static str) -> Result<Entries<'_>> {
        self.list(what, Field::Entries)?;
        // Entries built by `entries::read` can only fail for their depth, which it checks too.
        Entries::check(&self.tree).map_err(|_| Problem::TooDeep(crate::Limits::DEPTH))
    }

    /// A priority by its name or its number, if given.
    pub(super) fn priority(&self, field: Field) -> Result<Option<Priority>> {
        let (word, priority) = match self.value_of(field) {
            Value::Absent => return Ok(None),
            Value::Text(span) => {
                let word = String::from_utf8_lossy(self.bytes(*span));
                let priority = Priority::parse(&word);
                (word, priority)
            }
            Value::Number(span) => {
                let digits = self.bytes(*span);
                let byte = parse_int(digits, field.quoted(), u64::from(u8::MAX)).ok();
                let priority = byte.and_then(|byte| Priority::from_byte(byte as u8));
                (String::from_utf8_lossy(digits), priority)
            }
            other => return Err(wrong(field, other, "a string")),
        };
        let priority = priority.ok_or_else(|| Problem::Word {
            what: Priority::WHAT,
            word: word.into_owned(),
            allowed: Priority::ALL.iter().map(|word| word.name()).collect(),
        });
        priority.map(Some)
    }

    /// The value of an annotation: a text; for a priority its name or number.
    pub(super) fn annotation(
        &self,
        what: &'static str,
        kind: AnnotationKind,
    ) -> Result<Cow<'_, [u8]>> {
        let is_base64 = *self.value_of(Field::ValueBase64) != Value::Absent;
        let value = if kind == AnnotationKind::Priority && !is_base64 {
            let priority = self.priority(Field::Value)?;
            priority.map(|priority| Cow::Owned(vec![priority.byte()]))
        } else {
            self.bytes_or_base64(Field::Value, Field::ValueBase64)?
        };
        self.found(what, Field::Value, value)
    }

    /// The hash of an embedding's source. 64 hex digits stand for 32 bytes; any other text for its own bytes,
    /// because the format does not define the hash. Bytes that are not UTF-8 are given in base64.
    pub(super) fn source_hash(&self, what: &'static str) -> Result<Cow<'_, [u8]>> {
        let given = self.bytes_or_base64(Field::SourceHash, Field::SourceHashBase64)?;
        let given = self.found(what, Field::SourceHash, given)?;
        let Cow::Borrowed(bytes) = given else {
            return Ok(given);
        };
        let text = String::from_utf8_lossy(bytes);
        let is_meant = text.chars().count() == 64 || bytes.len() == 64;
        match unhex(bytes).filter(|hash| hash.len() == 32) {
            Some(hash) => Ok(Cow::Owned(hash)),
            None if is_meant || text.contains('…') || text.contains("...") => {
                Err(Problem::Hash(text.into_owned()))
            }
            None => Ok(given),
        }
    }

    /// The bytes of an image: `"data"` in base64, or a content as in other types.
    pub(super) fn image(
        &self,
        what: &'static str,
        options: &ManifestOptions,
    ) -> Result<Cow<'_, [u8]>> {
        let data = match self.base64(Field::Data)? {
            Some(data) => Some(data),
            None => self.contents(options)?,
        };
        data.ok_or_else(|| needs(what, &[Field::Data, Field::ContentFile]))
    }

    /// A block of a type without a name, given by number: `66` or `"0x42"`.
    pub(super) fn unknown(&self) -> Result<Content<'_>> {
        let kind = match self.value_of(Field::Kind) {
            Value::Text(_) => self.word(Field::Kind, "type number", parse_byte, || {
                vec!["0x0B to 0xFD", "0x00"]
            })?,
            _ => self.byte(Field::Kind)?,
        };
        let kind = self.found(UNKNOWN, Field::Kind, kind)?;
        let name = match kind {
            END => Some("the end of a file"),
            _ => Kind::from_byte(kind).map(Kind::name),
        };
        if let Some(name) = name {
            return Err(Problem::Known { kind, name });
        }
        let body = self.bytes_or_base64(Field::Body, Field::BodyBase64)?;
        let body = body.ok_or_else(|| needs(UNKNOWN, &[Field::Body, Field::BodyBase64]))?;
        Ok(Content::Unknown { kind, body })
    }
}

fn parse_byte(word: &str) -> Option<u8> {
    match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(digits) if digits.starts_with('+') => None,
        Some(digits) => u8::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

fn unhex(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let (pairs, []) = text.as_chunks::<2>() else {
        return None;
    };
    let byte = |&[high, low]: &[u8; 2]| Some((digit(high)? << 4 | digit(low)?) as u8);
    pairs.iter().map(byte).collect()
}
