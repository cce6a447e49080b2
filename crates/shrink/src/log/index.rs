//! Finds candidate templates for a line by the words in which templates differ.

use std::collections::HashMap;

use super::cells::{Cell, hash, masks, pattern};
use super::sheet::Hashed;
use super::template::Template;

/// Up to this many templates are tried one by one.
const FEW: usize = 2;
/// Limit on the total number of templates in an index; a template may occur in several branches.
const ROOM: usize = 4000;

/// A decision tree over the templates of lines with the same skeleton.
pub(crate) enum Index {
    /// Templates to try, the most specific first.
    Try(Vec<u32>),
    /// Branches on the key of a column.
    Ask {
        column: usize,
        by: By,
        known: HashMap<u64, Index, Hashed>,
        others: Box<Index>,
    },
}

/// The key of a cell.
#[derive(Debug, Clone, Copy)]
pub(crate) enum By {
    Word,
    /// The text without numbers.
    Pattern,
}

/// For each template, the keys of its columns.
type Keys = HashMap<u32, Vec<[Option<u64>; 2]>>;

impl By {
    const ALL: [Self; 2] = [Self::Word, Self::Pattern];

    fn key(self, template: &Template, column: usize) -> Option<u64> {
        match self {
            Self::Word => template.word(column).map(|word| hash(word.as_bytes())),
            Self::Pattern => template.pattern(column),
        }
    }

    fn key_of(self, value: &str, room: &mut Vec<(u32, u32)>) -> u64 {
        match self {
            Self::Word => hash(value.as_bytes()),
            Self::Pattern => {
                masks(value, room);
                pattern(value, room)
            }
        }
    }
}

impl Index {
    /// Builds the index of templates, which are given in the order to try.
    pub(crate) fn new(templates: &[Template], ids: Vec<u32>) -> Self {
        let keys = ids.iter().map(|id| {
            let template = &templates[*id as usize];
            let columns = 0..template.cells();
            (
                *id,
                columns
                    .map(|column| By::ALL.map(|by| by.key(template, column)))
                    .collect(),
            )
        });
        let mut room = ROOM;
        Self::within(&keys.collect(), ids, &mut room)
    }

    fn within(keys: &Keys, ids: Vec<u32>, room: &mut usize) -> Self {
        let key = |id: &u32, by: By, column: usize| keys.get(id)?.get(column)?[by as usize];
        let columns = ids
            .iter()
            .filter_map(|id| keys.get(id))
            .map(Vec::len)
            .max()
            .unwrap_or(0);
        let mut best: Option<(usize, usize, By)> = None;
        for column in (0..columns).filter(|_| ids.len() > FEW) {
            for by in By::ALL {
                let mut counts: HashMap<u64, usize, Hashed> = HashMap::default();
                let mut free = 0;
                for id in &ids {
                    match key(id, by, column) {
                        Some(key) => *counts.entry(key).or_default() += 1,
                        None => free += 1,
                    }
                }
                let longest = counts.values().copied().max().unwrap_or(0) + free;
                if longest < best.map_or(ids.len(), |(least, ..)| least) {
                    best = Some((longest, column, by));
                }
            }
        }
        let Some((_, column, by)) = best.filter(|_| *room >= ids.len()) else {
            return Self::Try(ids);
        };
        *room -= ids.len();
        let mut values: Vec<u64> = ids.iter().filter_map(|id| key(id, by, column)).collect();
        values.sort_unstable();
        values.dedup();
        let mut known = HashMap::default();
        for one in values {
            let fits = |id: &u32| key(id, by, column).is_none_or(|key| key == one);
            let some = ids.iter().copied().filter(fits).collect();
            known.insert(one, Self::within(keys, some, room));
        }
        let free = |id: &u32| key(id, by, column).is_none();
        let others = ids.iter().copied().filter(free).collect();
        Self::Ask {
            column,
            by,
            known,
            others: Box::new(Self::within(keys, others, room)),
        }
    }

    /// The templates that a line with these cells may match. No others can match.
    pub(crate) fn candidates(
        &self,
        text: &str,
        cells: &[Cell],
        room: &mut Vec<(u32, u32)>,
    ) -> &[u32] {
        let mut index = self;
        loop {
            match index {
                Self::Try(ids) => return ids,
                Self::Ask {
                    column,
                    by,
                    known,
                    others,
                } => {
                    let cell = cells.get(*column);
                    let found = cell.and_then(|cell| known.get(&by.key_of(cell.of(text), room)));
                    index = found.unwrap_or(others);
                }
            }
        }
    }
}
