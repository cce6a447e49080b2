//! Describes the structure of a JSON value.

use std::fmt::Write as _;

use linkspan_wire::{Json, JsonKind};

use super::pages::cut;

/// How many levels of nesting are described.
const DEEP: usize = 3;

/// The most members of an object that are named.
const NAMED: usize = 16;

/// The most characters shown of the first element.
const FIRST: usize = 300;

/// The names of members and the lengths of arrays, then the first element of the longest array.
pub(super) fn of(text: &str) -> Option<String> {
    let json = Json::parse(text).ok()?;
    let mut out = String::new();
    let mut longest = None;
    describe(json, DEEP, &mut out, &mut longest);
    if let Some((_, first)) = longest {
        let line = first
            .text()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let _ = write!(out, "; first: {}", cut(&line, FIRST));
    }
    Some(out)
}

type Longest<'a> = Option<(usize, Json<'a>)>;

fn describe<'a>(json: Json<'a>, deep: usize, out: &mut String, longest: &mut Longest<'a>) {
    match json.kind() {
        JsonKind::Null => out.push_str("null"),
        JsonKind::Bool => out.push_str("boolean"),
        JsonKind::Number => out.push_str("number"),
        JsonKind::String => out.push_str("string"),
        JsonKind::Array => {
            let count = json.elements().count();
            let _ = write!(out, "array of {count}");
            if let Some(first) = json.elements().next() {
                if count > longest.map_or(0, |(count, _)| count) {
                    *longest = Some((count, first));
                }
                if deep > 0 {
                    out.push(' ');
                    describe(first, deep - 1, out, longest);
                }
            }
        }
        JsonKind::Object if deep == 0 => out.push_str("object"),
        JsonKind::Object => {
            out.push('{');
            for (index, (name, value)) in json.members().enumerate() {
                if index == NAMED {
                    out.push_str(", …");
                    break;
                }
                out.push_str(if index > 0 { ", " } else { "" });
                out.push_str(&cut(&name, 60).replace(['\n', '\r'], " "));
                // A scalar member is described by its name only.
                if matches!(value.kind(), JsonKind::Array | JsonKind::Object) {
                    out.push_str(": ");
                    describe(value, deep - 1, out, longest);
                }
            }
            out.push('}');
        }
    }
}
