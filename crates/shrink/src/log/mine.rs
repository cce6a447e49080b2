//! Infers the templates of a text.

use std::collections::HashMap;

use super::cells::{Cell, Role, cut, cut_quoted, mix, skeleton};
use super::clock::Clock;
use super::index::Index;
use super::lines::Lines;
use super::sheet::Hashed;
use super::split::Group;
use super::study::Known;
use super::template::Template;
use crate::context::Stop;

/// How many lines are sampled.
const SAMPLE: usize = 1500;
/// The most templates; a longer list is not readable.
const TEMPLATES: usize = 300;
/// The numbers of first cells for which lines without a full template get a prefix template.
const FIRST_CELLS: [usize; 7] = [8, 6, 5, 4, 3, 2, 1];

/// The templates of a text, indexed by line structure.
pub(crate) struct TemplateIndex {
    pub(crate) templates: Vec<Template>,
    /// Whether timestamps are separate cells.
    pub(crate) clocks: bool,
    /// By skeleton: a mask of the quoted cells to split, and the templates to try then.
    pub(crate) shapes: HashMap<u64, Vec<(u64, Index)>, Hashed>,
    /// The prefix templates.
    pub(crate) open: Index,
}

/// A group of lines that may become a template.
struct Draft {
    skeleton: u64,
    /// A mask of the quoted cells that are split.
    exploded: u64,
    /// For each column, the index of the unsplit cell that it is part of.
    origin: Vec<u8>,
    group: Group,
}

/// A template that was found, and its estimated saving.
struct Found {
    saves: i64,
    template: Template,
    place: Option<(u64, u64)>,
}

/// `None` if there are no templates, or if `stop` is set.
pub(crate) fn mine(lines: &Lines<'_>, stop: &Stop) -> Option<TemplateIndex> {
    let text = lines.text;
    let sample = lines.sample(SAMPLE);
    let clocks = has_clocks(lines, &sample);
    let mut rows = Rows::default();
    let mut room = Vec::new();
    let mut cells = Vec::new();
    for line in &sample {
        cells.clear();
        cut_line(lines, *line as usize, clocks, &mut cells);
        rows.push(
            *line,
            cells.iter().map(|cell| Known::of(text, *cell, &mut room)),
        );
    }
    let mut work = drafts(&rows);
    let mut found: Vec<Found> = Vec::new();
    let mut left: Vec<u32> = Vec::new();
    // Reversed, so that popping from the end processes drafts in the order of the text.
    work.reverse();
    while let Some(draft) = work.pop() {
        if stop.is_set() {
            return None;
        }
        let draft = match explode(text, draft, &mut room) {
            Exploded::Not(draft) => draft,
            Exploded::Into(drafts) => {
                work.extend(drafts);
                continue;
            }
        };
        if let Some(parts) = draft.group.split(text) {
            work.extend(parts.into_iter().rev().map(|group| Draft {
                group,
                origin: draft.origin.clone(),
                ..draft
            }));
            continue;
        }
        let saves = draft.group.saves(text);
        let template = (saves > 0).then(|| make(text, &draft.group)).flatten();
        match template {
            Some(template) => found.push(Found {
                saves,
                template,
                place: Some((draft.skeleton, draft.exploded)),
            }),
            None => left.extend(draft.group.lines),
        }
    }
    left.sort_unstable();
    beginnings(lines, &rows, &left, &mut found);
    found.sort_by_key(|one| std::cmp::Reverse(one.saves));
    found.truncate(TEMPLATES);
    TemplateIndex::of(found, clocks)
}

impl TemplateIndex {
    fn of(found: Vec<Found>, clocks: bool) -> Option<Self> {
        if found.is_empty() {
            return None;
        }
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(found[*at].template.specificity()));
        let mut open = Vec::new();
        let mut by_shape: Vec<((u64, u64), Vec<u32>)> = Vec::new();
        let mut place: HashMap<(u64, u64), usize> = HashMap::new();
        for at in order {
            let ids = match found[at].place {
                None => &mut open,
                Some(shape) => {
                    let at = *place.entry(shape).or_insert_with(|| {
                        by_shape.push((shape, Vec::new()));
                        by_shape.len() - 1
                    });
                    &mut by_shape[at].1
                }
            };
            ids.push(at as u32);
        }
        let templates: Vec<Template> = found.into_iter().map(|one| one.template).collect();
        let mut shapes: HashMap<u64, Vec<(u64, Index)>, Hashed> = HashMap::default();
        for ((skeleton, exploded), ids) in by_shape {
            let index = Index::new(&templates, ids);
            shapes.entry(skeleton).or_default().push((exploded, index));
        }
        Some(Self {
            open: Index::new(&templates, open),
            templates,
            clocks,
            shapes,
        })
    }
}

