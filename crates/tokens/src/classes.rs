//! Character classes, as far as the patterns of the vocabularies distinguish them.

use std::sync::LazyLock;

use regex_syntax::hir::{Class, HirKind};

pub(crate) const UPPER: u8 = 1;
pub(crate) const LOWER: u8 = 2;
/// Letters without case, and modifiers.
pub(crate) const UNCASED: u8 = 4;
/// Combining marks, such as accents.
pub(crate) const MARK: u8 = 8;
pub(crate) const NUMBER: u8 = 16;
/// White space other than [`NEWLINE`].
pub(crate) const BLANK: u8 = 32;
/// CR and LF, not other line ends.
pub(crate) const NEWLINE: u8 = 64;
pub(crate) const OTHER: u8 = 128;

pub(crate) const LETTER: u8 = UPPER | LOWER | UNCASED;
pub(crate) const SPACE: u8 = BLANK | NEWLINE;

/// A text with access to the classes of its characters.
#[derive(Clone, Copy)]
pub(crate) struct Classes<'a> {
    pub(crate) text: &'a str,
    beyond: &'static [u8],
}

impl<'a> Classes<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self {
            text,
            beyond: &BEYOND,
        }
    }

    /// The class and length of the character at `at`; both are zero at the end.
    #[inline(always)]
    pub(crate) fn at(self, at: usize) -> (u8, usize) {
        match self.text.as_bytes().get(at) {
            None => (0, 0),
            Some(&byte) => match ASCII[usize::from(byte)] {
                0 => self.beyond(at),
                class => (class, 1),
            },
        }
    }

    /// The end of the run of characters of these classes that begins at `at`.
    #[inline(always)]
    pub(crate) fn run(self, mut at: usize, classes: u8) -> usize {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(at) {
            let (class, length) = match ASCII[usize::from(byte)] {
                0 => self.beyond(at),
                class => (class, 1),
            };
            if class & classes == 0 {
                break;
            }
            at += length;
        }
        at
    }

    #[cold]
    fn beyond(self, at: usize) -> (u8, usize) {
        let Some(char) = self.text.get(at..).and_then(|rest| rest.chars().next()) else {
            return (0, 0);
        };
        let class = match self.beyond.get(char as usize) {
            None | Some(0) => OTHER,
            Some(class) => *class,
        };
        (class, char.len_utf8())
    }
}

/// Bytes of multi-byte characters have no class here.
static ASCII: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = match byte as u8 {
            b'A'..=b'Z' => UPPER,
            b'a'..=b'z' => LOWER,
            b'0'..=b'9' => NUMBER,
            b'\r' | b'\n' => NEWLINE,
            b' ' | b'\t' | 0x0b | 0x0c => BLANK,
            _ => OTHER,
        };
        byte += 1;
    }
    table
};

/// The class of each character, or zero for [`OTHER`]. A flat table: after it is filled, only the pages of characters
/// that occur are touched.
static BEYOND: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut table = vec![0; char::MAX as usize + 1];
    for (pattern, class) in [
        (r"[\p{Lu}\p{Lt}]", UPPER),
        (r"\p{Ll}", LOWER),
        (r"[\p{Lm}\p{Lo}]", UNCASED),
        (r"\p{M}", MARK),
        (r"\p{N}", NUMBER),
        (r"\s", BLANK),
        (r"[\r\n]", NEWLINE),
    ] {
        let parsed = regex_syntax::parse(pattern).expect("the pattern is ours and valid");
        if let HirKind::Class(Class::Unicode(set)) = parsed.kind() {
            for range in set.ranges() {
                table[range.start() as usize..=range.end() as usize].fill(class);
            }
        }
    }
    table
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ascii_table_equals_the_unicode_table() {
        for byte in 0..128_u8 {
            let class = match BEYOND[usize::from(byte)] {
                0 => OTHER,
                class => class,
            };
            assert_eq!(ASCII[usize::from(byte)], class, "{byte}");
        }
    }

    #[test]
    fn classes_follow_unicode_categories() {
        for (char, class) in [
            ("É", UPPER),
            ("ǅ", UPPER),
            ("ß", LOWER),
            ("字", UNCASED),
            ("ʰ", UNCASED),
            ("\u{301}", MARK),
            ("٣", NUMBER),
            ("½", NUMBER),
            ("\u{a0}", BLANK),
            ("\u{2028}", BLANK),
            ("→", OTHER),
            ("🦀", OTHER),
            ("\u{10ffff}", OTHER),
        ] {
            assert_eq!(Classes::of(char).at(0), (class, char.len()), "{char}");
        }
        assert_eq!(Classes::of("").at(0), (0, 0));
    }
}
