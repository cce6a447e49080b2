//! Patterns of texts that differ only in digits, for example timestamps.

use super::cell::Cell;
use super::scale::{Scale, materials, sample};
use super::template::Mask;
use crate::lexeme::is_number;

/// A pattern that all texts of a column match, and the tokens that it saves.
pub(super) fn find(cells: &[Cell<'_>], scale: &Scale<'_>) -> Option<(Mask, i64)> {
    let (texts, are_numbers) = materials(cells)?;
    let (first, others) = texts.split_first()?;
    if are_numbers || others.is_empty() || first.contains('#') || first.len() > 64 {
        return None;
    }
    let digits = first.bytes().filter(u8::is_ascii_digit).count();
    let marks = first.bytes().filter(u8::is_ascii_punctuation).count();
    if digits < 6 || marks < 2 {
        return None;
    }
    let first = first.as_bytes();
    let mut differs = vec![false; first.len()];
    for text in others {
        let text = text.as_bytes();
        if text.len() != first.len() {
            return None;
        }
        for (differs, (a, b)) in differs.iter_mut().zip(first.iter().zip(text)) {
            if a != b {
                if !(a.is_ascii_digit() && b.is_ascii_digit()) {
                    return None;
                }
                *differs = true;
            }
        }
    }
    // The masked part extends from the first varying number to the last one, in whole numbers.
    let mut start = differs.iter().position(|differs| *differs)?;
    let mut end = differs.iter().rposition(|differs| *differs)? + 1;
    while start > 0 && first[start - 1].is_ascii_digit() {
        start -= 1;
    }
    while first.get(end).is_some_and(u8::is_ascii_digit) {
        end += 1;
    }
    let mut pattern = texts.first()?.to_string();
    let numbers: String = pattern[start..end]
        .chars()
        .map(|c| if c.is_ascii_digit() { '#' } else { c })
        .collect();
    pattern.replace_range(start..end, &numbers);
    let mask = Mask {
        pattern,
        quoted: texts.iter().any(|text| is_number(text)),
    };
    let some = sample(&texts);
    let mut short = Vec::with_capacity(some.len());
    for text in &some {
        let mut cell = String::new();
        if !mask.unfill(text, &mut cell) {
            return None;
        }
        short.push(cell);
    }
    let plain = scale.weigh(some.iter().copied());
    let tokens = scale.weigh(short.iter().map(String::as_str));
    let saved = plain.saturating_sub(tokens) * texts.len() as u64 / some.len() as u64;
    let gain = saved as i64 - scale.tokens(&mask.pattern) as i64 - 1;
    Some((mask, gain))
}
