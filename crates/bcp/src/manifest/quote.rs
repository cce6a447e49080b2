//! Text as a JSON string.

use std::io::{self, Write};

use super::special::first_special;

/// Writes a text as a JSON string, with quotes.
pub(super) fn quote(text: &str, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"\"")?;
    let mut rest = text.as_bytes();
    while let Some(length) = plain(rest) {
        let (run, next) = rest.split_at(length);
        out.write_all(run)?;
        let Some((byte, next)) = next.split_first() else {
            break;
        };
        match byte {
            b'"' => out.write_all(b"\\\""),
            b'\\' => out.write_all(b"\\\\"),
            b'\n' => out.write_all(b"\\n"),
            b'\r' => out.write_all(b"\\r"),
            b'\t' => out.write_all(b"\\t"),
            byte => write!(out, "\\u{byte:04x}"),
        }?;
        rest = next;
    }
    out.write_all(rest)?;
    out.write_all(b"\"")
}

/// The number of bytes before the first one that has to be escaped; `None` if there is none.
fn plain(bytes: &[u8]) -> Option<usize> {
    let (chunks, rest) = bytes.as_chunks::<32>();
    for (i, chunk) in chunks.iter().enumerate() {
        if let Some(at) = first_special(chunk) {
            return Some(i * 32 + at);
        }
    }
    let mut last = [b' '; 32];
    last[..rest.len()].copy_from_slice(rest);
    first_special(&last).map(|at| chunks.len() * 32 + at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn quoted(text: &str) -> String {
        let mut out = Vec::new();
        quote(text, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn special_characters_are_escaped() {
        assert_eq!(
            quoted("a\"b\\c\n\u{1}é\u{7f}"),
            "\"a\\\"b\\\\c\\n\\u0001é\u{7f}\""
        );
        assert_eq!(quoted(""), "\"\"");
    }

    proptest! {
        #[test]
        fn another_parser_reads_back_any_text(text in "(?s)[\\x00-\\x7f]{0,100}|.{0,50}") {
            let back: String = serde_json::from_str(&quoted(&text)).unwrap();
            prop_assert_eq!(back, text);
        }
    }
}
