//! Edits TOML: a server is a table with a header of its own, and the tables below it.

use serde_json::Value;

use crate::edit::EditError;
use crate::format::{SyntaxError, line_and_column, line_break};
use crate::slot::Slot;

/// The value of a text.
pub(crate) fn read(text: &str) -> Result<Value, SyntaxError> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let (line, column) = line_and_column(text, at);
        SyntaxError {
            line,
            column,
            text: error.message().to_owned(),
        }
    })
}

/// The text with a value in the place.
pub(crate) fn put(text: &str, slot: Slot<'_>, value: &Value) -> Result<String, EditError> {
    let end = line_break(text);
    let table = tables(&[slot.key, slot.name], value).join(end);
    let sections = sections(text, slot);
    let Some(first) = sections.first() else {
        let body = text.trim_end_matches(['\r', '\n', ' ', '\t']);
        let tail = &text[body.len()..];
        let tail = if tail.is_empty() { end } else { tail };
        return Ok(format!("{body}{end}{end}{table}{tail}"));
    };
    let rest = without(text, first.1, &sections[1..]);
    Ok(format!("{}{table}{rest}", &text[..first.0]))
}

/// The text without a value in the place.
pub(crate) fn remove(text: &str, slot: Slot<'_>) -> Result<String, EditError> {
    let sections = sections(text, slot);
    if sections.is_empty() {
        return Err(EditError::Unsafe);
    }
    Ok(without(text, 0, &sections))
}

/// The text from a position without some sections, and without the blank lines before them.
fn without(text: &str, mut from: usize, sections: &[(usize, usize)]) -> String {
    let mut out = String::with_capacity(text.len());
    for (start, end) in sections {
        let kept = text[from..*start].trim_end_matches(['\r', '\n', ' ', '\t']);
        // The first line of a file has no line break before it.
        let is_first = from == 0 && kept.is_empty();
        out.push_str(kept);
        from = *end;
        if is_first {
            let rest = &text[from..];
            from += rest.len() - rest.trim_start_matches(['\r', '\n']).len();
        }
    }
    out.push_str(&text[from..]);
    out
}

/// The ranges of the tables of a server: from the header to the end of the last line with a value.
fn sections(text: &str, slot: Slot<'_>) -> Vec<(usize, usize)> {
    let headers = headers(text);
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (n, start) in headers.iter().enumerate() {
        let limit = headers.get(n + 1).copied().unwrap_or(text.len());
        if is_part_of(text[*start..limit].lines().next(), slot) {
            let end = start + content(&text[*start..limit]);
            found.push((*start, end));
        }
    }
    found
}

/// Whether a header is `[key.name]` or `[key.name.…]`.
fn is_part_of(header: Option<&str>, slot: Slot<'_>) -> bool {
    let value = header.and_then(|line| read(line.trim_start_matches('\u{feff}')).ok());
    let servers = value.as_ref().and_then(|value| value.get(slot.key));
    servers.is_some_and(|servers| servers.get(slot.name).is_some())
}

/// The length of a section without the blank lines and comments at its end, which are about the next one.
fn content(section: &str) -> usize {
    let mut end = 0;
    let mut at = 0;
    for line in section.split_inclusive('\n') {
        let inside = line.trim();
        if !inside.is_empty() && !inside.starts_with('#') {
            end = at + line.trim_end_matches(['\r', '\n']).len();
        }
        at += line.len();
    }
    end
}

/// The positions of the headers of tables: lines that begin with a bracket, outside of strings and arrays.
fn headers(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut quote = "";
    let mut is_start = true;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let mut length = c.len_utf8();
        if !quote.is_empty() {
            if rest.starts_with(quote) {
                length = quote.len();
                quote = "";
            } else if c == '\\' && quote.starts_with('"') {
                length += rest[1..].chars().next().map_or(0, char::len_utf8);
            }
        } else if let Some(opened) = ["\"\"\"", "'''", "\"", "'"]
            .into_iter()
            .find(|quote| rest.starts_with(quote))
        {
            quote = opened;
            length = opened.len();
            is_start = false;
        } else {
            match c {
                '#' => length = rest.find('\n').unwrap_or(rest.len()),
                '\n' => is_start = true,
                '[' if depth == 0 && is_start => {
                    found.push(at);
                    length = rest.find('\n').unwrap_or(rest.len());
                }
                '[' | '{' => depth += 1,
                ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            is_start &= c.is_whitespace() || c == '\u{feff}';
        }
        at += length;
    }
    found
}

/// A value as the lines of a whole file.
pub(crate) fn write(value: &Value) -> Vec<String> {
    let lines = tables(&[], value);
    lines.into_iter().skip_while(String::is_empty).collect()
}

/// The lines of a table, and of the tables below it. A table with tables only has no header.
fn tables(path: &[&str], value: &Value) -> Vec<String> {
    let members = value.as_object().into_iter().flatten();
    let (below, mut own): (Vec<_>, Vec<_>) = members.partition(|(_, value)| value.is_object());
    // The parser does not keep their order.
    own.sort_by_key(|(name, _)| (*name != "command", *name));
    let mut lines = Vec::new();
    if !path.is_empty() && (!own.is_empty() || below.is_empty()) {
        let path: Vec<String> = path.iter().map(|name| key(name)).collect();
        lines.push(format!("[{}]", path.join(".")));
    }
    for (name, value) in own {
        lines.push(format!("{} = {}", key(name), inline(value)));
    }
    for (name, value) in below {
        let path = [path, &[name.as_str()]].concat();
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(tables(&path, value));
    }
    lines
}

fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !name.is_empty() && name.chars().all(is_bare) {
        return name.to_owned();
    }
    string(name)
}

fn inline(value: &Value) -> String {
    match value {
        Value::String(text) => string(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// A string in quotes. TOML has the escapes of JSON, and one more character that needs them.
fn string(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests;
