//! Escapes text in a content that looks like our tags or headers.
//!
//! The text is read by a model, not by a parser: a model takes a tag with an extra blank, or a header after a
//! line separator, for a real one. The checks therefore skip invisible characters wherever a tag or header
//! could start.

mod lines;
mod tags;

use std::borrow::Cow;

use memchr::memchr;

pub(super) use lines::{headers, needs_fence, without_headers};
pub(super) use tags::{has_tags, without_tags};

/// Longer names are cut, as they appear in headers.
const NAME: usize = 4096;

fn cut(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(NAME) {
        None => Cow::Borrowed(name),
        Some((end, _)) => Cow::Owned(format!("{}… ({} bytes)", &name[..end], name.len())),
    }
}

/// The value of an attribute: characters that would end the attribute or the line become character
/// references.
pub(super) fn attribute(value: &str) -> Cow<'_, str> {
    let value = cut(value);
    let plain = |c: char| !matches!(c, '&' | '<' | '>' | '"') && !is_odd(c);
    if value.chars().all(plain) {
        return value;
    }
    let mut out = String::with_capacity(value.len() + 16);
    for c in value.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if is_odd(c) => out.push_str(&format!("&#{};", u32::from(c))),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A text on one line: characters that would break the line are escaped.
pub(super) fn one_line(name: &str) -> Cow<'_, str> {
    let name = cut(name);
    if !name.chars().any(is_odd) {
        return name;
    }
    let mut out = String::with_capacity(name.len() + 16);
    for c in name.chars() {
        // Backslashes are escaped too, which makes escapes distinguishable from the original text.
        if is_odd(c) || c == '\\' {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// The prefixes of headers of other types.
const PREFIXES: [&str; 7] = [
    "tree:", "diff:", "data ", "data:", "image ", "ext:", "unknown ",
];

/// A name in a header, on one line. A name that would change the meaning of the header is quoted: a document
/// called `bash [ok]` is not a result of bash.
pub(super) fn in_header(name: &str) -> Cow<'_, str> {
    let name = one_line(name);
    let doubtful = name.ends_with([']', ')', '-', '/'])
        || name.starts_with('"')
        || name.starts_with(is_blank)
        || name.ends_with(is_blank)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    if !doubtful {
        return name;
    }
    Cow::Owned(format!("\"{}\"", name.replace('"', "\\\"")))
}

/// A name in brackets: a name that could close them is quoted.
pub(super) fn in_brackets(name: &str) -> Cow<'_, str> {
    let name = one_line(name);
    if !name.contains(['[', ']', '(', ')', '"', ':']) {
        return name;
    }
    Cow::Owned(format!("\"{}\"", name.replace('"', "\\\"")))
}

/// The end of a long name, which is more specific than its start.
pub(super) fn short(name: &str) -> Cow<'_, str> {
    let length = name.chars().count();
    if length <= MENTION {
        return Cow::Borrowed(name);
    }
    let end: String = name.chars().skip(length - MENTION).collect();
    Cow::Owned(format!("…{end}"))
}

/// The maximum length of a name in a placeholder, which should not cost more than the block.
const MENTION: usize = 80;

/// Control characters, line separators, and characters that change the text direction.
fn is_odd(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// White space and invisible characters.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || is_invisible(c)
}

/// Invisible characters without width.
fn is_invisible(c: char) -> bool {
    c.is_control() && !c.is_whitespace()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{17b4}'
                | '\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fff8}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Whether a text starts with one of these words, ignoring case and invisible characters.
fn begins_with_one_of(text: &str, words: &[&str]) -> bool {
    let mut word = [0_u8; 16];
    let mut length = 0;
    for c in text.chars().filter(|c| !is_invisible(*c)) {
        let part = c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if !part || length == word.len() {
            break;
        }
        word[length] = c.to_ascii_lowercase() as u8;
        length += 1;
    }
    words.iter().any(|one| one.as_bytes() == &word[..length])
}

/// A fence that is longer than any fence in the content.
pub(super) fn fence(text: &str) -> String {
    let ticks = longest_run(text, b'`');
    // A very long fence would double the size of the content.
    if ticks > LONG_FENCE && longest_run(text, b'~') < ticks {
        return "~".repeat(longest_run(text, b'~').max(2) + 1);
    }
    "`".repeat(ticks.max(2) + 1)
}

const LONG_FENCE: usize = 64;

fn longest_run(text: &str, mark: u8) -> usize {
    let bytes = text.as_bytes();
    let (mut longest, mut at) = (0, 0);
    while let Some(found) = memchr(mark, &bytes[at..]) {
        let start = at + found;
        let run = bytes[start..].iter().take_while(|byte| **byte == mark);
        let run = run.count();
        longest = longest.max(run);
        at = start + run;
    }
    longest
}
