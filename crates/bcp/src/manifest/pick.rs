//! What a member says, as the type that it must have.

use std::borrow::Cow;

use super::ManifestOptions;
use super::error::Problem;
use super::fields::{Field, Fields, Value};
use super::json::Result;
use super::values::{parse_int, unbase64};
use crate::limits::Limits;

impl Fields {
    /// A text, if it is there.
    pub(super) fn text(&self, field: Field) -> Result<Option<Cow<'_, str>>> {
        // It was checked to be UTF-8 when it was read.
        let bytes = self.text_bytes(field)?;
        Ok(bytes.map(String::from_utf8_lossy))
    }

    fn text_bytes(&self, field: Field) -> Result<Option<&[u8]>> {
        match self.value_of(field) {
            Value::Absent => Ok(None),
            Value::Text(span) => Ok(Some(self.bytes(*span))),
            other => Err(wrong(field, other, "a string")),
        }
    }

    /// A text that must be there.
    pub(super) fn need(&self, what: &'static str, field: Field) -> Result<Cow<'_, str>> {
        self.found(what, field, self.text(field)?)
    }

    /// What a field says, if it says something.
    pub(super) fn found<T>(&self, what: &'static str, field: Field, value: Option<T>) -> Result<T> {
        value.ok_or_else(|| needs(what, &[field]))
    }

    /// A whole number, if it is there.
    pub(super) fn int(&self, field: Field, max: u64) -> Result<Option<u64>> {
        match self.value_of(field) {
            Value::Absent => Ok(None),
            Value::Number(span) => parse_int(self.bytes(*span), field.quoted(), max).map(Some),
            other => Err(wrong(field, other, "a number")),
        }
    }

    /// A number of one byte, if it is there and not a text.
    pub(super) fn byte(&self, field: Field) -> Result<Option<u8>> {
        let int = self.int(field, u64::from(u8::MAX))?;
        Ok(int.map(|int| int as u8))
    }

    /// Something that has a word, if it is there.
    pub(super) fn word<T>(
        &self,
        field: Field,
        what: &'static str,
        parse: fn(&str) -> Option<T>,
        allowed: fn() -> Vec<&'static str>,
    ) -> Result<Option<T>> {
        let Some(word) = self.text(field)? else {
            return Ok(None);
        };
        let parsed = parse(&word).ok_or_else(|| Problem::Word {
            what,
            word: word.into_owned(),
            allowed: allowed(),
        });
        parsed.map(Some)
    }

    /// Makes sure that a list is there; it is kept elsewhere.
    pub(super) fn list(&self, what: &'static str, field: Field) -> Result<()> {
        match self.value_of(field) {
            Value::List => Ok(()),
            Value::Absent => Err(needs(what, &[field])),
            other => Err(wrong(field, other, "an array")),
        }
    }

    /// Bytes that are given as a text or in base64, if they are.
    pub(super) fn bytes_or_base64(
        &self,
        plain: Field,
        base64: Field,
    ) -> Result<Option<Cow<'_, [u8]>>> {
        match (self.text_bytes(plain)?, self.base64(base64)?) {
            (Some(_), Some(_)) => Err(Problem::Both(plain.name(), base64.name())),
            (plain, base64) => Ok(plain.map(Cow::Borrowed).or(base64)),
        }
    }

    /// Bytes that are given in base64, if they are.
    pub(super) fn base64(&self, field: Field) -> Result<Option<Cow<'_, [u8]>>> {
        let text = self.text_bytes(field)?;
        let bytes = text.map(|text| unbase64(text, field.name())).transpose()?;
        Ok(bytes.map(Cow::Owned))
    }

    /// What a block contains, from the manifest or else from a file, if it says so.
    pub(super) fn contents(&self, options: &ManifestOptions) -> Result<Option<Cow<'_, [u8]>>> {
        if let Some(bytes) = self.bytes_or_base64(Field::Content, Field::ContentBase64)? {
            return Ok(Some(bytes));
        }
        let Some(path) = self.text(Field::ContentFile)? else {
            return Ok(None);
        };
        match (options.files)(&path, Limits::BLOCK) {
            Ok(bytes) => Ok(Some(Cow::Owned(bytes))),
            Err(error) => Err(Problem::File {
                path: path.into_owned(),
                why: error.to_string(),
            }),
        }
    }

    /// The same, where it must be there.
    pub(super) fn need_contents(
        &self,
        what: &'static str,
        options: &ManifestOptions,
    ) -> Result<Cow<'_, [u8]>> {
        let contents = self.contents(options)?;
        contents.ok_or_else(|| needs(what, &[Field::Content, Field::ContentFile]))
    }
}

/// One of these must be there.
pub(super) fn needs(what: &'static str, fields: &[Field]) -> Problem {
    Problem::Needs {
        what,
        fields: fields.iter().map(|field| field.name()).collect(),
    }
}

/// Why a value is not what it must be.
pub(super) fn wrong(field: Field, value: &Value, must: &'static str) -> Problem {
    let found = match value {
        Value::Wrong(problem) => return Problem::clone(problem),
        Value::Other(found) => found,
        Value::Absent => "null",
        Value::Text(_) => "a string",
        Value::Number(_) => "a number",
        Value::Pair(..) | Value::List => "an array",
    };
    Problem::Shape {
        field: field.quoted(),
        must,
        found,
    }
}
