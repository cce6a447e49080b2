//! A one-line summary of a block, for when the whole block does not fit.

use linkspan_wire::{Json, JsonKind};

use crate::kind::Kind;

/// Shorter blocks have no summary.
const LONG: usize = 500;

/// The most characters quoted from a line.
const QUOTED: usize = 80;

/// The most members of an object that are named.
const NAMED: usize = 12;

/// The kind of a text, its number of lines, and its first line or shape.
pub(super) fn of(text: &str, kind: Kind) -> Option<String> {
    text.chars().nth(LONG)?;
    let lines = text.lines().count();
    let what = match kind {
        Kind::Plain => "text",
        kind => kind.name(),
    };
    let shape = match kind {
        Kind::Json => Json::parse(text).ok().map(shape),
        _ => None,
    };
    let begin = shape.unwrap_or_else(|| begin(text));
    Some(format!("{what}, {lines} lines: {begin}"))
}

fn begin(text: &str) -> String {
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or("");
    cut(line)
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// The number of elements and the names of the members.
fn shape(json: Json<'_>) -> String {
    let names = |object: Json<'_>| {
        let mut names: Vec<_> = object
            .members()
            .take(NAMED + 1)
            .map(|(name, _)| cut(&name))
            .collect();
        if names.len() > NAMED {
            names[NAMED] = "…".to_owned();
        }
        names.join(", ").replace(['\n', '\r'], " ")
    };
    match json.kind() {
        JsonKind::Object => format!("object with {}", names(json)),
        JsonKind::Array => {
            let count = json.elements().count();
            match json.elements().next() {
                Some(first) if first.kind() == JsonKind::Object => {
                    format!("array of {count} with {}", names(first))
                }
                _ => format!("array of {count}"),
            }
        }
        _ => cut(json.text()),
    }
}
