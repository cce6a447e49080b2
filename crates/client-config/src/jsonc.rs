//! Edits JSON with comments and trailing commas.

mod scan;

use serde_json::Value;

use self::scan::{Item, Items, Scan};
use crate::edit::EditError;
use crate::format::{SyntaxError, line_break};
use crate::slot::Slot;

/// The value of a text.
pub(crate) fn read(text: &str) -> Result<Value, SyntaxError> {
    // A comment without an end is an error of the text as it is.
    let plain = linkspan_wire::without_comments(text).unwrap_or_else(|_| text.to_owned());
    serde_json::from_str(&plain).map_err(|error| {
        let place = format!(" at line {} column {}", error.line(), error.column());
        SyntaxError {
            line: error.line(),
            column: error.column(),
            text: error.to_string().replace(&place, ""),
        }
    })
}

/// The text with a value in the place.
pub(crate) fn put(text: &str, slot: Slot<'_>, value: &Value) -> Result<String, EditError> {
    let scan = Scan { text };
    let root = scan.items(scan.blank(0));
    let unit = root.indent(text).unwrap_or("  ").to_owned();
    let Some(servers) = root.find(slot.key)? else {
        let servers = slot.alone(value)[slot.key].clone();
        return Ok(add(text, &root, Some(slot.key), &servers, &unit, ""));
    };
    let place = servers.value.clone();
    if &text[place.clone()] == "null" {
        let servers = slot.alone(value)[slot.key].clone();
        let new = pretty_in(text, &servers, root.indent(text).unwrap_or_default(), &unit);
        return Ok(format!(
            "{}{new}{}",
            &text[..place.start],
            &text[place.end..]
        ));
    }
    let servers = scan.items(place.start);
    match find(text, &servers, slot)? {
        Some(old) => {
            let indent = servers.indent(text).unwrap_or_default();
            let new = match servers.indent(text) {
                Some(_) => pretty_in(text, value, indent, &unit),
                None => value.to_string(),
            };
            let (head, tail) = (&text[..old.value.start], &text[old.value.end..]);
            Ok(format!("{head}{new}{tail}"))
        }
        None => {
            let above = root.indent(text).unwrap_or_default();
            let name = slot.named_by.is_none().then_some(slot.name);
            Ok(add(text, &servers, name, value, &unit, above))
        }
    }
}

/// The text without a value in the place.
pub(crate) fn remove(text: &str, slot: Slot<'_>) -> Result<String, EditError> {
    let scan = Scan { text };
    let root = scan.items(scan.blank(0));
    let servers = root.find(slot.key)?.ok_or(EditError::Unsafe)?;
    let servers = scan.items(servers.value.start);
    let item = find(text, &servers, slot)?.ok_or(EditError::Unsafe)?;
    let at = servers.items.iter().position(|one| one == item);
    let at = at.ok_or(EditError::Unsafe)?;
    Ok(cut(text, &servers, at))
}

/// The item of a place.
fn find<'a>(text: &str, servers: &'a Items, slot: Slot<'_>) -> Result<Option<&'a Item>, EditError> {
    let Some(member) = slot.named_by else {
        return servers.find(slot.name);
    };
    let mut items = servers.items.iter();
    let is_it = |item: &&Item| {
        let value = read(&text[item.value.clone()]);
        value.is_ok_and(|value| slot.is(value.get(member)))
    };
    Ok(items.find(is_it))
}

/// The text with one more item at the end.
fn add(
    text: &str,
    items: &Items,
    name: Option<&str>,
    value: &Value,
    unit: &str,
    above: &str,
) -> String {
    let key = name.map_or_else(String::new, |name| format!("{}: ", Value::from(name)));
    let end = line_break(text);
    let Some(last) = items.items.last() else {
        let indent = format!("{above}{unit}");
        let value = pretty_in(text, value, &indent, unit);
        let inside = items.start + 1;
        let rest = text[inside..].trim_start_matches([' ', '\t', '\r', '\n']);
        // An empty object continues with its brace, or a comment.
        let head = &text[..inside];
        return format!("{head}{end}{indent}{key}{value}{end}{above}{rest}");
    };
    // A file with a trailing comma keeps one.
    let (at, comma, trailing) = match last.comma {
        Some(comma) => (comma + 1, "", ","),
        None => (last.value.end, ",", ""),
    };
    match items.indent(text) {
        Some(indent) => {
            let value = pretty_in(text, value, indent, unit);
            let line = Scan { text }.line(at);
            let (head, note, tail) = (&text[..at], &text[at..line], &text[line..]);
            format!("{head}{comma}{note}{end}{indent}{key}{value}{trailing}{tail}")
        }
        None => {
            let (head, tail) = text.split_at(at);
            format!("{head}{comma} {key}{value}{trailing}{tail}")
        }
    }
}

/// The text without the item at this index.
fn cut(text: &str, items: &Items, at: usize) -> String {
    let item = &items.items[at];
    let after = item.comma.map_or(item.value.end, |comma| comma + 1);
    let line = line_start(text, item.start);
    if items.items.len() == 1 {
        let end = Scan { text }.value(items.start) - 1;
        let (before, rest) = (&text[items.start + 1..item.start], &text[after..end]);
        if before.trim().is_empty() && rest.trim().is_empty() {
            return format!("{}{}", &text[..=items.start], &text[end..]);
        }
    }
    let previous = at.checked_sub(1).map(|at| &items.items[at]);
    match (line, previous) {
        // The comma of the item before becomes a trailing one, which the file does not have.
        (Some(line), Some(previous)) if at + 1 == items.items.len() && item.comma.is_none() => {
            let comma = previous.comma.unwrap_or(previous.value.end);
            let end = Scan { text }.line(after);
            let (head, note) = (&text[..comma], &text[comma + 1..line]);
            format!("{head}{note}{}", &text[end..])
        }
        (Some(line), _) => {
            let end = Scan { text }.line(after);
            format!("{}{}", &text[..line], &text[end..])
        }
        (None, _) if at + 1 < items.items.len() => {
            let next = items.items[at + 1].start;
            format!("{}{}", &text[..item.start], &text[next..])
        }
        (None, Some(previous)) if item.comma.is_none() => {
            let comma = previous.comma.unwrap_or(previous.value.end);
            format!("{}{}", &text[..comma], &text[after..])
        }
        (None, Some(previous)) => {
            let comma = previous.comma.map_or(previous.value.end, |comma| comma + 1);
            format!("{}{}", &text[..comma], &text[after..])
        }
        (None, None) => format!("{}{}", &text[..item.start], &text[after..]),
    }
}

/// The line break before a position, if only white space is between them.
fn line_start(text: &str, at: usize) -> Option<usize> {
    let before = text[..at].trim_end_matches([' ', '\t']);
    let before = before.strip_suffix('\n')?;
    Some(before.strip_suffix('\r').unwrap_or(before).len())
}

/// A value on several lines; the first line is already indented.
fn pretty_in(text: &str, value: &Value, indent: &str, unit: &str) -> String {
    let end = line_break(text);
    pretty(value, unit).replace('\n', &format!("{end}{indent}"))
}

pub(crate) fn pretty(value: &Value, unit: &str) -> String {
    let unit = if unit.is_empty() { "  " } else { unit };
    let mut out = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(unit.as_bytes());
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
    // Writing a value to memory cannot fail.
    let _ = serde::Serialize::serialize(value, &mut serializer);
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests;
