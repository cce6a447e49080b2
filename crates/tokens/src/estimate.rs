//! Estimates the number of tokens of a text without a vocabulary.

use crate::classes::Classes;
use crate::split;

/// Adds an estimate for each piece: one token for a word after a space, a number or white space; a little more for a
/// word after another character; by length for long pieces, for punctuation and for other scripts.
pub(crate) fn estimate(text: &str) -> u64 {
    let classes = Classes::of(text);
    let (mut at, mut tenths) = (0, 0);
    while at < text.len() {
        let end = split::o200k(classes, at);
        tenths += piece(&text.as_bytes()[at..end]);
        at = end;
    }
    tenths.div_ceil(10)
}

/// Tenths of a token, calibrated with our own code, logs, listings and documents.
#[inline]
fn piece(piece: &[u8]) -> u64 {
    let length = piece.len() as u64;
    let (Some(&first), Some(&last)) = (piece.first(), piece.last()) else {
        return 0;
    };
    if !piece.is_ascii() {
        let others = piece.iter().filter(|&&byte| byte >= 0xc0).count() as u64;
        let ascii = piece.iter().filter(|byte| byte.is_ascii()).count() as u64;
        return (7 * others + 2 * ascii).max(10);
    }
    if last.is_ascii_digit() {
        return 10;
    }
    if last.is_ascii_alphabetic() {
        return match (first, length) {
            (b' ', ..=11) | (_, ..=2) => 10,
            (b' ', _) => length,
            (_, ..=7) => 13,
            (_, _) => 2 * length,
        };
    }
    match (
        first.is_ascii_whitespace() && last.is_ascii_whitespace(),
        length,
    ) {
        (true, _) => 10 + length / 8,
        (_, ..=4) => 10,
        (_, _) => 4 * length,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vocabulary;

    #[test]
    fn an_estimate_is_close_to_the_exact_count() {
        for text in [
            include_str!("estimate.rs"),
            include_str!("../Cargo.toml"),
            include_str!("../../../docs/bcp.md"),
            include_str!("../../../Cargo.lock"),
        ] {
            let (guess, truth) = (estimate(text), Vocabulary::O200k.count(text));
            assert!(
                guess.abs_diff(truth) * 100 <= truth * 25,
                "{guess}, not {truth}"
            );
        }
    }

    #[test]
    fn a_non_empty_text_has_at_least_one_token() {
        assert_eq!(estimate(""), 0);
        for text in ["a", " ", "\n", "!", "é", "字"] {
            assert_eq!(estimate(text), 1, "{text:?}");
        }
    }
}
