//! Splits groups of similar lines until each has enough in common.
//!
//! The rows of a group have the same number of cells. A group is split by the column that saves most: rows with the
//! same text there, apart from numbers, form a part. The saving is estimated by the columns that become constant, so
//! the word that determines the rest of the line is found wherever it is.

use std::collections::HashMap;

use super::cells::mix;
use super::sheet::{By, Hashed, Sheet};
use super::study::Known;

/// The most parts that a group is split into at once.
const PARTS: usize = 48;
/// The number of rows that the saving is estimated from.
const LOOK: usize = 160;

/// Rows with the same number of cells.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub(crate) columns: usize,
    /// The line number of each row.
    pub(crate) lines: Vec<u32>,
    pub(crate) cells: Vec<Known>,
}

impl Group {
    pub(crate) fn new(columns: usize) -> Self {
        Self {
            columns,
            lines: Vec::new(),
            cells: Vec::new(),
        }
    }

    pub(crate) fn row(&self, at: usize) -> &[Known] {
        &self.cells[at * self.columns..(at + 1) * self.columns]
    }

    pub(crate) fn push(&mut self, line: u32, row: &[Known]) {
        self.lines.push(line);
        self.cells.extend_from_slice(row);
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = (u32, &[Known])> {
        self.lines
            .iter()
            .enumerate()
            .map(|(at, line)| (*line, self.row(at)))
    }

    /// The estimated number of tokens that one template for all rows saves.
    pub(crate) fn saves(&self, text: &str) -> i64 {
        let rows: Vec<usize> = (0..self.lines.len()).collect();
        let sheet = Sheet::new(text, self, &rows);
        sheet.plain() - sheet.cost(&vec![0; rows.len()], 1)
    }

    /// The parts of the group, if splitting saves tokens.
    pub(crate) fn split(&self, text: &str) -> Option<Vec<Self>> {
        let rows = self.lines.len();
        if rows < 4 {
            return None;
        }
        let step = rows.div_ceil(LOOK);
        let looked: Vec<usize> = (0..rows).step_by(step).collect();
        let sheet = Sheet::new(text, self, &looked);
        let mut least = sheet.cost(&vec![0; looked.len()], 1);
        let mut best = None;
        let mut seen: Vec<u64> = Vec::new();
        for column in 0..self.columns {
            for by in By::ALL {
                let Some(ids) = sheet.ids(column, by) else {
                    continue;
                };
                let Some((parts, count)) = divide(ids, by, step) else {
                    continue;
                };
                let shape = parts
                    .iter()
                    .fold(count as u64, |hash, part| mix(hash, u64::from(*part)));
                if seen.contains(&shape) {
                    continue;
                }
                seen.push(shape);
                let cost = sheet.cost(&parts, count);
                if cost < least {
                    least = cost;
                    best = Some((column, by));
                }
            }
        }
        let (column, by) = best?;
        let (parts, count) = divide(&self.ids(column, by), by, 1)?;
        let mut groups = vec![Self::new(self.columns); count];
        for (at, part) in parts.iter().enumerate() {
            groups[*part as usize].push(self.lines[at], self.row(at));
        }
        groups.retain(|group| !group.lines.is_empty());
        (groups.len() > 1).then_some(groups)
    }

    /// Numbers the keys of a column from 0.
    fn ids(&self, column: usize, by: By) -> Vec<u32> {
        let mut known: HashMap<u64, u32, Hashed> = HashMap::default();
        let mut id = |key| {
            let next = known.len() as u32;
            *known.entry(key).or_insert(next)
        };
        (0..self.lines.len())
            .map(|row| id(by.key(&self.row(row)[column])))
            .collect()
    }
}

/// The part of each row, and the number of parts. Rows with rare keys go to part 0. `step`: one in `step` rows is
/// sampled.
fn divide(ids: &[u32], by: By, step: usize) -> Option<(Vec<u8>, usize)> {
    let mut counts: Vec<(u32, u32)> = Vec::new();
    for id in ids {
        let at = *id as usize;
        while counts.len() <= at {
            counts.push((0, counts.len() as u32));
        }
        counts[at].0 += 1;
    }
    if counts.len() < 2 {
        return None;
    }
    let rows = ids.len() as u32;
    let least = match by {
        // Values that differ only in numbers form a part only if they are frequent.
        By::Value => (rows / 6).max(3),
        _ if step == 1 => 3,
        _ => 2,
    };
    let distinct = counts.len();
    counts.retain(|(count, _)| *count >= least);
    counts.sort_unstable_by_key(|(count, id)| (std::cmp::Reverse(*count), *id));
    counts.truncate(PARTS);
    let covered: u32 = counts.iter().map(|(count, _)| *count).sum();
    if covered * 4 < rows {
        return None;
    }
    let mut part_of = vec![0; distinct];
    for (part, (_, id)) in counts.iter().enumerate() {
        part_of[*id as usize] = part as u8 + 1;
    }
    let parts = ids.iter().map(|id| part_of[*id as usize]);
    Some((parts.collect(), counts.len() + 1))
}
