//! Finds what all hits can share: the most common indentation, the pattern at their columns, and repeated texts.

use std::collections::HashMap;

use super::head::{Column, WIDEST};
use super::hit::{Hit, digits, indentation};

/// The least number of texts that is worth explaining the tab in the head.
const ENOUGH: usize = 10;

/// The tokens that explaining references costs.
const TO_EXPLAIN: usize = 10;

/// The longest pattern in bytes.
const PATTERN: usize = 40;

/// Whether hits have a column, and the pattern that begins at each column, if there is one.
pub(super) fn column<'a>(rests: impl Iterator<Item = &'a str>) -> Column {
    let (mut hits, mut all) = (0_usize, 0_usize);
    let mut derived: Option<&str> = None;
    let mut lost = false;
    let rests: Vec<&str> = rests.collect();
    for rest in &rests {
        all += usize::from(rest[digits(rest)..].starts_with(':'));
        let Some(hit) = Hit::parse(rest, true).filter(|hit| hit.sign == ':') else {
            continue;
        };
        hits += 1;
        let from = hit.column.parse::<usize>().ok();
        let here = from.and_then(|from| hit.text.get(from.checked_sub(1)?..));
        match (here, derived) {
            (None, _) => lost = true,
            (Some(here), None) => derived = Some(&here[..here.floor_char_boundary(PATTERN)]),
            (Some(here), Some(pattern)) => derived = Some(common(pattern, here)),
        }
    }
    if hits < 3 || hits * 10 < all * 9 {
        return Column::None;
    }
    let Some(pattern) = derived.filter(|pattern| !lost && !pattern.is_empty()) else {
        return Column::Shown;
    };
    let fits = |rest: &&&str| Hit::parse(rest, true).is_some_and(|hit| hit.is_at(pattern));
    if rests.iter().filter(fits).count() * 3 >= hits * 2 && hits >= ENOUGH {
        Column::At(pattern.to_owned())
    } else {
        Column::Shown
    }
}

/// The most common indentation, if omitting it saves tokens.
pub(super) fn indent<'a>(rests: impl Iterator<Item = &'a str>, columns: bool) -> String {
    let mut spaces = [0_usize; WIDEST + 1];
    let mut tabs = [0_usize; WIDEST + 1];
    let hits = rests.filter_map(|rest| Hit::parse(rest, columns));
    for hit in hits.filter(|hit| hit.sign == ':' && !hit.text.is_empty()) {
        let indent = indentation(hit.text);
        let (counts, other) = if indent.starts_with(' ') {
            (&mut spaces, b'\t')
        } else {
            (&mut tabs, b' ')
        };
        let mixed = indent.as_bytes().contains(&other);
        if let Some(count) = counts.get_mut(indent.len()).filter(|_| !mixed) {
            *count += 1;
        }
    }
    // The narrowest of equally frequent widths.
    let most = |counts: &[usize]| {
        let counts = counts.iter().copied().zip((0..=WIDEST).rev());
        counts
            .max()
            .map_or((0, 0), |(count, left)| (count, WIDEST - left))
    };
    match (most(&spaces), most(&tabs)) {
        ((count, width), (fewer, _)) if count > fewer && count >= ENOUGH => " ".repeat(width),
        ((fewer, _), (count, width)) if count >= fewer && count >= ENOUGH => "\t".repeat(width),
        _ => String::new(),
    }
}

/// The texts that repeat often enough to be listed once, in order of first appearance.
pub(super) fn repeated<'a>(rests: impl Iterator<Item = &'a str>, columns: bool) -> Vec<&'a str> {
    let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
    for (index, rest) in rests.enumerate() {
        if let Some(hit) = Hit::parse(rest, columns) {
            counts.entry(hit.text).or_insert((0, index)).0 += 1;
        }
    }
    // A token has about four bytes; a reference costs about two tokens, and the definition about four.
    let gain = |text: &str, count: usize| {
        let tokens = text.trim_start().len() / 4;
        ((count - 1) * tokens).saturating_sub(2 * count + 4)
    };
    let mut worth = Vec::new();
    let mut gained = 0;
    for (text, (count, first)) in counts {
        let gain = gain(text, count);
        gained += gain;
        worth.extend((gain > 0).then_some((first, text)));
    }
    worth.sort_unstable();
    if gained > TO_EXPLAIN {
        worth.into_iter().map(|(_, text)| text).collect()
    } else {
        Vec::new()
    }
}

/// The common prefix of both texts.
fn common<'a>(one: &'a str, other: &str) -> &'a str {
    let same = one.bytes().zip(other.bytes());
    let same = same.take_while(|(one, other)| one == other).count();
    &one[..one.floor_char_boundary(same)]
}
