//! The contents of a table, independent of its drawing.

use std::borrow::Cow;

/// Names of columns and rows of cells, borrowed from the text where possible.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Rows<'a> {
    /// The number of cells of a row.
    pub(super) width: usize,
    /// The names of the columns, if there are any.
    pub(super) names: Option<Vec<Cow<'a, str>>>,
    /// The cells, row by row.
    pub(super) cells: Vec<Cow<'a, str>>,
}

impl<'a> Rows<'a> {
    /// The rows without the names.
    pub(super) fn rows(&self) -> std::slice::ChunksExact<'_, Cow<'a, str>> {
        self.cells.chunks_exact(self.width.max(1))
    }

    /// The number of rows without the names.
    pub(super) fn len(&self) -> usize {
        self.cells.len() / self.width.max(1)
    }

    /// The names and the rows.
    pub(super) fn all(&self) -> impl Iterator<Item = &[Cow<'a, str>]> {
        self.names.as_deref().into_iter().chain(self.rows())
    }
}

/// Whether a cell is a number in the notation of databases.
pub(super) fn is_number(cell: &str) -> bool {
    // Fast path: most cells are words.
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
