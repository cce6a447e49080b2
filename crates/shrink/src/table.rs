//! A table in few tokens: the columns once, then a line for each row.

mod affix;
#[cfg(test)]
mod alone;
mod cell;
mod derive;
mod fold;
mod header;
pub(crate) mod level;
pub(crate) mod lexeme;
mod lines;
mod mask;
mod naming;
mod plan;
pub(crate) mod read;
mod render;
mod scale;
mod template;

use crate::context::Context;
use level::Level;
use render::render;

pub(crate) use cell::{Cell, Place, write_text};
pub(crate) use render::{Marks, Page};

/// A level as text; nothing if there is no time.
pub(crate) fn write_level<'l>(
    level: &'l Level<'l>,
    place: Place,
    context: &Context,
) -> Option<Page> {
    render(level, None, place, context)
}

/// How many tokens are saved by saying once what the values of a column have in common.
pub(crate) fn saving(cells: &[Cell<'_>], context: &Context) -> i64 {
    plan::saving(cells, context)
}

/// What a reader has to be told.
pub(crate) fn legend(marks: Marks) -> String {
    let words = [
        (marks.always, "k:v in every row"),
        (marks.usually, "k?:v if empty"),
        (marks.cell, "* is the cell"),
        (marks.mask, "# is a digit"),
        (marks.other, "{k} is column k"),
        (marks.form, "{k|a-b} in lower case"),
        (marks.last, "{k|/} after the last slash"),
        (marks.absent, "- is absent"),
        (marks.list, "[a;b] is a list"),
        (marks.repeats, "@ repeats by first cell"),
    ];
    let words = words.into_iter().filter(|(is_used, _)| *is_used);
    let words: Vec<&str> = words.map(|(_, words)| words).collect();
    words.join("; ")
}
