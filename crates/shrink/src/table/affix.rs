//! The common prefix and suffix of all values of a column.

use super::cell::Cell;
use super::plan::Around;
use super::scale::{Scale, materials, sample};
use super::template::Template;
use crate::edge::{same_end, same_start};
use crate::lexeme::{is_number, is_word};

/// The text around all values of a column, cut where it saves most.
pub(super) fn find(cells: &[Cell<'_>], scale: &Scale<'_>) -> Around {
    search(cells, scale).unwrap_or_default()
}

fn search(cells: &[Cell<'_>], scale: &Scale<'_>) -> Option<Around> {
    let (texts, are_numbers) = materials(cells)?;
    // A number must keep at least one digit: the empty string is not a number, and quoted it would be a text.
    let keep = usize::from(are_numbers);
    if let Some(around) = fit(&texts, are_numbers, keep, scale) {
        return Some(around);
    }
    let most = majority(&texts)?;
    let mut around = fit(&most, are_numbers, keep, scale)?;
    around.gain -= 2 * (texts.len() - most.len()) as i64;
    (around.gain > 1).then_some(around)
}

/// The texts that share a prefix or suffix, if most but not all do.
fn majority<'t>(texts: &[&'t str]) -> Option<Vec<&'t str>> {
    let some = sample(texts);
    if some.len() < 4 {
        return None;
    }
    let starts = some
        .windows(2)
        .map(|pair| &pair[0][..common_start(pair[0], pair[1])]);
    let ends = some.windows(2).map(common_end);
    let is_most = |count: usize, all: usize| count < all && count * 4 >= all * 3;
    for (is_start, edge) in starts
        .map(|edge| (true, edge))
        .chain(ends.map(|edge| (false, edge)))
    {
        let has = |text: &&&str| {
            if is_start {
                text.starts_with(edge)
            } else {
                text.ends_with(edge)
            }
        };
        let first = some.iter().filter(has).count();
        if edge.len() < 3 || first * 4 < some.len() * 3 {
            continue;
        }
        let most: Vec<&str> = texts.iter().filter(has).copied().collect();
        if is_most(most.len(), texts.len()) {
            return Some(most);
        }
    }
    None
}

/// The length of the common prefix of two texts.
fn common_start(one: &str, other: &str) -> usize {
    one.floor_char_boundary(same_start(one, other))
}

/// The text around all of these texts.
fn fit(texts: &[&str], are_numbers: bool, keep: usize, scale: &Scale<'_>) -> Option<Around> {
    if texts.len() < 2 {
        return None;
    }
    let (before, after) = common(texts, keep)?;
    // If all cells became empty, their values would be invisible.
    let all_empty = texts.iter().all(|text| text.len() == before);
    if before + after < 2 || all_empty {
        return None;
    }
    let some = sample(texts);
    let plain = scale.weigh(some.iter().copied());
    let mut best = (plain, 0, 0);
    for cut in cuts(&some, before, Edge::Start) {
        let tokens = scale.weigh(some.iter().map(|text| &text[cut..]));
        if tokens < best.0 {
            best = (tokens, cut, 0);
        }
    }
    let before = best.1;
    for cut in cuts(&some, after, Edge::End) {
        let tokens = scale.weigh(some.iter().map(|text| &text[before..text.len() - cut]));
        if tokens < best.0 {
            best = (tokens, before, cut);
        }
    }
    let (tokens, before, after) = best;
    let first = texts.first()?;
    let (start, end) = (&first[..before], &first[first.len() - after..]);
    let header = scale.tokens(start) + scale.tokens(end) + 1;
    let saved = (plain - tokens) * texts.len() as u64 / some.len() as u64;
    let gain = saved as i64 - header as i64;
    if gain < 2 {
        return None;
    }
    let rest = |text: &&str| text[before..text.len() - after] == *"-";
    if are_numbers && texts.iter().any(rest) {
        return None;
    }
    let mut template = Template::around(start, end);
    template.quoted = !are_numbers && texts.iter().any(|text| is_number(text) || is_word(text));
    Some(Around {
        found: Some(template),
        gain,
    })
}

/// The lengths of the common prefix and suffix of all texts, leaving at least `keep` bytes of each.
fn common(texts: &[&str], keep: usize) -> Option<(usize, usize)> {
    let (first, others) = texts.split_first()?;
    let mut before = first.len();
    let mut after = first.len();
    let mut shortest = first.len();
    for text in others {
        shortest = shortest.min(text.len());
        before = before.min(same_start(first, text));
        after = after.min(same_end(first, text));
        if before + after == 0 {
            return None;
        }
    }
    before = before.min(shortest.checked_sub(keep)?);
    before = first.floor_char_boundary(before);
    after = after.min(shortest.checked_sub(keep + before)?);
    after = first.len() - first.ceil_char_boundary(first.len() - after);
    Some((before, after))
}

/// The common suffix of all texts.
pub(super) fn common_end<'t>(texts: &[&'t str]) -> &'t str {
    let Some((first, others)) = texts.split_first() else {
        return "";
    };
    let mut length = first.len();
    for text in others {
        length = length.min(same_end(first, text));
    }
    &first[first.ceil_char_boundary(first.len() - length)..]
}

#[derive(Clone, Copy)]
enum Edge {
    Start,
    End,
}

/// The positions to try: the longest natural one and the longest possible one. The natural one is first, so that it
/// wins if the cost is the same.
fn cuts(texts: &[&str], most: usize, edge: Edge) -> Vec<usize> {
    let natural = (1..=most).rev().find(|cut| {
        texts.iter().all(|text| match edge {
            Edge::Start => is_natural(text, *cut),
            Edge::End => is_natural(text, text.len() - cut),
        })
    });
    let mut cuts: Vec<usize> = natural.into_iter().collect();
    if most > 0 && natural != Some(most) {
        cuts.push(most);
    }
    cuts
}

/// Whether this position is inside neither a word nor a number.
fn is_natural(text: &str, at: usize) -> bool {
    if !text.is_char_boundary(at) {
        return false;
    }
    let class = |c: char| match c {
        c if c.is_numeric() => 1,
        c if c.is_alphabetic() => 2,
        _ => 0,
    };
    let before = text[..at].chars().next_back().map(class);
    let after = text[at..].chars().next().map(class);
    match (before, after) {
        (Some(before), Some(after)) => before == 0 || after == 0 || before != after,
        _ => true,
    }
}
