//! What is to be said of each column, so that the rows get short.

use super::affix;
use super::cell::Cell;
use super::derive;
use super::level::{Leaves, Level};
use super::mask;
use super::naming::Naming;
use super::scale::Scale;
use super::template::{Other, Say, Template};
use crate::context::{Context, Level as Strength};

/// A level, and those that its tables stand in.
pub(super) struct Scope<'s, 'l> {
    pub(super) leaves: &'s Leaves<'l>,
    pub(super) naming: &'s Naming<'l>,
    pub(super) up: Option<Parent<'s, 'l>>,
}

/// The level further out.
#[derive(Clone, Copy)]
pub(super) struct Parent<'s, 'l> {
    pub(super) scope: &'s Scope<'s, 'l>,
    /// Which row of it each of our rows is in.
    pub(super) rows: &'s [u32],
    /// Which group of it our column is in.
    pub(super) group: usize,
    /// Which of its columns may be used in ours: those that are not made of others.
    pub(super) free: &'s [bool],
}

impl<'l> Scope<'_, 'l> {
    /// The value of a column in the row that `row` of this level is, or is in.
    pub(super) fn cell(&self, up: usize, leaf: usize, row: usize) -> Option<&'l Cell<'l>> {
        match (up, &self.up) {
            (0, _) => self.leaves.all.get(leaf)?.cells.get(row),
            (_, Some(outer)) => {
                let row = *outer.rows.get(row)? as usize;
                outer.scope.cell(up - 1, leaf, row)
            }
            (_, None) => None,
        }
    }

    /// Appends what another column has in this row; `false` if it has nothing.
    pub(super) fn write(&self, other: Other, row: usize, out: &mut String) -> bool {
        let cell = self.cell(other.up, other.leaf, row);
        match cell.and_then(Cell::material) {
            Some(text) => {
                other.form.write(text, out);
                true
            }
            None => false,
        }
    }
}

/// What to say of the columns of a level; nothing if there is no time.
pub(super) fn says<'l>(
    level: &'l Level<'l>,
    scope: &Scope<'_, 'l>,
    context: &Context,
) -> Option<Vec<Say<'l>>> {
    let scale = Scale::new(context);
    let leaves = &scope.leaves.all;
    let mut says: Vec<Say<'l>> = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        if context.stop.is_set() {
            return None;
        }
        says.push(always(leaf.cells, level.odd.len()));
    }
    if context.level >= Strength::Max {
        derive::derive(scope, &mut says, &scale, context)?;
    }
    if context.level >= Strength::Balanced {
        for (leaf, say) in leaves.iter().zip(&mut says) {
            if context.stop.is_set() {
                return None;
            }
            if let Say::Plain = say {
                (*say, _) = alone(leaf.cells, &scale, context);
            }
        }
    }
    Some(says)
}

/// A value that all rows have, except `odd` ones.
fn always<'l>(cells: &'l [Cell<'l>], odd: usize) -> Say<'l> {
    let Some(first) = cells.iter().find(|cell| **cell != Cell::Absent) else {
        return Say::Plain;
    };
    let mut others = odd;
    for cell in cells {
        if cell != first {
            if *cell != Cell::Absent || others == 0 {
                return Say::Plain;
            }
            others -= 1;
        }
    }
    Say::Always(first.clone())
}

/// How many tokens it saves to say something of a column.
pub(super) fn saving(cells: &[Cell<'_>], context: &Context) -> i64 {
    let scale = Scale::new(context);
    match (always(cells, 0), cells.first()) {
        (Say::Always(_), Some(first)) => {
            (cells.len() as i64 - 1) * (scale.tokens(first.text()) as i64 + 1)
        }
        _ => alone(cells, &scale, context).1,
    }
}

/// Whether cells with a text are better preceded by a space: a vocabulary has more words with one.
pub(super) fn is_spaced(cells: &[Cell<'_>], say: &Say<'_>, scale: &Scale<'_>) -> bool {
    let texts = cells.iter().filter_map(|cell| match cell {
        Cell::Text(text) if takes_space(text) => Some(&**text),
        _ => None,
    });
    let texts: Vec<&str> = texts.collect();
    matches!(say, Say::Plain | Say::Usually(_))
        && texts.len() > 1
        && scale.is_lighter_spaced(&texts)
}

/// Whether a text may be preceded by a space.
pub(super) fn takes_space(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase())
}

/// What can be said of a column that follows from no other, and how many tokens that saves.
fn alone<'l>(cells: &'l [Cell<'l>], scale: &Scale<'_>, context: &Context) -> (Say<'l>, i64) {
    let around = affix::find(cells, scale);
    let mut best = around.gain;
    let mut say = match around.found {
        Some(template) => Say::Made(template),
        None => Say::Plain,
    };
    if context.level >= Strength::Max
        && let Some((mask, gain)) = mask::find(cells, scale)
        // It is harder to read, so it must be worth it.
        && gain > best + 2 * cells.len() as i64
    {
        best = gain;
        say = Say::Mask(mask);
    }
    if let Some((cell, gain)) = usual(cells, scale)
        && gain > best
    {
        best = gain;
        say = Say::Usually(cell.clone());
    }
    (say, best)
}

/// A value that most rows have, or the only one besides `null`, and the tokens that are saved if it is said
/// once.
fn usual<'l>(cells: &'l [Cell<'l>], scale: &Scale<'_>) -> Option<(&'l Cell<'l>, i64)> {
    let absent = cells.iter().filter(|cell| **cell == Cell::Absent).count();
    let here = cells.len() - absent;
    let value = only_text(cells).or_else(|| most_frequent(cells))?;
    let count = cells.iter().filter(|cell| *cell == value).count();
    let tokens = scale.tokens(value.text()) as i64;
    // An empty cell is not easier to read than a short word, so it must be worth it.
    let (share, saved) = match tokens {
        0 | 1 => (4, 7),
        _ => (2, 10 * tokens - 3),
    };
    if count < 3 || (here - count) * share > here {
        return None;
    }
    let gain = (count as i64 * saved - 8 * absent as i64) / 10 - tokens - 2;
    (gain > 0).then_some((value, gain))
}

/// The text of a column that has only one, and `null` otherwise.
fn only_text<'l>(cells: &'l [Cell<'l>]) -> Option<&'l Cell<'l>> {
    let mut texts = cells
        .iter()
        .filter(|cell| !cell.is_null() && **cell != Cell::Absent);
    let first = texts.next()?;
    texts.all(|cell| cell == first).then_some(first)
}

/// If more than half of the values are the same, that one is left when others cancel each other out.
fn most_frequent<'l>(cells: &'l [Cell<'l>]) -> Option<&'l Cell<'l>> {
    let mut left = None;
    let mut votes = 0usize;
    for cell in cells.iter().filter(|cell| **cell != Cell::Absent) {
        if votes == 0 {
            left = Some(cell);
        }
        votes = if Some(cell) == left {
            votes + 1
        } else {
            votes - 1
        };
    }
    left
}

/// A text around the cell, and the tokens that it saves.
#[derive(Default)]
pub(super) struct Around {
    pub(super) found: Option<Template>,
    pub(super) gain: i64,
}
