//! The plainest rendering of a log: the most common prefix is written once, and so are repeated lines.

use super::assign::{Assigned, NONE};
use super::lines::Lines;
use super::template::Part;
use super::write::{Techniques, write as write_log};
use crate::context::Context;
use crate::rendering::Rendered;

/// How many lines are sampled to find the prefix.
const SAMPLE: usize = 1000;

/// `None` if lines have neither a common prefix nor repetitions.
pub(crate) fn write(lines: &Lines<'_>, context: &Context) -> Option<Rendered> {
    let prefix = common(lines);
    let mut assigned = Assigned {
        uses: vec![0],
        ..Assigned::default()
    };
    for line in 0..lines.count() {
        let range = lines.range(line);
        let id = if lines.line(line).starts_with(prefix) && !prefix.is_empty() {
            assigned.uses[0] += 1;
            assigned
                .fields
                .push((range.start + prefix.len() as u32, range.end));
            0
        } else {
            NONE
        };
        assigned.template.push(id);
    }
    let parts = vec![Part::Text(prefix.to_owned()), Part::Field];
    let techniques = Techniques {
        names: false,
        chains: false,
        headings: false,
        runs: true,
    };
    let rendered = write_log(lines, &[parts], &assigned, techniques, context)?;
    (rendered.body.len() < lines.text.len()).then_some(rendered)
}

/// The prefix that saves most.
fn common<'a>(lines: &Lines<'a>) -> &'a str {
    let mut some: Vec<&str> = lines
        .sample(SAMPLE)
        .iter()
        .map(|line| lines.line(*line as usize))
        .collect();
    some.sort_unstable();
    let mut best = (0, "");
    // The middle of the sorted sample is where most lines are similar.
    for (low, high) in [(1, 9), (2, 8), (3, 7), (4, 6)] {
        let (low, high) = (some.len() * low / 10, some.len() * high / 10);
        let (Some(one), Some(other)) = (some.get(low), some.get(high)) else {
            continue;
        };
        let prefix = common_prefix(one, other);
        let saved = prefix.len() * (high - low + 1);
        if saved > best.0 {
            best = (saved, prefix);
        }
    }
    best.1
}

/// The common prefix, cut so that it ends neither within a number or a word nor with a space.
fn common_prefix<'a>(one: &'a str, other: &str) -> &'a str {
    let same = one.char_indices().zip(other.chars());
    let same = same.take_while(|((_, one), other)| one == other);
    let end = same.last().map_or(0, |((at, one), _)| at + one.len_utf8());
    let prefix = one[..end].trim_end_matches(char::is_alphanumeric);
    prefix.trim_end_matches(' ')
}
