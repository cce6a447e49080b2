//! Data that is not meant to be read: base64 and HTML.

use super::found::{Detection, Found, Run};
use super::line::Line;
use crate::kind::Kind;

/// The least length of base64; a shorter run may as well be a name.
const LONG: usize = 120;
const WIDTH: usize = 60;

pub(super) fn base64(text: &str, first: Line<'_>) -> Detection {
    if first.text.len() < WIDTH {
        return Detection::No;
    }
    let bytes = first.bytes();
    let data = match first.head(80).find(";base64,") {
        Some(at) if first.text.starts_with("data:") => &bytes[at + 8..],
        _ => bytes,
    };
    if !is_base64(data) || !is_mixed(data) {
        return Detection::No;
    }
    let mut run = Run::new(first, 0);
    let mut length = 0;
    for line in first.and_below(text) {
        let fits = line.start == first.start
            || line.text.len() <= first.text.len()
                && !line.text.is_empty()
                && is_base64(line.bytes());
        if !fits {
            break;
        }
        length += line.text.len();
        run.yes(line);
        // Only the last line may be shorter.
        if line.text.len() < first.text.len() {
            break;
        }
    }
    if length < LONG {
        return Detection::NotBefore(run.end);
    }
    Detection::Yes(Found {
        end: run.end,
        kind: Kind::Base64,
        confidence: if length > 4 * LONG { 0.95 } else { 0.8 },
    })
}

fn is_base64(bytes: &[u8]) -> bool {
    let padding = bytes.iter().rev().take_while(|byte| **byte == b'=').count();
    padding <= 2
        && bytes[..bytes.len() - padding]
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_'))
}

/// Whether the first bytes mix upper case, lower case and few slashes, as base64 does.
fn is_mixed(bytes: &[u8]) -> bool {
    let near = &bytes[..bytes.len().min(256)];
    let count = |is: fn(&u8) -> bool| near.iter().filter(|byte| is(byte)).count();
    let upper = count(u8::is_ascii_uppercase);
    let lower = count(u8::is_ascii_lowercase);
    let slashes = count(|byte| *byte == b'/' || *byte == b'-' || *byte == b'_');
    upper * 6 > near.len() && lower * 6 > near.len() && slashes * 12 < near.len()
}

pub(super) fn html(text: &str, first: Line<'_>) -> Detection {
    if first.bytes().get(first.indent()) != Some(&b'<') {
        return Detection::No;
    }
    let begin = first.head(64).trim_start().to_ascii_lowercase();
    let whole = begin.starts_with("<!doctype html") || begin.starts_with("<html");
    if !whole && !is_tag(begin.as_bytes()) {
        return Detection::No;
    }
    let mut run = Run::new(first, if whole { usize::MAX } else { 2 });
    let (mut tags, mut closed) = (0, false);
    for line in first.and_below(text) {
        let trimmed = line.trimmed();
        if closed && !trimmed.is_empty() {
            break;
        }
        tags += usize::from(trimmed.starts_with('<') && is_tag(trimmed.as_bytes()));
        if trimmed.starts_with('<') || trimmed.ends_with('>') || whole && !trimmed.is_empty() {
            run.yes(line);
        } else if !trimmed.is_empty() && !run.no() {
            break;
        }
        closed |= whole && ends_with_html(trimmed);
    }
    let confidence = if whole {
        0.95
    } else if tags >= 4 {
        0.75
    } else {
        return Detection::NotBefore(run.end);
    };
    Detection::Yes(Found {
        end: run.end,
        kind: Kind::Html,
        confidence,
    })
}

fn ends_with_html(line: &str) -> bool {
    let tail = line.len().checked_sub(7).and_then(|at| line.get(at..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case("</html>"))
}

/// `<name`, `</name`, `<!--`, `<?`
fn is_tag(bytes: &[u8]) -> bool {
    let name = match bytes {
        [b'<', b'!' | b'?', ..] => return true,
        [b'<', b'/', name @ ..] | [b'<', name @ ..] => name,
        _ => return false,
    };
    let length = name
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':'))
        .count();
    (1..32).contains(&length) && matches!(name.get(length), None | Some(b' ' | b'>' | b'/'))
}
