//! Parses rows of a Markdown table and writes them again.

use std::borrow::Cow;

use super::Markdown;
use crate::sheet::align::Align;

/// Parses rows and writes them again, to compare them with the lines of the text.
pub(super) struct RowWriter<'p, 'a> {
    pub(super) markdown: &'p Markdown,
    /// The widths of padded columns.
    pub(super) widths: Vec<Option<usize>>,
    /// The lines of the text.
    pub(super) lines: &'p [&'a str],
}

impl<'a> RowWriter<'_, 'a> {
    /// The cells of a row.
    pub(super) fn cells(&self, fields: &[&'a str], aligns: &[Align]) -> Vec<Cow<'a, str>> {
        let cell = |(i, field): (usize, &&'a str)| {
            let field = self.markdown.strip(i, self.widths.len(), field);
            if self.widths[i].is_some() {
                Cow::Borrowed(aligns[i].trim(field))
            } else {
                Cow::Borrowed(field)
            }
        };
        fields.iter().enumerate().map(cell).collect()
    }

    /// Whether a row is drawn exactly like a line of the text. `drawn` is a buffer.
    pub(super) fn writes(
        &self,
        cells: &[Cow<'_, str>],
        aligns: &[Align],
        line: usize,
        drawn: &mut String,
    ) -> bool {
        drawn.clear();
        self.markdown.row(drawn, cells, &self.widths, aligns);
        self.lines.get(line) == Some(&&**drawn)
    }
}

impl Markdown {
    /// Removes the spaces around a field that every field has.
    pub(super) fn strip<'a>(&self, column: usize, columns: usize, field: &'a str) -> &'a str {
        if !self.spaced {
            return field;
        }
        let is_first = column == 0 && !self.edges.0;
        let is_last = column + 1 == columns && !self.edges.1;
        let field = if is_first {
            field
        } else {
            field.strip_prefix(' ').unwrap_or(field)
        };
        if is_last {
            field
        } else {
            field.strip_suffix(' ').unwrap_or(field)
        }
    }
}
