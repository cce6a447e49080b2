//! Values of one required type.
//!
//! A value of another type is skipped before the error is reported, so that a caller that ignores the value
//! can continue.

use std::io::Read;

use data_encoding::BASE64_NOPAD;

use super::error::Problem;
use super::json::{Json, Result, Shape};

/// Decodes base64. Some or all of the padding may be missing.
pub(super) fn unbase64(text: &[u8], field: &'static str) -> Result<Vec<u8>> {
    let end = text.iter().rposition(|byte| *byte != b'=');
    let (digits, padding) = text.split_at(end.map_or(0, |end| end + 1));
    // The padding must not exceed the room in the last group of four.
    if padding.len() > digits.len().next_multiple_of(4) - digits.len() {
        return Err(Problem::Base64(field));
    }
    let decoded = BASE64_NOPAD.decode(digits);
    decoded.map_err(|_| Problem::Base64(field))
}

/// Enters the next object.
pub(super) fn object<R: Read>(json: &mut Json<R>, what: &'static str) -> Result<()> {
    match json.shape()? {
        Shape::Object => json.open_object(),
        other => skip(json, what, "an object", other),
    }
}

/// Replaces `out` by the next string.
pub(super) fn text<R: Read>(
    json: &mut Json<R>,
    field: &'static str,
    out: &mut Vec<u8>,
) -> Result<()> {
    out.clear();
    match json.shape()? {
        Shape::Text => json.text(out),
        other => skip(json, field, "a string", other),
    }
}

/// The next value, an integer. Leaves `scratch` unchanged.
pub(super) fn int<R: Read>(
    json: &mut Json<R>,
    field: &'static str,
    max: u64,
    scratch: &mut Vec<u8>,
) -> Result<u64> {
    let start = scratch.len();
    match json.shape()? {
        Shape::Number => json.number(scratch)?,
        other => return skip(json, field, "a number", other),
    }
    let value = parse_int(&scratch[start..], field, max);
    scratch.truncate(start);
    value
}

/// Parses an integer.
pub(super) fn parse_int(text: &[u8], field: &'static str, max: u64) -> Result<u64> {
    let text = String::from_utf8_lossy(text);
    let value = text.parse().ok().filter(|value| *value <= max);
    value.ok_or_else(|| Problem::Number {
        field,
        text: text.into_owned(),
        max,
    })
}

/// Stores a value that may occur once.
pub(super) fn once<T>(slot: &mut Option<T>, value: T, field: &'static str) -> Result<()> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(Problem::Twice(field)),
    }
}

fn skip<R: Read, T>(
    json: &mut Json<R>,
    field: &'static str,
    must: &'static str,
    found: Shape,
) -> Result<T> {
    json.skip()?;
    Err(Problem::Shape {
        field,
        must,
        found: found.name(),
    })
}

/// Adds the part of the block to a problem, unless the problem concerns the whole text.
pub(super) fn part(problem: Problem, what: &'static str, index: u64) -> Problem {
    if problem.is_fatal() {
        return problem;
    }
    Problem::Part {
        what,
        index,
        problem: Box::new(problem),
    }
}
