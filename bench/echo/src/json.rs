//! Finding one member of a JSON object without building a tree.
//!
//! A benchmark server must spend next to nothing per call, but it must not be fooled by
//! a key that only occurs inside a string or deeper down. So: one pass, aware of
//! strings and nesting, that returns slices of the input.

use crate::scan;

/// The raw text of member `key` of the object `object`, white space trimmed.
pub fn member<'a>(object: &'a [u8], key: &str) -> Option<&'a [u8]> {
    let mut at = skip_space(object, 0);
    if object.get(at) != Some(&b'{') {
        return None;
    }
    at = skip_space(object, at + 1);
    while object.get(at) == Some(&b'"') {
        let name_end = string_end(object, at)?;
        let name = &object[at + 1..name_end - 1];
        at = skip_space(object, name_end);
        if object.get(at) != Some(&b':') {
            return None;
        }
        let start = skip_space(object, at + 1);
        let end = value_end(object, start)?;
        if name == key.as_bytes() {
            return Some(&object[start..end]);
        }
        at = skip_space(object, end);
        if object.get(at) != Some(&b',') {
            return None;
        }
        at = skip_space(object, at + 1);
    }
    None
}

/// The inside of a JSON string's raw text, escapes left as they are.
pub fn inside(string: &[u8]) -> Option<&[u8]> {
    string.strip_prefix(b"\"")?.strip_suffix(b"\"")
}

fn skip_space(text: &[u8], mut at: usize) -> usize {
    while matches!(text.get(at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
        at += 1;
    }
    at
}

/// Index after the closing quote of the string that opens at `at`.
fn string_end(text: &[u8], at: usize) -> Option<usize> {
    let mut i = at + 1;
    loop {
        // `|` and not `||`: no branch per byte.
        i += scan::position(text.get(i..)?, |b| (b == b'"') | (b == b'\\'))?;
        if text[i] == b'"' {
            return Some(i + 1);
        }
        i += 2;
    }
}

/// Index after the value that starts at `at`.
fn value_end(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at)? {
        b'"' => string_end(text, at),
        b'{' | b'[' => {
            let mut depth = 0usize;
            let mut i = at;
            loop {
                match text.get(i)? {
                    b'"' => {
                        i = string_end(text, i)?;
                        continue;
                    }
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => {
                        depth -= 1;
                        if depth == 0 {
                            return Some(i + 1);
                        }
                    }
                    _ => {}
                }
                i += 1;
            }
        }
        _ => {
            let rest = &text[at..];
            let len = rest
                .iter()
                .position(|b| matches!(b, b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n'))
                .unwrap_or(rest.len());
            Some(at + len)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_only_top_level_members() {
        let text = br#" {"a":{"id":1,"s":"}\""},"note":"\"id\":2", "id" : "x-3" ,"n":null}"#;
        assert_eq!(member(text, "id"), Some(&br#""x-3""#[..]));
        assert_eq!(member(text, "n"), Some(&b"null"[..]));
        assert_eq!(member(text, "a"), Some(&br#"{"id":1,"s":"}\""}"#[..]));
        assert_eq!(member(text, "s"), None);
        assert_eq!(inside(b"\"x\""), Some(&b"x"[..]));
    }

    #[test]
    fn broken_text_is_none_not_a_panic() {
        for text in [
            &b"{\"id"[..],
            b"{\"a\":[1,{",
            b"{\"a\"1}",
            b"",
            b"[1]",
            b"{\"a\":\"\\",
        ] {
            assert_eq!(member(text, "id"), None);
        }
    }
}
