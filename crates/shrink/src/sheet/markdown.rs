//! Markdown tables.

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
    /// Whether an empty cell is written as a single space.
    thin: bool,
    /// The alignment mark of each column in the delimiter row.
    marks: Vec<Mark>,
    /// Whether the dashes of the delimiter row have a space on each side.
    apart: bool,
    /// The number of dashes and colons of each column.
    dashes: Dashes,
    /// How cells are padded, if they are.
    padding: Option<Padding>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Padding {
    measure: Measure,
    /// The least width of a column.
    floor: usize,
    /// Columns that are wider or narrower than their cells require.
    widths: Vec<(usize, usize)>,
    /// Columns that are not padded.
    loose: Vec<usize>,
    /// The alignment of cells, if it differs from the marks.
    aligns: Option<Vec<Align>>,
    /// The alignment of names, if it differs from that of the cells.
    names: Option<Vec<Align>>,
}

/// The alignment mark of a column in the delimiter row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    None,
    Left,
    Right,
    Center,
}

/// The dashes of the delimiter row.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Dashes {
    /// This many per column, not counting colons.
    Each(usize),
    /// This many per column, including colons.
    All(usize),
    /// The width of the column, or of its name if it is not padded.
    Wide,
    /// A separate number for each column.
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
    /// Draws the table.
    pub(super) fn draw(&self, rows: &Rows<'_>, page: &mut Page<'_>) -> Result<(), Malformed> {
        let no_names = || Malformed::new(1, "no column names");
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

    /// The widths of the columns; `None` for columns that are not padded.
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

    /// How wide the head alone can make a line.
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

/// The least widths of the columns for their contents.
fn least(rows: &Rows<'_>, measure: Measure, floor: usize) -> Vec<usize> {
    let mut widths = vec![floor; rows.width];
    for row in rows.all() {
        for (cell, width) in row.iter().zip(&mut widths) {
            *width = measure.of(cell).max(*width);
        }
    }
    widths
}
