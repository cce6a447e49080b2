//! The value of a member, converted to the required type.

use std::borrow::Cow;

use super::ManifestOptions;
use super::error::Problem;
use super::fields::{Field, Fields, Value};
use super::json::Result;
use super::values::{parse_int, unbase64};
use crate::limits::Limits;

impl Fields {
    /// A text, if given.
    pub(super) fn text(&self, field: Field) -> Result<Option<Cow<'_, str>>> {
        // The parser has checked that it is UTF-8.
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

    /// A required text.
    pub(super) fn need(&self, what: &'static str, field: Field) -> Result<Cow<'_, str>> {
        self.found(what, field, self.text(field)?)
    }

    /// The value of a required field.
    pub(super) fn found<T>(&self, what: &'static str, field: Field, value: Option<T>) -> Result<T> {
        value.ok_or_else(|| needs(what, &[field]))
    }

    /// An integer, if given.
    pub(super) fn int(&self, field: Field, max: u64) -> Result<Option<u64>> {
        match self.value_of(field) {
            Value::Absent => Ok(None),
            Value::Number(span) => parse_int(self.bytes(*span), field.quoted(), max).map(Some),
            other => Err(wrong(field, other, "a number")),
        }
    }

    /// An integer of one byte, if given and not a text.
    pub(super) fn byte(&self, field: Field) -> Result<Option<u8>> {
        let int = self.int(field, u64::from(u8::MAX))?;
        Ok(int.map(|int| int as u8))
    }

    /// A value of a vocabulary by its name, if given.
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

    /// Checks that a list is given; [`Fields`] stores it.
    pub(super) fn list(&self, what: &'static str, field: Field) -> Result<()> {
        match self.value_of(field) {
            Value::List => Ok(()),
            Value::Absent => Err(needs(what, &[field])),
            other => Err(wrong(field, other, "an array")),
        }
    }

    /// Bytes as a text or in base64, if given.
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

    /// Bytes in base64, if given.
    pub(super) fn base64(&self, field: Field) -> Result<Option<Cow<'_, [u8]>>> {
        let text = self.text_bytes(field)?;
        let bytes = text.map(|text| unbase64(text, field.name())).transpose()?;
        Ok(bytes.map(Cow::Owned))
    }

    /// The content of a block, from the manifest or from a file, if given.
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

    /// The required content of a block.
    pub(super) fn need_contents(
        &self,
        what: &'static str,
        options: &ManifestOptions,
    ) -> Result<Cow<'_, [u8]>> {
        let contents = self.contents(options)?;
        contents.ok_or_else(|| needs(what, &[Field::Content, Field::ContentFile]))
    }
}

/// The error for a missing field with these alternatives.
pub(super) fn needs(what: &'static str, fields: &[Field]) -> Problem {
    Problem::Needs {
        what,
        fields: fields.iter().map(|field| field.name()).collect(),
    }
}

/// The error for a value of the wrong type.
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
