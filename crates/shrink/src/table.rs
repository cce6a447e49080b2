//! Tables in few tokens: the columns once, then a line per row.

mod affix;
#[cfg(test)]
mod alone;
mod cell;
mod derive;
mod fold;
mod groups;
mod header;
mod inner;
pub(crate) mod level;
mod lines;
mod mask;
mod naming;
mod page;
mod plan;
pub(crate) mod read;
mod render;
mod scale;
mod template;
mod writer;

use crate::context::Context;
use level::Level;
use render::render;

pub(crate) use cell::{Cell, Place, write_text};
pub(crate) use page::{Marks, Page};

/// Encodes a level; `None` if the call is cancelled.
pub(crate) fn write_level<'l>(
    level: &'l Level<'l>,
    place: Place,
    context: &Context,
) -> Option<Page> {
    render(level, None, place, context)
}

/// The number of tokens saved by writing the common part of a column's values once.
pub(crate) fn saving(cells: &[Cell<'_>], context: &Context) -> i64 {
    plan::saving(cells, context)
}
