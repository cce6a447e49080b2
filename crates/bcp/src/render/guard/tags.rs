//! Contents between tags.

use memchr::{memchr_iter, memchr2_iter};

use super::{begins_with_one_of, is_blank};

/// Our tags.
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

/// Whether a content contains text that looks like one of our tags.
pub(crate) fn has_tags(text: &str) -> bool {
    memchr_iter(b'<', text.as_bytes()).any(|at| is_tag(&text[at + 1..]))
}

/// Appends a content with such tags escaped: their `<` becomes `&lt;`. To keep this reversible, `&lt;` and
/// `&amp;` become `&amp;lt;` and `&amp;amp;`.
pub(crate) fn without_tags(text: &str, out: &mut String) {
    let bytes = text.as_bytes();
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
}

/// Whether a `<` before this text would start one of our tags.
fn is_tag(rest: &str) -> bool {
    let rest = rest.trim_start_matches(|c| c == '/' || is_blank(c));
    // Our comments mark blocks of unknown types.
    if let Some(comment) = rest.strip_prefix("!--") {
        return begins_with_one_of(comment.trim_start_matches(is_blank), &["unknown"]);
    }
    begins_with_one_of(rest, &TAGS)
}
