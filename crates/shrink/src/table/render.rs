//! Encodes a level: the line of columns, and the rows.

use super::cell::{Cell, Place};
use super::fold;
use super::header::{Header, SpecText};
use super::inner::{Inner, cells_of};
use super::level::{Bracket, Leaves, Level};
use super::naming::Naming;
use super::page::{Marks, Page};
use super::plan::{Parent, Scope, is_spaced, specs};
use super::scale::Scale;
use super::template::{ColumnSpec, Other, Part};
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
    let mut specs = specs(level, &scope, context)?;
    let mut marks = Marks::default();
    let spec_texts = columns(&scope, &mut specs, &mut marks);
    let inner = inner(&scope, &specs, &mut marks, context)?;
    let mut writer = Writer {
        scope: &scope,
        specs: &specs,
        inner: &inner,
        folded: (0..leaves.groups.len()).map(|_| None).collect(),
        spaced: match context.level {
            Strength::Safe => vec![false; specs.len()],
            _ => spaced(&leaves, &specs, context),
        },
        place,
    };
    if context.level >= Strength::Max {
        writer.fold(level, &users(&specs, &inner), context)?;
    }
    marks.repeats |= writer.folded.iter().any(Option::is_some);
    let header = Header {
        spec_texts: &spec_texts,
        folded: &writer.folded,
        inner: &inner,
    };
    let header = header.write(&level.columns);
    let rows = writer.rows(level, context)?;
    Some(Page {
        header,
        rows,
        repeats: false,
        uses: uses(&specs, &inner),
        marks,
    })
}

/// The written spec of each column. A column whose spec cannot be written becomes plain.
fn columns(scope: &Scope<'_, '_>, specs: &mut [ColumnSpec<'_>], marks: &mut Marks) -> Vec<String> {
    let mut spec_texts = Vec::with_capacity(specs.len());
    for (leaf, spec) in scope.leaves.all.iter().zip(specs) {
        let words = match SpecText::of(spec, leaf.group, scope) {
            Some(words) => words,
            None => {
                *spec = ColumnSpec::Plain;
                SpecText::default()
            }
        };
        marks.join(words.marks);
        marks.absent |= words.marks.usually && leaf.cells.contains(&Cell::Absent);
        spec_texts.push(words.text);
    }
    spec_texts
}

/// The tables in the cells of this level.
fn inner<'l>(
    scope: &Scope<'_, 'l>,
    specs: &[ColumnSpec<'_>],
    marks: &mut Marks,
    context: &Context,
) -> Option<Vec<Inner>> {
    let free: Vec<bool> = specs.iter().map(|spec| used(spec).is_empty()).collect();
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
fn uses(specs: &[ColumnSpec<'_>], inner: &[Inner]) -> Vec<(usize, usize)> {
    let own = specs.iter().flat_map(used);
    let of_inner = inner.iter().flat_map(|inner| &inner.page.uses);
    let further = of_inner.filter(|(up, _)| *up > 0);
    own.chain(further.map(|(up, leaf)| (up - 1, *leaf)))
        .collect()
}

fn spaced(leaves: &Leaves<'_>, specs: &[ColumnSpec<'_>], context: &Context) -> Vec<bool> {
    let scale = Scale::new(context);
    let both = leaves.all.iter().zip(specs);
    both.map(|(leaf, spec)| is_spaced(leaf.cells, spec, &scale))
        .collect()
}

/// The columns that this one is derived from.
fn used(spec: &ColumnSpec<'_>) -> Vec<(usize, usize)> {
    let ColumnSpec::Template(template) = spec else {
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
fn users(specs: &[ColumnSpec<'_>], inner: &[Inner]) -> Vec<(Option<usize>, usize)> {
    let mut users = Vec::new();
    for (at, spec) in specs.iter().enumerate() {
        let others = used(spec).into_iter().filter(|(up, _)| *up == 0);
        users.extend(others.map(|(_, leaf)| (Some(at), leaf)));
    }
    for inner in inner {
        let others = inner.page.uses.iter().filter(|(up, _)| *up == 1);
        users.extend(others.map(|(_, leaf)| (None, *leaf)));
    }
    users
}
