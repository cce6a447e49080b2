//! Weighs cells in tokens, using samples.

use super::cell::Cell;
use crate::context::Context;

/// Counts the tokens of samples of cells.
pub(super) struct Scale<'c>(&'c Context);

/// The size of a sample.
const SAMPLE: usize = 12;
/// How many bytes of a text are counted.
const LONGEST: usize = 512;

impl<'c> Scale<'c> {
    pub(super) fn new(context: &'c Context) -> Self {
        Self(context)
    }

    /// The tokens of a text.
    pub(super) fn tokens(&self, text: &str) -> u64 {
        self.0.tokens(start(text))
    }

    /// Whether a space before each cell saves tokens.
    pub(super) fn is_lighter_spaced(&self, texts: &[&str]) -> bool {
        let mut lines = [String::new(), String::new()];
        for text in sample(texts) {
            for (line, before) in lines.iter_mut().zip(["0,", "0, "]) {
                line.push_str(before);
                line.push_str(start(text));
                line.push(',');
            }
        }
        let [plain, spaced] = lines;
        self.0.tokens(&spaced) < self.0.tokens(&plain)
    }

    /// The tokens of these cells, each with a separator.
    pub(super) fn weigh<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> u64 {
        let mut line = String::new();
        for text in texts {
            line.push_str(start(text));
            line.push(',');
        }
        self.0.tokens(&line)
    }
}

/// A sample of the cells, spread over the column.
pub(super) fn sample<'l>(cells: &[&'l str]) -> Vec<&'l str> {
    let step = cells.len().div_ceil(SAMPLE).max(1);
    cells.iter().step_by(step).copied().collect()
}

/// The texts or numbers of a column, if it has only one of these types besides `null` and absent cells; and whether
/// they are numbers.
pub(super) fn materials<'l>(cells: &'l [Cell<'l>]) -> Option<(Vec<&'l str>, bool)> {
    let mut texts = Vec::with_capacity(cells.len());
    let mut numbers = 0;
    for cell in cells {
        match cell {
            Cell::Absent => {}
            Cell::Text(text) => texts.push(&**text),
            Cell::Json(json) if cell.is_number() => {
                numbers += 1;
                texts.push(json);
            }
            _ if cell.is_null() => {}
            Cell::Json(_) => return None,
        }
    }
    match numbers {
        0 => Some((texts, false)),
        _ if numbers == texts.len() => Some((texts, true)),
        _ => None,
    }
}

fn start(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}
