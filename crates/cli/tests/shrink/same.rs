//! Assertions that no information was lost.

use linkspan_tokens::Vocabulary;

use crate::run::taken_back;
use crate::samples::Sample;
use crate::setup::clip;

/// Asserts that a text arrived with fewer tokens and decodes to the original.
#[track_caller]
pub fn assert_shorter(new: &str, sample: &Sample) {
    let (before, after) = (tokens(&sample.text), tokens(new));
    let name = sample.name;
    assert!(after < before, "{name}: {before} → {after}\n{}", clip(new));
    let back = taken_back(new);
    if sample.is_json {
        assert_same_json(&back, &sample.text)
    } else {
        assert!(back == sample.text, "{name}: {}", clip(&back))
    }
}

/// The number of tokens in the default vocabulary.
pub fn tokens(text: &str) -> u64 {
    Vocabulary::O200k.count(text)
}

/// Asserts that two texts are the same JSON values: with the same spelling of numbers, the same order of members, and
/// no member missing, even with repeated names.
#[track_caller]
pub fn assert_same_json(one: &str, other: &str) {
    let (one, other) = (plain(one), plain(other));
    assert!(one == other, "{}\nis not\n{}", clip(&one), clip(&other));
}

/// JSON texts in a canonical form of white space and string escapes. Values on separate lines stay separate.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first == '"' {
            let end = string_end(rest);
            let string: String = serde_json::from_str(&rest[..end]).expect("a JSON string");
            out.push_str(&serde_json::to_string(&string).expect("a string can be printed"));
            rest = &rest[end..];
        } else {
            if !first.is_ascii_whitespace() {
                out.push(first);
            }
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

fn string_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

#[test]
fn differences_are_detected() {
    for (one, other) in [
        ("[1.0]", "[1.00]"),
        (r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#),
        (r#"{"a":1,"a":1}"#, r#"{"a":1}"#),
        (r#"["a "]"#, r#"["a"]"#),
    ] {
        assert_ne!(plain(one), plain(other));
    }
    assert_same_json("{ \"a\\u0062\" : [ 1.0 ] }\n", r#"{"ab":[1.0]}"#);
}
