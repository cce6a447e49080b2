//! Infers how a Markdown table is written.

use std::borrow::Cow;

use super::row_writer::RowWriter;
use super::rule::Rule;
use super::{Dashes, Mark, Markdown, Padding, least};
use crate::context::Stop;
use crate::sheet::Found;
use crate::sheet::align::{Align, Votes};
use crate::sheet::measure::Measure;
use crate::sheet::page::Literal;
use crate::sheet::rows::Rows;
use crate::sheet::style::Style;

/// Parses a Markdown table. The format is checked against the first `look` rows.
pub(in crate::sheet) fn read<'a>(lines: &[&'a str], look: usize, stop: &Stop) -> Option<Found<'a>> {
    let (at, rule) = lines
        .iter()
        .enumerate()
        .skip(1)
        .take(20)
        .find_map(|(at, line)| Some((at, Rule::of(line)?)))?;
    let mut fields: Vec<&str> = Vec::new();
    let mut places: Vec<usize> = Vec::new();
    let mut literal: Vec<usize> = (0..at - 1).collect();
    for (number, line) in lines.iter().enumerate().skip(at - 1) {
        if number % 1024 == 0 && stop.is_set() {
            return None;
        }
        if number == at {
            continue;
        }
        if rule.cut(line, &mut fields) {
            places.push(number)
        } else {
            literal.push(number)
        }
    }
    // The line above the delimiter row must have names.
    if places.first() != Some(&(at - 1)) || literal.len() > 4 + lines.len() / 4 {
        return None;
    }
    Table {
        rule,
        fields,
        places,
    }
    .fit(lines, at, literal, look)
}

struct Table<'a> {
    rule: Rule,
    /// The fields of the names, then those of the rows.
    fields: Vec<&'a str>,
    /// The line number of each row.
    places: Vec<usize>,
}

impl<'a> Table<'a> {
    fn fit(
        self,
        lines: &[&'a str],
        at: usize,
        mut literal: Vec<usize>,
        look: usize,
    ) -> Option<Found<'a>> {
        let columns = self.rule.marks.len();
        let mut markdown = Markdown::plain(columns);
        markdown.indent = self.rule.indent;
        markdown.edges = self.rule.edges;
        markdown.marks = self.rule.marks.clone();
        markdown.apart = self.rule.apart;
        markdown.spaced = self.is_spaced();
        let is_thin = |field: &&&str| field.len() <= 1 && field.trim_matches(' ').is_empty();
        markdown.thin = markdown.spaced && self.fields.iter().any(|field| is_thin(&field));
        let is_ascii = self.fields.iter().all(|field| field.is_ascii());
        let measures = if is_ascii {
            &Measure::ALL[..1]
        } else {
            &Measure::ALL[..]
        };
        let widths: Vec<Width> = (0..columns)
            .map(|i| self.width(i, measures, &markdown))
            .collect();
        let mut aligns = vec![Align::Left; columns];
        let is_padded = widths.iter().any(|width| width.is_padded);
        if is_padded {
            let (padding, found) = self.padding(&widths, &markdown)?;
            markdown.padding = Some(padding);
            aligns = found;
        }
        let padded = |width: &Width| (is_padded && width.is_same).then_some(width.width);
        let writer = RowWriter {
            widths: widths.iter().map(padded).collect(),
            markdown: &markdown,
            lines,
        };
        let (names, name_aligns) = self.names(&writer, &aligns, at - 1)?;
        let cells = self.cells(&writer, &aligns, look, &mut literal)?;
        let rows = Rows {
            width: columns,
            names: Some(names),
            cells,
        };
        if let Some(padding) = &mut markdown.padding {
            padding.names = (name_aligns != aligns).then_some(name_aligns);
            padding.settle(&rows);
        }
        markdown.dashes = self.dashes(&markdown, &rows);
        literal.sort_unstable();
        let literal: Vec<Literal<'a>> = literal
            .iter()
            .filter_map(|at| Some((*at, *lines.get(*at)?)))
            .collect();
        Some(Found {
            style: Style::Markdown(markdown),
            rows,
            literal,
        })
    }

    /// How columns are padded, and the alignment of each.
    fn padding(&self, widths: &[Width], markdown: &Markdown) -> Option<(Padding, Vec<Align>)> {
        let measures = widths
            .iter()
            .filter(|width| width.is_padded)
            .map(|width| width.measure);
        let measure = Measure::ALL
            .into_iter()
            .max_by_key(|one| measures.clone().filter(|m| m == one).count())?;
        let columns = widths.len();
        let aligns: Vec<Align> = (0..columns)
            .map(|i| self.align(i, widths[i].width, markdown, measure))
            .collect();
        let marked: Vec<Align> = markdown.marks.iter().map(|mark| mark.align()).collect();
        let padding = Padding {
            measure,
            floor: 3,
            aligns: (aligns != marked).then_some(aligns.clone()),
            loose: (0..columns).filter(|i| !widths[*i].is_same).collect(),
            widths: (0..columns)
                .filter(|i| widths[*i].is_same)
                .map(|i| (i, widths[i].width))
                .collect(),
            ..Padding::default()
        };
        Some((padding, aligns))
    }

    /// The names and their alignment: that of the cells, or the same for all names.
    fn names(
        &self,
        writer: &RowWriter<'_, 'a>,
        aligns: &[Align],
        line: usize,
    ) -> Option<(Vec<Cow<'a, str>>, Vec<Align>)> {
        let columns = self.rule.marks.len();
        let fields = self.fields.get(..columns)?;
        let same = Align::ALL.map(|one| vec![one; columns]);
        let mut drawn = String::new();
        let mut choices = [aligns.to_vec()].into_iter().chain(same);
        choices.find_map(|aligns| {
            let names = writer.cells(fields, &aligns);
            writer
                .writes(&names, &aligns, line, &mut drawn)
                .then_some((names, aligns))
        })
    }

