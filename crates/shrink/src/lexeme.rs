//! JSON strings and numbers: lengths, validation, escaping.

use memchr::{memchr, memchr2};

/// The length of the string that a text begins with, quotes included.
pub(crate) fn string_len(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// The spelling of a string between its quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// Without escapes.
    Plain,
    /// With escapes.
    Escaped,
    /// With a lone surrogate, so that the string has no text.
    Lone,
}

/// Validates the text between two quotes; `None` if it is not valid JSON.
pub(crate) fn spelling(inside: &[u8]) -> Option<Spelling> {
    // No early exit, which lets the compiler vectorise the loop.
    let has_control = inside
        .iter()
        .fold(false, |found, byte| found | (*byte < b' '));
    if has_control {
        return None;
    }
    let mut spelling = Spelling::Plain;
    let mut rest = inside;
    while let Some(at) = memchr(b'\\', rest) {
        if spelling == Spelling::Plain {
            spelling = Spelling::Escaped;
        }
        let (&escape, more) = rest[at + 1..].split_first()?;
        rest = more;
        match escape {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
            b'u' => {
                let unit = hex(rest)?;
                rest = &rest[4..];
                match unit {
                    0xD800..0xDC00 => match rest.strip_prefix(b"\\u").and_then(hex) {
                        Some(0xDC00..0xE000) => rest = &rest[6..],
                        _ => spelling = Spelling::Lone,
                    },
                    0xDC00..0xE000 => spelling = Spelling::Lone,
                    _ => {}
                }
            }
            _ => return None,
        }
    }
    Some(spelling)
}

/// Decodes the text between two quotes; `None` if it has a lone surrogate or is not valid JSON.
pub(crate) fn unescape(inside: &str) -> Option<String> {
    let mut out = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(at) = memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let escape = rest.as_bytes().get(at + 1)?;
        rest = rest.get(at + 2..)?;
        out.push(match escape {
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                let mut unit = hex(rest.as_bytes())?;
                rest = &rest[4..];
                if let 0xD800..0xDC00 = unit {
                    let low = hex(rest.strip_prefix("\\u")?.as_bytes())?;
                    let (0xDC00..0xE000) = low else {
                        return None;
                    };
                    rest = &rest[6..];
                    unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                }
                char::from_u32(unit)?
            }
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            _ => return None,
        });
    }
    out.push_str(rest);
    Some(out)
}

fn hex(text: &[u8]) -> Option<u32> {
    let digits = text.get(..4)?;
    let digit = |unit, byte: &u8| Some(unit << 4 | char::from(*byte).to_digit(16)?);
    digits.iter().try_fold(0, digit)
}

/// Writes a text as it is between the quotes of a JSON string.
pub(crate) fn escape(text: &str, out: &mut String) {
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(&text[from..at]);
        from = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            8 => out.push_str("\\b"),
            12 => out.push_str("\\f"),
            _ => {
                out.push_str("\\u00");
                for digit in [byte >> 4, byte & 15] {
                    out.extend(char::from_digit(digit.into(), 16));
                }
            }
        }
    }
    out.push_str(&text[from..]);
}

/// Writes a text as a JSON string.
pub(crate) fn quote(text: &str, out: &mut String) {
    out.push('"');
    escape(text, out);
    out.push('"');
}

/// Whether this is `true`, `false` or `null`.
pub(crate) fn is_word(text: &str) -> bool {
    matches!(text, "true" | "false" | "null")
}

/// Whether a text is a JSON number.
pub(crate) fn is_number(text: &str) -> bool {
    matches!(text.as_bytes().first(), Some(b'-' | b'0'..=b'9'))
        && number_len(text.as_bytes()) == Some(text.len())
}

/// The length of the number that a text begins with.
pub(crate) fn number_len(bytes: &[u8]) -> Option<usize> {
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits(at);
    if whole == 0 || (whole > 1 && bytes[at] == b'0') {
        return None;
    }
    at += whole;
    if bytes.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        if fraction == 0 {
            return None;
        }
        at += 1 + fraction;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let power = digits(at + 1 + sign);
        if power == 0 {
            return None;
        }
        at += 1 + sign + power;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn quoting_is_reversible(text in any::<String>()) {
            let mut quoted = String::new();
            quote(&text, &mut quoted);
            prop_assert_eq!(string_len(quoted.as_bytes()), Some(quoted.len()));
            let inside = &quoted[1..quoted.len() - 1];
            prop_assert!(matches!(spelling(inside.as_bytes()), Some(Spelling::Plain | Spelling::Escaped)));
            prop_assert_eq!(unescape(inside), Some(text));
        }

        #[test]
        fn spelling_and_unescape_agree(inside in "(\\\\(u(d8|dc|00)[0-9a-g]{2}|[nx\"/]|)|a){0,5}") {
            let spelled = spelling(inside.as_bytes());
            let has_text = matches!(spelled, Some(Spelling::Plain | Spelling::Escaped));
            prop_assert_eq!(unescape(&inside).is_some(), has_text);
        }
    }

    #[test]
    fn only_json_numbers_are_numbers() {
        for text in [
            "0",
            "-0",
            "10",
            "1.50",
            "1e5",
            "1E+5",
            "-1.0e-10",
            "18446744073709551616",
        ] {
            assert!(is_number(text), "{text}");
        }
        for text in [
            "", "-", "01", "1.", ".5", "+1", "1e", "0x1", "1 ", "1_000", "NaN", "١",
        ] {
            assert!(!is_number(text), "{text}");
        }
    }
}
