//! What must hold for all cells of a column.

use std::borrow::Cow;

use super::super::series::Series;
use super::super::spec::{Affix, Model};
use crate::context::Level;

/// What needs no weighing: all cells are the same, or they count.
pub(super) fn fixed<'a>(cells: &[&'a str], level: Level) -> Option<Model<'a>> {
    let first = *cells.first()?;
    if cells.iter().all(|cell| *cell == first) {
        let sayable = !first.contains(['*', '{']);
        return sayable.then_some(Model::Constant(Cow::Borrowed(first)));
    }
    match level {
        Level::Safe => None,
        _ => series(cells),
    }
}

/// A cell in two, if it has this in the middle; nothing is cut into nothing.
pub(super) fn cut(cell: &str, joint: char) -> Option<(&str, &str)> {
    match split(cell, joint) {
        Some((left, right)) if !left.is_empty() && !right.is_empty() => Some((left, right)),
        None if cell.is_empty() => Some(("", "")),
        _ => None,
    }
}

/// What stands before and after the first joint. Joints are ASCII, and cells are too short for a search that
/// is prepared.
pub(in super::super) fn split(cell: &str, joint: char) -> Option<(&str, &str)> {
    let joint = u8::try_from(joint).ok().filter(u8::is_ascii)?;
    let at = cell.bytes().position(|byte| byte == joint)?;
    Some((&cell[..at], &cell[at + 1..]))
}

/// Whether a way to write a column that some of its cells suggested is right for all of them.
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

/// Numbers that count, with the same around them.
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
    // No number is empty.
    let number = |cell: &&'a str| affix.strip(cell).unwrap_or("");
    let series = Series::of(cells.iter().map(number))?;
    Some(Model::Series(affix, series))
}
