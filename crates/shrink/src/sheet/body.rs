//! The rows of a table in few tokens: a line with the columns and what their cells share, then a line per row.
//!
//! Cells are separated by spaces, because vocabularies contain most words with a leading space: `a b` is two tokens
//! where `a,b` is three.

mod cell;
mod lines;
mod plan;
mod read;
mod series;
mod spec;
mod template;
mod weigh;

use std::borrow::Cow;

use self::lines::Writer;
pub(super) use self::read::read;
use self::spec::Part;
use super::rows::Rows;
use crate::context::Context;

/// A table as text.
pub(super) struct Written {
    /// The legend: a few words, or nothing.
    pub(super) legend: String,
    pub(super) lines: String,
}

/// The most cells of a table whose body has this many bytes.
const fn most_cells(body: usize) -> usize {
    body.saturating_mul(8).saturating_add(4096)
}

/// Encodes rows; `None` if the call is cancelled.
pub(super) fn write(rows: &Rows<'_>, context: &Context) -> Option<Written> {
    let width = rows.width;
    let columns: Vec<Vec<&str>> = (0..width)
        .map(|i| {
            rows.cells
                .iter()
                .skip(i)
                .step_by(width)
                .map(|cell| &**cell)
                .collect()
        })
        .collect();
    let unnamed;
    let names = match &rows.names {
        Some(names) => names,
        None => {
            unnamed = vec![Cow::Borrowed("_"); width];
            &unnamed
        }
    };
    let parts = plan::plan(&columns, names, context)?;
    let mut lines = String::with_capacity(rows.cells.len() * 4);
    spec::write(&parts, names, &mut lines);
    let mut writer = Writer::new(&parts, names, context.level);
    let mut cuts: Vec<&str> = Vec::with_capacity(parts.len());
    for (number, row) in rows.rows().enumerate() {
        if number % 256 == 0 && context.stop.is_set() {
            return None;
        }
        cuts.clear();
        cut(row, &parts, &mut cuts);
        writer.row(&cuts, &mut lines);
    }
    if lines.ends_with('\n') {
        // A final line feed would be read as the line end of the text.
        lines.push_str("\"\"");
    }
    if rows.len().saturating_mul(parts.len()) > most_cells(lines.len()) {
        return None;
    }
    Some(Written {
        legend: writer.legend(),
        lines,
    })
}

/// Cuts the cells of a row into parts.
fn cut<'r>(row: &'r [Cow<'_, str>], parts: &[Part<'_>], cuts: &mut Vec<&'r str>) {
    let mut rest = "";
    for (i, part) in parts.iter().enumerate() {
        if part.joint.is_none() {
            rest = row.get(part.column).map_or("", |cell| cell);
        }
        let next = parts.get(i + 1).and_then(|next| next.joint);
        match next.and_then(|joint| plan::split(rest, joint)) {
            Some((cell, more)) => {
                cuts.push(cell);
                rest = more;
            }
            None => cuts.push(std::mem::take(&mut rest)),
        }
    }
}
