//! Encodes the lines of the rows.

use std::borrow::Cow;

use super::cell::{End, Token, UNUSUAL, write_text};
use super::spec::{Affix, Model, Names, Part};
use super::weigh::weigh;
use crate::context::Level;
use crate::edge::is_same;

/// Begins a line with values for all rows down to the next such line.
pub(super) const SECTION: &str = ": ";

/// Writes rows.
pub(super) struct Writer<'p, 'a, 'r> {
    parts: &'p [Part<'a>],
    names: Names<'p>,
    layout: Layout,
    /// The cells of the previous row.
    above: Vec<&'r str>,
    used: Used,
    level: Level,
}

/// The notations that the legend must explain.
#[derive(Default)]
struct Used {
    ditto: bool,
    whole: bool,
}

/// The parts by where they are written.
pub(super) struct Layout {
    /// Parts in the rows, with their terminators.
    pub(super) in_rows: Vec<(usize, End)>,
    pub(super) sections: Vec<usize>,
    pub(super) usual: Vec<usize>,
}

impl Layout {
    pub(super) fn of(parts: &[Part<'_>]) -> Self {
        let some = |is: fn(&Model<'_>) -> bool| -> Vec<usize> {
            let all = parts.iter().enumerate();
            all.filter(|(_, part)| is(&part.model))
                .map(|(i, _)| i)
                .collect()
        };
        let in_rows = some(|model| model.is_in_rows());
        let usual = some(|model| matches!(model, Model::Usual(_)));
        let last = in_rows.last().copied();
        let end = |i: usize| match parts.get(i) {
            _ if Some(i) == last && usual.is_empty() => End::Line,
            _ if Some(i) == last => End::Unusual,
            Some(part) if part.comma => End::Comma,
            _ => End::Space,
        };
        Self {
            in_rows: in_rows.into_iter().map(|i| (i, end(i))).collect(),
            sections: some(|model| matches!(model, Model::Section(_))),
            usual,
        }
    }
}

impl<'p, 'a, 'r> Writer<'p, 'a, 'r> {
    pub(super) fn new(parts: &'p [Part<'a>], names: &'p [Cow<'p, str>], level: Level) -> Self {
        Self {
            parts,
            names: Names::new(names),
            layout: Layout::of(parts),
            above: Vec::new(),
            used: Used::default(),
            level,
        }
    }

    /// Writes a row, given as the cells of its parts, and a section line above it if needed.
    pub(super) fn row(&mut self, cells: &[&'r str], out: &mut String) {
        let cell = |i: usize| cells.get(i).copied().unwrap_or_default();
        let above = |i: usize| self.above.get(i).copied();
        if self
            .layout
            .sections
            .iter()
            .any(|i| above(*i) != Some(cell(*i)))
        {
            self.section(cells, out);
        }
        out.push('\n');
        let is_unusual = |i: &&usize| match self.parts.get(**i).map(|part| &part.model) {
            Some(Model::Usual(usual)) => usual != cell(**i),
            _ => false,
        };
        let has_unusual = self.layout.usual.iter().any(|i| is_unusual(&i));
        // Empty cells at the end are omitted.
        let mut wanted = if has_unusual {
            self.layout.in_rows.len()
        } else {
            let filled = |(i, _): &(usize, End)| !cell(*i).is_empty();
            self.layout
                .in_rows
                .iter()
                .rposition(filled)
                .map_or(0, |at| at + 1)
        };
        let mut separator = "";
        for (i, end) in self.layout.in_rows.iter().take(wanted) {
            out.push_str(separator);
            separator = if *end == End::Comma { ", " } else { " " };
            let Some(part) = self.parts.get(*i) else {
                continue;
            };
            let token = token(part, cell(*i));
            let is_same = || above(*i).is_some_and(|above| is_same(above, cell(*i)));
            let repeats = self.level > Level::Safe && is_same() && is_long(&token);
            if repeats {
                self.used.ditto = true;
                Token::Ditto.write(out, *end);
                continue;
            }
            self.used.whole |= matches!(token, Token::Whole(_));
            token.write(out, *end);
        }
        for i in self.layout.usual.iter().filter(is_unusual) {
            // In a row without other cells, the exception begins the line.
            let lead = if wanted == 0 {
                UNUSUAL.trim_start()
            } else {
                UNUSUAL
            };
            out.push_str(lead);
            wanted = wanted.max(1);
            out.push_str(&key(*i, self.parts, &self.names));
            out.push('=');
            write_text(out, cell(*i), End::Unusual);
        }
        self.above.clear();
        self.above.extend(cells);
    }

    fn section(&self, cells: &[&str], out: &mut String) {
        out.push('\n');
        out.push_str(SECTION);
        let last = self.layout.sections.last();
        for i in &self.layout.sections {
            let (Some(part), Some(cell)) = (self.parts.get(*i), cells.get(*i)) else {
                continue;
            };
            let is_last = Some(i) == last;
            token(part, cell).write(out, if is_last { End::Line } else { End::Space });
            if !is_last {
                out.push(' ');
            }
        }
    }

    /// The legend: a few words, or nothing.
    pub(super) fn legend(&self) -> String {
        let any = |is: fn(&Model<'_>) -> bool| self.parts.iter().any(|part| is(&part.model));
        let has_affix = any(|model| match model {
            Model::Cells(affix) | Model::Section(affix) => !affix.is_empty(),
            _ => false,
        });
        let mut words: Vec<&str> = Vec::new();
        if has_affix {
            words.push("* = cell");
        }
        if any(|model| matches!(model, Model::Usual(_))) {
            words.push("~ = unless said");
        }
        if !self.layout.sections.is_empty() {
            words.push(": = rows below");
        }
        if self.parts.iter().any(|part| part.joint.is_some()) {
            words.push("+ = same column");
        }
        if self.used.ditto {
            words.push("^ = as above");
        }
        if self.used.whole {
            words.push("= = whole cell");
        }
        words.join(", ")
    }
}

/// The name of a part in exceptions.
pub(super) fn key<'n>(i: usize, parts: &[Part<'_>], names: &Names<'n>) -> Cow<'n, str> {
    match parts.get(i) {
        Some(part) if part.joint.is_none() => match names.of(part.column) {
            name if name.starts_with('#') => Cow::Owned(format!("#{}", i + 1)),
            name => name,
        },
        _ => Cow::Owned(format!("#{}", i + 1)),
    }
}

