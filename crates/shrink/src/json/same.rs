//! Compares JSON texts.

use memchr::memchr2;

use crate::kind::Kind;

/// Whether two texts of a JSON kind are equivalent: the same values in the same order, numbers with the same spelling,
/// and the same repeated keys. White space and escapes of characters may differ, but lines of [`Kind::Ndjson`] must
/// correspond. For invalid JSON, only texts with the same tokens are equivalent.
pub(crate) fn same(kind: Kind, one: &str, other: &str) -> bool {
    match kind {
        Kind::Json => same_tokens(one.as_bytes(), other.as_bytes()),
        Kind::Ndjson => {
            let mut ours = one.split('\n');
            let mut theirs = other.split('\n');
            loop {
                match (ours.next(), theirs.next()) {
                    (None, None) => return true,
                    (Some(a), Some(b)) if same_tokens(a.as_bytes(), b.as_bytes()) => {}
                    _ => return false,
                }
            }
        }
        _ => false,
    }
}

fn same_tokens(mut one: &[u8], mut other: &[u8]) -> bool {
    loop {
        one = skip_space(one);
        other = skip_space(other);
        match (one, other) {
            ([], []) => return true,
            ([b'"', a @ ..], [b'"', b @ ..]) => match same_string(a, b) {
                Some((a, b)) => (one, other) = (a, b),
                None => return false,
            },
            ([a, ..], [b, ..]) if a == b => {
                let a = token_len(one);
                let b = token_len(other);
                if one[..a] != other[..b] {
                    return false;
                }
                (one, other) = (&one[a..], &other[b..]);
            }
            _ => return false,
        }
    }
}

fn skip_space(text: &[u8]) -> &[u8] {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
    let space = text.iter().take_while(|byte| is_space(byte)).count();
    &text[space..]
}

/// The length of a bracket, separator, number or word: `1 2` is not `12`.
fn token_len(text: &[u8]) -> usize {
    let is_inside =
        |byte: &&u8| matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'+' | b'-' | b'.');
    text.iter().take_while(is_inside).count().max(1)
}

/// Compares two strings without their opening quotes; returns the texts after the closing quotes if they are equal.
fn same_string<'a, 'b>(mut one: &'a [u8], mut other: &'b [u8]) -> Option<(&'a [u8], &'b [u8])> {
    // The distances to the next quote or backslash. Each is searched for only once: one side may escape every character
    // while the other has a megabyte without escapes.
    let (mut a, mut b) = (special(one)?, special(other)?);
    loop {
        let plain = a.min(b);
        if one[..plain] != other[..plain] {
            return None;
        }
        (one, other) = (&one[plain..], &other[plain..]);
        let (x, more_one) = unit(one)?;
        let (y, more_other) = unit(other)?;
        if x != y {
            return None;
        }
        if x == Unit::End {
            return Some((more_one, more_other));
        }
        a = match (a - plain).checked_sub(one.len() - more_one.len()) {
            Some(a) => a,
            None => special(more_one)?,
        };
        b = match (b - plain).checked_sub(other.len() - more_other.len()) {
            Some(b) => b,
            None => special(more_other)?,
        };
        (one, other) = (more_one, more_other);
    }
}

fn special(text: &[u8]) -> Option<usize> {
    memchr2(b'"', b'\\', text)
}

#[derive(PartialEq)]
enum Unit {
    End,
    /// A byte of an ASCII character, escaped or not.
    Byte(u8),
    /// A character outside of ASCII as UTF-8, escaped or not; or a lone surrogate.
    Escaped([u8; 4]),
}

/// The next unit of a string. A character outside of ASCII is one unit, whether or not it is escaped.
fn unit(text: &[u8]) -> Option<(Unit, &[u8])> {
    let (&first, rest) = text.split_first()?;
    match first {
        b'"' => Some((Unit::End, rest)),
        b'\\' => {
            let (&escape, rest) = rest.split_first()?;
            let byte = match escape {
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'b' => 8,
                b'f' => 12,
                b'u' => return escaped(rest),
                other => other,
            };
            Some((Unit::Byte(byte), rest))
        }
        0x80.. => {
            let width = match first {
                0xF0.. => 4,
                0xE0.. => 3,
                _ => 2,
            };
            let (character, rest) = text.split_at_checked(width)?;
            let mut bytes = [0; 4];
            bytes[..width].copy_from_slice(character);
            Some((Unit::Escaped(bytes), rest))
        }
        byte => Some((Unit::Byte(byte), rest)),
    }
}

