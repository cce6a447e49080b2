//! Decodes the rows of a table to JSON.

use super::{Decoder, Lines};
use crate::lexeme::quote;
use crate::table::Place;
use crate::table::level::{Bracket, Name};
use crate::table::read::{Cursor, Field, Found, Head, Repeats, Scope, Wrong, literal, split};

/// The container of a table's rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    Array,
    /// The first column has the names of the members.
    Object,
    Lines,
}

impl Decoder {
    /// Decodes a header line and `count` rows.
    pub(super) fn table(
        &mut self,
        lines: &mut Lines<'_>,
        count: &str,
        within: Within,
    ) -> Result<(), Wrong> {
        let count: usize = count.parse().map_err(|_| "not a number of rows")?;
        let header = lines.next()?;
        self.table_below(lines, count, header, within)
    }

    fn table_below<'t>(
        &mut self,
        lines: &mut Lines<'t>,
        count: usize,
        header: &'t str,
        within: Within,
    ) -> Result<(), Wrong> {
        let head = Head::parse(header)?;
        let (open, close, between) = match within {
            Within::Array => ("[", "]", ','),
            Within::Object => ("{", "}", ','),
            Within::Lines => ("", "", '\n'),
        };
        self.out.push_str(open);
        let mut cells = Vec::new();
        for at in 0..count {
            if at > 0 {
                self.out.push(between);
            }
            let row = lines.next()?;
            self.row(&head, row, Place::Line, None, within, &mut cells)?;
        }
        self.out.push_str(close);
        Ok(())
    }

    /// Decodes the table that `@1` in the document refers to: the next one below it.
    pub(super) fn below(&mut self, lines: &mut Lines<'_>, name: &str) -> Result<(), Wrong> {
        let line = lines.next()?;
        let rest = line.strip_prefix(name).ok_or("a table out of order")?;
        let (within, close) = match rest.as_bytes().first() {
            Some(b'[') => (Within::Array, "] "),
            Some(b'{') => (Within::Object, "} "),
            _ => return Err("a table without a row count"),
        };
        let (count, header) = rest[1..]
            .split_once(close)
            .ok_or("a table without columns")?;
        let count = count.parse().map_err(|_| "not a number of rows")?;
        self.table_below(lines, count, header, within)
    }

    /// Decodes a table in place, after its `[|` or `{|`.
    pub(super) fn table_here<'t>(
        &mut self,
        cursor: &mut Cursor<'t>,
        within: Within,
    ) -> Result<(), Wrong> {
        let head = Head::parse_nested(cursor)?;
        let (open, close) = match within {
            Within::Object => ('{', "}"),
            _ => ('[', "]"),
        };
        self.out.push(open);
        let mut cells = Vec::new();
        let mut is_first = true;
        while cursor.eat(";") {
            if !is_first {
                self.out.push(',');
            }
            is_first = false;
            let row = cursor.row()?;
            self.row(&head, row, Place::Nested, None, within, &mut cells)?;
        }
        self.out.push_str(close);
        cursor.expect(close, "an unclosed bracket")
    }

    /// Decodes a row: an element of an array, or a member of an object.
    fn row<'t>(
        &mut self,
        head: &Head<'t>,
        row: &'t str,
        place: Place,
        up: Option<&Scope<'_, 't>>,
        within: Within,
        cells: &mut Vec<&'t str>,
    ) -> Result<(), Wrong> {
        if self.out.len() > self.most {
            return Err("the decoded text would exceed the size limit");
        }
        if let Some(irregular) = row.strip_prefix('!') {
            return match within {
                Within::Object => self.irregular_member(irregular),
                Within::Lines if irregular.is_empty() => Ok(()),
                _ => self.whole(irregular),
            };
        }
        split(row, place, head.width, cells)?;
        let scope = Scope { head, cells, up };
        let mut fields = &head.fields[..];
        if within == Within::Object {
            let (Some(Field::Leaf(leaf)), rest) = (fields.first(), fields.get(1..)) else {
                return Err("a value without a name");
            };
            let name = scope.found(*leaf)?.material()?;
            quote(&name, &mut self.out);
            self.out.push(':');
            fields = rest.unwrap_or_default();
            if let [Field::Leaf(leaf)] = fields
                && head.leaves[*leaf].name == Name::Itself
            {
                return if self.found(scope.found(*leaf)?)? {
                    Ok(())
                } else {
                    Err("a missing member")
                };
            }
        } else if head.is_list() {
            return self.list(&scope);
        }
        self.object(fields, &scope)
    }

    /// Decodes an irregular member, `name:value`.
    fn irregular_member(&mut self, text: &str) -> Result<(), Wrong> {
        let mut cursor = Cursor::new(text);
        self.member(&mut cursor)?;
        self.whole(cursor.rest())
    }

    /// Decodes a row without names: a value, or an array of them.
    fn list(&mut self, scope: &Scope<'_, '_>) -> Result<(), Wrong> {
        let count = scope.head.leaves.len();
        self.out.push_str(if count > 1 { "[" } else { "" });
        for leaf in 0..count {
            self.out.push_str(if leaf > 0 { "," } else { "" });
            if !self.found(scope.found(leaf)?)? {
                return Err("a missing element");
            }
        }
        self.out.push_str(if count > 1 { "]" } else { "" });
        Ok(())
    }

    fn object<'t>(&mut self, fields: &[Field<'t>], scope: &Scope<'_, 't>) -> Result<(), Wrong> {
        self.out.push('{');
        let start = self.out.len();
        for field in fields {
            let before = self.out.len();
            if before > start {
                self.out.push(',');
            }
            let is_there = match field {
                Field::Leaf(leaf) => {
                    self.key(&scope.head.leaves[*leaf].key)?;
                    self.found(scope.found(*leaf)?)?
                }
                Field::Group(key, members) => {
                    self.key(key)?;
                    self.object(members, scope)?;
                    true
                }
                Field::Rows {
                    key,
                    bracket,
                    repeats,
                    cell,
                    head,
                    ..
                } => {
                    self.key(key)?;
                    let cell = scope.cells.get(*cell).copied().unwrap_or("");
                    self.cell_rows(cell, *bracket, repeats.as_ref(), head, scope)?
                }
            };
            if !is_there {
                self.out.truncate(before);
            }
        }
        self.out.push('}');
        Ok(())
    }

    fn key(&mut self, key: &str) -> Result<(), Wrong> {
        if key.is_empty() {
            return Err("a member without a name");
        }
        self.out.push_str(key);
        Ok(())
    }

    /// Decodes a cell that may be a table; returns whether the member is present.
    fn cell_rows<'t>(
        &mut self,
        cell: &'t str,
        bracket: Bracket,
        repeats: Option<&Repeats<'t>>,
        head: &Head<'t>,
        scope: &Scope<'_, 't>,
    ) -> Result<bool, Wrong> {
        let (open, close) = match bracket {
            Bracket::Square => ('[', ']'),
            Bracket::Curly => ('{', '}'),
        };
        let Some(inside) = cell.strip_prefix(open) else {
            return self.found(literal(cell)?);
        };
        let inside = inside.strip_suffix(close).ok_or("an unclosed bracket")?;
        let mut cells = Vec::new();
        let row = |decoder: &mut Self, row: &'t str, cells: &mut Vec<&'t str>| {
            let row = match repeats {
                Some(repeats) => repeats.row(row)?,
                None => row,
            };
            decoder.row(head, row, Place::Nested, Some(scope), Within::Array, cells)
        };
        if bracket == Bracket::Curly {
            row(self, inside, &mut cells)?;
            return Ok(true);
        }
        self.out.push('[');
        if !inside.is_empty() {
            let mut cursor = Cursor::new(inside);
            loop {
                let text = cursor.row()?;
                row(self, text, &mut cells)?;
                if !cursor.eat(";") {
                    break;
                }
                self.out.push(',');
            }
            if !cursor.rest().is_empty() {
                return Err("text after a list");
            }
        }
        self.out.push(']');
        Ok(true)
    }

    /// Writes the value of a cell; returns whether it is present.
    fn found(&mut self, found: Found<'_>) -> Result<bool, Wrong> {
        match found {
            Found::Absent => return Ok(false),
            Found::Text(text) => quote(&text, &mut self.out),
            Found::String(string) => self.out.push_str(string),
            Found::Token(token) => self.out.push_str(&token),
            Found::Nested(nested) => self.whole(nested)?,
        }
        Ok(true)
    }
}
