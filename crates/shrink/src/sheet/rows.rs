//! What a table holds, apart from how it is drawn.

use std::borrow::Cow;

/// Names of columns and rows of cells, as they stand in the text wherever possible.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Rows<'a> {
    /// How many cells a row has.
    pub(super) width: usize,
    /// Names of the columns, or nothing.
    pub(super) names: Option<Vec<Cow<'a, str>>>,
    /// Row after row.
    pub(super) cells: Vec<Cow<'a, str>>,
}

impl<'a> Rows<'a> {
    /// The rows, without the names.
    pub(super) fn rows(&self) -> std::slice::ChunksExact<'_, Cow<'a, str>> {
        self.cells.chunks_exact(self.width.max(1))
    }

    /// How many rows there are, without the names.
    pub(super) fn len(&self) -> usize {
        self.cells.len() / self.width.max(1)
    }

    /// The names and the rows.
    pub(super) fn all(&self) -> impl Iterator<Item = &[Cow<'a, str>]> {
        self.names.as_deref().into_iter().chain(self.rows())
    }
}

/// Whether a cell is a number as databases print it.
pub(super) fn is_number(cell: &str) -> bool {
    // Most cells are words, and show it at once.
    if !matches!(
        cell.as_bytes().first(),
        Some(b'0'..=b'9' | b'+' | b'-' | b'.')
    ) {
        return false;
    }
    let digits = cell.trim_start_matches(['+', '-']);
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.trim_start_matches(['+', '-']))),
        None => (digits, None),
    };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    cell.len() - digits.len() < 2
        && (is_digits(whole) || (whole.is_empty() && mantissa.len() > 1))
        && (part.is_empty() || is_digits(part))
        && exponent.is_none_or(is_digits)
}
