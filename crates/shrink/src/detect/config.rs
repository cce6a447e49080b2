//! Recognises YAML and TOML without parsing them.

use super::found::{Detection, Found, Run};
use super::line::Line;
use crate::kind::Kind;

/// The confidence in a format that was recognised but not parsed.
const SURE: f32 = 0.75;

fn yes(run: &Run, kind: Kind) -> Detection {
    Detection::Yes(Found {
        end: run.end,
        kind,
        confidence: SURE,
    })
}

pub(super) fn toml(text: &str, first: Line<'_>) -> Detection {
    if first.indent() > 0 || !is_section(first.text) && pair(first.text).is_none() {
        return Detection::No;
    }
    let mut run = Run::new(first, 0);
    let (mut sections, mut pairs, mut blanks) = (0, 0, 0);
    let mut open = 0;
    for line in first.and_below(text) {
        let trimmed = line.trimmed();
        if trimmed.is_empty() {
            blanks += 1;
            if blanks > 1 {
                break;
            }
            continue;
        } else if open > 0 && open < 1000 {
            // Within an array or a multi-line string.
            open = if trimmed.starts_with([']', '}']) || trimmed.contains("\"\"\"") {
                0
            } else {
                open + 1
            };
        } else if is_section(trimmed) {
            sections += 1;
        } else if let Some((_, value)) = pair(trimmed) {
            pairs += 1;
            open =
                usize::from(value == "[" || value == "{" || value.matches("\"\"\"").count() == 1);
        } else if !trimmed.starts_with('#') {
            break;
        }
        blanks = 0;
        run.yes(line);
    }
    match (sections, pairs) {
        (1.., 2..) => yes(&run, Kind::Toml),
        _ => Detection::NotBefore(run.end),
    }
}

/// `[section]`, `[[list]]`
fn is_section(line: &str) -> bool {
    let line = line.split(" #").next().unwrap_or(line).trim_end();
    let name = line
        .strip_prefix('[')
        .and_then(|line| line.strip_suffix(']'));
    let name = name.map(|name| {
        name.strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'))
            .unwrap_or(name)
    });
    name.is_some_and(|name| {
        let is_part = |byte: u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'"' | b'\'')
        };
        !name.is_empty() && name.len() < 128 && name.bytes().all(is_part)
    })
}

/// `key = value`
fn pair(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once('=')?;
    let key = key.trim_end();
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'"');
    let value = value.trim_start();
    let is_value = matches!(
        value.as_bytes().first(),
        Some(b'"' | b'\'' | b'[' | b'{' | b'0'..=b'9' | b'+' | b'-' | b't' | b'f')
    );
    (!key.is_empty() && key.len() < 128 && is_value && key.bytes().all(is_part))
        .then_some((key, value))
}

pub(super) fn yaml(text: &str, first: Line<'_>) -> Detection {
    let begins = first.text == "---" || first.text.starts_with("- ") || key(first.text).is_some();
    if !begins || first.indent() > 0 {
        return Detection::No;
    }
    let mut run = Run::new(first, 0);
    let (mut keys, mut nested, mut items) = (0, 0, 0);
    let mut blanks = 0;
    // The indentation of the key of an open block scalar.
    let mut block: Option<usize> = None;
    for line in first.and_below(text) {
        let trimmed = line.trimmed();
        if trimmed.is_empty() {
            blanks += 1;
            if blanks > 1 {
                break;
            }
            continue;
        }
        let indent = line.indent();
        if block.is_some_and(|least| indent > least) {
            blanks = 0;
            run.yes(line);
            continue;
        }
        block = None;
        let content = trimmed.trim_start_matches("- ");
        if let Some(value) = key(content) {
            keys += 1;
            nested += usize::from(indent > 0 || content.len() < trimmed.len());
            if value.starts_with(['|', '>']) {
                block = Some(indent);
            }
        } else if trimmed.starts_with("- ") {
            items += 1;
        } else if trimmed != "---" && !trimmed.starts_with('#') {
            break;
        }
        blanks = 0;
        run.yes(line);
    }
    // A list may as well be prose, and so may a few words with colons.
    match (keys, nested, items) {
        (4.., 1.., _) if items <= keys * 2 => yes(&run, Kind::Yaml),
        _ => Detection::NotBefore(run.end),
    }
}

/// The value of `key: value` or `key:`.
fn key(line: &str) -> Option<&str> {
    let at = memchr::memchr(b':', line.as_bytes())?;
    let (key, value) = (&line[..at], &line[at + 1..]);
    let is_part = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'"' | b'$' | b'@')
    };
    let fits = !key.is_empty() && key.len() < 80 && key.bytes().all(is_part);
    (fits && (value.is_empty() || value.starts_with(' '))).then(|| value.trim_start())
}
