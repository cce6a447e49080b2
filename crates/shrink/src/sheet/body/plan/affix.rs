//! Common prefixes and suffixes of the cells of a column.

use std::borrow::Cow;

use super::super::spec::Affix;
use crate::context::Level;
use crate::edge::{same_end, same_start};
use crate::sheet::rows::is_number;

/// Prefixes and suffixes to try: those common to all cells, and those common to most. Empty cells are ignored.
pub(super) fn find<'a>(cells: &[&'a str], level: Level) -> Vec<Affix<'a>> {
    let filled = || cells.iter().copied().filter(|cell| !cell.is_empty());
    let count = filled().count();
    let Some(model) = filled().nth(count / 2).filter(|_| count > 2) else {
        return Vec::new();
    };
    // A number without its first digits is hard to read.
    let only_ends = level < Level::Max && filled().all(is_number);
    let mut before: Vec<usize> = Vec::with_capacity(count);
    let mut after: Vec<usize> = Vec::with_capacity(count);
    for cell in filled() {
        let first = if only_ends { 0 } else { beginning(model, cell) };
        before.push(first);
        after.push(ending(model, cell));
    }
    before.sort_unstable();
    after.sort_unstable();
    let mut found: Vec<Affix<'a>> = Vec::new();
    let few = count / 8;
    for spare in [0, few] {
        let (Some(first), Some(last)) = (before.get(spare), after.get(spare)) else {
            break;
        };
        let before = plain_prefix(model, *first);
        let after = plain_suffix(model, *last);
        let room = before.len() + after.len() < model.len();
        let both = if room { (before, after) } else { (before, "") };
        for (before, after) in [both, (before, ""), ("", after)] {
            let affix = Affix {
                before: Cow::Borrowed(before),
                after: Cow::Borrowed(after),
            };
            if !affix.is_empty() && !found.contains(&affix) {
                found.push(affix);
            }
        }
    }
    found
}

/// The length of the common prefix, not ending inside a word and shorter than both texts.
fn beginning(one: &str, other: &str) -> usize {
    let same = same_start(one, other);
    let mut end = same.min(one.len().min(other.len()).saturating_sub(1));
    while end > 0 && (!is_edge(one, end) || !is_edge(other, end)) {
        end -= 1;
    }
    end
}

/// The length of the common suffix, likewise.
fn ending(one: &str, other: &str) -> usize {
    let same = same_end(one, other);
    let mut length = same.min(one.len().min(other.len()).saturating_sub(1));
    let edge = |text: &str, length: usize| is_edge(text, text.len() - length);
    while length > 0 && (!edge(one, length) || !edge(other, length)) {
        length -= 1;
    }
    length
}

/// The prefix up to a character with a meaning in patterns.
fn plain_prefix(text: &str, end: usize) -> &str {
    let before = text.get(..end).unwrap_or_default();
    before.split('*').next().unwrap_or_default()
}

/// The suffix from a character with a meaning in patterns on.
fn plain_suffix(text: &str, length: usize) -> &str {
    let after = text.get(text.len() - length..).unwrap_or_default();
    after.rsplit('*').next().unwrap_or_default()
}

/// Whether a text may be cut here: at a character boundary, not inside a word.
fn is_edge(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let (Some(left), Some(right)) = (
        at.checked_sub(1).and_then(|at| bytes.get(at)),
        bytes.get(at),
    ) else {
        return text.is_char_boundary(at);
    };
    // Letters outside of ASCII count as word characters.
    let is_word = |byte: &u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
    text.is_char_boundary(at) && !(is_word(left) && is_word(right))
}
