//! The column line: the names of columns, and models of their cells.

mod read;

use std::borrow::Cow;
use std::collections::BTreeMap;

pub(super) use self::read::read;
use super::cell::{End, is_bare};
use super::series::Series;
use super::template::{self, Piece};
use crate::edge;

/// A column, or a part of one if its cells are cut at a character that all of them contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part<'a> {
    /// The index of its column.
    pub(super) column: usize,
    /// The character before it in the column, unless it is the first part.
    pub(super) joint: Option<char>,
    pub(super) model: Model<'a>,
    /// Whether its cells are terminated by a comma and a space, because they contain spaces.
    pub(super) comma: bool,
}

/// How the cells of a part are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Model<'a> {
    /// In the rows, without a common prefix and suffix.
    Cells(Affix<'a>),
    /// In the rows, frequent values as one letter.
    Coded(Vec<(char, Cow<'a, str>)>),
    /// In a line above the rows that share them.
    Section(Affix<'a>),
    /// All equal.
    Constant(Cow<'a, str>),
    /// Equal in most rows, with exceptions in the others.
    Usual(Cow<'a, str>),
    /// An arithmetic series.
    Series(Affix<'a>, Series),
    /// Derived from other columns.
    Template(Vec<Piece<'a>>),
}

/// The common prefix and suffix of cells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Affix<'a> {
    pub(super) before: Cow<'a, str>,
    pub(super) after: Cow<'a, str>,
}

impl<'a> Affix<'a> {
    /// Whether both are empty.
    pub(super) fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }

    /// The part of a cell between prefix and suffix, if it has both and the part is not empty.
    pub(super) fn strip<'c>(&self, cell: &'c str) -> Option<&'c str> {
        let cell = edge::strip_prefix(cell, &self.before)?;
        edge::strip_suffix(cell, &self.after).filter(|hole| !hole.is_empty())
    }

    /// The inverse of [`Self::strip`].
    pub(super) fn apply<'c>(&self, hole: Cow<'c, str>) -> Cow<'c, str> {
        if self.is_empty() {
            hole
        } else {
            Cow::Owned([&*self.before, &*hole, &*self.after].concat())
        }
    }

    fn spell(&self, out: &mut String, hole: impl FnOnce(&mut String)) {
        out.push_str(&self.before);
        hole(out);
        out.push_str(&self.after);
    }
}

impl Model<'_> {
    /// Whether its cells are written in the rows.
    pub(super) const fn is_in_rows(&self) -> bool {
        matches!(self, Self::Cells(_) | Self::Coded(_))
    }
}

/// The names with which columns refer to each other.
pub(super) struct Names<'n> {
    names: &'n [Cow<'n, str>],
    /// Names that belong to one column only and cannot be confused with anything else.
    unique: BTreeMap<&'n str, usize>,
}

impl<'n> Names<'n> {
    pub(super) fn new(names: &'n [Cow<'n, str>]) -> Self {
        let mut unique = BTreeMap::new();
        for (i, name) in names.iter().enumerate() {
            let is_plain =
                |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '%' | '.');
            let plain = !name.is_empty() && name.chars().all(is_plain) && !name.contains("..");
            if plain {
                // A repeated name refers to neither column.
                let seen = unique.entry(&**name).or_insert(i);
                if *seen != i {
                    *seen = usize::MAX;
                }
            }
        }
        Self { names, unique }
    }

    /// The name of a column, or its number from 1.
    pub(super) fn of(&self, column: usize) -> Cow<'n, str> {
        let name = self.names.get(column).map(|name| &**name);
        match name.filter(|name| self.unique.get(name) == Some(&column)) {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(format!("#{}", column + 1)),
        }
    }

    /// The inverse of [`Self::of`].
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        match name.strip_prefix('#') {
            Some(number) => number.parse::<usize>().ok()?.checked_sub(1),
            None => self.unique.get(name).copied(),
        }
        .filter(|column| *column < self.names.len())
    }
}

/// Writes the column line.
pub(super) fn write(parts: &[Part<'_>], names: &[Cow<'_, str>], out: &mut String) {
    let known = Names::new(names);
    let mut spec = String::new();
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            out.push(' ');
        }
        spec.clear();
        match part.joint {
            None => escape(names.get(part.column).map_or("", |name| name), &mut spec),
            Some(' ') => spec.push('+'),
            Some(joint) => spec.extend(['+', joint]),
        }
        spell(&part.model, &known, &mut spec);
        if is_bare(&spec, End::Space) && !spec.ends_with(',') {
            out.push_str(&spec)
        } else {
            out.push_str(&linkspan_wire::quote(&spec))
        }
        if part.comma {
            out.push(',');
        }
    }
}

fn spell(model: &Model<'_>, names: &Names<'_>, out: &mut String) {
    match model {
        Model::Cells(affix) if affix.is_empty() => {}
        Model::Cells(affix) => {
            out.push('=');
            affix.spell(out, |out| out.push('*'));
        }
        Model::Section(affix) => {
            out.push(':');
            if !affix.is_empty() {
                affix.spell(out, |out| out.push('*'));
            }
        }
        Model::Constant(value) => {
            out.push('=');
            out.push_str(value);
        }
        Model::Usual(value) => {
            out.push('~');
            out.push_str(value);
        }
        Model::Coded(codes) => {
            out.push_str("={");
            for (i, (code, value)) in codes.iter().enumerate() {
                if i > 0 {
                    out.push('|');
                }
                out.extend([*code, '=']);
                out.push_str(value);
            }
            out.push('}');
        }
        Model::Series(affix, series) => {
            out.push('=');
            affix.spell(out, |out| {
                out.push('{');
                series.spell(out);
                out.push('}');
            });
        }
        Model::Template(pieces) => {
            out.push('=');
            template::spell(pieces, out, |column| names.of(column));
        }
    }
}

const SPECIAL: [char; 4] = ['=', '~', ':', '\\'];

fn escape(name: &str, out: &mut String) {
    if name.starts_with('+') {
        out.push('\\');
    }
    for c in name.chars() {
        if SPECIAL.contains(&c) {
            out.push('\\');
        }
        out.push(c);
    }
}
