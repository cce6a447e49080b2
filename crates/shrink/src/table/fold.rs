//! Abbreviates repeated rows to their first cell.

use std::collections::HashMap;

use super::lines::Lines;

/// The least number of bytes saved that is worth an explanation.
const LEAST: usize = 48;

/// The same rows, with a row that equals the last one with the same first cell abbreviated to that cell. `None` if that
/// saves little.
pub(super) fn shorten(rows: &Lines) -> Option<Lines> {
    let mut last: HashMap<&str, &str> = HashMap::new();
    let mut short = Lines::default();
    for (at, row) in rows.iter().enumerate() {
        let out = short.text();
        match rows.first(at) {
            Some("") | Some("-") => out.push_str(row),
            Some(first) if last.insert(first, row) == Some(row) => out.push_str(first),
            Some(_) => out.push_str(row),
            // A lone cell would be read as an abbreviated row.
            None if row != "-" && !row.starts_with('!') => {
                last.remove(row);
                out.push_str(row);
                out.push(',');
            }
            None => out.push_str(row),
        }
        short.end(None);
    }
    let saved = rows.bytes().checked_sub(short.bytes())?;
    (saved >= LEAST && saved * 8 >= rows.bytes()).then_some(short)
}

/// The cells of a group, per row.
#[derive(Debug)]
pub(super) struct Folded(Lines);

impl Folded {
    pub(super) fn new(lines: Lines) -> Self {
        Self(lines)
    }

    pub(super) fn write(&self, row: usize, out: &mut String) {
        let cells = self.0.get(row);
        out.push('{');
        out.push_str(if cells == "-" { "" } else { cells });
        out.push('}');
    }
}
