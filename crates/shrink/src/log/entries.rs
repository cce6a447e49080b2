//! Selects the templates to write, and assigns their letters.

use super::assign::{Assigned, NONE};
use super::chain::chains;
use super::mark::key;
use super::template::{Part, add};
use super::weigh::weigh;

/// A template as written, for one or more lines.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entry {
    pub(crate) parts: Vec<Part>,
    /// The letter. Empty if its lines begin with a space instead.
    pub(crate) key: String,
    pub(crate) fields: usize,
    pub(crate) clocked: bool,
    /// How many lines it covers; 0 if it is part of another entry.
    pub(crate) lines: usize,
    /// How often it is used; 0 if it does not save tokens, so that its lines are copied verbatim.
    pub(crate) uses: u32,
}

impl Entry {
    pub(crate) fn is_written(&self) -> bool {
        self.uses > 0 && self.lines > 0
    }
}

/// One entry per template.
pub(crate) fn entries(templates: &[Vec<Part>], assigned: &Assigned, chained: bool) -> Vec<Entry> {
    let uses: Vec<u32> = templates
        .iter()
        .zip(&assigned.uses)
        .map(|(parts, uses)| if pays(parts, *uses) { *uses } else { 0 })
        .collect();
    let count = templates.len();
    let clocked = |parts: &[Part]| parts.contains(&Part::Clock);
    let alone = || (0..count as u32).map(|id| vec![id]).collect();
    let chains: Vec<Vec<u32>> = if chained {
        let used = |id: &u32| uses.get(*id as usize).is_some_and(|uses| *uses > 0);
        let ids = assigned.template.iter();
        let sequence: Vec<u32> = ids.map(|id| if used(id) { *id } else { NONE }).collect();
        chains(&sequence, count, |id| !clocked(&templates[id]))
    } else {
        alone()
    };
    let entry = |(chain, uses): (Vec<u32>, u32)| {
        let mut parts: Vec<Part> = Vec::new();
        for (at, id) in chain.iter().enumerate() {
            if at > 0 {
                add(&mut parts, Part::Text("\n".to_owned()));
            }
            let own = templates[*id as usize].iter().cloned();
            own.for_each(|part| add(&mut parts, part));
        }
        Entry {
            key: String::new(),
            fields: parts.iter().filter(|part| part.is_field()).count(),
            clocked: clocked(&parts),
            lines: chain.len(),
            uses,
            parts,
        }
    };
    chains.into_iter().zip(uses).map(entry).collect()
}

/// Whether a template saves more tokens than its line in the legend costs.
fn pays(parts: &[Part], uses: u32) -> bool {
    let said = parts.iter().map(|part| match part {
        Part::Text(text) => i64::from(weigh(text.as_bytes())),
        Part::Field => 0,
        Part::Right(_) | Part::Tab(_) => 1,
        // At least the date is shared with all other lines.
        Part::Clock => 6,
    });
    let said: i64 = said.sum();
    i64::from(uses) * (said - 1) > said + 4
}

/// Assigns letters to all written templates. `left` is the number of lines without a template.
pub(crate) fn assign_letters(entries: &mut [Entry], assigned: &Assigned, left: u32) {
    let mut first_use = vec![usize::MAX; entries.len()];
    for (line, id) in assigned.template.iter().enumerate() {
        if let Some(first) = first_use.get_mut(*id as usize) {
            *first = (*first).min(line);
        }
    }
    // The most used template without a timestamp may omit its letter, if it has enough more uses than there are lines
    // without a template, which are marked instead.
    let plain = (0..entries.len())
        .filter(|id| !entries[*id].clocked && entries[*id].fields > 0 && entries[*id].is_written());
    let spare = plain.max_by_key(|id| (entries[*id].uses, std::cmp::Reverse(*id)));
    let spare = spare.filter(|id| entries[*id].uses > left + 4);
    for clocked in [true, false] {
        let written = |id: &usize| entries[*id].is_written() && entries[*id].clocked == clocked;
        let mut order: Vec<usize> = (0..entries.len())
            .filter(written)
            .filter(|id| spare != Some(*id))
            .collect();
        // By first appearance; by use if there are more templates than letters.
        order.sort_by_key(|id| first_use[*id]);
        if order.len() > 26 {
            order.sort_by_key(|id| std::cmp::Reverse(entries[*id].uses));
        }
        for (rank, id) in order.into_iter().enumerate() {
            entries[id].key = key(rank, clocked);
        }
    }
}