/// Whether a token costs more than a ditto.
fn is_long(token: &Token<'_>) -> bool {
    match token {
        Token::Text(text) => text.len() > 3 && weigh(text) > 2,
        _ => true,
    }
}

/// The token of a cell.
fn token<'c>(part: &Part<'_>, cell: &'c str) -> Token<'c> {
    match &part.model {
        Model::Coded(codes) => coded(codes, cell),
        Model::Cells(affix) | Model::Section(affix) => affixed(affix, cell),
        _ => Token::Text(Cow::Borrowed(cell)),
    }
}

fn affixed<'c>(affix: &Affix<'_>, cell: &'c str) -> Token<'c> {
    match affix.strip(cell) {
        Some(hole) => Token::Text(Cow::Borrowed(hole)),
        None if cell.is_empty() => Token::Text(Cow::Borrowed(cell)),
        None => Token::Whole(Cow::Borrowed(cell)),
    }
}

fn coded<'c>(codes: &[(char, Cow<'_, str>)], cell: &'c str) -> Token<'c> {
    if let Some((code, _)) = codes.iter().find(|(_, value)| *value == cell) {
        return Token::Text(Cow::Owned(code.to_string()));
    }
    let mut chars = cell.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) if codes.iter().any(|(code, _)| *code == c) => {
            Token::Whole(Cow::Borrowed(cell))
        }
        _ => Token::Text(Cow::Borrowed(cell)),
    }
}
