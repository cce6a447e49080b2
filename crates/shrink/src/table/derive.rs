//! Columns derived from others: `html_url=https://…/issues/{number}`.

use std::collections::HashMap;

use super::affix;
use super::cell::Cell;
use super::plan::Scope;
use super::scale::{Scale, materials, sample};
use super::template::{ColumnSpec, Form, Other, Part, Template};
use crate::context::Context;
use crate::lexeme::{is_number, is_word};

/// Longer texts are prose: they are neither derived nor sources.
const LONGEST: usize = 400;
/// The longest text that other forms are tried for.
const LONGEST_NAME: usize = 64;
/// How many candidate columns are kept per first word.
const TRIES: usize = 12;
/// How many rows are compared before all of them are.
const PROBES: usize = 3;
/// How many times other rows are compared if the first ones were exceptions.
const TURNS: usize = 3;

/// Finds the columns that can be derived from others, and sets their specs; `None` if the call is cancelled.
pub(super) fn derive(
    scope: &Scope<'_, '_>,
    specs: &mut [ColumnSpec<'_>],
    scale: &Scale<'_>,
    context: &Context,
) -> Option<()> {
    let leaves = &scope.leaves.all;
    let rows = leaves.first().map_or(0, |leaf| leaf.cells.len());
    if rows < 2 {
        return Some(());
    }
    // Short columns first, because a derived column cannot be a source.
    let mut order = Vec::with_capacity(leaves.len());
    for (at, leaf) in leaves.iter().enumerate() {
        if let ColumnSpec::Plain = specs[at]
            && let Some((texts, are_numbers)) = materials(leaf.cells)
            && texts.len() * 2 > rows
            && texts.iter().all(|text| text.len() <= LONGEST)
        {
            let length: usize = texts.iter().map(|text| text.len()).sum();
            order.push((length / texts.len(), at, are_numbers));
        }
    }
    order.sort_unstable();
    let mut search = Search {
        scope,
        indexes: HashMap::new(),
        is_made: vec![false; leaves.len()],
        is_used: vec![false; leaves.len()],
        lasts: false,
    };
    // The last component of a path is derived from the path only if the path cannot be derived from it.
    for lasts in [false, true] {
        search.lasts = lasts;
        for (_, target, are_numbers) in &order {
            if context.stop.is_set() {
                return None;
            }
            if search.is_used[*target] || search.is_made[*target] {
                continue;
            }
            let found = probes(leaves[*target].cells).into_iter().find_map(|rows| {
                let template = search.template(*target, &rows, specs)?;
                search.worth(*target, template, *are_numbers, scale)
            });
            if let Some(template) = found {
                search.make(*target, template, specs);
            }
        }
    }
    Some(())
}

struct Search<'s, 'l> {
    scope: &'s Scope<'s, 'l>,
    /// For a row: the candidates by the first word or number of their text.
    indexes: HashMap<usize, Index>,
    is_made: Vec<bool>,
    is_used: Vec<bool>,
    /// Whether [`Form::Last`] is tried.
    lasts: bool,
}

type Index = HashMap<String, Vec<Candidate>>;

/// A column in some form, and the length of the text before its first word or number.
#[derive(Clone, Copy)]
struct Candidate {
    other: Other,
    skipped: usize,
}

impl Search<'_, '_> {
    fn make(&mut self, target: usize, template: Template, specs: &mut [ColumnSpec<'_>]) {
        for part in &template.parts {
            if let Part::Other(Other { up: 0, leaf, .. }) = part {
                self.is_used[*leaf] = true;
            }
        }
        self.is_made[target] = true;
        specs[target] = ColumnSpec::Template(template);
    }

    /// Infers a template from a few rows.
    fn template(
        &mut self,
        target: usize,
        rows: &[usize],
        specs: &[ColumnSpec<'_>],
    ) -> Option<Template> {
        let cells = self.scope.leaves.all[target].cells;
        self.index(*rows.first()?, specs);
        let texts: Vec<&str> = rows
            .iter()
            .filter_map(|row| cells[*row].material())
            .collect();
        let mut at = vec![0; texts.len()];
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut others = 0;
        loop {
            if texts.iter().zip(&at).all(|(text, at)| text.len() == *at) {
                break;
            }
            if let Some((candidate, lengths)) = self.candidate(target, rows, &texts, &at, &literal)
            {
                literal.truncate(literal.len() - candidate.skipped);
                if !literal.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut literal)));
                }
                parts.push(Part::Other(candidate.other));
                others += 1;
                for (at, length) in at.iter_mut().zip(lengths) {
                    *at += length - candidate.skipped;
                }
                continue;
            }
            let next = texts[0][at[0]..].chars().next();
            let alike = |(text, at): (&&str, &usize)| text[*at..].chars().next() == next;
            match next {
                Some(c) if texts.iter().zip(&at).all(alike) => {
                    literal.push(c);
                    at.iter_mut().for_each(|at| *at += c.len_utf8());
                }
                _ => {
                    // The rest belongs to the cell, except for a common suffix.
                    if !literal.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut literal)));
                    }
                    let rests: Vec<&str> = texts.iter().zip(&at).map(|(t, at)| &t[*at..]).collect();
                    let end = affix::common_end(&rests);
                    parts.push(Part::Cell);
                    literal.push_str(end);
                    break;
                }
            }
        }
        if !literal.is_empty() {
            parts.push(Part::Text(literal));
        }
        (others > 0).then(|| Template {
            parts,
            ..Template::default()
        })
    }

    /// The column that matches most of the texts here, and its length in each.
    fn candidate(
        &self,
        target: usize,
        rows: &[usize],
        texts: &[&str],
        at: &[usize],
        literal: &str,
    ) -> Option<(Candidate, Vec<usize>)> {
        let run = run_at(texts[0], at[0])?;
        let candidates = self.indexes.get(&rows[0])?.get(run)?;
        let mut best: Option<(Candidate, Vec<usize>)> = None;
        for candidate in candidates {
            let Other { up, leaf, .. } = candidate.other;
            let is_last = candidate.other.form == Form::Last;
            if (is_last && !self.lasts) || (up == 0 && (leaf == target || self.is_made[leaf])) {
                continue;
            }
            let Some(lengths) = self.fits(candidate, rows, texts, at, literal) else {
                continue;
            };
            let is_whole = lengths
                .iter()
                .zip(texts)
                .all(|(length, text)| *length == text.len());
            // Of two equal columns, the first one is kept.
            if is_whole && up == 0 && leaf > target && candidate.other.form == Form::Same {
                continue;
            }
            if best.as_ref().is_none_or(|(_, best)| lengths[0] > best[0]) {
                best = Some((*candidate, lengths));
            }
        }
        best
    }

    fn fits(
        &self,
        candidate: &Candidate,
        rows: &[usize],
        texts: &[&str],
        at: &[usize],
        literal: &str,
    ) -> Option<Vec<usize>> {
        let mut lengths = Vec::with_capacity(rows.len());
        let mut values: Vec<String> = Vec::with_capacity(rows.len());
        for ((row, text), at) in rows.iter().zip(texts).zip(at) {
            let mut value = String::new();
            if !self.scope.write(candidate.other, *row, &mut value) {
                return None;
            }
            let (skipped, rest) = value.split_at_checked(candidate.skipped)?;
            if !literal.ends_with(skipped) || !text[*at..].starts_with(rest) {
                return None;
            }
            lengths.push(value.len());
            values.push(value);
        }
        // A column that is the same in all rows may as well be literal text.
        let differs = values.iter().any(|value| *value != values[0]);
        differs.then_some(lengths)
    }

    /// The template, adapted to all rows, if it saves more than a prefix and suffix would.
    fn worth(
        &self,
        target: usize,
        mut template: Template,
        are_numbers: bool,
        scale: &Scale<'_>,
    ) -> Option<Template> {
        let cells = self.scope.leaves.all[target].cells;
        let has_hole = template.hole().is_some();
        let mut rests = Vec::with_capacity(cells.len());
        let mut texts = Vec::with_capacity(cells.len());
        let mut misses = 0;
        for (row, cell) in cells.iter().enumerate() {
            let text = cell.material();
            let rest = text.and_then(|text| {
                template.unfill(text, |other, out| self.scope.write(other, row, out))
            });
            match (text, rest) {
                // The rest of a number must not need quotes, because it would then be read as a string.
                (Some(_), Some("" | "-")) if are_numbers && has_hole => return None,
                (Some(text), Some(rest)) => {
                    texts.push(text);
                    rests.push(rest);
                }
                // Absent and `null` cells need no exception if rows have cells.
                (None, _) if has_hole => {}
                _ => misses += 1,
            }
        }
        if misses * 4 > cells.len() || texts.len() < 2 {
            return None;
        }
        template.usually = !has_hole && misses > 0;
        let mut words = 3;
        for part in &template.parts {
            words += match part {
                Part::Text(text) => scale.tokens(text) as i64,
                Part::Cell => 1,
                Part::Other(_) => 3,
            };
        }
        let (some, left) = (sample(&texts), sample(&rests));
        let saved = scale.weigh(some.iter().copied()) as i64 - scale.weigh(left) as i64;
        let gain = saved * texts.len() as i64 / some.len() as i64 - 2 * misses as i64 - words;
        if gain <= affix::find(cells, scale).gain.max(2) {
            return None;
        }
        template.quoted = !are_numbers && texts.iter().any(|text| is_number(text) || is_word(text));
        Some(template)
    }

    fn index(&mut self, row: usize, specs: &[ColumnSpec<'_>]) {
        if self.indexes.contains_key(&row) {
            return;
        }
        let mut index = Index::default();
        let mut add = |up: usize, leaf: usize, cell: &Cell<'_>| {
            let text = cell.material().filter(|text| text.len() <= LONGEST);
            let Some(text) = text else {
                return;
            };
            let mut seen: Vec<String> = Vec::new();
            for form in Form::ALL {
                if !matches!(form, Form::Same | Form::Last) && text.len() > LONGEST_NAME {
                    break;
                }
                let mut value = String::new();
                form.write(text, &mut value);
                if value.is_empty() || seen.contains(&value) {
                    continue;
                }
                if let Some((skipped, run)) = first_run(&value) {
                    let candidates = index.entry(run.to_owned()).or_default();
                    if candidates.len() < TRIES {
                        let other = Other { up, leaf, form };
                        candidates.push(Candidate { other, skipped });
                    }
                }
                seen.push(value);
            }
        };
        for (leaf, spec) in specs.iter().enumerate() {
            if !matches!(spec, ColumnSpec::Always(_))
                && let Some(cell) = self.scope.cell(0, leaf, row)
            {
                add(0, leaf, cell);
            }
        }
        let mut outer = self.scope.up.as_ref();
        let mut up = 1;
        while let Some(one) = outer {
            for (leaf, free) in one.free.iter().enumerate() {
                if *free && let Some(cell) = self.scope.cell(up, leaf, row) {
                    add(up, leaf, cell);
                }
            }
            outer = one.scope.up.as_ref();
            up += 1;
        }
        self.indexes.insert(row, index);
    }
}

