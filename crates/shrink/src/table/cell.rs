//! What stands in a cell, and how.

use std::borrow::Cow;

use crate::lexeme::{is_number, is_word, quote};

/// What stands in a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cell<'a> {
    /// Nothing: the object has no such member.
    Absent,
    /// A text.
    Text(Cow<'a, str>),
    /// Anything else of JSON, as its sender spelled it: a number, `true`, `false` or `null`. From `json` also
    /// lists and objects in short form, and strings that have no text.
    Json(Cow<'a, str>),
}

impl<'a> Cell<'a> {
    /// The shortest cell for a text, without a difference between `5` and `"5"`, or between an absent value and
    /// an empty text. [`Cell::text`] is the inverse.
    #[cfg(test)]
    pub(crate) fn loose(text: &'a str) -> Self {
        match text {
            "" => Self::Absent,
            _ => Self::bare(text),
        }
    }

    /// What a text means if it stands without quotes.
    #[cfg(test)]
    pub(crate) fn bare(text: &'a str) -> Self {
        if is_word(text) || is_number(text) {
            Self::Json(Cow::Borrowed(text))
        } else {
            Self::Text(Cow::Borrowed(text))
        }
    }

    /// The text of a cell, whatever it is.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Absent => "",
            Self::Text(text) | Self::Json(text) => text,
        }
    }

    /// The text or number, as other columns may be made of it.
    pub(super) fn material(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Json(json) if self.is_number() => Some(json),
            _ => None,
        }
    }

    pub(super) fn is_number(&self) -> bool {
        let Self::Json(json) = self else {
            return false;
        };
        matches!(json.as_bytes().first(), Some(b'-' | b'0'..=b'9'))
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Json(json) if json == "null")
    }

    /// Writes it as it is read if its column says nothing else.
    pub(super) fn write(&self, place: Place, out: &mut String) {
        match self {
            Self::Absent => {}
            Self::Json(json) => out.push_str(json),
            Self::Text(text) => write_text(text, place, out),
        }
    }

    #[cfg(test)]
    pub(crate) fn into_owned(self) -> Cell<'static> {
        match self {
            Self::Absent => Cell::Absent,
            Self::Text(text) => Cell::Text(Cow::Owned(text.into_owned())),
            Self::Json(text) => Cell::Json(Cow::Owned(text.into_owned())),
        }
    }
}

/// Where something stands, which decides what ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a line of its own: a comma ends it.
    Line,
    /// Between brackets: so do `;` and brackets.
    Nested,
}

/// A text that nothing is to be made of: without quotes if it cannot be taken for anything else.
pub(crate) fn write_text(text: &str, place: Place, out: &mut String) {
    if is_free(text, place) && !is_word(text) && !is_number(text) && !is_table(text, place) {
        out.push_str(text)
    } else {
        quote(text, out)
    }
}

/// Whether a text can stand without quotes where it is known to be one.
pub(crate) fn is_free(text: &str, place: Place) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    let ends = match place {
        Place::Line => LINE,
        Place::Nested => NESTED,
    };
    // Without an early end, which is faster for what most texts are.
    bytes
        .iter()
        .fold(0, |found, byte| found | CLASS[*byte as usize])
        & ends
        == 0
        && CLASS[*first as usize] & START == 0
        && *last != b' '
        && text != "-"
        && (text.is_ascii() || text.trim().len() == text.len())
}

/// Whether a text looks like `@1`, which stands for a table below.
fn is_table(text: &str, place: Place) -> bool {
    let number = text.strip_prefix('@').filter(|_| place == Place::Nested);
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

const LINE: u8 = 1;
const NESTED: u8 = 2;
/// Cannot be what a text begins with: it says what comes.
const START: u8 = 4;

const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            0..b' ' | 0x7f => LINE | NESTED,
            b',' => LINE | NESTED,
            b';' | b']' | b'}' => NESTED,
            b'[' | b'{' | b'"' => NESTED | START,
            b' ' | b'=' | b'!' | b'|' => START,
            _ => 0,
        };
        byte += 1;
    }
    class
};
