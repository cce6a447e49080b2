//! JSON: one value over several lines, or one value per line.

use linkspan_wire::{Json, Syntax};

use super::found::{Detection, Found};
use super::line::Line;
use crate::kind::Kind;

/// The confidence in a valid value.
pub(super) const SURE: f32 = 0.9;

/// A smaller value on a line of its own may as well be code, and cannot become much smaller.
const SMALL: usize = 80;

/// Whether the whole text is one non-scalar value.
pub(super) fn is_json(text: &str) -> bool {
    matches!(text.trim_start().as_bytes().first(), Some(b'{' | b'[')) && Json::parse(text).is_ok()
}

/// A value that spans whole lines, or one value per line.
pub(super) fn find(text: &str, first: Line<'_>) -> Detection {
    let mut ends = match value(text, first) {
        Ok(ends) => ends,
        Err(until) => return Detection::NotBefore(until),
    };
    if ends > first.next {
        return yes(ends, Kind::Json);
    }
    let mut count = 1;
    for line in first.below(text) {
        match value(text, line) {
            Ok(next) if next == line.next => {
                ends = next;
                count += 1;
            }
            _ => break,
        }
    }
    match count {
        1 if first.text.len() < SMALL => Detection::NotBefore(ends),
        1 => yes(ends, Kind::Json),
        _ => yes(ends, Kind::Ndjson),
    }
}

fn yes(end: usize, kind: Kind) -> Detection {
    Detection::Yes(Found {
        end,
        kind,
        confidence: SURE,
    })
}

/// The end of the line that a value ends on; or, for an invalid value, the offset before which no other value
/// begins.
fn value(text: &str, line: Line<'_>) -> Result<usize, usize> {
    let indent = line.indent();
    if !matches!(line.bytes().get(indent), Some(b'{' | b'[')) {
        return Err(line.next);
    }
    let at = line.start + indent;
    let length = match Json::first(&text[at..]) {
        Ok((_, length)) => length,
        Err(Syntax::Unexpected(wrong) | Syntax::TooDeep(wrong)) => return Err(at + wrong),
        Err(_) => return Err(text.len()),
    };
    let end = at + length;
    match Line::at(text, end) {
        None => Ok(text.len()),
        Some(rest) if rest.is_blank() => Ok(rest.next),
        Some(_) => Err(end),
    }
}
