//! Templates: inferred from similar lines, and matched against other lines.

use super::cells::{Cell, Role};
use super::form::Form;

/// Wider columns are not described by their width.
pub(crate) const WIDEST: u32 = 400;

/// The common parts of similar lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    columns: Vec<Column>,
    /// For a prefix template, the separator before the rest of the line, and the form of the rest.
    open: Option<(u8, Form)>,
}

/// A part of a template as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    Text(String),
    Field,
    /// A field, right-aligned to this width.
    Right(u32),
    /// Spaces up to this column.
    Tab(u32),
    Clock,
}

impl Part {
    /// Whether each line has a value for this part.
    pub(crate) fn is_field(&self) -> bool {
        matches!(self, Self::Field | Self::Right(_))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Column {
    gap: u8,
    pad: Pad,
    form: Form,
}

/// The spaces before a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pad {
    /// A constant number of spaces.
    Fixed(u32),
    /// Spaces up to this column.
    Tab(u32),
    /// Spaces that right-align the field to this width.
    Right(u32),
    /// The spaces are part of the field.
    Free,
}

impl Template {
    /// The template of rows with the same skeleton; `None` without rows.
    pub(crate) fn of(text: &str, rows: &[&[Cell]]) -> Option<Self> {
        let count = rows.first()?.len();
        let mut columns = Vec::with_capacity(count);
        let mut cells = Vec::with_capacity(rows.len());
        for at in 0..count {
            cells.clear();
            for row in rows {
                cells.push((*row.get(at)?, line_start(row)));
            }
            columns.push(Column::of(text, &cells)?);
        }
        Some(Self {
            columns,
            open: None,
        })
    }

    /// The prefix template of rows whose last cell is where the rest of the line begins. `ends` has the end of each
    /// line.
    pub(crate) fn of_beginnings(text: &str, rows: &[&[Cell]], ends: &[u32]) -> Option<Self> {
        let beginnings: Vec<&[Cell]> = rows
            .iter()
            .filter_map(|row| Some(row.split_last()?.1))
            .collect();
        let mut template = Self::of(text, &beginnings)?;
        let rests = rows.iter().zip(ends).filter_map(|(row, end)| {
            let rest = row.last()?;
            text.get((rest.start - rest.pad) as usize..*end as usize)
        });
        let rests: Vec<&str> = rests.collect();
        let (first, others) = rests.split_first()?;
        let form = if others.iter().all(|other| other == first) {
            Form::Same((*first).into())
        } else {
            Form::any(first, others)
        };
        template.open = Some((rows.first()?.last()?.gap, form));
        Some(template)
    }

    /// The number of cells that it covers.
    pub(crate) fn cells(&self) -> usize {
        self.columns.len()
    }

    /// The text of a cell, if it is the same in all lines.
    pub(crate) fn word(&self, column: usize) -> Option<&str> {
        self.aligned_form(column)?.word()
    }

    /// The hash of a cell without numbers, if it is the same in all lines.
    pub(crate) fn pattern(&self, column: usize) -> Option<u64> {
        self.aligned_form(column)?.pattern()
    }

    fn aligned_form(&self, column: usize) -> Option<&Form> {
        let column = self.columns.get(column)?;
        (column.pad != Pad::Free).then_some(&column.form)
    }

    /// The number of bytes of a line that the template determines; of two matching templates, the one with more is
    /// tried first.
    pub(crate) fn specificity(&self) -> usize {
        let rest = self.open.as_ref().map(|(_, form)| form);
        let forms = self.columns.iter().map(|column| &column.form).chain(rest);
        forms.map(Form::specificity).sum()
    }

    /// Appends the fields of a line, if it matches. `end` is the end of the line.
    pub(crate) fn fields_of(
        &self,
        text: &str,
        cells: &[Cell],
        end: u32,
        room: &mut Vec<(u32, u32)>,
        fields: &mut Vec<(u32, u32)>,
    ) -> bool {
        let fits = match &self.open {
            Some((gap, _)) => cells
                .get(self.columns.len())
                .is_some_and(|next| next.gap == *gap),
            None => cells.len() == self.columns.len(),
        };
        if !fits {
            return false;
        }
        let before = fields.len();
        let start = line_start(cells);
        for (cell, column) in cells.iter().zip(&self.columns) {
            if !column.fields_of(text, *cell, start, room, fields) {
                fields.truncate(before);
                return false;
            }
        }
        if let Some((_, form)) = &self.open {
            let rest = cells[self.columns.len()];
            let start = rest.start - rest.pad;
            let value = &text[start as usize..end as usize];
            if !form.fields_of(value, start, room, fields) {
                fields.truncate(before);
                return false;
            }
        }
        true
    }

