//! One entry per line, indented.

use std::borrow::Cow;

use linkspan_wire::{Json, quote};

use super::entry::Entry;
use crate::rendering::Malformed;

/// Spaces per level.
const STEP: usize = 2;

pub(super) fn write(entries: &[Entry<'_>]) -> String {
    let mut out = String::new();
    for (at, entry) in entries.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        out.extend(std::iter::repeat_n(' ', entry.depth() * STEP));
        if is_plain(entry) {
            out.push_str(&entry.name)
        } else {
            out.push_str(&quote(&entry.name))
        }
        if entry.folder {
            out.push('/');
        }
    }
    out
}

/// Whether a name needs no quotes to be read back.
fn is_plain(entry: &Entry<'_>) -> bool {
    let name = &*entry.name;
    !name.is_empty()
        && !name.starts_with([' ', '"'])
        && (entry.folder || !name.ends_with('/'))
        && !name.contains(|c: char| c < ' ')
}

pub(super) fn read(body: &str) -> Result<Vec<Entry<'_>>, Malformed> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    if body.is_empty() {
        return Ok(entries);
    }
    for (at, line) in body.split('\n').enumerate() {
        let wrong = |why: &str| Malformed::new(at + 1, why);
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        let deepest = entries.last().map_or(0, |last| {
            if last.folder {
                last.depth() + 1
            } else {
                last.depth()
            }
        });
        if indent % STEP != 0 || indent / STEP > deepest {
            return Err(wrong("is in no folder"));
        }
        let (name, folder) = match text.strip_suffix('/') {
            Some(name) => (name, true),
            None => (text, false),
        };
        let name = if name.starts_with('"') {
            string(name).ok_or_else(|| wrong("is not a JSON string"))?
        } else if name.is_empty() {
            return Err(wrong("has no name"));
        } else {
            Cow::Borrowed(name)
        };
        entries.push(Entry::new(indent / STEP, folder, name));
    }
    Ok(entries)
}

fn string(text: &str) -> Option<Cow<'_, str>> {
    Json::parse(text).ok()?.as_str()
}
