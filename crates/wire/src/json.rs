//! Looking into a value without taking it apart.

use std::borrow::Cow;

use crate::depth;
use crate::error::Syntax;
use crate::escape::unescape;
use crate::limits::MAX_DEPTH;
use crate::scan::Scanner;

/// A valid JSON value as its sender spelled it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Json<'a>(&'a str);

/// What sort of value a [`Json`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are JSON's own")]
pub enum JsonKind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

impl<'a> Json<'a> {
    /// Checks `text`, which may have white space around the value.
    pub fn parse(text: &'a str) -> Result<Self, Syntax> {
        let mut scanner = Scanner::new(text.as_bytes(), 0, MAX_DEPTH);
        let (start, end) = scanner.value()?;
        scanner.skip_space();
        match scanner.peek() {
            None => Ok(Self(&text[start..end])),
            Some(_) => Err(scanner.wrong()),
        }
    }

    /// The value at the beginning of `text`, and the offset of its end. Any text may follow.
    pub fn first(text: &'a str) -> Result<(Self, usize), Syntax> {
        let mut scanner = Scanner::new(text.as_bytes(), 0, MAX_DEPTH);
        let (start, end) = scanner.value()?;
        Ok((Self(&text[start..end]), end))
    }

    /// For text that the scanner has accepted.
    pub(crate) fn trusted(text: &'a str) -> Self {
        Self(text)
    }

    /// The sender's spelling.
    pub fn text(self) -> &'a str {
        self.0
    }

    /// The kind of this value.
    pub fn kind(self) -> JsonKind {
        Self::kind_of(self.0.as_bytes().first().copied().unwrap_or(b'n'))
    }

    /// The kind of a value, by its first byte.
    pub(crate) fn kind_of(first: u8) -> JsonKind {
        match first {
            b'{' => JsonKind::Object,
            b'[' => JsonKind::Array,
            b'"' => JsonKind::String,
            b't' | b'f' => JsonKind::Bool,
            b'n' => JsonKind::Null,
            _ => JsonKind::Number,
        }
    }

    /// The text of a string.
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        (self.kind() == JsonKind::String).then(|| unescape(&self.0[1..self.0.len() - 1]))
    }

    /// A whole number that fits.
    pub fn as_i64(self) -> Option<i64> {
        self.0.parse().ok()
    }

    /// `true` or `false`.
    pub fn as_bool(self) -> Option<bool> {
        self.0.parse().ok()
    }

    /// The value of a member; the last one if the key occurs several times (as most readers do).
    pub fn get(self, key: &str) -> Option<Json<'a>> {
        self.members()
            .filter(|(name, _)| name == key)
            .last()
            .map(|(_, value)| value)
    }

    /// The value at the end of a chain of members.
    pub fn path(self, keys: &[&str]) -> Option<Json<'a>> {
        keys.iter().try_fold(self, |value, key| value.get(key))
    }

    /// The members of an object in order; none for other values.
    pub fn members(self) -> Members<'a> {
        Members {
            text: self.0,
            scanner: self.inside(JsonKind::Object),
        }
    }

    /// The elements of an array in order; none for other values.
    pub fn elements(self) -> impl Iterator<Item = Json<'a>> {
        let text = self.0;
        let mut scanner = self.inside(JsonKind::Array);
        std::iter::from_fn(move || {
            let (start, end) = next_value(scanner.as_mut()?, b']')?;
            Some(Json(&text[start..end]))
        })
    }

    fn inside(self, kind: JsonKind) -> Option<Scanner<'a>> {
        // Checked before, and perhaps made a little deeper by us.
        (self.kind() == kind).then(|| Scanner::new(self.0.as_bytes(), 1, depth::MOST))
    }
}

/// See [`Json::members`].
pub struct Members<'a> {
    text: &'a str,
    scanner: Option<Scanner<'a>>,
}

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, Json<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let scanner = self.scanner.as_mut()?;
        skip_separator(scanner, b'}')?;
        let (key_start, key_end) = scanner.key().ok()?;
        let (start, end) = scanner.value().ok()?;
        Some((
            unescape(&self.text[key_start..key_end]),
            Json(&self.text[start..end]),
        ))
    }
}

fn next_value(scanner: &mut Scanner<'_>, close: u8) -> Option<(usize, usize)> {
    skip_separator(scanner, close)?;
    scanner.value().ok()
}

/// Moves to the next item; `None` at the closing bracket.
fn skip_separator(scanner: &mut Scanner<'_>, close: u8) -> Option<()> {
    scanner.skip_space();
    if scanner.peek()? == b',' {
        scanner.at += 1;
        scanner.skip_space();
    }
    (scanner.peek()? != close).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_elements_keep_their_spelling() {
        let json =
            Json::parse(r#" {"a" : [ 1.50 , "x\n" ,{} ], "b":{"c":null}, "a\u0062": 7} "#).unwrap();
        let list: Vec<_> = json.get("a").unwrap().elements().map(Json::text).collect();
        assert_eq!(list, ["1.50", r#""x\n""#, "{}"]);
        assert_eq!(json.path(&["b", "c"]).unwrap().kind(), JsonKind::Null);
        assert_eq!(json.get("ab").unwrap().as_i64(), Some(7));
        assert_eq!(json.get("nope"), None);
        assert_eq!(json.get("ab").unwrap().get("deeper"), None);
        assert_eq!(json.members().count(), 3);
    }

    #[test]
    fn empty_containers_have_nothing_in_them() {
        assert_eq!(Json::parse("{ }").unwrap().members().count(), 0);
        assert_eq!(Json::parse("[ ]").unwrap().elements().count(), 0);
    }

    #[test]
    fn the_first_value_ends_where_it_ends() {
        let (value, end) = Json::first(" {\"a\": [1]}\nand then").unwrap();
        assert_eq!((value.text(), end), ("{\"a\": [1]}", 11));
        assert_eq!(Json::first("[1, x"), Err(Syntax::Unexpected(4)));
    }

    #[test]
    fn text_after_the_value_is_refused() {
        assert_eq!(Json::parse("{} x"), Err(Syntax::Unexpected(3)));
    }
}
