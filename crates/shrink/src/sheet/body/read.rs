//! Decodes lines to rows.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::cell::{End, Token, read_text};
use super::lines::{Layout, SECTION, key};
use super::spec::{self, Model, Names, Part};
use super::{most_cells, template};
use crate::rendering::Malformed;
use crate::sheet::page::limit;
use crate::sheet::rows::Rows;

/// The rows of a table that consists of all `lines`.
pub(in crate::sheet) fn read(lines: &str) -> Result<Rows<'_>, Malformed> {
    let (first, rest) = match lines.split_once('\n') {
        Some((first, rest)) => (first, Some(rest)),
        None => (lines, None),
    };
    let (names, parts) = spec::read(first).map_err(|why| Malformed::new(1, why))?;
    let mut reader = Reader::new(&parts, &names);
    reader.most = most_cells(lines.len());
    reader.bytes = limit(lines.len());
    for (number, line) in rest
        .into_iter()
        .flat_map(|rest| rest.split('\n'))
        .enumerate()
    {
        reader
            .line(line)
            .map_err(|why| Malformed::new(number + 2, why))?;
    }
    let cells = reader.cells;
    let width = names.len();
    Ok(Rows {
        width,
        names: Some(names),
        cells,
    })
}

struct Reader<'p, 'a> {
    parts: &'p [Part<'a>],
    layout: Layout,
    /// The names of usual parts in exceptions.
    keys: BTreeMap<Cow<'p, str>, usize>,
    /// The cells of the parts in the previous row; for sections and usual parts, the current values.
    above: Vec<Cow<'a, str>>,
    has_section: bool,
    has_templates: bool,
    row: usize,
    cells: Vec<Cow<'a, str>>,
    /// The most cells.
    most: usize,
    /// The remaining bytes that may be produced.
    bytes: usize,
}

