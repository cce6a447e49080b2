//! Contents below headers, and between headings.
//!
//! Lines are found from the bytes on that may make them matter: most lines have none, and finding the
//! ends of all lines would take longer than everything else. A text with characters that only look
//! like blanks or line ends is gone through line by line.

use memchr::{memchr_iter, memchr2, memchr3_iter, memmem};

use super::{begins_with_one_of, is_blank};

/// The beginnings of those lines of a content that look like one of our headers, with or without
/// backslashes before it.
pub(crate) fn headers(text: &str) -> Vec<usize> {
    let mut found: Vec<usize> = if is_plain(text) {
        let bytes = text.as_bytes();
        let dashes = memmem::find_iter(bytes, "---");
        let brackets = memchr_iter(b'[', bytes);
        dashes
            .chain(brackets)
            .filter_map(|at| line_around(text, at, |byte| matches!(byte, b'\\' | b' ' | b'\t')))
            .filter(|(_, line)| is_header(line))
            .map(|(start, _)| start)
            .collect()
    } else {
        let skipped = |c| c == '\\' || is_blank(c);
        lines(text)
            .filter(|(_, line)| is_header(line.trim_start_matches(skipped)))
            .map(|(start, _)| start)
            .collect()
    };
    found.sort_unstable();
    found.dedup();
    found
}

/// Appends a content with a backslash before each of these lines. Taking one away from every line that
/// looks like a header after its backslashes undoes it.
pub(crate) fn without_headers(text: &str, headers: &[usize], out: &mut String) {
    let mut done = 0;
    for start in headers {
        out.push_str(&text[done..*start]);
        out.push('\\');
        done = *start;
    }
    out.push_str(&text[done..]);
}

/// Whether a content that stands without a fence in Markdown could pass for something else: a line
/// like one of our headings, or a fence that would swallow what follows.
pub(crate) fn needs_fence(text: &str) -> bool {
    if !is_plain(text) {
        return lines(text).any(|(_, line)| is_heading(line.trim_start_matches(is_blank)));
    }
    let bytes = text.as_bytes();
    let candidates = memchr3_iter(b'`', b'~', b'#', bytes)
        .chain(memchr3_iter(b'*', b'[', b'<', bytes))
        .chain(memchr3_iter(b'_', b'-', b'=', bytes));
    candidates
        .filter_map(|at| line_around(text, at, |byte| matches!(byte, b' ' | b'\t')))
        .any(|(_, line)| is_heading(line))
}

/// Whether a text has only such blanks and line ends as everybody uses.
fn is_plain(text: &str) -> bool {
    let odd = |byte: u8| {
        byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r')
            // The first bytes of all characters that matter here, and of others.
            || matches!(byte, 0x7f | 0xc2 | 0xcd | 0xd8 | 0xe1..=0xe3 | 0xef | 0xf3)
    };
    !text.bytes().any(odd)
}

/// The line that `at` lies in, from `at` on, and where it begins; `None` if anything but what `skip`
/// skips stands before it. A lone carriage return ends a line too, because it is shown as an end.
fn line_around(text: &str, at: usize, skip: impl Fn(u8) -> bool) -> Option<(usize, &str)> {
    let bytes = text.as_bytes();
    let before = bytes[..at].iter().rposition(|byte| !skip(*byte));
    let start = match before {
        None => 0,
        Some(before) if matches!(bytes[before], b'\n' | b'\r') => before + 1,
        Some(_) => return None,
    };
    let rest = &text[at..];
    let end = memchr2(b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len());
    Some((start, &rest[..end]))
}

/// All lines with their beginnings, by everything that may be shown as the end of one.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_end = |c| {
        matches!(
            c,
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
    };
    let mut start = 0;
    text.split_inclusive(is_end).map(move |line| {
        let at = start;
        start += line.len();
        (at, line.trim_end_matches(is_end))
    })
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
    if let Some(name) = line.strip_prefix('[') {
        return begins_with_one_of(name.trim_start_matches(is_blank), &BRACKETS);
    }
    let line = line.trim_end_matches(is_blank);
    let between = line
        .strip_prefix("---")
        .and_then(|line| line.strip_suffix("---"));
    between.is_some_and(|name| name.starts_with(is_blank) && name.ends_with(is_blank))
}

/// What the headings of Markdown mode begin with, and what else makes a heading or a fence.
const HEADINGS: [&str; 8] = ["```", "~~~", "**", "__", "_[", "*[", "[binary", "<!--"];

fn is_heading(line: &str) -> bool {
    if HEADINGS.iter().any(|heading| line.starts_with(heading)) {
        return true;
    }
    let after = line.trim_start_matches('#');
    if line.len() - after.len() >= 2 && after.starts_with(is_blank) {
        return true;
    }
    // A line below another one that makes a heading of that.
    let line = line.trim_end_matches(is_blank);
    line.len() >= 3
        && (line.bytes().all(|byte| byte == b'-') || line.bytes().all(|byte| byte == b'='))
}
