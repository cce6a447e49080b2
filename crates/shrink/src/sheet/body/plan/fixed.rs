//! Models that must hold for all cells of a column.

use std::borrow::Cow;

use super::super::series::Series;
use super::super::spec::{Affix, Model};
use crate::context::Level;

/// The model of a column that needs no cost estimate: all cells are equal, or they are a series.
pub(super) fn fixed<'a>(cells: &[&'a str], level: Level) -> Option<Model<'a>> {
    let first = *cells.first()?;
    if cells.iter().all(|cell| *cell == first) {
        let plain = !first.contains(['*', '{']);
        return plain.then_some(Model::Constant(Cow::Borrowed(first)));
    }
    match level {
        Level::Safe => None,
        _ => series(cells),
    }
}

/// Cuts a cell at its first joint; both parts must be non-empty, or the cell empty.
pub(super) fn cut(cell: &str, joint: char) -> Option<(&str, &str)> {
    match split(cell, joint) {
        Some((left, right)) if !left.is_empty() && !right.is_empty() => Some((left, right)),
        None if cell.is_empty() => Some(("", "")),
        _ => None,
    }
}

/// The text before and after the first joint. Joints are ASCII, and cells are too short for a prepared search.
pub(in super::super) fn split(cell: &str, joint: char) -> Option<(&str, &str)> {
    let joint = u8::try_from(joint).ok().filter(u8::is_ascii)?;
    let at = cell.bytes().position(|byte| byte == joint)?;
    Some((&cell[..at], &cell[at + 1..]))
}

/// Whether a model that was chosen from a sample holds for all cells.
pub(super) fn holds(parts: &[(Option<char>, Model<'_>)], cells: &[&str]) -> bool {
    let mut spelled = String::new();
    let mut fits = |row: usize, cell: &str, model: &Model<'_>| match model {
        Model::Constant(value) => value == cell,
        Model::Series(affix, series) => {
            spelled.clear();
            let number = affix.strip(cell);
            series.write(row, &mut spelled).is_some() && number == Some(&*spelled)
        }
        _ => true,
    };
    cells.iter().enumerate().all(|(row, cell)| {
        let mut rest = *cell;
        parts.iter().enumerate().all(|(i, (_, model))| {
            let joint = parts.get(i + 1).and_then(|(joint, _)| *joint);
            let Some(joint) = joint else {
                return fits(row, rest, model);
            };
            let Some((left, right)) = cut(rest, joint) else {
                return false;
            };
            rest = right;
            fits(row, left, model)
        })
    })
}

/// A series of numbers with a common prefix and suffix.
fn series<'a>(cells: &[&'a str]) -> Option<Model<'a>> {
    let first = *cells.first()?;
    let end = first.rfind(|c: char| c.is_ascii_digit())? + 1;
    let head = first.get(..end)?;
    let start = head.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let affix = Affix {
        before: Cow::Borrowed(first.get(..start)?),
        after: Cow::Borrowed(first.get(end..)?),
    };
    if affix.before.contains(['*', '{']) || affix.after.contains(['*', '{']) {
        return None;
    }
    // The empty string is not a number.
    let number = |cell: &&'a str| affix.strip(cell).unwrap_or("");
    let series = Series::of(cells.iter().map(number))?;
    Some(Model::Series(affix, series))
}
