//! Chooses the spec of each column so that the rows get short.

use super::affix;
use super::cell::Cell;
use super::derive;
use super::level::{Leaves, Level};
use super::mask;
use super::naming::Naming;
use super::scale::Scale;
use super::template::{ColumnSpec, Other, Template};
use crate::context::{Context, Level as Strength};

/// A level and its enclosing levels.
pub(super) struct Scope<'s, 'l> {
    pub(super) leaves: &'s Leaves<'l>,
    pub(super) naming: &'s Naming<'l>,
    pub(super) up: Option<Parent<'s, 'l>>,
}

/// The enclosing level.
#[derive(Clone, Copy)]
pub(super) struct Parent<'s, 'l> {
    pub(super) scope: &'s Scope<'s, 'l>,
    /// The row of the enclosing level that contains each of our rows.
    pub(super) rows: &'s [u32],
    /// The group of the enclosing level that contains our column.
    pub(super) group: usize,
    /// The columns of the enclosing level that ours may be derived from: those that are not derived themselves.
    pub(super) free: &'s [bool],
}

impl<'l> Scope<'_, 'l> {
    /// The value of a column in the row that is, or contains, row `row` of this level.
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

    /// Appends the text of another column in this row; `false` if it has none.
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

/// The specs of the columns of a level; `None` if the call is cancelled.
pub(super) fn specs<'l>(
    level: &'l Level<'l>,
    scope: &Scope<'_, 'l>,
    context: &Context,
) -> Option<Vec<ColumnSpec<'l>>> {
    let scale = Scale::new(context);
    let leaves = &scope.leaves.all;
    let mut specs: Vec<ColumnSpec<'l>> = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        if context.stop.is_set() {
            return None;
        }
        specs.push(always(leaf.cells, level.irregular.len()));
    }
    if context.level >= Strength::Max {
        derive::derive(scope, &mut specs, &scale, context)?;
    }
    if context.level >= Strength::Balanced {
        for (leaf, spec) in leaves.iter().zip(&mut specs) {
            if context.stop.is_set() {
                return None;
            }
            if let ColumnSpec::Plain = spec {
                (*spec, _) = alone(leaf.cells, &scale, context);
            }
        }
    }
    Some(specs)
}

/// A value that all rows have, except irregular ones.
fn always<'l>(cells: &'l [Cell<'l>], irregular: usize) -> ColumnSpec<'l> {
    let Some(first) = cells.iter().find(|cell| **cell != Cell::Absent) else {
        return ColumnSpec::Plain;
    };
    let mut others = irregular;
    for cell in cells {
        if cell != first {
            if *cell != Cell::Absent || others == 0 {
                return ColumnSpec::Plain;
            }
            others -= 1;
        }
    }
    ColumnSpec::Always(first.clone())
}

/// The number of tokens that a spec saves for a column.
pub(super) fn saving(cells: &[Cell<'_>], context: &Context) -> i64 {
    let scale = Scale::new(context);
    match (always(cells, 0), cells.first()) {
        (ColumnSpec::Always(_), Some(first)) => {
            (cells.len() as i64 - 1) * (scale.tokens(first.text()) as i64 + 1)
        }
        _ => alone(cells, &scale, context).1,
    }
}

/// Whether a space before cells with a text saves tokens, because vocabularies contain more words with a leading space.
pub(super) fn is_spaced(cells: &[Cell<'_>], spec: &ColumnSpec<'_>, scale: &Scale<'_>) -> bool {
    let texts = cells.iter().filter_map(|cell| match cell {
        Cell::Text(text) if takes_space(text) => Some(&**text),
        _ => None,
    });
    let texts: Vec<&str> = texts.collect();
    matches!(spec, ColumnSpec::Plain | ColumnSpec::Usually(_))
        && texts.len() > 1
        && scale.is_lighter_spaced(&texts)
}

/// Whether a text may be preceded by a space.
pub(super) fn takes_space(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase())
}

/// The best spec of a column that is not derived from others, and the tokens that it saves.
fn alone<'l>(cells: &'l [Cell<'l>], scale: &Scale<'_>, context: &Context) -> (ColumnSpec<'l>, i64) {
    let around = affix::find(cells, scale);
    let mut best = around.gain;
    let mut spec = match around.found {
        Some(template) => ColumnSpec::Template(template),
        None => ColumnSpec::Plain,
    };
    if context.level >= Strength::Max
        && let Some((mask, gain)) = mask::find(cells, scale)
        // A mask is harder to read, so it must save more.
        && gain > best + 2 * cells.len() as i64
    {
        best = gain;
        spec = ColumnSpec::Mask(mask);
    }
    if let Some((cell, gain)) = usual(cells, scale)
        && gain > best
    {
        best = gain;
        spec = ColumnSpec::Usually(cell.clone());
    }
    (spec, best)
}

/// A value that most rows have, or the only one besides `null`, and the tokens saved by writing it once.
fn usual<'l>(cells: &'l [Cell<'l>], scale: &Scale<'_>) -> Option<(&'l Cell<'l>, i64)> {
    let absent = cells.iter().filter(|cell| **cell == Cell::Absent).count();
    let here = cells.len() - absent;
    let value = only_text(cells).or_else(|| most_frequent(cells))?;
    let count = cells.iter().filter(|cell| *cell == value).count();
    let tokens = scale.tokens(value.text()) as i64;
    // An empty cell is not easier to read than a short word, so it must save more.
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

/// The only text of a column whose other values are `null`.
fn only_text<'l>(cells: &'l [Cell<'l>]) -> Option<&'l Cell<'l>> {
    let mut texts = cells
        .iter()
        .filter(|cell| !cell.is_null() && **cell != Cell::Absent);
    let first = texts.next()?;
    texts.all(|cell| cell == first).then_some(first)
}

/// The only value that may be in more than half of the rows (Boyer-Moore majority vote).
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

/// A template with text around the cell, and the tokens that it saves.
#[derive(Default)]
pub(super) struct Around {
    pub(super) found: Option<Template>,
    pub(super) gain: i64,
}
