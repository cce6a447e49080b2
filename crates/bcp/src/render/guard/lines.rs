//! Contents below headers, and between headings.
//!
//! Lines are located from the bytes that can start a header: most lines have none, and finding all line ends
//! would take longer than everything else.

use memchr::{memchr_iter, memchr3_iter, memmem};

use super::{begins_with_one_of, is_blank};

/// The offsets of the lines of a content that look like one of our headers, with or without preceding
/// backslashes.
pub(crate) fn headers(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let dashes = memmem::find_iter(bytes, "---");
    let brackets = memchr_iter(b'[', bytes);
    let mut found: Vec<usize> = dashes
        .chain(brackets)
        .filter_map(|at| line_around(text, at, |c| c == '\\'))
        .filter(|(_, line)| is_header(line))
        .map(|(start, _)| start)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Appends a content with a backslash before each of these lines. To undo this, remove one backslash from
/// every line that looks like a header after its backslashes.
pub(crate) fn without_headers(text: &str, headers: &[usize], out: &mut String) {
    let mut done = 0;
    for start in headers {
        out.push_str(&text[done..*start]);
        out.push('\\');
        done = *start;
    }
    out.push_str(&text[done..]);
}

/// Whether a content without a fence could be mistaken in Markdown: a line like one of our headings, or a
/// fence that would enclose the following text.
pub(crate) fn needs_fence(text: &str) -> bool {
    let bytes = text.as_bytes();
    let candidates = memchr3_iter(b'`', b'~', b'#', bytes)
        .chain(memchr3_iter(b'*', b'[', b'<', bytes))
        .chain(memchr3_iter(b'_', b'-', b'=', bytes));
    candidates
        .filter_map(|at| line_around(text, at, |_| false))
        .any(|(_, line)| is_heading(line))
}

/// The line around `at`, from `at` on, and its offset; `None` if a visible character precedes `at` that
/// `skip` does not accept.
fn line_around(text: &str, at: usize, skip: impl Fn(char) -> bool) -> Option<(usize, &str)> {
    // A quick check, because the preceding byte is usually a letter.
    if at > 0 && text.as_bytes()[at - 1].is_ascii_graphic() && !skip(text.as_bytes()[at - 1].into())
    {
        return None;
    }
    let before = text[..at].trim_end_matches(|c| !is_end(c) && (is_blank(c) || skip(c)));
    if !before.is_empty() && !before.ends_with(is_end) {
        return None;
    }
    let rest = &text[at..];
    let end = rest.find(is_end).unwrap_or(rest.len());
    Some((before.len(), &rest[..end]))
}

/// Every character that may be displayed as a line end.
fn is_end(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// The first words of headers in minimal mode, after the bracket.
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

/// The prefixes of our headings in Markdown mode, and of other headings and fences.
const HEADINGS: [&str; 8] = ["```", "~~~", "**", "__", "_[", "*[", "[binary", "<!--"];

fn is_heading(line: &str) -> bool {
    if HEADINGS.iter().any(|heading| line.starts_with(heading)) {
        return true;
    }
    let after = line.trim_start_matches('#');
    if line.len() - after.len() >= 2 && after.starts_with(is_blank) {
        return true;
    }
    // A line that turns the line above into a heading.
    let line = line.trim_end_matches(is_blank);
    line.len() >= 3
        && (line.bytes().all(|byte| byte == b'-') || line.bytes().all(|byte| byte == b'='))
}
