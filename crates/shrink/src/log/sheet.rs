//! Estimates, column by column, what splitting a group of lines would save.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::cells::{Role, masks};
use super::split::Group;
use super::study::Known;
use super::weigh::weigh;

/// The extra cost of a template, because a reader has to look it up.
const READING: u32 = 8;

/// The key that rows are split by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    Pattern,
    Value,
    Stem,
}

impl By {
    pub(crate) const ALL: [Self; 3] = [Self::Pattern, Self::Value, Self::Stem];

    pub(crate) fn key(self, known: &Known) -> u64 {
        match self {
            Self::Pattern => known.pattern,
            Self::Value => known.value,
            Self::Stem => known.stem,
        }
    }
}

pub(crate) struct Sheet {
    rows: usize,
    columns: Vec<Column>,
}

struct Column {
    /// For each key, the group number of each row; `None` if all rows have the same key.
    ids: [Option<Vec<u32>>; 3],
    /// The estimated tokens of each cell: all of it, its numbers, the text behind the stem.
    costs: Vec<[u32; 3]>,
}

impl Sheet {
    pub(crate) fn new(text: &str, group: &Group, rows: &[usize]) -> Self {
        let mut known: HashMap<u64, u32, Hashed> = HashMap::default();
        let mut column = |at: usize| {
            let cells: Vec<&Known> = rows.iter().map(|row| &group.row(*row)[at]).collect();
            let ids = By::ALL.map(|by| {
                let first = by.key(cells.first()?);
                if cells.iter().all(|cell| by.key(cell) == first) {
                    return None;
                }
                known.clear();
                let number = |cell: &&Known| {
                    let next = known.len() as u32;
                    *known.entry(by.key(cell)).or_insert(next)
                };
                Some(cells.iter().map(number).collect())
            });
            let [pattern, value, _] = &ids;
            let numbers = if pattern.is_none() && value.is_some() {
                changing_numbers(text, &cells)
            } else {
                None
            };
            let cost = |(row, cell): (usize, &&Known)| {
                let numbers = numbers
                    .as_ref()
                    .map_or(cell.numbers, |numbers| numbers[row]);
                [cell.whole, numbers, cell.rest]
            };
            Column {
                costs: cells.iter().enumerate().map(cost).collect(),
                ids,
            }
        };
        Self {
            rows: rows.len(),
            columns: (0..group.columns).map(&mut column).collect(),
        }
    }

    /// The group number of each row for this key; `None` if the key is the same for all rows, or if another key is
    /// better.
    pub(crate) fn ids(&self, column: usize, by: By) -> Option<&[u32]> {
        let [pattern, value, stem] = &self.columns.get(column)?.ids;
        match by {
            By::Pattern => pattern.as_deref(),
            By::Value if pattern.is_none() => value.as_deref(),
            By::Stem if pattern.is_some() => stem.as_deref(),
            _ => None,
        }
    }

    /// The tokens of the rows without a template.
    pub(crate) fn plain(&self) -> i64 {
        let costs = self.columns.iter().flat_map(|column| &column.costs);
        costs.map(|[whole, ..]| i64::from(*whole)).sum()
    }

    /// The tokens of the rows if each part has a template wherever that saves tokens.
    pub(crate) fn cost(&self, parts: &[u8], count: usize) -> i64 {
        let mut rows = vec![0_u32; count];
        for part in parts {
            rows[*part as usize] += 1;
        }
        let mut plain = vec![0_u32; count];
        let mut templated = vec![0_u32; count];
        let mut tallies = vec![Tally::default(); count];
        for column in &self.columns {
            column.add(parts, &mut tallies);
            for (part, tally) in tallies.iter_mut().enumerate() {
                plain[part] += tally.costs[0];
                templated[part] += tally.cost(rows[part]);
                *tally = Tally::default();
            }
        }
        debug_assert_eq!(self.rows, parts.len());
        // Each line has the letter of its template.
        let with_letter = (0..count).map(|part| templated[part] + rows[part] + READING);
        plain
            .iter()
            .zip(with_letter)
            .map(|(plain, templated)| i64::from(templated.min(*plain)))
            .sum()
    }
}

impl Column {
    fn add(&self, parts: &[u8], tallies: &mut [Tally]) {
        let [pattern, value, stem] = &self.ids;
        for (row, part) in parts.iter().enumerate() {
            let tally = &mut tallies[*part as usize];
            let costs = self.costs[row];
            let id = |ids: &Option<Vec<u32>>| ids.as_ref().map_or(0, |ids| ids[row]);
            let ids = match value {
                None => [0; 3],
                Some(_) => [id(pattern), id(value), id(stem)],
            };
            tally.add(ids, costs);
        }
    }
}

/// The keys and costs of one column of a part.
#[derive(Clone, Copy, Default)]
struct Tally {
    some: bool,
    first: [u32; 3],
    differ: [bool; 3],
    costs: [u32; 3],
    /// The costs of the first row.
    first_costs: [u32; 3],
}

impl Tally {
    fn add(&mut self, ids: [u32; 3], costs: [u32; 3]) {
        if !self.some {
            self.some = true;
            self.first = ids;
            self.first_costs = costs;
        }
        for at in 0..3 {
            self.differ[at] |= self.first[at] != ids[at];
            self.costs[at] += costs[at];
        }
    }

    /// The tokens of the column: its text in the legend and its fields.
    fn cost(&self, rows: u32) -> u32 {
        let [pattern, value, stem] = self.differ;
        let [whole, numbers, rest] = self.costs;
        let says = |rest: u32| self.first_costs[0].saturating_sub(rest) + 1;
        match (value, pattern, stem) {
            (false, ..) => self.first_costs[0],
            (_, false, _) => (numbers + says(self.first_costs[1])).min(whole + rows),
            (_, _, false) => (rest + rows + says(self.first_costs[2])).min(whole + rows),
            _ => whole + rows,
        }
    }
}

/// For cells that differ only in numbers: the cost of the numbers that vary.
fn changing_numbers(text: &str, cells: &[&Known]) -> Option<Vec<u32>> {
    let mut spans = Vec::new();
    let first = cells.first()?.cell;
    masks(first.of(text), &mut spans);
    if spans.len() < 2 || first.role == Role::Clock {
        return None;
    }
    let model: Vec<&str> = spans
        .iter()
        .map(|span| &first.of(text)[span.0 as usize..span.1 as usize])
        .collect();
    let mut changes = vec![false; model.len()];
    let mut costs: Vec<u32> = Vec::with_capacity(cells.len() * model.len());
    for cell in cells {
        let value = cell.cell.of(text);
        masks(value, &mut spans);
        if spans.len() != model.len() {
            return None;
        }
        for (at, span) in spans.iter().enumerate() {
            let number = &value[span.0 as usize..span.1 as usize];
            changes[at] |= number != model[at];
            costs.push(weigh(number.as_bytes()) + 1);
        }
    }
    let sum = |row: &[u32]| {
        row.iter()
            .zip(&changes)
            .filter(|(_, changes)| **changes)
            .map(|(cost, _)| cost)
            .sum()
    };
    Some(costs.chunks(model.len()).map(sum).collect())
}

/// A hasher for keys that are hashes.
pub(crate) type Hashed = BuildHasherDefault<Same>;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Same(u64);

impl Hasher for Same {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}
