//! Encodes a level: the line of columns, and the rows.

use super::cell::{Cell, Place};
use super::fold;
use super::header::{Header, Said};
use super::inner::{Inner, cells_of};
use super::level::{Bracket, Leaves, Level};
use super::naming::Naming;
use super::page::{Marks, Page};
use super::plan::{Parent, Scope, is_spaced, says};
use super::scale::Scale;
use super::template::{Other, Part, Say};
use super::writer::Writer;
use crate::context::{Context, Level as Strength};

/// Encodes a level; `None` if the call is cancelled.
pub(super) fn render<'l>(
    level: &'l Level<'l>,
    up: Option<Parent<'_, 'l>>,
    place: Place,
    context: &Context,
) -> Option<Page> {
    let leaves = Leaves::of(level);
    let naming = match context.level {
        Strength::Max => Naming::of(&leaves),
        Strength::Safe | Strength::Balanced => Naming::default(),
    };
    let scope = Scope {
        leaves: &leaves,
        naming: &naming,
        up,
    };
    let mut says = says(level, &scope, context)?;
    let mut marks = Marks::default();
    let said = columns(&scope, &mut says, &mut marks);
    let inner = inner(&scope, &says, &mut marks, context)?;
    let mut writer = Writer {
        scope: &scope,
        says: &says,
        inner: &inner,
        folded: (0..leaves.groups.len()).map(|_| None).collect(),
        spaced: match context.level {
            Strength::Safe => vec![false; says.len()],
            _ => spaced(&leaves, &says, context),
        },
        place,
    };
    if context.level >= Strength::Max {
        writer.fold(level, &users(&says, &inner), context)?;
    }
    marks.repeats |= writer.folded.iter().any(Option::is_some);
    let header = Header {
        said: &said,
        folded: &writer.folded,
        inner: &inner,
    };
    let header = header.write(&level.columns);
    let rows = writer.rows(level, context)?;
    Some(Page {
        header,
        rows,
        repeats: false,
        uses: uses(&says, &inner),
        marks,
    })
}

/// The written spec of each column. A column whose spec cannot be written becomes plain.
fn columns(scope: &Scope<'_, '_>, says: &mut [Say<'_>], marks: &mut Marks) -> Vec<String> {
    let mut said = Vec::with_capacity(says.len());
    for (leaf, say) in scope.leaves.all.iter().zip(says) {
        let words = match Said::of(say, leaf.group, scope) {
            Some(words) => words,
            None => {
                *say = Say::Plain;
                Said::default()
            }
        };
        marks.join(words.marks);
        marks.absent |= words.marks.usually && leaf.cells.contains(&Cell::Absent);
        said.push(words.text);
    }
    said
}

/// The tables in the cells of this level.
fn inner<'l>(
    scope: &Scope<'_, 'l>,
    says: &[Say<'_>],
    marks: &mut Marks,
    context: &Context,
) -> Option<Vec<Inner>> {
    let free: Vec<bool> = says.iter().map(|say| used(say).is_empty()).collect();
    let mut inner = Vec::with_capacity(scope.leaves.rows.len());
    for (group, rows) in &scope.leaves.rows {
        let parents = rows.parents();
        let up = Parent {
            scope,
            rows: &parents,
            group: *group,
            free: &free,
        };
        let mut page = render(&rows.level, Some(up), Place::Nested, context)?;
        if context.level >= Strength::Max
            && let Some(shorter) = fold::shorten(&page.rows)
        {
            page.rows = shorter;
            page.repeats = true;
            marks.repeats = true;
        }
        marks.join(page.marks);
        marks.list |= rows.bracket == Bracket::Square;
        let cells = cells_of(rows, &page.rows);
        inner.push(Inner { page, cells });
    }
    Some(inner)
}

/// The columns that columns of this level, or of tables in its cells, are derived from.
fn uses(says: &[Say<'_>], inner: &[Inner]) -> Vec<(usize, usize)> {
    let own = says.iter().flat_map(used);
    let of_inner = inner.iter().flat_map(|inner| &inner.page.uses);
    let further = of_inner.filter(|(up, _)| *up > 0);
    own.chain(further.map(|(up, leaf)| (up - 1, *leaf)))
        .collect()
}

fn spaced(leaves: &Leaves<'_>, says: &[Say<'_>], context: &Context) -> Vec<bool> {
    let scale = Scale::new(context);
    let both = leaves.all.iter().zip(says);
    both.map(|(leaf, say)| is_spaced(leaf.cells, say, &scale))
        .collect()
}

/// The columns that this one is derived from.
fn used(say: &Say<'_>) -> Vec<(usize, usize)> {
    let Say::Made(template) = say else {
        return Vec::new();
    };
    let parts = template.parts.iter();
    let others = parts.filter_map(|part| match part {
        Part::Other(Other { up, leaf, .. }) => Some((*up, *leaf)),
        _ => None,
    });
    others.collect()
}

/// The columns of a level that others are derived from, each with the derived column, or `None` if that is in a table.
fn users(says: &[Say<'_>], inner: &[Inner]) -> Vec<(Option<usize>, usize)> {
    let mut users = Vec::new();
    for (at, say) in says.iter().enumerate() {
        let others = used(say).into_iter().filter(|(up, _)| *up == 0);
        users.extend(others.map(|(_, leaf)| (Some(at), leaf)));
    }
    for inner in inner {
        let others = inner.page.uses.iter().filter(|(up, _)| *up == 1);
        users.extend(others.map(|(_, leaf)| (None, *leaf)));
    }
    users
}
