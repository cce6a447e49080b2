//! The notation of a cell in a line.

use std::borrow::Cow;

use crate::lexeme::string_len;

/// The terminator of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// A space.
    Space,
    /// A comma and a space, in columns whose cells contain spaces.
    Comma,
    /// The end of the line.
    Line,
    /// The end of the line, or an exception behind ` ~`.
    Unusual,
}

impl End {
    const fn text(self) -> &'static str {
        match self {
            Self::Space => " ",
            Self::Comma => ", ",
            Self::Line => "\n",
            Self::Unusual => UNUSUAL,
        }
    }

    /// Finds the terminator. Cells are short, so a substring search would cost more to set up than it saves.
    fn find(self, bytes: &[u8]) -> Option<usize> {
        let both = |first: u8, second: u8| {
            memchr::memchr_iter(first, bytes).find(|at| bytes.get(at + 1) == Some(&second))
        };
        match self {
            Self::Space => bytes.iter().position(|byte| *byte == b' '),
            Self::Line => memchr::memchr(b'\n', bytes),
            Self::Comma => both(b',', b' '),
            Self::Unusual => both(b' ', b'~'),
        }
    }
}

/// A cell as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// The same as in the row above.
    Ditto,
    /// The varying part of the cell.
    Text(Cow<'a, str>),
    /// The whole cell, in a column whose other cells share a prefix or suffix.
    Whole(Cow<'a, str>),
}

/// Precedes an exception to a usual value.
pub(super) const UNUSUAL: &str = " ~";
const DITTO: &str = "^";
const WHOLE: char = '=';

impl<'a> Token<'a> {
    /// Writes the token, quoted if necessary.
    pub(super) fn write(&self, out: &mut String, end: End) {
        match self {
            Self::Ditto => out.push_str(DITTO),
            Self::Text(text) => write_text(out, text, end),
            Self::Whole(text) => {
                out.push(WHOLE);
                write_text(out, text, end);
            }
        }
    }

    /// Reads the token that a line begins with; returns the text behind its terminator.
    pub(super) fn read(line: &'a str, end: End) -> Result<(Self, Option<&'a str>), &'static str> {
        if let Some(rest) = line.strip_prefix(WHOLE) {
            let (text, _, rest) = read_text(rest, end)?;
            return Ok((Self::Whole(text), rest));
        }
        let (text, is_bare, rest) = read_text(line, end)?;
        if is_bare && text == DITTO {
            Ok((Self::Ditto, rest))
        } else {
            Ok((Self::Text(text), rest))
        }
    }
}

/// Writes a text, quoted if necessary.
pub(super) fn write_text(out: &mut String, text: &str, end: End) {
    if is_bare(text, end) {
        out.push_str(text)
    } else {
        out.push_str(&linkspan_wire::quote(text))
    }
}

/// Reads a text; returns it, whether it was unquoted, and the text behind its terminator.
pub(super) fn read_text(
    line: &str,
    end: End,
) -> Result<(Cow<'_, str>, bool, Option<&str>), &'static str> {
    let ending = end.text();
    if line.starts_with('"') {
        let length = string_len(line.as_bytes()).ok_or("an unterminated string")?;
        let (token, rest) = line.split_at(length);
        let rest = match rest.strip_prefix(ending) {
            None if !rest.is_empty() => return Err("text after a quoted cell"),
            rest => rest,
        };
        let json = linkspan_wire::Json::parse(token).map_err(|_| "not a JSON string")?;
        let text = json.as_str().ok_or("not a JSON string")?;
        return Ok((text, false, rest));
    }
    let (text, rest) = match end.find(line.as_bytes()) {
        Some(at) => (&line[..at], Some(&line[at + ending.len()..])),
        None => (line, None),
    };
    Ok((Cow::Borrowed(text), true, rest))
}

/// Whether a text needs no quotes in a line.
pub(super) fn is_bare(text: &str, end: End) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    // No early exit, which is faster for most cells.
    let has = bytes
        .iter()
        .fold(0, |has, byte| has | CLASS[usize::from(*byte)]);
    let has_end = || has & SPACE != 0 && end.find(bytes).is_some();
    !matches!(first, b'"' | b' ' | b'=' | b':' | b'~')
        && *last != b' '
        && has & LINE == 0
        && text != DITTO
        && match end {
            End::Space => has & SPACE == 0,
            End::Comma => *last != b',' && !has_end(),
            End::Line => true,
            End::Unusual => !has_end(),
        }
}

const SPACE: u8 = 1;
const LINE: u8 = 2;

const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    class[b' ' as usize] = SPACE;
    class[b'\n' as usize] = LINE;
    class[b'\r' as usize] = LINE;
    class
};
