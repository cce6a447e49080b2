//! Common prefixes and suffixes of names.

use super::pattern::{LONGEST_PART, Pattern};
use crate::edge;

/// The prefix and suffix of a name.
#[derive(Debug, Clone, Copy, Eq, PartialOrd, Ord)]
pub(super) struct Common<'e> {
    pub(super) before: &'e str,
    pub(super) behind: &'e str,
}

impl PartialEq for Common<'_> {
    fn eq(&self, other: &Self) -> bool {
        edge::is_same(self.before, other.before) && edge::is_same(self.behind, other.behind)
    }
}

/// Whether this character separates parts of names.
fn is_seam(byte: &u8) -> bool {
    matches!(byte, b'.' | b'_' | b'-')
}

/// The estimated number of tokens of ` *:`.
pub(super) const STAR: i64 = 2;

impl<'e> Common<'e> {
    /// `None` if a part is ambiguous in patterns, or if both are empty.
    fn checked(before: &'e str, behind: &'e str) -> Option<Self> {
        let some = !before.is_empty() || !behind.is_empty();
        let checked = some && is_part(before) && is_part(behind);
        checked.then_some(Self { before, behind })
    }

    /// `*.rs` for `main.rs`.
    pub(super) fn ending(name: &'e str) -> Option<Self> {
        let dot = memchr::memrchr(b'.', name.as_bytes()).filter(|dot| *dot > 0)?;
        Self::checked("", &name[dot..])
    }

    /// `*.d.ts`, `*.test.d.ts` and `wire_*.ts` for `wire_frame.test.d.ts`.
    pub(super) fn specials(name: &'e str) -> [Option<Self>; 3] {
        let usual = Self::ending(name).map_or("", |usual| usual.behind);
        let stem = &name[..name.len() - usual.len()];
        let bytes = stem.as_bytes();
        let Some(seam) = bytes.iter().rposition(is_seam).filter(|seam| *seam > 0) else {
            return [None; 3];
        };
        let dot = memchr::memchr(b'.', bytes).filter(|dot| *dot > 0 && *dot != seam);
        let first = bytes[1..].iter().position(is_seam);
        let before = first.map(|seam| &stem[..seam + 2]);
        [
            Self::checked("", &name[seam..]),
            dot.and_then(|dot| Self::checked("", &name[dot..])),
            before
                .filter(|before| before.len() < stem.len())
                .and_then(|before| Self::checked(before, usual)),
        ]
    }

    /// `img_*.png` for `img_001.png`: the text around its last number.
    pub(super) fn number(name: &'e str) -> Option<Self> {
        let last_digit = |text: &str| text.bytes().rposition(|byte| byte.is_ascii_digit());
        let end = last_digit(name)? + 1;
        // The extension may contain a digit too.
        let stem = name.len() - Self::ending(name).map_or(0, |usual| usual.behind.len());
        let end = last_digit(&name[..stem]).map_or(end, |last| last + 1);
        let digits = name[..end].bytes().rev().take_while(u8::is_ascii_digit);
        let start = end - digits.count();
        Self::checked(&name[..start], &name[end..])
    }

    /// The pattern with only the extension, for names that have this one.
    pub(super) fn usual(self) -> Option<Self> {
        let dot = self.behind.rfind('.')?;
        let behind = &self.behind[dot..];
        Some(Self { before: "", behind })
    }

    /// The number of tokens of the pattern.
    pub(super) fn head(self) -> i64 {
        STAR + self.tokens()
    }

    /// The number of tokens of a name that the pattern determines.
    pub(super) fn tokens(self) -> i64 {
        cost(self.before) + cost(self.behind)
    }

    /// A name without prefix and suffix.
    pub(super) fn stem(self, name: &'e str) -> Option<&'e str> {
        edge::strip_suffix(edge::strip_prefix(name, self.before)?, self.behind)
    }

    pub(super) fn pattern(self) -> Pattern<'e> {
        Pattern::new(self.before, [self.behind])
    }

    /// A hash of both parts.
    pub(super) fn hash(self) -> u64 {
        hash(self.behind, hash(self.before, 0))
    }
}

/// FNV-1a, the same on every run; equal texts can be found by sorting hashes.
pub(super) fn hash(text: &str, start: u64) -> u64 {
    let start = start ^ 0xcbf2_9ce4_8422_2325;
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(start, step).rotate_left(17)
}

/// Whether a part of a pattern, or of a list in braces, is unambiguous.
pub(super) fn is_part(part: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+".contains(&byte);
    part.len() <= LONGEST_PART && part.bytes().all(is_plain)
}

/// The estimated number of tokens of a part of a name: words with a mark before them, other marks, and groups of three
/// digits. Counting with the vocabulary would dominate the running time.
pub(super) fn cost(part: &str) -> i64 {
    let bytes = part.as_bytes();
    let (mut tokens, mut at) = (0, 0);
    while at < bytes.len() {
        let start = at;
        let run = |from: usize, is: fn(&u8) -> bool| {
            from + bytes[from..].iter().take_while(|byte| is(byte)).count()
        };
        if bytes[at].is_ascii_digit() {
            at = run(at, u8::is_ascii_digit);
            tokens += (at - start).div_ceil(3);
            continue;
        }
        at = run(at, |byte| !byte.is_ascii_alphanumeric());
        let marks = at - start;
        let word = run(run(at, u8::is_ascii_uppercase), u8::is_ascii_lowercase);
        // One mark joins the word behind it.
        tokens += usize::from(marks > 1 || (marks == 1 && word == at));
        tokens += (word - at).div_ceil(8);
        at = word;
    }
    tokens as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_several_patterns() {
        let name = "wire_frame.test.d.ts";
        let [seam, dot, before] = Common::specials(name).map(Option::unwrap);
        assert_eq!((seam.before, seam.behind), ("", ".d.ts"));
        assert_eq!((dot.before, dot.behind), ("", ".test.d.ts"));
        assert_eq!((before.before, before.behind), ("wire_", ".ts"));
        assert_eq!(before.stem(name), Some("frame.test.d"));
    }

    #[test]
    fn the_last_number_of_a_name_is_found() {
        let around = |name| {
            let common = Common::number(name)?;
            Some((common.before, common.behind))
        };
        assert_eq!(around("img_001.png"), Some(("img_", ".png")));
        assert_eq!(around("v2-7-x.mp4"), Some(("v2-", "-x.mp4")));
        assert_eq!(around("a.001"), Some(("a.", "")));
        assert_eq!(around("12"), None);
        assert_eq!(around("README"), None);
    }
}
