//! Cuts texts into pieces as the vocabularies do before they look up tokens.
//!
//! The vocabularies define pieces by regular expressions, whose evaluation would dominate counting. Here they are
//! implemented by hand. Comments explain how overlapping alternatives behave; property tests and a fuzz target check
//! that the pieces are the same.
//!
//! Everything is inlined into the counting loop, because calls would make it a tenth slower.

use crate::classes::{Classes, LETTER, LOWER, MARK, NEWLINE, NUMBER, OTHER, SPACE, UNCASED, UPPER};

/// ```text
///   [^\r\n\p{L}\p{N}]? [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]* [\p{Ll}\p{Lm}\p{Lo}\p{M}]+ (?i:'s|'t|'re|'ve|'m|'ll|'d)?
/// | [^\r\n\p{L}\p{N}]? [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+ [\p{Ll}\p{Lm}\p{Lo}\p{M}]* (?i:'s|'t|'re|'ve|'m|'ll|'d)?
/// | \p{N}{1,3} | [ ]?[^\s\p{L}\p{N}]+[\r\n/]* | \s*[\r\n]+ | \s+(?!\S) | \s+
/// ```
#[inline(always)]
pub(crate) fn o200k(text: Classes<'_>, at: usize) -> usize {
    let (first, length) = text.at(at);
    let next = at + length;
    if first & LETTER != 0 {
        return cased_word(text, at).unwrap_or(next);
    }
    if first & NUMBER != 0 {
        return number(text, next);
    }
    if first & MARK != 0 {
        // A mark may precede a word or be a letter of it; the result is the same.
        return uncased_word(text, next);
    }
    // Any character except a line end may precede a word.
    if first & NEWLINE == 0
        && let Some(end) = cased_word(text, next)
    {
        return end;
    }
    if let Some(end) = signs(text, at, first) {
        let bytes = text.text.as_bytes();
        let is_tail = |byte: &&u8| matches!(byte, b'\r' | b'\n' | b'/');
        return end + bytes[end..].iter().take_while(is_tail).count();
    }
    space(text, at, next)
}

/// ```text
///   (?i:'s|'t|'re|'ve|'m|'ll|'d) | [^\r\n\p{L}\p{N}]?\p{L}+ | \p{N}{1,3}
/// | [ ]?[^\s\p{L}\p{N}]+[\r\n]* | \s*[\r\n]+ | \s+(?!\S) | \s+
/// ```
#[inline(always)]
pub(crate) fn cl100k(text: Classes<'_>, at: usize) -> usize {
    let (first, length) = text.at(at);
    let next = at + length;
    if first & LETTER != 0 {
        return text.run(next, LETTER);
    }
    if first & NUMBER != 0 {
        return number(text, next);
    }
    let contracted = contraction(text, at);
    if contracted > at {
        return contracted;
    }
    if first & NEWLINE == 0 {
        let end = text.run(next, LETTER);
        if end > next {
            return end;
        }
    }
    match signs(text, at, first) {
        Some(end) => text.run(end, NEWLINE),
        None => space(text, at, next),
    }
}

/// `[U]*[W]+` or else `[U]+[W]*`, and a contraction.
#[inline(always)]
fn cased_word(text: Classes<'_>, at: usize) -> Option<usize> {
    let upper_end = text.run(at, UPPER);
    let (class, length) = text.at(upper_end);
    if class & (UNCASED | MARK) != 0 {
        return Some(uncased_word(text, upper_end + length));
    }
    let end = text.run(upper_end, LOWER | UNCASED | MARK);
    (end > at).then(|| contraction(text, end))
}

/// The same, after a character of both sets before `at`.
#[inline(never)]
fn uncased_word(text: Classes<'_>, mut at: usize) -> usize {
    let mut both_end = at;
    loop {
        let (class, length) = text.at(at);
        if class & LOWER != 0 {
            let end = text.run(at, LOWER | UNCASED | MARK);
            return contraction(text, end);
        }
        if class & (UPPER | UNCASED | MARK) == 0 {
            // The second set needs the last character of both sets; capitals behind it are excluded again.
            return contraction(text, both_end);
        }
        at += length;
        if class & UPPER == 0 {
            both_end = at;
        }
    }
}

/// Up to three digits, the first of which ends at `at`.
#[inline(always)]
fn number(text: Classes<'_>, mut at: usize) -> usize {
    for _ in 0..2 {
        let (class, length) = text.at(at);
        if class & NUMBER == 0 {
            break;
        }
        at += length;
    }
    at
}

/// The end of a run of punctuation, optionally with a space before it.
#[inline(always)]
fn signs(text: Classes<'_>, at: usize, first: u8) -> Option<usize> {
    let start = match text.text.as_bytes().get(at) {
        Some(b' ') => at + 1,
        _ if first & (OTHER | MARK) == 0 => return None,
        _ => at,
    };
    let end = text.run(start, OTHER | MARK);
    (end > start).then_some(end)
}

