//! The cells of a row and their values.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

use super::cursor::{Cursor, Wrong};
use super::head::Head;
use super::spec::{ParsedSpec, ParsedTemplate, Part};
use crate::lexeme::{Spelling, is_number, is_word, spelling, unescape};
use crate::table::cell::Place;

/// The undecoded cells of a row, and the row that contains its table.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'s, 't> {
    pub(crate) head: &'s Head<'t>,
    pub(crate) cells: &'s [&'t str],
    pub(crate) up: Option<&'s Scope<'s, 't>>,
}

/// The value of a cell.
#[derive(Debug)]
pub(crate) enum Found<'t> {
    Absent,
    /// A text.
    Text(Cow<'t, str>),
    /// A string with its quotes.
    String(&'t str),
    /// A number, `true`, `false` or `null`.
    Token(Cow<'t, str>),
    /// An array or an object.
    Nested(&'t str),
}

/// Cuts a row into at most `most` cells.
pub(crate) fn split<'t>(
    row: &'t str,
    place: Place,
    most: usize,
    cells: &mut Vec<&'t str>,
) -> Result<(), Wrong> {
    cells.clear();
    if row == "-" || row.is_empty() {
        return Ok(());
    }
    let mut cursor = Cursor::new(row);
    loop {
        if cells.len() == most {
            return Err("more cells than columns");
        }
        cells.push(cursor.cell(place)?);
        if !cursor.eat(",") {
            break;
        }
        // An optional space that saves tokens.
        cursor.eat(" ");
    }
    match cursor.rest() {
        "" => Ok(()),
        _ => Err("text after a row"),
    }
}

impl<'t> Scope<'_, 't> {
    /// The value of a column in this row.
    pub(crate) fn found(&self, leaf: usize) -> Result<Found<'t>, Wrong> {
        let leaf = self.head.leaves.get(leaf).ok_or("an unknown column")?;
        let cell = leaf.cell.and_then(|cell| self.cells.get(cell));
        let cell = cell.copied().unwrap_or("");
        match &leaf.spec {
            ParsedSpec::Plain => literal(cell),
            ParsedSpec::Always(value) => literal(value),
            ParsedSpec::Usually(value) if cell.is_empty() => literal(value),
            ParsedSpec::Usually(_) => literal(cell.strip_prefix('=').unwrap_or(cell)),
            ParsedSpec::Template(made) if !made.has_hole && cell.is_empty() => {
                self.fill(made, "", false)
            }
            ParsedSpec::Template(made) if made.usually => {
                literal(cell.strip_prefix('=').unwrap_or(cell))
            }
            ParsedSpec::Template(made) => match filling(cell)? {
                Filling::Other(found) => Ok(found),
                Filling::Text(text, is_text) => self.fill(made, &text, is_text),
            },
            ParsedSpec::Mask(mask) => match filling(cell)? {
                Filling::Other(found) => Ok(found),
                Filling::Text(cell, is_text) => {
                    let mut text = String::new();
                    if !mask.fill(&cell, &mut text) {
                        return Err("a cell that does not match its pattern");
                    }
                    Ok(made(text, is_text || mask.quoted))
                }
            },
        }
    }

    fn fill(
        &self,
        template: &ParsedTemplate<'t>,
        cell: &str,
        is_text: bool,
    ) -> Result<Found<'t>, Wrong> {
        let mut text = String::new();
        for part in &template.parts {
            match part {
                Part::Text(part) => text.push_str(part),
                Part::Cell => text.push_str(cell),
                Part::Other { up, leaf, form, .. } => {
                    let mut scope = self;
                    for _ in 0..*up {
                        scope = scope.up.ok_or("an unknown column")?;
                    }
                    let other = scope.found(*leaf)?.material()?;
                    form.write(&other, &mut text);
                }
            }
        }
        Ok(made(text, is_text || template.quoted))
    }
}

fn made<'t>(text: String, is_text: bool) -> Found<'t> {
    if !is_text && (is_number(&text) || is_word(&text)) {
        Found::Token(Cow::Owned(text))
    } else {
        Found::Text(Cow::Owned(text))
    }
}

/// The text to fill into a template, or the value that replaces it.
enum Filling<'t> {
    Other(Found<'t>),
    /// A text, and whether it was quoted, so that the result is a string.
    Text(Cow<'t, str>, bool),
}

fn filling(cell: &str) -> Result<Filling<'_>, Wrong> {
    Ok(match cell.as_bytes().first() {
        None => Filling::Other(Found::Absent),
        Some(b'-') if cell == "-" => Filling::Other(Found::Absent),
        Some(b'n') if cell == "null" => Filling::Other(Found::Token(Cow::Borrowed(cell))),
        Some(b'=') => Filling::Other(literal(&cell[1..])?),
        Some(b'"') => Filling::Text(literal(cell)?.material()?, true),
        Some(b'[' | b'{') => return Err("brackets in place of a text"),
        Some(_) => Filling::Text(Cow::Borrowed(cell), false),
    })
}

/// The value of a cell in a column without a spec.
pub(crate) fn literal(cell: &str) -> Result<Found<'_>, Wrong> {
    Ok(match cell.as_bytes().first() {
        None => Found::Absent,
        Some(b'-') if cell == "-" => Found::Absent,
        Some(b'"') => {
            let inside = cell.get(1..cell.len().saturating_sub(1)).unwrap_or("\\");
            spelling(inside.as_bytes()).ok_or("not a JSON string")?;
            Found::String(cell)
        }
        Some(b'[' | b'{') => Found::Nested(cell),
        Some(_) if is_word(cell) || is_number(cell) => Found::Token(Cow::Borrowed(cell)),
        Some(_) => Found::Text(Cow::Borrowed(cell)),
    })
}

impl<'t> Found<'t> {
    /// The text or number that other columns can be derived from.
    pub(crate) fn material(self) -> Result<Cow<'t, str>, Wrong> {
        match self {
            Self::Text(text) => Ok(text),
            Self::String(string) => {
                let inside = &string[1..string.len() - 1];
                match spelling(inside.as_bytes()) {
                    Some(Spelling::Plain) => Ok(Cow::Borrowed(inside)),
                    _ => unescape(inside)
                        .map(Cow::Owned)
                        .ok_or("a string without a text"),
                }
            }
            Self::Token(token) if !is_word(&token) => Ok(token),
            _ => Err("a source column without a text"),
        }
    }
}

/// The previous rows of a table, by their first cell.
#[derive(Debug, Default)]
pub(crate) struct Repeats<'t>(RefCell<HashMap<&'t str, &'t str>>);

impl<'t> Repeats<'t> {
    /// The row that an abbreviated row stands for; other rows are returned as they are.
    pub(crate) fn row(&self, row: &'t str) -> Result<&'t str, Wrong> {
        if row.starts_with('!') || row == "-" || row.is_empty() {
            return Ok(row);
        }
        let mut cursor = Cursor::new(row);
        let first = cursor.cell(Place::Nested)?;
        let mut rows = self.0.borrow_mut();
        if cursor.rest().is_empty() {
            return rows
                .get(first)
                .copied()
                .ok_or("an abbreviated row without a previous one");
        }
        if !matches!(first, "" | "-") {
            rows.insert(first, row);
        }
        Ok(row)
    }
}
