//! Tables as Markdown has them.

mod head;
mod read;
mod row_writer;
mod rule;

use std::borrow::Cow;

pub(super) use self::read::read;
use super::align::Align;
use super::measure::Measure;
use super::page::{Page, fill};
use super::rows::Rows;
use crate::rendering::Malformed;

/// How a table is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Markdown {
    indent: usize,
    /// Whether lines begin and end with a bar.
    edges: (bool, bool),
    /// Whether cells have a space on each side.
    spaced: bool,
    /// Whether an empty cell is one space.
    thin: bool,
    /// What the second line says of each column.
    marks: Vec<Mark>,
    /// Whether the dashes of the second line have a space on each side.
    apart: bool,
    /// How many dashes and colons a column has there.
    dashes: Dashes,
    /// Whether cells are padded, and where they stand.
    padding: Option<Padding>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Padding {
    measure: Measure,
    /// No column is narrower.
    floor: usize,
    /// Columns that are wider or narrower than they must be.
    widths: Vec<(usize, usize)>,
    /// Columns that are not padded.
    loose: Vec<usize>,
    /// Where cells stand, if not where the marks say.
    aligns: Option<Vec<Align>>,
    /// Where names stand, if not where their cells do.
    names: Option<Vec<Align>>,
}

/// What the second line says of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    None,
    Left,
    Right,
    Center,
}

/// How many dashes the second line has.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Dashes {
    /// So many in each column, colons not counted.
    Each(usize),
    /// So many in each column, colons included.
    All(usize),
    /// As wide as the column is, or its name if it is not padded.
    Wide,
    /// As it comes.
    Listed(Vec<usize>),
}

impl Mark {
    const fn letter(self) -> char {
        match self {
            Self::None => '-',
            Self::Left => 'l',
            Self::Right => 'r',
            Self::Center => 'c',
        }
    }

    fn parse(letter: char) -> Option<Self> {
        [Self::None, Self::Left, Self::Right, Self::Center]
            .into_iter()
            .find(|one| one.letter() == letter)
    }

    const fn align(self) -> Align {
        match self {
            Self::None | Self::Left => Align::Left,
            Self::Right => Align::Right,
            Self::Center => Align::Center,
        }
    }

    const fn colons(self) -> (bool, bool) {
        match self {
            Self::None => (false, false),
            Self::Left => (true, false),
            Self::Right => (false, true),
            Self::Center => (true, true),
        }
    }
}

impl Markdown {
    /// Writes it.
    pub(super) fn draw(&self, rows: &Rows<'_>, page: &mut Page<'_>) -> Result<(), Malformed> {
        let no_names = || Malformed::new(1, "no names of columns");
        let names = rows.names.as_deref().ok_or_else(no_names)?;
        let widths = self.widths(rows);
        let marked: Vec<Align> = self.marks.iter().map(|mark| mark.align()).collect();
        let padding = self.padding.as_ref();
        let aligns = padding.and_then(|p| p.aligns.as_ref()).unwrap_or(&marked);
        let name_aligns = padding.and_then(|p| p.names.as_ref()).unwrap_or(aligns);
        page.line(|out| self.row(out, names, &widths, name_aligns))?;
        page.line(|out| self.rule(out, names, &widths))?;
        for row in rows.rows() {
            page.line(|out| self.row(out, row, &widths, aligns))?;
        }
        Ok(())
    }