impl<'p, 'a> Reader<'p, 'a> {
    fn new(parts: &'p [Part<'a>], names: &'p [Cow<'a, str>]) -> Self {
        let known = Names::new(names);
        let layout = Layout::of(parts);
        let keys = layout
            .usual
            .iter()
            .map(|i| (key(*i, parts, &known), *i))
            .collect();
        let has_templates = parts
            .iter()
            .any(|part| matches!(part.model, Model::Template(_)));
        Self {
            parts,
            layout,
            keys,
            above: vec![Cow::Borrowed(""); parts.len()],
            has_section: false,
            has_templates,
            row: 0,
            cells: Vec::new(),
            most: 0,
            bytes: 0,
        }
    }

    fn line(&mut self, line: &'a str) -> Result<(), &'static str> {
        if !self.layout.sections.is_empty() {
            if let Some(section) = line.strip_prefix(SECTION) {
                return self.section(section);
            }
            if !self.has_section {
                return Err("a row without a section");
            }
        }
        self.tokens(line)?;
        if (self.row + 1).saturating_mul(self.parts.len()) > self.most {
            return Err("the decoded text would exceed the size limit");
        }
        self.join()?;
        self.row += 1;
        Ok(())
    }

    fn section(&mut self, line: &'a str) -> Result<(), &'static str> {
        let last = self.layout.sections.last().copied();
        let mut rest = Some(line);
        for at in 0..self.layout.sections.len() {
            let Some(i) = self.layout.sections.get(at).copied() else {
                break;
            };
            let end = if Some(i) == last {
                End::Line
            } else {
                End::Space
            };
            let text = rest.ok_or("too few cells in a section")?;
            let (token, more) = Token::read(text, end)?;
            rest = more;
            self.set(i, token)?;
        }
        self.has_section = true;
        rest.map_or(Ok(()), |_| Err("too many cells in a section"))
    }

    /// Reads the cells of a row, and its exceptions.
    fn tokens(&mut self, line: &'a str) -> Result<(), &'static str> {
        let mut rest = Some(line).filter(|line| !line.is_empty());
        if let (true, Some(first)) = (self.layout.in_rows.is_empty(), rest) {
            rest = Some(first.strip_prefix('~').ok_or("more cells than columns")?);
        }
        for at in 0..self.layout.in_rows.len() {
            let Some((i, end)) = self.layout.in_rows.get(at).copied() else {
                break;
            };
            let token = match rest {
                Some(text) => {
                    let (token, more) = Token::read(text, end)?;
                    rest = more;
                    token
                }
                None => Token::Text(Cow::Borrowed("")),
            };
            self.set(i, token)?;
        }
        let parts = self.parts;
        for i in &self.layout.usual {
            if let (Some(Model::Usual(usual)), Some(place)) = (
                parts.get(*i).map(|part| &part.model),
                self.above.get_mut(*i),
            ) {
                *place = usual.clone();
            }
        }
        while let Some(text) = rest {
            let (name, value) = text.split_once('=').ok_or("more cells than columns")?;
            let i = self.keys.get(name).ok_or("an unknown column")?;
            let (value, _, more) = read_text(value, End::Unusual)?;
            rest = more;
            if let Some(place) = self.above.get_mut(*i) {
                *place = value;
            }
        }
        Ok(())
    }

    /// Stores the cell of a part.
    fn set(&mut self, i: usize, token: Token<'a>) -> Result<(), &'static str> {
        let (Some(part), Some(place)) = (self.parts.get(i), self.above.get_mut(i)) else {
            return Ok(());
        };
        let cell = match (token, &part.model) {
            (Token::Ditto, _) => return Ok(()),
            (Token::Whole(text), _) => text,
            (Token::Text(text), _) if text.is_empty() => text,
            (Token::Text(text), Model::Coded(codes)) => {
                let code = codes.iter().find(|(code, _)| is_code(&text, *code));
                code.map_or(text, |(_, value)| value.clone())
            }
            (Token::Text(text), Model::Cells(affix) | Model::Section(affix)) => affix.apply(text),
            (Token::Text(text), _) => text,
        };
        if matches!(cell, Cow::Owned(_)) {
            self.bytes = self
                .bytes
                .checked_sub(cell.len())
                .ok_or("the decoded text would exceed the size limit")?;
        }
        *place = cell;
        Ok(())
    }

    /// Joins the parts of a row to cells.
    fn join(&mut self) -> Result<(), &'static str> {
        let start = self.cells.len();
        for (i, part) in self.parts.iter().enumerate() {
            let cell = match &part.model {
                Model::Constant(value) => value.clone(),
                Model::Series(affix, series) => {
                    let mut cell = affix.before.to_string();
                    series
                        .write(self.row, &mut cell)
                        .ok_or("a number that is too large")?;
                    cell.push_str(&affix.after);
                    Cow::Owned(cell)
                }
                Model::Template(_) => Cow::Borrowed(""),
                _ => self.above.get(i).cloned().unwrap_or_default(),
            };
            if matches!(cell, Cow::Owned(_)) {
                self.bytes = self
                    .bytes
                    .checked_sub(cell.len())
                    .ok_or("the decoded text would exceed the size limit")?;
            }
            match (part.joint, self.cells.last_mut()) {
                (Some(joint), Some(last)) => {
                    let is_empty = last.is_empty() && cell.is_empty();
                    let more = last.len() + cell.len();
                    self.bytes = self
                        .bytes
                        .checked_sub(more)
                        .ok_or("the decoded text would exceed the size limit")?;
                    let last = last.to_mut();
                    // A second part is empty only if the whole cell is.
                    if !is_empty {
                        last.push(joint);
                        last.push_str(&cell);
                    }
                }
                _ => self.cells.push(cell),
            }
        }
        if !self.has_templates {
            return Ok(());
        }
        for part in self.parts {
            let Model::Template(pieces) = &part.model else {
                continue;
            };
            let mut made = String::new();
            let row = self.cells.get(start..).unwrap_or_default();
            let size = |piece: &template::Piece<'_>| match piece {
                template::Piece::Text(text) => text.len(),
                // Changing the case of letters may lengthen them.
                template::Piece::Column(i, _) => row.get(*i).map_or(0, |cell| cell.len() * 3),
            };
            let sizes = pieces.iter().map(size);
            let size = sizes.fold(pieces.len(), usize::saturating_add);
            self.bytes = self
                .bytes
                .checked_sub(size)
                .ok_or("the decoded text would exceed the size limit")?;
            template::apply(pieces, &mut made, |i| row.get(i).map_or("", |cell| cell));
            if let Some(place) = self.cells.get_mut(start + part.column) {
                *place = Cow::Owned(made);
            }
        }
        Ok(())
    }
}

fn is_code(text: &str, code: char) -> bool {
    let mut chars = text.chars();
    chars.next() == Some(code) && chars.next().is_none()
}
