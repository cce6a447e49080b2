//! Tables in the cells of a column.

use super::cell::Place;
use super::level::{Bracket, Entry, Rows};
use super::lines::Lines;
use super::page::Page;

/// Tables in the cells of a column.
pub(super) struct Inner {
    pub(super) page: Page,
    pub(super) cells: Lines,
}

/// The cells of a column with tables in them.
pub(super) fn cells_of(rows: &Rows<'_>, lines: &Lines) -> Lines {
    let mut cells = Lines::default();
    let mut next = 0;
    for entry in &rows.entries {
        let out = cells.text();
        match (entry, rows.bracket) {
            (Entry::Cell(cell), _) => cell.write(Place::Nested, out),
            (Entry::Rows(count), Bracket::Square) => {
                out.push('[');
                for at in 0..*count {
                    out.push_str(if at > 0 { ";" } else { "" });
                    out.push_str(lines.get(next + at));
                }
                out.push(']');
                next += count;
            }
            (Entry::Rows(count), Bracket::Curly) => {
                let row = lines.get(next);
                out.push('{');
                out.push_str(if row == "-" { "" } else { row });
                out.push('}');
                next += count;
            }
        }
        cells.end(None);
    }
    cells
}
