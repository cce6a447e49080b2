//! Compares two lines token by token.

use std::ops::Range;

use super::line::Line;

/// The cost of the markers around a change, in tokens.
const COST: usize = 4;

/// The least weight of unchanged words between two changes that keeps them separate.
const BETWEEN: usize = 4;

/// With more tokens on a side, the lines are not compared token by token.
const WORDS: usize = 64;

/// Compares lines within a budget.
pub(super) struct Merge {
    /// The remaining budget of token comparisons.
    pub(super) fuel: usize,
    parts: Vec<Part>,
    longest: Vec<u8>,
}

/// A range of tokens in both lines.
struct Part {
    same: bool,
    old: Range<usize>,
    new: Range<usize>,
}

impl Merge {
    pub(super) fn new(fuel: usize) -> Self {
        Self {
            fuel,
            parts: Vec::new(),
            longest: Vec::new(),
        }
    }

    /// The estimated number of tokens that merging both lines saves.
    pub(super) fn gain(&mut self, old: &Line<'_>, new: &Line<'_>) -> usize {
        if !old.is_like(new) {
            return 0;
        }
        self.compare(old, new);
        let (mut same, mut changes) = (0, 0);
        for part in &self.parts {
            if part.same {
                same += old.weight(&part.old)
            } else {
                changes += 1
            }
        }
        same.saturating_sub(COST * changes.max(1))
    }

    /// Both lines merged.
    pub(super) fn text(&mut self, old: &Line<'_>, new: &Line<'_>) -> String {
        self.compare(old, new);
        let mut out = String::new();
        for part in &self.parts {
            let (old, new) = (old.text(&part.old), new.text(&part.new));
            if part.same {
                out.push_str(old);
                continue;
            }
            for (text, from, to) in [(old, "[-", "-]"), (new, "{+", "+}")] {
                if !text.is_empty() {
                    out.push_str(from);
                    out.push_str(text);
                    out.push_str(to);
                }
            }
        }
        out
    }

    fn compare(&mut self, old: &Line<'_>, new: &Line<'_>) {
        self.parts.clear();
        let (one, other) = (&old.keys[..], &new.keys[..]);
        let before = common(one.iter(), other.iter());
        let after = common(one[before..].iter().rev(), other[before..].iter().rev());
        let (one_end, other_end) = (one.len() - after, other.len() - after);
        self.push(true, 0..before, 0..before);
        self.between(old, new, before..one_end, before..other_end);
        self.push(true, one_end..one.len(), other_end..other.len());
    }

    fn push(&mut self, same: bool, old: Range<usize>, new: Range<usize>) {
        if !old.is_empty() || !new.is_empty() {
            self.parts.push(Part { same, old, new });
        }
    }

    /// Compares the tokens between the common beginning and the common end.
    fn between(&mut self, old: &Line<'_>, new: &Line<'_>, olds: Range<usize>, news: Range<usize>) {
        let (one, other) = (&old.keys[olds.clone()], &new.keys[news.clone()]);
        // A shorter match would not be kept.
        let small = one.len().min(other.len()) <= BETWEEN;
        let cells = one.len() * other.len();
        if small || one.len().max(other.len()) > WORDS || cells > self.fuel {
            self.push(false, olds, news);
            return;
        }
        self.fuel -= cells;
        self.find_longest(one, other);
        let width = other.len() + 1;
        let (mut i, mut j) = (0, 0);
        // Where the current change begins.
        let (mut i_from, mut j_from) = (0, 0);
        while i < one.len() && j < other.len() {
            if one[i] == other[j] {
                let same = common(one[i..].iter(), other[j..].iter());
                let (at_i, at_j) = (olds.start + i, news.start + j);
                if old.weight(&(at_i..at_i + same)) >= BETWEEN {
                    self.push(false, olds.start + i_from..at_i, news.start + j_from..at_j);
                    self.push(true, at_i..at_i + same, at_j..at_j + same);
                    (i_from, j_from) = (i + same, j + same);
                }
                i += same;
                j += same;
            } else if self.longest[(i + 1) * width + j] >= self.longest[i * width + j + 1] {
                i += 1;
            } else {
                j += 1;
            }
        }
        self.push(
            false,
            olds.start + i_from..olds.end,
            news.start + j_from..news.end,
        );
    }

    /// The length of the longest common subsequence from each pair of positions on.
    fn find_longest(&mut self, one: &[u32], other: &[u32]) {
        let width = other.len() + 1;
        self.longest.clear();
        self.longest.resize((one.len() + 1) * width, 0);
        for (i, key) in one.iter().enumerate().rev() {
            let (here, below) = self.longest[i * width..].split_at_mut(width);
            let mut right = 0;
            for (j, other) in other.iter().enumerate().rev() {
                right = if key == other {
                    // At most `WORDS`, which fits into a byte.
                    below[j + 1] + 1
                } else {
                    below[j].max(right)
                };
                here[j] = right;
            }
        }
    }
}

fn common<'a>(one: impl Iterator<Item = &'a u32>, other: impl Iterator<Item = &'a u32>) -> usize {
    one.zip(other)
        .take_while(|(one, other)| one == other)
        .count()
}
