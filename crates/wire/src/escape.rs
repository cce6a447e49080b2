//! Encoding and decoding of JSON strings.

use std::borrow::Cow;

/// `text` as a JSON string, quotes included.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The text of a JSON string token without its quotes.
///
/// A lone surrogate has no text of its own; it becomes U+FFFD. That matters only where a string is interpreted: the
/// relay forwards the token itself.
pub(crate) fn unescape(inner: &str) -> Cow<'_, str> {
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escape = rest.as_bytes().get(at + 1).copied().unwrap_or(b'\\');
        rest = rest.get(at + 2..).unwrap_or("");
        match escape {
            b'n' => out.push('\n'),
            b'r' => out.push('\r'),
            b't' => out.push('\t'),
            b'b' => out.push('\u{8}'),
            b'f' => out.push('\u{c}'),
            b'u' => {
                let unit = hex4(rest);
                rest = rest.get(4..).unwrap_or("");
                match unit {
                    Some(high @ 0xD800..0xDC00) => match low_surrogate(rest) {
                        Some(low) => {
                            rest = &rest[6..];
                            let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                            out.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                        }
                        None => out.push('\u{fffd}'),
                    },
                    unit => out.push(unit.and_then(char::from_u32).unwrap_or('\u{fffd}')),
                }
            }
            other => out.push(other as char),
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn hex4(text: &str) -> Option<u32> {
    u32::from_str_radix(text.get(..4)?, 16).ok()
}

fn low_surrogate(rest: &str) -> Option<u32> {
    let unit = hex4(rest.strip_prefix("\\u")?)?;
    (0xDC00..0xE000).contains(&unit).then_some(unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn quoting_agrees_with_serde_json(text in any::<String>()) {
            let quoted = quote(&text);
            prop_assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), text.clone());
            prop_assert_eq!(unescape(&quoted[1..quoted.len() - 1]), text);
        }
    }

    #[test]
    fn escapes_of_every_kind_are_read() {
        let token = r#"\" \\ \/ \b \f \n \r \t \u0041 \ud83d\ude00 \uD83D x \udc00"#;
        assert_eq!(
            unescape(token),
            "\" \\ / \u{8} \u{c} \n \r \t A 😀 \u{fffd} x \u{fffd}"
        );
    }
}
