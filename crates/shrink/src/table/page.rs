//! A written level, with the notations that it uses.

use super::lines::Lines;
use crate::context::Context;

/// A level as text.
pub(crate) struct Page {
    pub(super) header: String,
    pub(super) rows: Lines,
    /// Whether repeated rows are abbreviated to their first cell.
    pub(super) repeats: bool,
    /// The columns of enclosing levels that it uses, as (up, leaf).
    pub(super) uses: Vec<(usize, usize)>,
    pub(crate) marks: Marks,
}

impl Page {
    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The number of tokens.
    pub(crate) fn tokens(&self, context: &Context) -> u64 {
        context.tokens(&self.header) + self.rows.tokens(context)
    }

    /// The columns and the rows, each on a line of its own.
    pub(crate) fn into_lines(self) -> String {
        self.rows.join(self.header, '\n')
    }

    /// The columns and rows in the notation between brackets.
    pub(crate) fn into_nested(self) -> String {
        self.rows.join(self.header, ';')
    }
}

/// The notations that the legend must explain.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Marks {
    pub(super) always: bool,
    pub(super) usually: bool,
    pub(super) cell: bool,
    pub(super) other: bool,
    pub(super) form: bool,
    pub(super) last: bool,
    pub(super) mask: bool,
    pub(super) absent: bool,
    pub(super) list: bool,
    pub(super) repeats: bool,
}

impl Marks {
    pub(crate) fn join(&mut self, other: Self) {
        self.always |= other.always;
        self.usually |= other.usually;
        self.cell |= other.cell;
        self.other |= other.other;
        self.form |= other.form;
        self.last |= other.last;
        self.mask |= other.mask;
        self.absent |= other.absent;
        self.list |= other.list;
        self.repeats |= other.repeats;
    }

    /// The legend, in a few words.
    pub(crate) fn legend(self) -> String {
        let words = [
            (self.always, "k:v in every row"),
            (self.usually, "k?:v if empty"),
            (self.cell, "* is the cell"),
            (self.mask, "# is a digit"),
            (self.other, "{k} is column k"),
            (self.form, "{k|a-b} in lower case"),
            (self.last, "{k|/} after the last slash"),
            (self.absent, "- is absent"),
            (self.list, "[a;b] is a list"),
            (self.repeats, "@ repeats by first cell"),
        ];
        let words = words.into_iter().filter(|(is_used, _)| *is_used);
        let words: Vec<&str> = words.map(|(_, words)| words).collect();
        words.join("; ")
    }
}
