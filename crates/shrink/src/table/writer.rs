//! Encodes the rows of a level.

use super::cell::{Cell, Place, is_free};
use super::fold::{self, Folded};
use super::groups::{Count, Group, find_groups};
use super::inner::Inner;
use super::level::{Body, Column, Level};
use super::lines::Lines;
use super::plan::{Scope, takes_space};
use super::template::ColumnSpec;
use crate::context::Context;
use crate::lexeme::quote;

/// The input for writing rows.
pub(super) struct Writer<'w, 'l> {
    pub(super) scope: &'w Scope<'w, 'l>,
    pub(super) specs: &'w [ColumnSpec<'l>],
    pub(super) inner: &'w [Inner],
    /// For each group its cells, if the group is folded into one.
    pub(super) folded: Vec<Option<Folded>>,
    /// For each column, whether a space precedes texts in it.
    pub(super) spaced: Vec<bool>,
    pub(super) place: Place,
}

/// One cell of a row.
enum Step {
    /// A column, and whether a space precedes texts in it.
    Leaf(usize, bool),
    Rows(usize),
    Folded(usize),
}

impl<'l> Writer<'_, 'l> {
    /// Folds each group whose repeated rows get shorter that way.
    pub(super) fn fold(
        &mut self,
        level: &'l Level<'l>,
        uses: &[(Option<usize>, usize)],
        context: &Context,
    ) -> Option<()> {
        let mut groups = Vec::new();
        find_groups(&level.columns, &mut Count::START.clone(), &mut groups);
        // A column that another column refers to must not lie inside a folded group.
        let mut is_used = vec![false; self.folded.len()];
        let all = &self.scope.leaves;
        for (by, leaf) in uses {
            let mut group = all.all[*leaf].group;
            while group > 0 && !by.is_some_and(|by| groups[group - 1].has(by)) {
                is_used[group] = true;
                group = all.groups[group];
            }
        }
        let mut done = 0;
        for Group {
            members,
            first,
            last,
        } in groups
        {
            let group = first.group - 1;
            if is_used[group] || group < done {
                continue;
            }
            let mut steps = Vec::new();
            self.steps(members, &mut { first }, &mut steps);
            if steps.len() < 2 {
                continue;
            }
            let mut lines = Lines::default();
            for row in 0..level.rows {
                if row % 256 == 0 && context.stop.is_set() {
                    return None;
                }
                let comma = self.row(&steps, row, Place::Nested, lines.text());
                lines.end(comma);
            }
            if let Some(shorter) = fold::shorten(&lines) {
                self.folded[group] = Some(Folded::new(shorter));
                done = last.group;
            }
        }
        Some(())
    }

    /// A line per row; `None` if the call is cancelled.
    pub(super) fn rows(&self, level: &'l Level<'l>, context: &Context) -> Option<Lines> {
        let mut steps = Vec::new();
        self.steps(&level.columns, &mut Count::START.clone(), &mut steps);
        let mut lines = Lines::default();
        let mut irregular = level.irregular.iter().peekable();
        for row in 0..level.rows {
            if row % 256 == 0 && context.stop.is_set() {
                return None;
            }
            if let Some((_, value)) = irregular.next_if(|(at, _)| *at == row) {
                lines.text().push('!');
                lines.text().push_str(value);
                lines.end(None);
                continue;
            }
            let comma = self.row(&steps, row, self.place, lines.text());
            lines.end(comma);
        }
        Some(lines)
    }

    /// The columns that have cells, in order.
    fn steps(&self, columns: &[Column<'_>], count: &mut Count, steps: &mut Vec<Step>) {
        for column in columns {
            match &column.body {
                Body::Cells(_) => {
                    if self.specs[count.leaf].has_cell() {
                        steps.push(Step::Leaf(count.leaf, self.spaced[count.leaf]));
                    }
                    count.leaf += 1;
                }
                Body::Rows(_) => {
                    steps.push(Step::Rows(count.rows));
                    count.rows += 1;
                }
                Body::Group(members) => {
                    let group = count.group;
                    count.group += 1;
                    if self.folded[group].is_some() {
                        steps.push(Step::Folded(group));
                        self.steps(members, count, &mut Vec::new());
                    } else {
                        self.steps(members, count, steps);
                    }
                }
            }
        }
    }

    /// Writes a row; returns the offset of its first comma.
    fn row(&self, steps: &[Step], row: usize, place: Place, out: &mut String) -> Option<usize> {
        let start = out.len();
        let mut end = start;
        let mut comma = None;
        for (at, step) in steps.iter().enumerate() {
            if at > 0 {
                comma = comma.or(Some(out.len() - start));
                out.push(',');
            }
            let before = out.len();
            match step {
                Step::Leaf(leaf, is_spaced) => {
                    self.cell(*leaf, row, place, out);
                    if *is_spaced && at > 0 && out.get(before..).is_some_and(takes_space) {
                        out.insert(before, ' ');
                    }
                }
                Step::Rows(rows) => out.push_str(self.inner[*rows].cells.get(row)),
                Step::Folded(group) => {
                    if let Some(folded) = &self.folded[*group] {
                        folded.write(row, out);
                    }
                }
            }
            if out.len() > before {
                end = out.len();
            }
        }
        out.truncate(end);
        match &out[start..] {
            // A row must not be empty.
            "" => out.push('-'),
            // An absent cell alone must not look like an empty row.
            "-" => out.insert(start, '='),
            _ => {}
        }
        comma.filter(|comma| start + comma < end)
    }

    fn cell(&self, leaf: usize, row: usize, place: Place, out: &mut String) {
        let Some(cell) = self.scope.leaves.all[leaf].cells.get(row) else {
            return;
        };
        let other = |other, out: &mut String| self.scope.write(other, row, out);
        match (&self.specs[leaf], cell) {
            (ColumnSpec::Plain, cell) => cell.write(place, out),
            (ColumnSpec::Always(_), _) => {}
            (ColumnSpec::Usually(value), cell) if value == cell => {}
            (ColumnSpec::Usually(_), Cell::Absent) => out.push_str(ABSENT),
            (ColumnSpec::Usually(_), cell) => cell.write(place, out),
            (ColumnSpec::Template(template), cell) if template.usually => {
                let text = cell.material();
                match text.and_then(|text| template.unfill(text, other)) {
                    Some(_) => {}
                    None if *cell == Cell::Absent => out.push_str(ABSENT),
                    None => cell.write(place, out),
                }
            }
            (_, Cell::Absent) => {}
            (_, cell) if cell.is_null() => out.push_str("null"),
            (ColumnSpec::Template(template), cell) => {
                let text = cell.material();
                match text.and_then(|text| template.unfill(text, other)) {
                    Some(rest) => write_rest(rest, place, out),
                    None => write_exception(cell, place, out),
                }
            }
            (ColumnSpec::Mask(mask), cell) => {
                let text = cell.material();
                if !text.is_some_and(|text| mask.unfill(text, out)) {
                    write_exception(cell, place, out);
                }
            }
        }
    }
}

/// Marks an absent cell in a column where an empty cell has a value.
const ABSENT: &str = "-";

/// Writes the part of a text that the template does not determine.
fn write_rest(rest: &str, place: Place, out: &mut String) {
    if is_free(rest, place) && rest != "null" {
        out.push_str(rest)
    } else {
        quote(rest, out)
    }
}

/// Writes a cell that does not follow the spec of its column.
fn write_exception(cell: &Cell<'_>, place: Place, out: &mut String) {
    out.push('=');
    cell.write(place, out);
}
