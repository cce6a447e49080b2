//! Chooses the notation of each column by its estimated cost.

mod affix;
mod codes;
mod fixed;

use std::borrow::Cow;

pub(super) use self::fixed::split;
use self::fixed::{fixed, holds};
use super::cell::{End, is_bare};
use super::spec::{Affix, Model, Part};
use super::template;
use super::weigh::weigh;
use crate::context::{Context, Level};
use crate::edge::is_same;

/// How many rows are sampled. Models that must hold for all rows are then checked against all.
const SAMPLE: usize = 45;
/// How many rows of the sample are used for parts of cut cells.
const PART_SAMPLE: usize = 24;
/// Columns are derived from others only in tables with at most this many.
const FEW: usize = 48;
/// With fewer rows, nothing is shared.
const ROWS: usize = 3;
/// The characters at which cells may be cut. None of them has a meaning in the line of columns.
const JOINTS: [char; 7] = [' ', 'T', '/', '@', '-', '_', '.'];

/// A notation of a column, and its estimated cost in tokens.
struct Choice<'a> {
    parts: Vec<(Option<char>, Model<'a>)>,
    comma: bool,
    cost: usize,
}

impl<'a> Choice<'a> {
    fn one(model: Model<'a>, cost: usize) -> Self {
        Self {
            parts: vec![(None, model)],
            comma: false,
            cost,
        }
    }
}

/// The parts of all columns, in order. `columns` are their cells.
pub(super) fn plan<'a>(
    columns: &[Vec<&'a str>],
    names: &[Cow<'a, str>],
    context: &Context,
) -> Option<Vec<Part<'a>>> {
    let rows = columns.first().map_or(0, Vec::len);
    let sample = sample(rows);
    let is_enough = rows >= ROWS;
    let known = |cells: &Vec<&'a str>| fixed(cells, context.level).filter(|_| is_enough);
    let mut models: Vec<Option<Model<'a>>> = columns.iter().map(known).collect();
    if context.level == Level::Max && is_enough && columns.len() <= FEW {
        derive(columns, &mut models);
    }
    let mut parts = Vec::with_capacity(columns.len());
    for (column, (cells, model)) in columns.iter().zip(models).enumerate() {
        if context.stop.is_set() {
            return None;
        }
        let is_last = column + 1 == columns.len();
        let looked_at: Vec<&str> = sample
            .iter()
            .filter_map(|row| cells.get(*row).copied())
            .collect();
        let planner = Planner {
            level: if is_enough {
                context.level
            } else {
                Level::Safe
            },
            rows,
            name: names.get(column).map_or(1, |name| weigh(name)),
        };
        let mut choice = match model {
            Some(model) => Choice::one(model, 0),
            None => planner.choose(&looked_at, is_last, 2),
        };
        if !holds(&choice.parts, cells) {
            choice = planner.plain(&looked_at, is_last);
        }
        let last = choice.parts.len() - 1;
        let several = choice.parts.into_iter().enumerate();
        parts.extend(several.map(|(i, (joint, model))| Part {
            column,
            joint,
            model,
            comma: choice.comma && i == last,
        }));
    }
    // At least one part must be written in the rows.
    if !parts.iter().any(|part| part.model.is_in_rows()) {
        parts.retain(|part| part.column > 0);
        parts.insert(
            0,
            Part {
                column: 0,
                joint: None,
                model: Model::Cells(Affix::default()),
                comma: false,
            },
        );
    }
    Some(parts)
}

/// Three blocks of rows, because neighbours are needed to detect repetitions.
fn sample(rows: usize) -> Vec<usize> {
    if rows <= SAMPLE {
        return (0..rows).collect();
    }
    let block = SAMPLE / 3;
    let starts = [0, (rows - block) / 2, rows - block];
    let blocks = starts.into_iter().flat_map(|start| start..start + block);
    blocks.collect()
}

/// Finds columns that can be derived from others.
fn derive<'a>(columns: &[Vec<&'a str>], models: &mut [Option<Model<'a>>]) {
    let mut is_source = vec![false; columns.len()];
    for column in 0..columns.len() {
        if models[column].is_some() || is_source[column] {
            continue;
        }
        let is_source_for = |i: &usize| {
            *i != column && !matches!(models[*i], Some(Model::Template(_) | Model::Constant(_)))
        };
        let sources: Vec<usize> = (0..columns.len()).filter(is_source_for).collect();
        let cell = |i: usize, row: usize| columns[i].get(row).copied().unwrap_or_default();
        if let Some(pieces) = template::find(&columns[column], &sources, cell) {
            for piece in &pieces {
                if let template::Piece::Column(source, _) = piece {
                    is_source[*source] = true;
                }
            }
            models[column] = Some(Model::Template(pieces));
        }
    }
}

