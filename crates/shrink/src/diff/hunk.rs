//! The `@@` line of a hunk, with and without counts.

use std::fmt::Write;

/// `@@ -12,7 +12,8 @@ fn main() {`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hunk<'a> {
    pub(super) old: u64,
    pub(super) olds: u64,
    pub(super) new: u64,
    pub(super) news: u64,
    /// The text behind the second `@@`.
    pub(super) tail: &'a str,
}

/// The most digits of a line number.
const DIGITS: usize = 15;

/// Abbreviates the tail of the previous hunk.
const SAME: &str = " ...";

/// Longer tails are always written out.
const LONGEST_SAME: usize = 200;

impl<'a> Hunk<'a> {
    /// Parses a full `@@` line.
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let (old, rest) = number(line.strip_prefix("@@ -")?)?;
        let (olds, rest) = count(rest)?;
        let (new, rest) = number(rest.strip_prefix(" +")?)?;
        let (news, rest) = count(rest)?;
        let tail = rest.strip_prefix(" @@")?;
        let spaced = tail.is_empty() || tail.starts_with(' ');
        spaced.then_some(Self {
            old,
            olds,
            new,
            news,
            tail,
        })
    }

    /// Writes the full `@@` line.
    pub(super) fn long(&self, ones: bool, out: &mut String) {
        out.push_str("@@ ");
        side('-', self.old, self.olds, ones, out);
        out.push(' ');
        side('+', self.new, self.news, ones, out);
        out.push_str(" @@");
        out.push_str(self.tail);
    }
}

fn side(sign: char, start: u64, count: u64, ones: bool, out: &mut String) {
    // Writing to a string does not fail.
    let _ = write!(out, "{sign}{start}");
    if ones || count != 1 {
        let _ = write!(out, ",{count}");
    }
}

fn number(text: &str) -> Option<(u64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let canonical = digits == 1 || !text.starts_with('0');
    if digits == 0 || digits > DIGITS || !canonical {
        return None;
    }
    let (number, rest) = text.split_at(digits);
    Some((number.parse().ok()?, rest))
}

fn count(text: &str) -> Option<(u64, &str)> {
    match text.strip_prefix(',') {
        Some(text) => number(text),
        None => Some((1, text)),
    }
}

/// The state carried from the previous hunks of the same file.
#[derive(Debug, Default)]
pub(super) struct HunkContext {
    tail: String,
}

/// An `@@` line in the short form.
pub(super) struct Short {
    old: u64,
    new: u64,
    tail: String,
}

impl HunkContext {
    fn pass(&mut self, hunk: &Hunk<'_>) {
        if !hunk.tail.is_empty() {
            self.tail.clear();
            self.tail.push_str(hunk.tail);
        }
    }

    /// Writes the short line; false if it has none. `derive`: abbreviate a tail that equals the previous one.
    pub(super) fn write(&mut self, hunk: &Hunk<'_>, derive: bool, out: &mut String) -> bool {
        if hunk.tail == SAME {
            return false;
        }
        let _ = write!(out, "@@ -{} +{}", hunk.old, hunk.new);
        let same = derive
            && hunk.tail == self.tail
            && (SAME.len() + 1..LONGEST_SAME).contains(&hunk.tail.len());
        out.push_str(if same { SAME } else { hunk.tail });
        self.pass(hunk);
        true
    }

    /// Parses a short line.
    pub(super) fn read(&self, line: &str) -> Option<Short> {
        let (old, rest) = number(line.strip_prefix("@@ -")?)?;
        let (new, tail) = number(rest.strip_prefix(" +")?)?;
        let tail = match tail {
            SAME if self.tail.len() < LONGEST_SAME => self.tail.clone(),
            tail => tail.to_owned(),
        };
        (tail.is_empty() || tail.starts_with(' ')).then_some(Short { old, new, tail })
    }

    /// Writes the full line once the counts are known.
    pub(super) fn finish(
        &mut self,
        short: &Short,
        olds: u64,
        news: u64,
        ones: bool,
        out: &mut String,
    ) -> Option<()> {
        let hunk = Hunk {
            old: short.old,
            olds,
            new: short.new,
            news,
            tail: &short.tail,
        };
        hunk.long(ones, out);
        self.pass(&hunk);
        Some(())
    }
}
