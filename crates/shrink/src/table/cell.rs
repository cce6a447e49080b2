//! The value of a cell, and its notation.

use std::borrow::Cow;

use crate::lexeme::{is_number, is_word, quote};

/// The value of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cell<'a> {
    /// No value: the object lacks this member.
    Absent,
    /// A string.
    Text(Cow<'a, str>),
    /// Another JSON value with its original spelling: a number, `true`, `false` or `null`. `json` also uses it for
    /// arrays and objects in short form, and for strings with lone surrogates.
    Json(Cow<'a, str>),
}

impl<'a> Cell<'a> {
    /// The shortest cell for a text, which does not distinguish `5` from `"5"`, or an absent value from an empty text.
    /// [`Cell::text`] is the inverse.
    #[cfg(test)]
    pub(crate) fn loose(text: &'a str) -> Self {
        match text {
            "" => Self::Absent,
            _ => Self::bare(text),
        }
    }

    /// The value of an unquoted text.
    #[cfg(test)]
    pub(crate) fn bare(text: &'a str) -> Self {
        if is_word(text) || is_number(text) {
            Self::Json(Cow::Borrowed(text))
        } else {
            Self::Text(Cow::Borrowed(text))
        }
    }

    /// The text of any cell.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Absent => "",
            Self::Text(text) | Self::Json(text) => text,
        }
    }

    /// The text or number, if other columns may be derived from it.
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

    /// Writes the cell for a column without a spec.
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

/// The context of a cell, which determines its terminators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a line of its own: terminated by a comma.
    Line,
    /// Between brackets: also terminated by `;` and closing brackets.
    Nested,
}

/// Writes a text, quoted if it could be read as anything else.
pub(crate) fn write_text(text: &str, place: Place, out: &mut String) {
    if is_free(text, place) && !is_word(text) && !is_number(text) && !is_table(text, place) {
        out.push_str(text)
    } else {
        quote(text, out)
    }
}

/// Whether a text needs no quotes where a text is expected.
pub(crate) fn is_free(text: &str, place: Place) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    let ends = match place {
        Place::Line => LINE,
        Place::Nested => NESTED,
    };
    // No early exit, which is faster for most texts.
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

/// Whether a text looks like `@1`, the reference to a table below.
fn is_table(text: &str, place: Place) -> bool {
    let number = text.strip_prefix('@').filter(|_| place == Place::Nested);
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

const LINE: u8 = 1;
const NESTED: u8 = 2;
/// Has a meaning at the beginning of a cell.
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
