//! Counts tokens with a vocabulary.

use linkspan_bcp::Tokenizer;
use linkspan_tokens::Vocabulary;

/// The tokenizer of a vocabulary, for budgets.
#[derive(Debug, Clone, Copy)]
pub struct Counter(pub Vocabulary);

impl Tokenizer for Counter {
    fn count(&self, text: &str) -> u64 {
        self.0.count(text)
    }

    fn count_to(&self, text: &str, limit: u64) -> Option<u64> {
        self.0.count_to(text, limit)
    }
}

/// Bytes counted between two checks, which take a few hundredths of a second.
const PART: usize = 256 << 10;

/// The number of tokens of a text; `None` if `go_on` returns `false` before the end.
pub(crate) fn count_while(
    vocabulary: Vocabulary,
    text: &str,
    go_on: &dyn Fn() -> bool,
) -> Option<u64> {
    if vocabulary == Vocabulary::Estimate {
        return Some(vocabulary.count(text));
    }
    let (mut rest, mut count) = (text, 0);
    while !rest.is_empty() {
        if !go_on() {
            return None;
        }
        let (part, after) = rest.split_at(seam(rest, PART));
        count += vocabulary.count(part);
        rest = after;
    }
    Some(count)
}

/// A position after `from` that no token crosses, so that both sides can be counted separately: between two
/// words of letters, before the space or after the line end. Both vocabularies split a text into words there
/// before they look for tokens.
fn seam(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let is_seam = |at: &usize| match &bytes[at - 1..at + 2] {
        [before, b' ', after] => before.is_ascii_alphabetic() && after.is_ascii_alphabetic(),
        [b'\n', first, _] => first.is_ascii_alphabetic(),
        _ => false,
    };
    let end = bytes.len().saturating_sub(1);
    (from.max(1)..end).find(is_seam).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_as_many_tokens_as_the_whole() {
        let text = "It's  a test,\n\tfn main() {}\n// Größe e\u{301}tude 12 345 \u{4f60}\u{597d} x\r\n\r\nThe end\n  of it.\n}\nNext one HTTPServer's  two\n\n\nthree 4 five ";
        let text = text.repeat(3);
        for vocabulary in [Vocabulary::O200k, Vocabulary::Cl100k] {
            let whole = vocabulary.count(&text);
            let mut seams = 0;
            for from in 1..text.len() {
                let at = seam(&text, from);
                let (one, other) = text.split_at(at);
                seams += usize::from(!other.is_empty());
                let parts = vocabulary.count(one) + vocabulary.count(other);
                assert_eq!(parts, whole, "{one:?}");
            }
            assert!(seams > 100);
        }
    }

    #[test]
    fn a_count_stops_between_two_parts() {
        use std::cell::Cell;
        let text = "one more word ".repeat(PART / 7);
        let parts = Cell::new(0);
        let go_on = |most| {
            parts.set(parts.get() + 1);
            parts.get() <= most
        };
        assert_eq!(count_while(Vocabulary::O200k, &text, &|| go_on(1)), None);
        let whole = count_while(Vocabulary::O200k, &text, &|| true);
        assert_eq!(whole, Some(Vocabulary::O200k.count(&text)));
    }
}
