//! So that nothing in a content can pass for something that we say.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memchr2_iter};

/// The tags that we write in XML mode.
const TAGS: [&str; 13] = [
    "context",
    "code",
    "turn",
    "tree",
    "tool",
    "doc",
    "data",
    "diff",
    "embed-ref",
    "image",
    "ext",
    "omitted",
    "unreadable",
];

/// An attribute's value: what would end it or the line is written as a character reference.
pub(super) fn attribute(value: &str) -> Cow<'_, str> {
    let plain = |c: char| !matches!(c, '&' | '<' | '>' | '"') && !is_odd(c);
    if value.chars().all(plain) {
        return Cow::Borrowed(value);
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

/// A name for a header, on one line: what would break it is written as an escape.
pub(super) fn one_line(name: &str) -> Cow<'_, str> {
    if !name.chars().any(is_odd) {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len() + 16);
    for c in name.chars() {
        if is_odd(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Control characters, line separators, and what turns the direction of a text around.
fn is_odd(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A content between tags. If it has something that looks like one of our tags, that one's `<`
/// becomes `&lt;`, and so that this can be undone, `&lt;` and `&amp;` become `&amp;lt;` and
/// `&amp;amp;`.
pub(super) fn between_tags(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    if !memchr_iter(b'<', bytes).any(|at| is_tag(&text[at + 1..])) {
        return None;
    }
    let mut out = String::with_capacity(text.len() + 64);
    let mut done = 0;
    for at in memchr2_iter(b'<', b'&', bytes) {
        let rest = &text[at + 1..];
        let instead = match bytes[at] {
            b'<' if is_tag(rest) => "&lt;",
            b'&' if rest.starts_with("lt;") || rest.starts_with("amp;") => "&amp;",
            _ => continue,
        };
        out.push_str(&text[done..at]);
        out.push_str(instead);
        done = at + 1;
    }
    out.push_str(&text[done..]);
    Some(out)
}

/// Whether what follows a `<` makes one of our tags of it, also with spaces or in capitals: the one
/// who is to be deceived is not a parser.
fn is_tag(rest: &str) -> bool {
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('/').unwrap_or(rest).trim_start();
    // A comment of ours marks a block of an unknown type.
    if let Some(comment) = rest.strip_prefix("!--") {
        return comment.trim_start().starts_with("unknown block");
    }
    TAGS.iter().any(|tag| {
        let bytes = rest.as_bytes();
        bytes.len() >= tag.len()
            && bytes[..tag.len()].eq_ignore_ascii_case(tag.as_bytes())
            && !bytes
                .get(tag.len())
                .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    })
}

/// The lines of a text; a lone carriage return ends one too, because it is shown as an end.
fn line_starts(text: &str) -> impl Iterator<Item = usize> {
    let ends = memchr2_iter(b'\n', b'\r', text.as_bytes()).map(|end| end + 1);
    std::iter::once(0).chain(ends)
}

fn line_at(text: &str, start: usize) -> &str {
    let rest = &text[start..];
    let end = memchr::memchr2(b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len());
    &rest[..end]
}

/// A content below a header line. A line that looks like one of our headers gets a backslash in
/// front; and so that this can be undone, so does one that has backslashes before that already.
pub(super) fn below_header(text: &str) -> Option<String> {
    let marked = |start: &usize| is_header(line_at(text, *start));
    let mut starts = line_starts(text).filter(marked).peekable();
    starts.peek()?;
    let mut out = String::with_capacity(text.len() + 16);
    let mut done = 0;
    for start in starts {
        out.push_str(&text[done..start]);
        out.push('\\');
        done = start;
    }
    out.push_str(&text[done..]);
    Some(out)
}

/// What the headers of minimal mode begin with, after the bracket.
const BRACKETS: [&str; 8] = [
    "system",
    "user",
    "assistant",
    "tool",
    "omitted",
    "embed-ref",
    "binary",
    "unreadable",
];

fn is_header(line: &str) -> bool {
    // Most lines begin with neither.
    let line = match line.as_bytes().first() {
        None => return false,
        Some(b'-' | b'[') => line,
        Some(b'\\' | b' ' | b'\t') => line.trim_start_matches(['\\', ' ', '\t']),
        Some(byte) if byte.is_ascii() => return false,
        Some(_) => line.trim_start(),
    };
    if let Some(name) = line.strip_prefix('[') {
        return BRACKETS.iter().any(|word| {
            name.len() >= word.len()
                && name.as_bytes()[..word.len()].eq_ignore_ascii_case(word.as_bytes())
                && !name[word.len()..].starts_with(|c: char| c.is_ascii_alphanumeric())
        });
    }
    line.starts_with("--- ") && line.trim_end().ends_with(" ---")
}

/// A fence that is longer than any in the content.
pub(super) fn fence(text: &str) -> String {
    let mut longest = 2;
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = memchr(b'`', &bytes[at..]) {
        let start = at + found;
        let run = bytes[start..]
            .iter()
            .take_while(|byte| **byte == b'`')
            .count();
        longest = longest.max(run);
        at = start + run;
    }
    "`".repeat(longest + 1)
}

/// What the headings of Markdown mode begin with.
const HEADINGS: [&str; 7] = ["## ", "### ", "**", "_[", "*[", "[binary", "<!--"];

/// Whether a content that stands without a fence in Markdown could pass for something else: a line
/// like one of our headings, or a fence that would swallow what follows.
pub(super) fn needs_fence(text: &str) -> bool {
    line_starts(text).any(|start| {
        let line = line_at(text, start).trim_start();
        match line.as_bytes().first() {
            Some(b'`') => line.starts_with("```"),
            Some(b'~') => line.starts_with("~~~"),
            Some(b'#' | b'*' | b'_' | b'[' | b'<') => {
                HEADINGS.iter().any(|heading| line.starts_with(heading))
            }
            _ => false,
        }
    })
}
