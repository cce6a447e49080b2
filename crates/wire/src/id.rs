//! Request ids, exactly as their owner wrote them.

use std::fmt;

use bytes::Bytes;

use crate::hop::Hop;
use crate::json::{Json, JsonKind};

/// A JSON-RPC id in its sender's spelling: `92`, `"92"` or `null`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Id(Bytes);

/// What an id *means*: two spellings of one id are equal, `92` and `"92"` are not.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IdKey {
    /// `null`
    Null,
    /// A number, by its digits: JSON numbers have no limit, unlike f64 and i64.
    Number(Box<str>),
    /// A string, with escapes read.
    String(Box<str>),
}

impl Id {
    /// The id `null`, for an answer to a message without a readable id.
    pub fn null() -> Self {
        Self(Bytes::from_static(b"null"))
    }

    /// A whole-number id, as used on our own hops.
    pub fn number(number: u64) -> Self {
        Self(Bytes::from(number.to_string()))
    }

    /// A string id.
    pub fn string(text: &str) -> Self {
        Self(Bytes::from(crate::escape::quote(text)))
    }

    /// An id from the value of an `id` member; `None` if JSON-RPC does not allow it.
    pub fn parse(value: Json<'_>) -> Option<Self> {
        is_id(value).then(|| Self(Bytes::copy_from_slice(value.text().as_bytes())))
    }

    /// The text of a string id, or the digits of a number, without quotes.
    pub fn bare(&self) -> String {
        let json = Json::trusted(self.text());
        json.as_str()
            .map_or_else(|| self.text().to_owned(), Into::into)
    }

    /// `raw` must be the text of an id.
    pub(crate) fn from_raw(raw: Bytes) -> Self {
        Self(raw)
    }

    /// The sender's spelling.
    pub fn text(&self) -> &str {
        // Made only from UTF-8 text.
        std::str::from_utf8(&self.0).unwrap_or("null")
    }

    /// The spelling as shared bytes.
    pub fn bytes(&self) -> &Bytes {
        &self.0
    }

    /// The decoded id, for lookups.
    pub fn key(&self) -> IdKey {
        let json = Json::trusted(self.text());
        match json.as_str() {
            Some(text) => IdKey::String(text.into()),
            None if json.kind() == JsonKind::Null => IdKey::Null,
            None => IdKey::Number(json.text().into()),
        }
    }

    /// The hop number, if this can be one.
    ///
    /// Some peers answer `7` with `"7"` or `7.0`. All hop numbers are whole numbers that we chose, so these are
    /// unambiguous.
    pub fn as_hop(&self) -> Option<Hop> {
        let text = self.text();
        let text = text
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'))
            .unwrap_or(text);
        let whole = match text.split_once('.') {
            Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|b| b == b'0') => whole,
            _ => text,
        };
        // `parse` would accept a sign.
        let digits = whole.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| whole.parse().ok().map(Hop)).flatten()
    }
}

/// Shown as spelled, so that `92` and `"92"` cannot be confused in a log.
impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({})", self.text())
    }
}

pub(crate) fn is_id(value: Json<'_>) -> bool {
    matches!(
        value.kind(),
        JsonKind::String | JsonKind::Number | JsonKind::Null
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Id {
        Id::parse(Json::parse(text).unwrap()).unwrap()
    }

    #[test]
    fn a_number_and_its_string_are_different_people() {
        assert_ne!(id("92").key(), id("\"92\"").key());
    }

    #[test]
    fn two_spellings_of_a_string_are_the_same_person_and_keep_their_spelling() {
        let (plain, escaped) = (id(r#""é""#), id(r#""\u00e9""#));
        assert_eq!(plain.key(), escaped.key());
        assert_eq!(escaped.to_string(), r#""\u00e9""#);
    }

    #[test]
    fn a_hop_number_is_known_in_another_type() {
        for text in ["92", "\"92\"", "92.0", "92.00"] {
            assert_eq!(id(text).as_hop(), Some(Hop(92)), "{text}");
        }
        for text in [
            "null", "\"\"", "\"x\"", "-92", "\"+92\"", "92.5", "9.2e1", "\" 92\"",
        ] {
            assert_eq!(id(text).as_hop(), None, "{text}");
        }
    }

    #[test]
    fn only_strings_numbers_and_null_are_ids() {
        for text in ["true", "[1]", "{}"] {
            assert_eq!(Id::parse(Json::parse(text).unwrap()), None, "{text}");
        }
    }
}