    /// The parts of the template in the legend.
    pub(crate) fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        for Column { gap, pad, form } in &self.columns {
            add(&mut parts, gap_part(*gap));
            match pad {
                Pad::Fixed(pad) => add(&mut parts, Part::Text(" ".repeat(*pad as usize))),
                Pad::Tab(column) => add(&mut parts, Part::Tab(*column)),
                Pad::Right(_) | Pad::Free => {}
            }
            for part in form.parts() {
                match (part, pad) {
                    (Part::Field, Pad::Right(width)) => add(&mut parts, Part::Right(*width)),
                    (part, _) => add(&mut parts, part),
                }
            }
        }
        if let Some((gap, form)) = &self.open {
            add(&mut parts, gap_part(*gap));
            form.parts()
                .into_iter()
                .for_each(|part| add(&mut parts, part));
        }
        parts
    }
}

/// Appends a part; adjacent texts are joined.
pub(crate) fn add(parts: &mut Vec<Part>, part: Part) {
    match (parts.last_mut(), part) {
        (_, Part::Text(text)) if text.is_empty() => {}
        (Some(Part::Text(text)), Part::Text(more)) => text.push_str(&more),
        (_, part) => parts.push(part),
    }
}

fn gap_part(gap: u8) -> Part {
    Part::Text(if gap == 0 {
        String::new()
    } else {
        char::from(gap).to_string()
    })
}

/// Where the line with these cells begins.
fn line_start(cells: &[Cell]) -> u32 {
    cells.first().map_or(0, |cell| cell.start - cell.pad)
}

impl Column {
    /// The column of cells, each with the start of its line.
    fn of(text: &str, cells: &[(Cell, u32)]) -> Option<Self> {
        let (first, _) = cells.first()?;
        let gap = first.gap;
        if first.role == Role::Clock {
            let (pad, form) = (Pad::Fixed(0), Form::Clock);
            return Some(Self { gap, pad, form });
        }
        let words: Vec<&str> = cells.iter().map(|(cell, _)| cell.of(text)).collect();
        let form = Form::of(&words);
        if cells.iter().all(|(cell, _)| cell.pad == first.pad) {
            let pad = Pad::Fixed(first.pad);
            return Some(Self { gap, pad, form });
        }
        let padded = || cells.iter().filter(|(cell, _)| cell.pad > 0);
        let tab = padded()
            .map(|(cell, line)| width(text, *line, cell.start))
            .max()?;
        let right = form.right_of(&words).and_then(|right| {
            padded()
                .map(|(cell, _)| width(text, cell.start - cell.pad, cell.end - right))
                .max()
        });
        for pad in [Some(Pad::Tab(tab)), right.map(Pad::Right)]
            .into_iter()
            .flatten()
        {
            let column = Self {
                gap,
                pad,
                form: form.clone(),
            };
            if tab <= WIDEST && column.fits_all(text, cells) {
                return Some(column);
            }
        }
        let padded: Vec<&str> = cells.iter().map(|(cell, _)| cell.padded(text)).collect();
        let (first, others) = padded.split_first()?;
        Some(Self {
            gap,
            pad: Pad::Free,
            form: Form::any(first, others),
        })
    }

    fn fits_all(&self, text: &str, cells: &[(Cell, u32)]) -> bool {
        let (mut room, mut fields) = (Vec::new(), Vec::new());
        cells
            .iter()
            .all(|(cell, line)| self.fields_of(text, *cell, *line, &mut room, &mut fields))
    }

    fn fields_of(
        &self,
        text: &str,
        cell: Cell,
        line: u32,
        room: &mut Vec<(u32, u32)>,
        fields: &mut Vec<(u32, u32)>,
    ) -> bool {
        if cell.gap != self.gap {
            return false;
        }
        if self.form == Form::Clock || cell.role == Role::Clock {
            return self.form == Form::Clock && cell.role == Role::Clock;
        }
        match self.pad {
            Pad::Free => {
                let start = cell.start - cell.pad;
                return self.form.fields_of(cell.padded(text), start, room, fields);
            }
            Pad::Fixed(pad) if pad != cell.pad => return false,
            Pad::Tab(tab) => {
                let before = width(text, line, cell.start - cell.pad);
                if cell.pad != tab.saturating_sub(before) {
                    return false;
                }
            }
            Pad::Fixed(_) | Pad::Right(_) => {}
        }
        if !self.form.fields_of(cell.of(text), cell.start, room, fields) {
            return false;
        }
        match (self.pad, fields.last()) {
            (Pad::Right(right), Some((start, end))) => {
                *start == cell.start && cell.pad == right.saturating_sub(width(text, *start, *end))
            }
            (Pad::Right(_), None) => false,
            _ => true,
        }
    }
}

/// The width of a piece of the text in characters.
fn width(text: &str, start: u32, end: u32) -> u32 {
    let piece = text.get(start as usize..end as usize).unwrap_or_default();
    if piece.is_ascii() {
        end - start
    } else {
        piece.chars().count() as u32
    }
}