    fn row(
        &self,
        out: &mut String,
        cells: &[Cow<'_, str>],
        widths: &[Option<usize>],
        aligns: &[Align],
    ) {
        fill(out, ' ', self.indent);
        if self.edges.0 {
            out.push('|');
        }
        let measure = self.padding.as_ref().map_or(Measure::Chars, |p| p.measure);
        for (i, cell) in cells.iter().enumerate() {
            let is_first = i == 0 && !self.edges.0;
            let is_last = i + 1 == cells.len() && !self.edges.1;
            if i > 0 {
                out.push('|');
            }
            let mut spaces = (0, 0);
            if let Some(width) = widths.get(i).copied().flatten() {
                let align = aligns.get(i).copied().unwrap_or(Align::Left);
                spaces = align.split(width.saturating_sub(measure.of(cell)), width);
            }
            let spaced = usize::from(self.spaced);
            fill(out, ' ', spaces.0 + if is_first { 0 } else { spaced });
            out.push_str(cell);
            if self.thin && cell.is_empty() && spaces == (0, 0) {
                continue;
            }
            if !is_last {
                fill(out, ' ', spaces.1 + spaced);
            }
        }
        if self.edges.1 {
            out.push('|');
        }
    }

    fn rule(&self, out: &mut String, names: &[Cow<'_, str>], widths: &[Option<usize>]) {
        fill(out, ' ', self.indent);
        if self.edges.0 {
            out.push('|');
        }
        let measure = self.padding.as_ref().map_or(Measure::Chars, |p| p.measure);
        for (i, name) in names.iter().enumerate() {
            let is_first = i == 0 && !self.edges.0;
            let is_last = i + 1 == names.len() && !self.edges.1;
            if i > 0 {
                out.push('|');
            }
            let mark = self.marks.get(i).copied().unwrap_or(Mark::None);
            let (left, right) = mark.colons();
            let colons = usize::from(left) + usize::from(right);
            let edges = usize::from(!is_first) + usize::from(!is_last);
            let all = match &self.dashes {
                Dashes::Each(dashes) => dashes.saturating_add(colons),
                Dashes::All(all) => *all,
                Dashes::Listed(list) => list.get(i).copied().unwrap_or(3),
                Dashes::Wide => {
                    let width = widths.get(i).copied().flatten();
                    let width = width.unwrap_or_else(|| measure.of(name));
                    if self.spaced && !self.apart {
                        width + edges
                    } else {
                        width
                    }
                }
            };
            if self.apart && !is_first {
                out.push(' ');
            }
            if left {
                out.push(':');
            }
            fill(out, '-', all.saturating_sub(colons));
            if right {
                out.push(':');
            }
            if self.apart && !is_last {
                out.push(' ');
            }
        }
        if self.edges.1 {
            out.push('|');
        }
    }

    /// How wide the columns are; nothing for those that are not padded.
    fn widths(&self, rows: &Rows<'_>) -> Vec<Option<usize>> {
        let Some(padding) = &self.padding else {
            return Vec::new();
        };
        let least = least(rows, padding.measure, padding.floor);
        let mut widths: Vec<Option<usize>> = least.into_iter().map(Some).collect();
        for (i, width) in &padding.widths {
            if let Some(place) = widths.get_mut(*i) {
                *place = Some(*width);
            }
        }
        for i in &padding.loose {
            if let Some(place) = widths.get_mut(*i) {
                *place = None;
            }
        }
        widths
    }

    fn plain(columns: usize) -> Self {
        Self {
            indent: 0,
            edges: (true, true),
            spaced: true,
            thin: false,
            marks: vec![Mark::None; columns],
            apart: false,
            dashes: Dashes::Each(3),
            padding: None,
        }
    }

    /// How wide a line may get by what the head says alone.
    pub(super) fn given(&self) -> usize {
        let columns = self.marks.len();
        let dashes = match &self.dashes {
            Dashes::Each(all) | Dashes::All(all) => all.saturating_mul(columns),
            Dashes::Listed(list) => list.iter().copied().fold(0, usize::saturating_add),
            Dashes::Wide => 0,
        };
        let padding = self.padding.as_ref().map_or(0, |padding| {
            let widths = padding.widths.iter().map(|(_, width)| *width);
            let widths = widths.fold(0, usize::saturating_add);
            widths.saturating_add(padding.floor.saturating_mul(columns))
        });
        dashes.saturating_add(padding).saturating_add(self.indent)
    }
}

/// How wide columns must be for what is in them.
fn least(rows: &Rows<'_>, measure: Measure, floor: usize) -> Vec<usize> {
    let mut widths = vec![floor; rows.width];
    for row in rows.all() {
        for (cell, width) in row.iter().zip(&mut widths) {
            *width = measure.of(cell).max(*width);
        }
    }
    widths
}
