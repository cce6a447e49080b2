//! A level as text: the line of columns, and the rows.

use super::cell::{Cell, Place, is_free};
use super::fold::{self, Folded};
use super::header::{Header, Said};
use super::level::{Body, Bracket, Column, Entry, Leaves, Level, Rows};
use super::lexeme::quote;
use super::lines::Lines;
use super::naming::Naming;
use super::plan::{Scope, Up, is_spaced, says, takes_space};
use super::scale::Scale;
use super::template::{Other, Part, Say};
use crate::context::{Context, Level as Strength};

/// A level as text.
pub(crate) struct Page {
    pub(super) header: String,
    pub(super) rows: Lines,
    /// Whether rows that were there before are said by their first cell.
    pub(super) repeats: bool,
    /// The columns of outer levels that it uses, as (up, leaf).
    uses: Vec<(usize, usize)>,
    pub(crate) marks: Marks,
}

impl Page {
    /// How many rows it has.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// What it weighs.
    pub(crate) fn tokens(&self, context: &Context) -> u64 {
        context.tokens(&self.header) + self.rows.tokens(context)
    }

    /// The columns and each row on a line of its own.
    pub(crate) fn into_lines(self) -> String {
        self.rows.join(self.header, '\n')
    }

    /// The columns and the rows as they stand between brackets.
    pub(crate) fn into_nested(self) -> String {
        self.rows.join(self.header, ';')
    }
}

/// What a reader has to be told about.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Marks {
    pub(super) always: bool,
    pub(super) usually: bool,
    pub(super) cell: bool,
    pub(super) other: bool,
    pub(super) form: bool,
    pub(super) last: bool,
    pub(super) mask: bool,
    pub(super) absent: bool,
    pub(super) list: bool,
    pub(super) repeats: bool,
}

impl Marks {
    pub(crate) fn join(&mut self, other: Self) {
        self.always |= other.always;
        self.usually |= other.usually;
        self.cell |= other.cell;
        self.other |= other.other;
        self.form |= other.form;
        self.last |= other.last;
        self.mask |= other.mask;
        self.absent |= other.absent;
        self.list |= other.list;
        self.repeats |= other.repeats;
    }
}

/// Writes a level; nothing if there is no time.
pub(super) fn render<'l>(
    level: &'l Level<'l>,
    up: Option<Up<'_, 'l>>,
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
    let mut uses = Vec::new();
    let mut said = Vec::with_capacity(says.len());
    for (leaf, say) in leaves.all.iter().zip(&mut says) {
        let words = match Said::of(say, leaf.group, &scope) {
            Some(words) => words,
            None => {
                *say = Say::Plain;
                Said::default()
            }
        };
        marks.join(words.marks);
        marks.absent |= words.marks.usually && leaf.cells.contains(&Cell::Absent);
        uses.extend(used(say));
        said.push(words.text);
    }
    let free: Vec<bool> = says.iter().map(|say| used(say).is_empty()).collect();

    let mut inner = Vec::with_capacity(leaves.rows.len());
    for (group, rows) in &leaves.rows {
        let parents = rows.parents();
        let up = Up {
            scope: &scope,
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
        let further = page.uses.iter().filter(|(up, _)| *up > 0);
        uses.extend(further.map(|(up, leaf)| (up - 1, *leaf)));
        let cells = cells_of(rows, &page.rows);
        inner.push(Inner { page, cells });
    }

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
        uses,
        marks,
    })
}

fn spaced(leaves: &Leaves<'_>, says: &[Say<'_>], context: &Context) -> Vec<bool> {
    let scale = Scale::new(context);
    let both = leaves.all.iter().zip(says);
    both.map(|(leaf, say)| is_spaced(leaf.cells, say, &scale))
        .collect()
}

/// The columns that this one is made of.
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

/// Which columns of a level are used, each with the column that is made of it; none if that is in a table.
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

/// The tables in the cells of a column.
pub(super) struct Inner {
    pub(super) page: Page,
    cells: Lines,
}

/// The cells of a column with tables in them.
fn cells_of(rows: &Rows<'_>, lines: &Lines) -> Lines {
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

/// What rows are written from.
pub(super) struct Writer<'w, 'l> {
    scope: &'w Scope<'w, 'l>,
    says: &'w [Say<'l>],
    inner: &'w [Inner],
    /// For each group its cells, if they are held together.
    folded: Vec<Option<Folded>>,
    spaced: Vec<bool>,
    place: Place,
}