fn escaped(text: &[u8]) -> Option<(Unit, &[u8])> {
    let (first, rest) = hex(text)?;
    let mut bytes = [0; 4];
    match first {
        0..0x80 => return Some((Unit::Byte(first as u8), rest)),
        0xD800..0xE000 => {
            let low = rest.strip_prefix(b"\\u").and_then(hex);
            if let (0xD800..0xDC00, Some((low @ 0xDC00..0xE000, rest))) = (first, low) {
                let code = 0x10000 + ((first - 0xD800) << 10) + (low - 0xDC00);
                char::from_u32(code)?.encode_utf8(&mut bytes);
                return Some((Unit::Escaped(bytes), rest));
            }
            // A lone surrogate, as bytes that do not occur in UTF-8.
            bytes[0] = 0xED;
            bytes[1..3].copy_from_slice(&(first as u16).to_be_bytes());
        }
        _ => {
            char::from_u32(first)?.encode_utf8(&mut bytes);
        }
    }
    Some((Unit::Escaped(bytes), rest))
}

fn hex(text: &[u8]) -> Option<(u32, &[u8])> {
    let (digits, rest) = text.split_at_checked(4)?;
    let mut unit = 0;
    for digit in digits {
        unit = unit << 4 | char::from(*digit).to_digit(16)?;
    }
    Some((unit, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same_json(one: &str, other: &str) -> bool {
        assert_eq!(
            same(Kind::Json, one, other),
            same(Kind::Json, other, one),
            "the order does not matter"
        );
        same(Kind::Json, one, other)
    }

    #[test]
    fn white_space_is_ignored() {
        assert!(same_json("{ \"a\" :\n[1, true]}\r\n", "{\"a\":[1,true]}"));
        assert!(!same_json("1 2", "12"));
        assert!(!same_json("[1]", "[1] 2"));
    }

    #[test]
    fn numbers_are_compared_by_their_spelling() {
        assert!(!same_json("1.0", "1"));
        assert!(!same_json("1e5", "1E5"));
        assert!(!same_json("-0", "0"));
        assert!(same_json("18446744073709551616", "18446744073709551616"));
    }

    #[test]
    fn order_and_repetition_of_keys_are_compared() {
        assert!(!same_json(r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#));
        assert!(!same_json(r#"{"a":1,"a":1}"#, r#"{"a":1}"#));
    }

    #[test]
    fn escapes_of_one_character_are_the_same() {
        assert!(same_json(r#""\u0041\/\u00e9\n""#, "\"A/é\\u000A\""));
        assert!(same_json(r#""x\ud83d\ude00""#, "\"x😀\""));
        assert!(same_json(r#""\"\\""#, r#""\u0022\u005C""#));
        assert!(!same_json(r#""a""#, r#""ab""#));
        assert!(!same_json(r#""a\n""#, r#""an""#));
        assert!(!same_json(r#""1""#, "1"));
    }

    #[test]
    fn a_long_escaped_string_is_compared_in_linear_time() {
        let plain = "A".repeat(300_000);
        let escaped = "\\u0041".repeat(300_000);
        assert!(same_json(
            &format!("\"{plain}\""),
            &format!("\"{escaped}\"")
        ));
        let slashes = plain.clone() + "\\/" + &plain;
        let late = escaped.clone() + "/" + &plain;
        assert!(same_json(&format!("\"{slashes}\""), &format!("\"{late}\"")));
    }

    #[test]
    fn a_lone_surrogate_equals_only_itself() {
        assert!(same_json(r#""\ud800""#, r#""\uD800""#));
        assert!(!same_json(r#""\ud800""#, r#""\ud801""#));
        assert!(!same_json(r#""\ud800""#, "\"\u{fffd}\""));
        assert!(!same_json(r#""\ud83dx\ude00""#, r#""\ud83d\ude00x""#));
        assert!(!same_json(r#""\udc00\ud800""#, r#""\ud800\udc00""#));
    }

    #[test]
    fn lines_must_correspond() {
        assert!(same(Kind::Ndjson, "{ }\n\n[1]", "{}\n\n[ 1 ]"));
        assert!(!same(Kind::Ndjson, "1\n2", "1 2"));
        assert!(!same(Kind::Ndjson, "1\n\n2", "1\n2"));
        assert!(!same(Kind::Ndjson, "1\n", "1"));
    }
}