    /// The cells of all rows. Irregular rows are appended to `literal`; `None` if too many are irregular.
    fn cells(
        &self,
        writer: &RowWriter<'_, 'a>,
        aligns: &[Align],
        look: usize,
        literal: &mut Vec<usize>,
    ) -> Option<Vec<Cow<'a, str>>> {
        let mut cells = Vec::with_capacity(self.fields.len());
        let mut irregular = 0;
        let mut drawn = String::new();
        let columns = self.rule.marks.len();
        let places = self.fields.chunks_exact(columns).zip(&self.places);
        for (i, (fields, number)) in places.enumerate().skip(1) {
            let row = writer.cells(fields, aligns);
            // The first `look` rows represent all rows, unless one of them is irregular.
            let is_fine =
                (i > look && irregular == 0) || writer.writes(&row, aligns, *number, &mut drawn);
            if is_fine {
                cells.extend(row)
            } else {
                irregular += 1;
                literal.push(*number);
            }
        }
        (irregular * 4 <= self.places.len()).then_some(cells)
    }

    /// Whether most cells have a space on each side.
    fn is_spaced(&self) -> bool {
        let columns = self.rule.marks.len();
        let mut counts = [0_usize; 2];
        for (i, field) in self.fields.iter().enumerate() {
            let is_first = i % columns == 0 && !self.rule.edges.0;
            let is_last = i % columns + 1 == columns && !self.rule.edges.1;
            let spaced = (is_first || field.starts_with(' ')) && (is_last || field.ends_with(' '));
            counts[usize::from(spaced)] += 1;
        }
        counts[1] > counts[0]
    }

    /// The most frequent width of a column's padded cells, in the measure that most cells agree on.
    fn width(&self, column: usize, measures: &[Measure], markdown: &Markdown) -> Width {
        let columns = self.rule.marks.len();
        let fields = self.fields.iter().skip(column).step_by(columns);
        let fields = fields.map(|field| markdown.strip(column, columns, field));
        let mut best: Option<(usize, Width)> = None;
        let count = self.places.len();
        let padded = fields
            .clone()
            .filter(|field| field.starts_with(' ') || field.ends_with(' '))
            .count();
        for measure in measures {
            let mut all: Vec<usize> = fields.clone().map(|field| measure.of(field)).collect();
            all.sort_unstable();
            let Some(run) = all.chunk_by(|a, b| a == b).max_by_key(|run| run.len()) else {
                continue;
            };
            let is_same = run.len() * 4 >= count * 3;
            let width = Width {
                width: run[0],
                measure: *measure,
                is_same,
                is_padded: is_same && padded > 0,
            };
            if best.is_none_or(|(most, _)| run.len() > most) {
                best = Some((run.len(), width));
            }
        }
        best.map_or_else(Width::default, |(_, width)| width)
    }

    fn align(&self, column: usize, width: usize, markdown: &Markdown, measure: Measure) -> Align {
        let columns = self.rule.marks.len();
        let mut votes = Votes::default();
        for field in self.fields.iter().skip(column).step_by(columns).skip(1) {
            votes.cast(markdown.strip(column, columns, field), width, measure);
        }
        votes.elected_or(self.rule.marks[column].align())
    }

    fn dashes(&self, markdown: &Markdown, rows: &Rows<'_>) -> Dashes {
        let list = &self.rule.dashes;
        let first = list.first().copied().unwrap_or(3);
        let colons = |mark: &Mark| {
            let (left, right) = mark.colons();
            usize::from(left) + usize::from(right)
        };
        let bare: Vec<usize> = list
            .iter()
            .zip(&self.rule.marks)
            .map(|(all, mark)| all - colons(mark))
            .collect();
        let listed = Dashes::Listed(list.clone());
        let choices = [
            Dashes::Wide,
            Dashes::Each(bare.first().copied().unwrap_or(3)),
            Dashes::All(first),
        ];
        let choices = match markdown.padding {
            Some(_) => choices,
            None => {
                let [wide, each, all] = choices;
                [each, all, wide]
            }
        };
        let widths = markdown.widths(rows);
        let names = rows.names.as_deref().unwrap_or_default();
        let drawn = |dashes: Dashes| {
            let mut line = String::new();
            let markdown = Markdown {
                dashes,
                ..markdown.clone()
            };
            markdown.rule(&mut line, names, &widths);
            line
        };
        let wanted = drawn(listed.clone());
        let found = choices
            .into_iter()
            .find(|choice| drawn(choice.clone()) == wanted);
        found.unwrap_or(listed)
    }
}

#[derive(Clone, Copy, Default)]
struct Width {
    width: usize,
    measure: Measure,
    /// Whether most cells have this width.
    is_same: bool,
    /// Whether cells are padded to this width.
    is_padded: bool,
}

impl Padding {
    /// Keeps only the widths that `floor` and the cells do not determine.
    fn settle(&mut self, rows: &Rows<'_>) {
        let given = std::mem::take(&mut self.widths);
        let mut fewest = usize::MAX;
        for floor in [3, 0, 1, 2, 4, 5] {
            let least = least(rows, self.measure, floor);
            let said: Vec<_> = given
                .iter()
                .filter(|(i, width)| least.get(*i) != Some(width))
                .copied()
                .collect();
            if said.len() < fewest {
                fewest = said.len();
                self.floor = floor;
                self.widths = said;
            }
        }
    }
}
