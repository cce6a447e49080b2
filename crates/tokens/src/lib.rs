//! How many tokens a text has.
//!
//! The vocabularies are part of the program and are unpacked by the first count: about 50 ms and 60 MB,
//! which a process that never counts does not need.
//!
//! Counting is exact: a text is cut into pieces as the vocabulary's pattern says (`split`), the tokens of
//! short pieces are remembered (`memo`), and the others are counted by `bpe-openai`.

mod classes;
mod counter;
mod estimate;
mod memo;
mod split;

use std::fmt;

use counter::Memos;
use estimate::estimate;

/// Whose tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Vocabulary {
    /// GPT-4o and later. Other families are close to it; nothing better is public for them.
    #[default]
    O200k,
    /// GPT-4 and GPT-3.5.
    Cl100k,
    /// A guess by the lengths of words and signs, without a vocabulary in memory, or for a
    /// model whose vocabulary is not public. It is off by 4 % on average (230 files of code, JSON and
    /// documents that it was not made for, in parts of 20 KB, against o200k; a quarter of the bytes is off
    /// by 21 %), and by half at worst: too low for random data and for rare scripts.
    Estimate,
}

impl Vocabulary {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::O200k, Self::Cl100k, Self::Estimate];

    /// The word, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::O200k => "o200k",
            Self::Cl100k => "cl100k",
            Self::Estimate => "estimate",
        }
    }

    /// What a person calls it, in any case.
    pub fn parse(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase();
        let word = word.strip_suffix("_base").unwrap_or(&word);
        Self::ALL.into_iter().find(|one| one.name() == word)
    }

    /// How many tokens a text has. Control words of a model (`<|endoftext|>`) are counted
    /// as the text that they are.
    pub fn count(self, text: &str) -> u64 {
        self.count_to(text, u64::MAX).unwrap_or(u64::MAX)
    }

    /// Whether two texts, one of them below the other, have together as many tokens as each alone. That
    /// they have is not always seen: `false` means that both have to be counted together.
    pub fn adds_up(self, above: &str, below: &str) -> bool {
        let (Some(last), Some(first)) = (above.bytes().next_back(), below.bytes().next()) else {
            return true;
        };
        match self {
            // No piece goes on behind a line end but with white space or, of o200k, a slash.
            Self::O200k | Self::Cl100k => {
                last == b'\n' && first.is_ascii_graphic() && first != b'/'
            }
            // It is rounded.
            Self::Estimate => false,
        }
    }

    /// How many tokens a text has, if not more than `limit`. Stops as soon as there are more.
    pub fn count_to(self, text: &str, limit: u64) -> Option<u64> {
        static O200K: Memos = Memos::new();
        static CL100K: Memos = Memos::new();
        if text.is_empty() {
            return Some(0);
        }
        match self {
            Self::O200k => O200K.count(&bpe_openai::o200k_base().bpe, split::o200k, text, limit),
            Self::Cl100k => {
                CL100K.count(&bpe_openai::cl100k_base().bpe, split::cl100k, text, limit)
            }
            Self::Estimate => Some(estimate(text)).filter(|count| *count <= limit),
        }
    }
}

impl fmt::Display for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Counted with js-tiktoken 1.0.21, which has nothing in common with what we use.
    const KNOWN: [(&str, u64, u64); 5] = [
        ("", 0, 0),
        ("Hello, world!", 4, 4),
        ("fn main() {\n    println!(\"hi\");\n}\n", 10, 10),
        ("<|endoftext|>", 7, 7),
        ("Überraschung: 日本語のテキスト\r\n\r\n  done", 13, 17),
    ];

    #[test]
    fn texts_have_as_many_tokens_as_their_makers_say() {
        for (text, o200k, cl100k) in KNOWN {
            assert_eq!(Vocabulary::O200k.count(text), o200k, "{text:?}");
            assert_eq!(Vocabulary::Cl100k.count(text), cl100k, "{text:?}");
        }
    }

    #[test]
    fn counting_to_a_limit_stops_above_it_and_not_at_it() {
        let text = "one two three four five";
        for one in Vocabulary::ALL {
            let count = one.count(text);
            assert_eq!(one.count_to(text, count), Some(count));
            assert_eq!(one.count_to(text, count - 1), None);
            assert_eq!(one.count_to("", 0), Some(0));
        }
    }

    #[test]
    fn a_vocabulary_is_known_by_its_names() {
        assert_eq!(Vocabulary::parse("o200k_base"), Some(Vocabulary::O200k));
        assert_eq!(Vocabulary::parse("CL100K"), Some(Vocabulary::Cl100k));
        assert_eq!(Vocabulary::parse("gpt"), None);
    }
}
