//! Values of the one shape that they must have.
//!
//! A value of another shape is skipped before it is reported, so that a caller that ignores the value
//! can read on.

use std::io::Read;

use data_encoding::BASE64_NOPAD;

use super::error::Problem;
use super::json::{Json, Result, Shape};

/// Decodes base64. Some or all of the padding may be missing.
pub(super) fn unbase64(text: &[u8], field: &'static str) -> Result<Vec<u8>> {
    let end = text.iter().rposition(|byte| *byte != b'=');
    let (digits, padding) = text.split_at(end.map_or(0, |end| end + 1));
    // More padding than the last group of four has room for is an error.
    if padding.len() > digits.len().next_multiple_of(4) - digits.len() {
        return Err(Problem::Base64(field));
    }
    let decoded = BASE64_NOPAD.decode(digits);
    decoded.map_err(|_| Problem::Base64(field))
}

/// Goes into the object that comes next.
pub(super) fn object<R: Read>(json: &mut Json<R>, what: &'static str) -> Result<()> {
    match json.shape()? {
        Shape::Object => json.open_object(),
        other => skip(json, what, "an object", other),
    }
}

/// Replaces `out` by the string that comes next.
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

/// The whole number that comes next. `scratch` is left as it was.
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

/// What a number says, if it is a whole one.
pub(super) fn parse_int(text: &[u8], field: &'static str, max: u64) -> Result<u64> {
    let text = String::from_utf8_lossy(text);
    let value = text.parse().ok().filter(|value| *value <= max);
    value.ok_or_else(|| Problem::Number {
        field,
        text: text.into_owned(),
        max,
    })
}

/// Keeps a value that may be given once.
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

/// Says which part of a block a problem is in, if it is not one of the whole text.
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