/// One cell of a row.
enum Step {
    /// And whether a text in it has a space before it.
    Leaf(usize, bool),
    Rows(usize),
    Folded(usize),
}

/// How far one has come through the columns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Count {
    pub(super) leaf: usize,
    pub(super) group: usize,
    pub(super) rows: usize,
}

impl Count {
    pub(super) const START: Self = Self {
        leaf: 0,
        group: 1,
        rows: 0,
    };
}

impl<'l> Writer<'_, 'l> {
    /// Holds the groups together that get shorter so.
    fn fold(
        &mut self,
        level: &'l Level<'l>,
        uses: &[(Option<usize>, usize)],
        context: &Context,
    ) -> Option<()> {
        let mut groups = Vec::new();
        find_groups(&level.columns, &mut Count::START.clone(), &mut groups);
        // Nobody can look into a group that is held together.
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

    fn rows(&self, level: &'l Level<'l>, context: &Context) -> Option<Lines> {
        let mut steps = Vec::new();
        self.steps(&level.columns, &mut Count::START.clone(), &mut steps);
        let mut lines = Lines::default();
        let mut odd = level.odd.iter().peekable();
        for row in 0..level.rows {
            if row % 256 == 0 && context.stop.is_set() {
                return None;
            }
            if let Some((_, value)) = odd.next_if(|(at, _)| *at == row) {
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
                    if self.says[count.leaf].has_cell() {
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

    /// Writes a row; where its first comma is.
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
            // A row must not be nothing.
            "" => out.push('-'),
            // And a cell that is absent must not look like such a row.
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
        match (&self.says[leaf], cell) {
            (Say::Plain, cell) => cell.write(place, out),
            (Say::Always(_), _) => {}
            (Say::Usually(value), cell) if value == cell => {}
            (Say::Usually(_), Cell::Absent) => out.push_str(ABSENT),
            (Say::Usually(_), cell) => cell.write(place, out),
            (Say::Made(template), cell) if template.usually => {
                let text = cell.material();
                match text.and_then(|text| template.unfill(text, other)) {
                    Some(_) => {}
                    None if *cell == Cell::Absent => out.push_str(ABSENT),
                    None => cell.write(place, out),
                }
            }
            (_, Cell::Absent) => {}
            (_, cell) if cell.is_null() => out.push_str("null"),
            (Say::Made(template), cell) => {
                let text = cell.material();
                match text.and_then(|text| template.unfill(text, other)) {
                    Some(rest) => write_rest(rest, place, out),
                    None => write_odd(cell, place, out),
                }
            }
            (Say::Mask(mask), cell) => {
                let text = cell.material();
                if !text.is_some_and(|text| mask.unfill(text, out)) {
                    write_odd(cell, place, out);
                }
            }
        }
    }
}

/// Nothing, where an empty cell is something.
const ABSENT: &str = "-";

/// What a template leaves of a text.
fn write_rest(rest: &str, place: Place, out: &mut String) {
    match is_free(rest, place) && rest != "null" {
        true => out.push_str(rest),
        false => quote(rest, out),
    }
}

/// A cell that is not what its column says.
fn write_odd(cell: &Cell<'_>, place: Place, out: &mut String) {
    out.push('=');
    cell.write(place, out);
}

/// A group: its members, where they begin and where they end.
struct Group<'c, 'l> {
    members: &'c [Column<'l>],
    first: Count,
    last: Count,
}

impl Group<'_, '_> {
    fn has(&self, leaf: usize) -> bool {
        (self.first.leaf..self.last.leaf).contains(&leaf)
    }
}

/// All groups, outer ones first: the order in which they are counted.
fn find_groups<'c, 'l>(
    columns: &'c [Column<'l>],
    count: &mut Count,
    groups: &mut Vec<Group<'c, 'l>>,
) {
    for column in columns {
        match &column.body {
            Body::Cells(_) => count.leaf += 1,
            Body::Rows(_) => count.rows += 1,
            Body::Group(members) => {
                count.group += 1;
                let at = groups.len();
                groups.push(Group {
                    members,
                    first: *count,
                    last: *count,
                });
                find_groups(members, count, groups);
                groups[at].last = *count;
            }
        }
    }
}