/// Cuts a line into cells; returns its timestamp.
pub(crate) fn cut_line(
    lines: &Lines<'_>,
    line: usize,
    clocks: bool,
    cells: &mut Vec<Cell>,
) -> Option<Clock> {
    let range = lines.range(line);
    let clock = clocks
        .then(|| Clock::find(lines.line(line).as_bytes(), range.start))
        .flatten();
    cut(lines.text, range.start, range.end, clock, cells);
    clock
}

/// Copies the cells of a line, splitting the quoted cells in `exploded`.
pub(crate) fn cut_apart(text: &str, cells: &[Cell], exploded: u64, into: &mut Vec<Cell>) {
    for (at, cell) in cells.iter().enumerate() {
        match exploded >> at.min(63) & 1 {
            1 => cut_quoted(text, *cell, into),
            _ => into.push(*cell),
        }
    }
}

/// Whether at least a third of the lines have timestamps.
fn has_clocks(lines: &Lines<'_>, sample: &[u32]) -> bool {
    let timed = sample
        .iter()
        .filter(|line| Clock::find(lines.line(**line as usize).as_bytes(), 0).is_some());
    timed.count() * 3 >= sample.len()
}

/// The cells of the sampled lines.
#[derive(Default)]
struct Rows {
    lines: Vec<u32>,
    /// Where the cells of each line begin.
    starts: Vec<usize>,
    cells: Vec<Known>,
}

impl Rows {
    fn push(&mut self, line: u32, cells: impl Iterator<Item = Known>) {
        self.lines.push(line);
        self.starts.push(self.cells.len());
        self.cells.extend(cells);
    }

    fn row(&self, at: usize) -> &[Known] {
        let end = self.starts.get(at + 1).copied().unwrap_or(self.cells.len());
        &self.cells[self.starts[at]..end]
    }

    fn row_of(&self, line: u32) -> &[Known] {
        match self.lines.binary_search(&line) {
            Ok(at) => self.row(at),
            Err(_) => &[],
        }
    }
}

/// Groups lines with equal skeletons.
fn drafts(rows: &Rows) -> Vec<Draft> {
    let mut place: HashMap<u64, usize> = HashMap::new();
    let mut drafts: Vec<Draft> = Vec::new();
    let mut plain = Vec::new();
    for (at, line) in rows.lines.iter().enumerate() {
        let row = rows.row(at);
        plain.clear();
        plain.extend(row.iter().map(|known| known.cell));
        let skeleton = skeleton(&plain);
        let draft = *place.entry(skeleton).or_insert_with(|| {
            drafts.push(Draft {
                skeleton,
                exploded: 0,
                origin: (0..row.len() as u8).collect(),
                group: Group::new(row.len()),
            });
            drafts.len() - 1
        });
        if drafts[draft].group.columns == row.len() {
            drafts[draft].group.push(*line, row);
        }
    }
    drafts
}

enum Exploded {
    Not(Draft),
    Into(Vec<Draft>),
}

