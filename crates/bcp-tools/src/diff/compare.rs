//! Matches the blocks of two files.
//!
//! Uses sorting, so that a million blocks with the same key take no longer than others, and little memory per
//! block.

use std::cmp::Ordering;

use linkspan_bcp::Hash;

/// A hash that is long enough to distinguish blocks.
pub(super) type Short = [u8; 16];

/// The first half of a hash.
pub(super) fn short(hash: &Hash) -> Short {
    let mut short = Short::default();
    short.copy_from_slice(&hash[..16]);
    short
}

/// The compared properties of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    /// The hash of its name.
    pub(super) key: Short,
    /// The hash of its content.
    pub(super) content: Short,
    /// The size of its content.
    pub(super) bytes: u64,
}

/// The change of a block of the new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It was added.
    Added,
    /// It is unchanged.
    Same,
    /// It is this old block with another content.
    Changed(u32),
    /// It is this old block at another position.
    Moved(u32),
}

/// The differences between two files.
#[derive(Debug)]
pub(super) struct Changes {
    /// The changes, by the indexes of the new blocks.
    pub(super) new: Vec<Fate>,
    /// Whether an old block has no match, by the indexes of the old blocks.
    pub(super) gone: Vec<bool>,
}

impl Changes {
    /// Whether the files have the same blocks.
    pub(super) fn is_empty(&self) -> bool {
        self.new.iter().all(|fate| *fate == Fate::Same) && !self.gone.contains(&true)
    }
}

/// Compares the blocks of two files.
pub(super) fn compare(old: &[Item], new: &[Item]) -> Changes {
    // The limit of readers fits into a `u32`.
    let mut olds: Vec<u32> = (0..).take(old.len()).collect();
    let mut news: Vec<u32> = (0..).take(new.len()).collect();
    let mut fates = vec![Fate::Added; new.len()];
    let mut gone = vec![true; old.len()];
    // Equal blocks are matched first, so that a changed block with the same key does not take their match.
    let whole = |item: &Item| (item.key, item.content);
    pairs((old, &mut olds), (new, &mut news), whole, |a, b| {
        gone[a as usize] = false;
        // Preliminary: the loop below needs the old index.
        fates[b as usize] = Fate::Moved(a);
    });
    olds.retain(|a| gone[*a as usize]);
    news.retain(|b| fates[*b as usize] == Fate::Added);
    pairs(
        (old, &mut olds),
        (new, &mut news),
        |item| item.key,
        |a, b| {
            gone[a as usize] = false;
            fates[b as usize] = Fate::Changed(a);
        },
    );
    let mut last = None;
    for fate in &mut fates {
        if let Fate::Moved(from) = *fate
            && last.is_none_or(|last| last <= from)
        {
            last = Some(from);
            *fate = Fate::Same;
        }
    }
    Changes { new: fates, gone }
}

/// Matches items with the same key in their order. The arguments are the items and the indexes to match.
fn pairs<K: Ord>(
    (old, olds): (&[Item], &mut [u32]),
    (new, news): (&[Item], &mut [u32]),
    key: impl Fn(&Item) -> K,
    mut found: impl FnMut(u32, u32),
) {
    olds.sort_unstable_by_key(|a| (key(&old[*a as usize]), *a));
    news.sort_unstable_by_key(|b| (key(&new[*b as usize]), *b));
    let (mut olds, mut news) = (olds.iter().peekable(), news.iter().peekable());
    while let (Some(a), Some(b)) = (olds.peek(), news.peek()) {
        match key(&old[**a as usize]).cmp(&key(&new[**b as usize])) {
            Ordering::Less => _ = olds.next(),
            Ordering::Greater => _ = news.next(),
            Ordering::Equal => {
                found(**a, **b);
                olds.next();
                news.next();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks given by their keys and contents.
    fn items(text: &str) -> Vec<Item> {
        let item = |word: &str| Item {
            key: [word.as_bytes()[0]; 16],
            content: [word.as_bytes()[1]; 16],
            bytes: 0,
        };
        text.split_whitespace().map(item).collect()
    }

    fn told(old: &str, new: &str) -> (Vec<Fate>, Vec<bool>) {
        let changes = compare(&items(old), &items(new));
        (changes.new, changes.gone)
    }

    #[test]
    fn an_equal_block_is_matched_before_one_with_the_same_key() {
        use Fate::{Added, Changed, Same};
        let (new, gone) = told("a1 a2 b1", "a3 a1 b1 c1");
        assert_eq!(new, [Changed(1), Same, Same, Added]);
        assert_eq!(gone, [false, false, false]);
    }

    #[test]
    fn a_block_at_another_position_has_moved() {
        use Fate::{Moved, Same};
        let (new, gone) = told("a1 b1 c1", "c1 a1 b1");
        assert_eq!(new, [Same, Moved(0), Moved(1)]);
        assert_eq!(gone, [false, false, false]);
    }

    #[test]
    fn blocks_without_a_match_are_added_or_removed() {
        let (new, gone) = told("a1 a1 a1", "b1 a1");
        assert_eq!(new, [Fate::Added, Fate::Same]);
        assert_eq!(gone, [false, true, true]);
    }

    #[test]
    fn a_million_blocks_with_the_same_key_are_compared_at_once() {
        let many = |content: u8| {
            let item = |at: u32| Item {
                key: [0; 16],
                content: [&[content; 12][..], &at.to_le_bytes()]
                    .concat()
                    .try_into()
                    .unwrap(),
                bytes: 0,
            };
            (0..1_000_000).map(item).collect::<Vec<_>>()
        };
        let changes = compare(&many(1), &many(2));
        assert_eq!(changes.new[999_999], Fate::Changed(999_999));
        assert!(!changes.gone.contains(&true));
    }
}
