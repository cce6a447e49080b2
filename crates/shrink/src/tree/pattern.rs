//! A pattern: the common parts of names, written once before them.
//!
//! ```text
//! *.rs: a b                 a.rs b.rs
//! test_*.py: net 01..03     test_net.py test_01.py test_02.py test_03.py
//! *.{js,d.ts}: a b          a.js a.d.ts b.js b.d.ts
//! ```

use std::borrow::Cow;

/// The longest prefix or suffix of a pattern, because it is repeated for many names.
pub(super) const LONGEST_PART: usize = 40;

/// The most suffixes of a pattern.
pub(super) const MOST_ENDINGS: usize = 12;

/// The most numbers in a range.
pub(super) const LONGEST_RANGE: u64 = 100;

/// The prefix and suffixes of the names that follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern<'a> {
    before: &'a str,
    /// The suffixes; each word is combined with all of them.
    behind: Vec<Cow<'a, str>>,
}

impl<'a> Pattern<'a> {
    /// The pattern `*`, which matches all names.
    pub(super) fn plain() -> Self {
        Self::new("", [""])
    }

    pub(super) fn new(before: &'a str, behind: impl IntoIterator<Item = &'a str>) -> Self {
        let behind = behind.into_iter().map(Cow::Borrowed).collect();
        Self { before, behind }
    }

    pub(super) fn is_plain(&self) -> bool {
        self.before.is_empty() && self.behind == [""]
    }

    /// `*.rs:`, `*{.go,_test.go}:` or `*.{js,d.ts}:`.
    pub(super) fn write(&self, out: &mut String) {
        out.push_str(self.before);
        out.push('*');
        if let [behind] = &self.behind[..] {
            out.push_str(behind);
        } else {
            let dots = self.behind.iter().all(|behind| behind.starts_with('.'));
            out.push_str(if dots { ".{" } else { "{" });
            for (at, behind) in self.behind.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                out.push_str(&behind[usize::from(dots)..]);
            }
            out.push('}');
        }
        out.push(':');
    }

    /// Parses a pattern.
    pub(super) fn read(word: &'a str) -> Option<Self> {
        let (before, behind) = word.strip_suffix(':')?.split_once('*')?;
        let open = memchr::memchr(b'{', behind.as_bytes());
        let behind: Vec<Cow<'a, str>> = match behind.strip_suffix('}').zip(open) {
            None => vec![Cow::Borrowed(behind)],
            Some((inner, open)) => {
                let (common, endings) = (&inner[..open], &inner[open + 1..]);
                let whole = |ending| [common, ending].concat().into();
                endings
                    .split(',')
                    .take(MOST_ENDINGS + 1)
                    .map(whole)
                    .collect()
            }
        };
        let parts = behind.iter().map(|part| part.len()).chain([before.len()]);
        let short = parts.max() <= Some(LONGEST_PART) && behind.len() <= MOST_ENDINGS;
        short.then_some(Self { before, behind })
    }

    /// Calls `each` with the full names of a word, in order. An unquoted word may be a range.
    pub(super) fn names(
        &self,
        word: Cow<'a, str>,
        quoted: bool,
        mut each: impl FnMut(Cow<'a, str>),
    ) {
        if self.is_plain() {
            return each(word);
        }
        let mut apply = |stem: &str| {
            for behind in &self.behind {
                each([self.before, stem, behind].concat().into());
            }
        };
        match Range::read(&word).filter(|_| !quoted) {
            Some(range) => range.numbers().for_each(|number| apply(&number)),
            None => apply(&word),
        }
    }
}

/// A range of consecutive numbers: `01..17`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    first: u64,
    last: u64,
    /// The least number of digits.
    width: usize,
}

impl Range {
    /// The range between two numbers; `None` if their widths are inconsistent or the range is too large.
    pub(super) fn new(first: &str, last: &str) -> Option<Self> {
        let number = |text: &str| {
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            let short = (1..=18).contains(&text.len());
            (digits && short).then(|| text.parse().ok()).flatten()
        };
        let width = if first.len() == last.len() {
            first.len()
        } else if first.starts_with('0') && first != "0" {
            return None;
        } else {
            0
        };
        let (first, last): (u64, u64) = (number(first)?, number(last)?);
        let fits = last.checked_sub(first)? < LONGEST_RANGE;
        fits.then_some(Self { first, last, width })
    }

    /// Whether one number follows another: `10` follows `9` and `09`, but not `8`.
    pub(super) fn is_next(one: &str, other: &str) -> bool {
        let range = Self::new(one, other);
        range.is_some_and(|range| range.last - range.first == 1)
    }

    /// Whether a word has the form of a range; names of that form are quoted.
    pub(super) fn looks_like(word: &str) -> bool {
        Self::read(word).is_some()
    }

    fn read(word: &str) -> Option<Self> {
        let (first, last) = word.split_once("..")?;
        Self::new(first, last)
    }

    fn numbers(self) -> impl Iterator<Item = String> {
        let Self { first, last, width } = self;
        (first..=last).map(move |number| format!("{number:0width$}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(pattern: &str, words: &[&'static str]) -> String {
        let pattern = Pattern::read(pattern).unwrap();
        let mut names = Vec::new();
        for word in words {
            pattern.names(Cow::Borrowed(*word), false, |name| {
                names.push(name.into_owned())
            });
        }
        names.join(" ")
    }

    #[test]
    fn a_pattern_expands_each_word() {
        assert_eq!(expanded("*.rs:", &["a", "b"]), "a.rs b.rs");
        assert_eq!(
            expanded("t_*.py:", &["a", "9..11"]),
            "t_a.py t_9.py t_10.py t_11.py"
        );
        assert_eq!(
            expanded("*.{js,d.ts}:", &["a", "b"]),
            "a.js a.d.ts b.js b.d.ts"
        );
        assert_eq!(expanded("*{.go,_test.go}:", &["a"]), "a.go a_test.go");
        assert_eq!(expanded("v*:", &["08..10"]), "v08 v09 v10");
        assert_eq!(expanded("*:", &["08..10"]), "08..10");
    }

    #[test]
    fn a_word_that_is_not_a_range_is_a_name() {
        for word in [
            "1..", "..2", "2..1", "1..101", "01..100", "a..b", "1...3", "1..2..3",
        ] {
            assert_eq!(Range::read(word), None, "{word}");
        }
    }

    #[test]
    fn patterns_are_written_as_they_are_parsed() {
        for word in ["*.rs:", "a*b:", "*.{js,d.ts}:", "*{.go,_test.go}:", "*:"] {
            let mut out = String::new();
            Pattern::read(word).unwrap().write(&mut out);
            assert_eq!(out, word);
        }
        assert_eq!(Pattern::read("rs:"), None);
        assert_eq!(Pattern::read(&format!("*{}:", "x".repeat(41))), None);
        assert_eq!(Pattern::read(&format!("*{{{}}}:", "x,".repeat(12))), None);
    }
}