/// White space up to its last line end; without one, all of it if the text ends there, otherwise all but the last
/// character, which belongs to the next piece.
#[inline(always)]
fn space(text: Classes<'_>, at: usize, next: usize) -> usize {
    let mut end = at;
    let mut last = at;
    let mut line_end = None;
    loop {
        let (class, length) = text.at(end);
        if class & SPACE == 0 {
            break;
        }
        last = end;
        end += length;
        if class & NEWLINE != 0 {
            line_end = Some(end);
        }
    }
    match line_end {
        Some(line_end) => line_end,
        None if end == text.text.len() => end,
        None if last > at => last,
        None => next,
    }
}

/// The end of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d`, in any case, if it is at `at`; otherwise `at`.
#[inline(always)]
fn contraction(text: Classes<'_>, at: usize) -> usize {
    match text.text.as_bytes().get(at) {
        Some(b'\'') => apostrophe(&text.text.as_bytes()[at + 1..], at),
        _ => at,
    }
}

fn apostrophe(rest: &[u8], at: usize) -> usize {
    let length = match rest {
        [b's' | b'S' | b't' | b'T' | b'm' | b'M' | b'd' | b'D', ..] => 1,
        [b'r' | b'R', b'e' | b'E', ..] => 2,
        [b'v' | b'V', b'e' | b'E', ..] => 2,
        [b'l' | b'L', b'l' | b'L', ..] => 2,
        // The long s, whose capital is S.
        [0xc5, 0xbf, ..] => 2,
        _ => return at,
    };
    at + 1 + length
}

#[cfg(test)]
mod tests {
    use bpe_openai::Tokenizer;
    use proptest::prelude::*;

    use super::*;

    fn pieces(text: &str, piece: fn(Classes<'_>, usize) -> usize) -> Vec<&str> {
        let mut at = 0;
        let mut found = Vec::new();
        while at < text.len() {
            let end = piece(Classes::of(text), at);
            found.push(&text[at..end]);
            at = end;
        }
        found
    }

    fn same(text: &str) {
        let theirs = |tokenizer: &'static Tokenizer| tokenizer.split(text).collect::<Vec<_>>();
        assert_eq!(pieces(text, o200k), theirs(bpe_openai::o200k_base()));
        assert_eq!(pieces(text, cl100k), theirs(bpe_openai::cl100k_base()));
    }

    /// At least one character of each class, and all characters that the patterns name.
    const SORTS: [char; 19] = [
        'A', 's', 'l', 'L', 'E', 'v', '字', 'ʰ', '\u{301}', '1', '½', ' ', '\t', '\u{2028}', '\n',
        '\'', '/', '!', 'ſ',
    ];

    #[test]
    fn a_text_is_cut_into_words_numbers_and_marks() {
        let text = "HTTPServer's it'LL  be 12345 ok!//\n\n  x\u{301}Y ";
        let expected = [
            "HTTPServer's",
            " it'LL",
            " ",
            " be",
            " ",
            "123",
            "45",
            " ok",
            "!//\n\n",
            " ",
            " x\u{301}",
            "Y",
            " ",
        ];
        assert_eq!(pieces(text, o200k), expected);
        same(text);
    }

    #[test]
    fn short_texts_of_all_classes_are_cut_as_by_the_patterns() {
        let mut texts = vec![String::new()];
        for _ in 0..=3 {
            for text in &texts {
                same(text);
            }
            let longer = |text: &String| SORTS.map(|char| format!("{text}{char}"));
            texts = texts.iter().flat_map(longer).collect();
        }
    }

    #[test]
    fn every_character_is_cut_as_by_the_patterns() {
        // The other planes are unassigned or private use.
        let planes = (0..0x32000_u32).chain(0xe0000..0xe1000).step_by(1 << 12);
        for start in planes {
            let mut text = String::new();
            for char in (start..start + (1 << 12)).filter_map(char::from_u32) {
                text.extend([char, 'a', char, char, 'B', ' ', char, '1']);
            }
            same(&text);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn mixtures_are_cut_as_by_the_patterns(
            chars in prop::collection::vec(prop::sample::select(SORTS.to_vec()), 0..60),
        ) {
            same(&chars.into_iter().collect::<String>());
        }

        #[test]
        fn ascii_is_cut_as_by_the_patterns(text in "[ -~\t\r\n]{0,80}") {
            same(&text);
        }

        #[test]
        fn signs_and_space_are_cut_as_by_the_patterns(text in "[ \t\r\n/'.,{}\\[\\]\"a1]{0,60}") {
            same(&text);
        }

        #[test]
        fn anything_is_cut_as_by_the_patterns(text in "\\PC{0,40}", more in any::<String>()) {
            same(&text);
            same(&more);
        }
    }
}