/// Splits a column of quoted texts, if in most rows they have the same number of words.
fn explode(text: &str, draft: Draft, room: &mut Vec<(u32, u32)>) -> Exploded {
    let rows = draft.group.lines.len();
    let mut words = Vec::new();
    let mut inner = |cell: Cell| {
        words.clear();
        cut_quoted(text, cell, &mut words);
        skeleton(&words)
    };
    for column in 0..draft.group.columns {
        let origin = draft.origin[column];
        let quoted = |row: &[Known]| row[column].cell.role == Role::Quoted;
        if origin > 63
            || draft.exploded >> origin & 1 == 1
            || !draft.group.rows().any(|(_, row)| quoted(row))
        {
            continue;
        }
        let shapes: Vec<u64> = draft
            .group
            .rows()
            .map(|(_, row)| inner(row[column].cell))
            .collect();
        let mut sorted = shapes.clone();
        sorted.sort_unstable();
        let Some(usual) = sorted.get(rows / 2).copied() else {
            continue;
        };
        let count = shapes.iter().filter(|shape| **shape == usual).count();
        let quoted_usual = draft
            .group
            .rows()
            .zip(&shapes)
            .find(|((_, row), shape)| **shape == usual && quoted(row));
        let Some(((_, model), _)) = quoted_usual.filter(|_| count * 5 >= rows * 3 && rows > 1)
        else {
            continue;
        };
        let mut cells = Vec::new();
        cut_quoted(text, model[column].cell, &mut cells);
        let parts = cells.len();
        let columns = draft.group.columns - 1 + parts;
        let mut origins = draft.origin.clone();
        origins.splice(column..=column, std::iter::repeat_n(origin, parts));
        let mut apart = Group::new(columns);
        let mut others = Group::new(draft.group.columns);
        for ((line, row), shape) in draft.group.rows().zip(&shapes) {
            if *shape != usual {
                others.push(line, row);
                continue;
            }
            cells.clear();
            cut_quoted(text, row[column].cell, &mut cells);
            if cells.len() != parts {
                others.push(line, row);
                continue;
            }
            let known = cells.iter().map(|cell| Known::of(text, *cell, room));
            apart.lines.push(line);
            apart.cells.extend_from_slice(&row[..column]);
            apart.cells.extend(known);
            apart.cells.extend_from_slice(&row[column + 1..]);
        }
        let mut drafts = Vec::new();
        if !others.lines.is_empty() {
            drafts.push(Draft {
                group: others,
                origin: draft.origin,
                ..draft
            });
        }
        drafts.push(Draft {
            skeleton: draft.skeleton,
            exploded: draft.exploded | 1 << origin,
            origin: origins,
            group: apart,
        });
        return Exploded::Into(drafts);
    }
    Exploded::Not(draft)
}

fn make(text: &str, group: &Group) -> Option<Template> {
    let cells: Vec<Cell> = group.cells.iter().map(|known| known.cell).collect();
    let rows: Vec<&[Cell]> = cells.chunks(group.columns.max(1)).collect();
    Template::of(text, &rows)
}

fn make_beginning(lines: &Lines<'_>, group: &Group) -> Option<Template> {
    let cells: Vec<Cell> = group.cells.iter().map(|known| known.cell).collect();
    let rows: Vec<&[Cell]> = cells.chunks(group.columns.max(1)).collect();
    let ends = group
        .lines
        .iter()
        .map(|line| lines.range(*line as usize).end);
    Template::of_beginnings(lines.text, &rows, &ends.collect::<Vec<_>>())
}

/// Adds prefix templates for lines without a full template.
fn beginnings(lines: &Lines<'_>, rows: &Rows, left: &[u32], found: &mut Vec<Found>) {
    let mut left = left.to_vec();
    for count in FIRST_CELLS {
        let mut place: HashMap<u64, usize> = HashMap::new();
        let mut groups: Vec<Group> = Vec::new();
        for line in &left {
            let Some(row) = rows.row_of(*line).get(..=count) else {
                continue;
            };
            let key = row[..count]
                .iter()
                .fold(u64::from(row[count].cell.gap), |key, known| {
                    let clock = u64::from(known.cell.role == Role::Clock);
                    mix(
                        mix(key, known.pattern),
                        u64::from(known.cell.gap) << 1 | clock,
                    )
                });
            let group = *place.entry(key).or_insert_with(|| {
                groups.push(Group::new(count + 1));
                groups.len() - 1
            });
            groups[group].push(*line, row);
        }
        for group in groups.iter().filter(|group| group.lines.len() > 1) {
            let mut beginning = Group::new(count);
            for (line, row) in group.rows() {
                beginning.push(line, &row[..count]);
            }
            let saves = beginning.saves(lines.text) + clock_saves(&beginning);
            if saves <= 0 {
                continue;
            }
            if let Some(template) = make_beginning(lines, group) {
                found.push(Found {
                    saves,
                    template,
                    place: None,
                });
                left.retain(|line| group.lines.binary_search(line).is_err());
            }
        }
    }
}

/// The saving of a timestamp: its date is shared.
fn clock_saves(group: &Group) -> i64 {
    let clock = group
        .row(0)
        .iter()
        .find(|known| known.cell.role == Role::Clock);
    clock.map_or(0, |clock| {
        let length = i64::from(clock.cell.end - clock.cell.start);
        group.lines.len() as i64 * (length / 4)
    })
}