/// Chooses the notation of one column.
struct Planner {
    level: Level,
    /// The total number of rows.
    rows: usize,
    /// The weight of the column's name.
    name: usize,
}

impl Planner {
    /// The cheapest notation of a column, estimated from a sample of its cells.
    fn choose<'a>(&self, cells: &[&'a str], is_last: bool, depth: usize) -> Choice<'a> {
        let mut best = self.plain(cells, is_last);
        // Few notations cost less than a token per cell.
        if self.level == Level::Safe || best.cost < self.rows {
            return best;
        }
        let see = |best: &mut Choice<'a>, choice: Option<Choice<'a>>| {
            if let Some(choice) = choice.filter(|choice| choice.cost < best.cost) {
                *best = choice;
            }
        };
        see(&mut best, self.section(cells));
        if repeats(cells) {
            let mut sorted = cells.to_vec();
            sorted.sort_unstable();
            see(&mut best, self.usual(&sorted));
            if self.level == Level::Max {
                see(&mut best, self.coded(&sorted));
            }
        }
        if depth > 0 {
            for joint in JOINTS {
                let cut = self.cut(cells, is_last, joint, depth - 1, best.cost);
                see(&mut best, cut);
            }
        }
        best
    }

    /// Cells in the rows, with or without a shared prefix and suffix.
    fn plain<'a>(&self, cells: &[&'a str], is_last: bool) -> Choice<'a> {
        let mut best = self.cells(cells, Affix::default(), is_last, None);
        if self.level > Level::Safe {
            for affix in affix::find(cells, self.level) {
                let choice = self.cells(cells, affix, is_last, Some(best.cost));
                if choice.cost < best.cost {
                    best = choice;
                }
            }
        }
        best
    }

    /// The cost of writing cells in the rows. Stops early once the cost reaches `most`.
    fn cells<'a>(
        &self,
        cells: &[&'a str],
        affix: Affix<'a>,
        is_last: bool,
        most: Option<usize>,
    ) -> Choice<'a> {
        let fixed = affix_cost(&affix);
        let most = most.map_or(usize::MAX, |most| {
            // A sum above this means a cost of at least `most`.
            most.saturating_sub(fixed) * cells.len() / self.rows.max(1) + 1
        });
        let mut spaced = 0;
        let mut quoted = 0;
        let mut sum = 0;
        let mut before = None;
        for cell in cells {
            let hole = if cell.is_empty() {
                Some(*cell)
            } else {
                affix.strip(cell)
            };
            let (text, extra) = hole.map_or((*cell, 1), |hole| (hole, 0));
            let weight = weigh(text) + extra;
            let is_long = weight > 2 && self.level > Level::Safe;
            if is_long && before.is_some_and(|before| is_same(before, cell)) {
                sum += 1;
                continue;
            }
            before = Some(*cell);
            sum += weight;
            if sum > most {
                break;
            }
            if is_last || is_bare(text, End::Space) || text.is_empty() {
                continue;
            }
            if is_bare(text, End::Comma) {
                spaced += 1
            } else {
                quoted += 1
            }
        }
        let comma = spaced * 2 > cells.len();
        sum += quoted * 3 + if comma { cells.len() } else { spaced * 2 };
        let cost = self.scaled(sum, cells) + fixed;
        Choice {
            comma,
            ..Choice::one(Model::Cells(affix), cost)
        }
    }

    /// Values in section lines above the rows that share them.
    fn section<'a>(&self, cells: &[&'a str]) -> Option<Choice<'a>> {
        let runs = || cells.chunk_by(|one, next| is_same(one, next));
        // Most columns have more runs, so counting stops early.
        if runs().take(cells.len() / 4 + 1).count() * 4 > cells.len() {
            return None;
        }
        let lines: Vec<&'a str> = runs().map(|run| run[0]).collect();
        let cost = |affix: &Affix<'a>| -> usize {
            let weigh = |cell: &&str| affix.strip(cell).map_or_else(|| weigh(cell) + 1, weigh) + 2;
            self.scaled(lines.iter().map(weigh).sum(), cells) + affix_cost(affix) + 1
        };
        let choices = affix::find(&lines, self.level)
            .into_iter()
            .chain([Affix::default()]);
        let (cost, affix) = choices
            .map(|affix| (cost(&affix), affix))
            .min_by_key(|(cost, _)| *cost)?;
        Some(Choice::one(Model::Section(affix), cost))
    }

    /// A usual value, with exceptions in the rows.
    fn usual<'a>(&self, sorted: &[&'a str]) -> Option<Choice<'a>> {
        let run = sorted.chunk_by(|a, b| a == b).max_by_key(|run| run.len())?;
        if run.len() * 3 < sorted.len() * 2 {
            return None;
        }
        let usual = *run.first()?;
        let others = sorted.iter().filter(|cell| **cell != usual);
        let sum: usize = others.map(|cell| weigh(cell) + self.name + 2).sum();
        let cost = self.scaled(sum, sorted) + weigh(usual) + 1;
        Some(Choice::one(Model::Usual(Cow::Borrowed(usual)), cost))
    }

    /// Letters for frequent values.
    fn coded<'a>(&self, sorted: &[&'a str]) -> Option<Choice<'a>> {
        let (codes, sum) = codes::find(sorted)?;
        let table: usize = codes.iter().map(|(_, value)| weigh(value) + 3).sum();
        let cost = self.scaled(sum, sorted) + table + 4;
        Some(Choice::one(Model::Coded(codes), dear(cost)))
    }

    /// Cells cut in two at a joint, if that costs less than `most`.
    fn cut<'a>(
        &self,
        cells: &[&'a str],
        is_last: bool,
        joint: char,
        depth: usize,
        most: usize,
    ) -> Option<Choice<'a>> {
        // All non-empty cells must contain the joint; the first one usually decides.
        fixed::cut(cells.first()?, joint)?;
        let mut left = Vec::with_capacity(cells.len());
        let mut right = Vec::with_capacity(cells.len());
        for cell in cells {
            let (a, b) = fixed::cut(cell, joint)?;
            left.push(a);
            right.push(b);
        }
        let one = |cells: &[&'a str], is_last: bool| match fixed(cells, self.level) {
            Some(model) => {
                let cost = match &model {
                    Model::Constant(value) => weigh(value) + 1,
                    _ => 5,
                };
                Choice::one(model, cost)
            }
            // There are many ways to cut, and a few cells are representative of a part.
            None => self.choose(&cells[..cells.len().min(PART_SAMPLE)], is_last, depth),
        };
        let left = one(&left, false);
        // A first part with spaces would be terminated early.
        if left.comma || left.cost >= most {
            return None;
        }
        let right = one(&right, is_last);
        let mut parts = left.parts;
        let mut more = right.parts.into_iter();
        parts.extend(more.next().map(|(_, model)| (Some(joint), model)));
        parts.extend(more);
        let cost = left.cost + right.cost + 2;
        Some(Choice {
            parts,
            comma: right.comma,
            cost: if joint == ' ' { cost } else { dear(cost) },
        })
    }

    /// The cost of the sample, extrapolated to all rows.
    fn scaled(&self, sum: usize, sample: &[&str]) -> usize {
        match sample.len() {
            0 => 0,
            sample => sum * self.rows / sample,
        }
    }
}

/// Whether a few cells suggest that values repeat. Avoids sorting columns in which they do not.
fn repeats(cells: &[&str]) -> bool {
    let step = (cells.len() / 16).max(1);
    let mut some = [""; 16];
    let mut count = 0;
    let mut seen = 0;
    for (place, cell) in some.iter_mut().zip(cells.iter().step_by(step)) {
        *place = cell;
        count += 1;
    }
    for (at, cell) in some.iter().enumerate().take(count) {
        seen += usize::from(some[..at].iter().any(|other| is_same(other, cell)));
    }
    seen * 4 >= count
}

/// Adds a penalty for notations that are harder to read.
const fn dear(cost: usize) -> usize {
    cost + cost / 8 + 2
}

fn affix_cost(affix: &Affix<'_>) -> usize {
    if affix.is_empty() {
        0
    } else {
        weigh(&affix.before) + weigh(&affix.after) + 2
    }
}