/// Several samples of rows with a value in this column, spread over the table.
fn probes(cells: &[Cell<'_>]) -> Vec<Vec<usize>> {
    let step = (cells.len() / (2 * PROBES * TURNS)).max(1);
    let spread = (0..cells.len()).step_by(step);
    let rows: Vec<usize> = spread
        .filter(|row| cells[*row].material().is_some())
        .collect();
    let step = (rows.len() / PROBES).max(1);
    let turn = |at: usize| {
        rows.iter()
            .copied()
            .skip(at)
            .step_by(step)
            .take(PROBES)
            .collect()
    };
    let turns: Vec<Vec<usize>> = (0..TURNS).map(turn).collect();
    turns.into_iter().filter(|rows| rows.len() > 1).collect()
}

/// The word or number that begins exactly at `at`.
fn run_at(text: &str, at: usize) -> Option<&str> {
    let first = text[at..].chars().next()?;
    let char_class = char_class(first)?;
    let before = text[..at].chars().next_back();
    if before.and_then(self::char_class) == Some(char_class) {
        return None;
    }
    Some(run(&text[at..], char_class))
}

/// The first word or number of a text, and its offset.
fn first_run(text: &str) -> Option<(usize, &str)> {
    let (at, char_class) = text
        .char_indices()
        .find_map(|(at, c)| Some((at, char_class(c)?)))?;
    Some((at, run(&text[at..], char_class)))
}

fn run(text: &str, char_class: CharClass) -> &str {
    let end = text.find(|c| self::char_class(c) != Some(char_class));
    &text[..end.unwrap_or(text.len())]
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Letter,
    Digit,
}

fn char_class(c: char) -> Option<CharClass> {
    match c {
        c if c.is_numeric() => Some(CharClass::Digit),
        c if c.is_alphabetic() => Some(CharClass::Letter),
        _ => None,
    }
}
