//! The way back.

use super::parse::MAX_DEPTH;
use crate::lexeme::{is_number, is_word, quote, spelling};
use crate::rendering::Malformed;
use crate::table::Place;
use crate::table::level::{Bracket, Name};
use crate::table::read::{
    Cursor, Field, Found, Head, Repeats, Scope, Wrong, ends_nested, literal, split,
};

/// Ours are at most as deep as JSON may be, and a table in place adds one.
const DEEPEST: usize = MAX_DEPTH + 8;

/// The JSON that a short form was made of, without white space.
pub(crate) fn decode(head: &str, body: &str) -> Result<String, Malformed> {
    let mut lines = Lines {
        rest: Some(body),
        number: 0,
    };
    let mut decoder = Decoder {
        out: String::with_capacity(body.len() * 3),
        most: super::most(body.len()),
    };
    let what = head.split(';').next().unwrap_or_default();
    let result = match what.split_once(' ') {
        Some((count, "rows")) => decoder.rows(&mut lines, count),
        Some((count, "lines")) => decoder.lines(&mut lines, count),
        _ if what == "lines" => decoder.each(&mut lines),
        _ => decoder.document(&mut lines),
    };
    match result {
        Ok(()) if lines.rest.is_none() => Ok(decoder.out),
        Ok(()) => Err(Malformed::new(lines.number + 1, "more lines than rows")),
        Err(why) => Err(Malformed::new(lines.number, why)),
    }
}

/// What is left of the body, line by line.
struct Lines<'t> {
    rest: Option<&'t str>,
    number: usize,
}

impl<'t> Lines<'t> {
    fn next(&mut self) -> Result<&'t str, Wrong> {
        let rest = self.rest.ok_or("a line is missing")?;
        self.number += 1;
        match memchr::memchr(b'\n', rest.as_bytes()) {
            Some(end) => {
                self.rest = Some(&rest[end + 1..]);
                Ok(&rest[..end])
            }
            None => {
                self.rest = None;
                Ok(rest)
            }
        }
    }
}

struct Decoder {
    out: String,
    /// The output is not longer.
    most: usize,
}

/// What a row's object is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Array,
    /// The first column is its name.
    Object,
    Lines,
}

impl Decoder {
    fn rows(&mut self, lines: &mut Lines<'_>, count: &str) -> Result<(), Wrong> {
        self.table(lines, count, Within::Array)
    }

    fn lines(&mut self, lines: &mut Lines<'_>, count: &str) -> Result<(), Wrong> {
        self.table(lines, count, Within::Lines)
    }

    fn each(&mut self, lines: &mut Lines<'_>) -> Result<(), Wrong> {
        loop {
            let line = lines.next()?;
            if !line.is_empty() {
                self.whole(line)?;
            }
            if lines.rest.is_none() {
                return Ok(());
            }
            self.out.push('\n');
        }
    }

    fn document(&mut self, lines: &mut Lines<'_>) -> Result<(), Wrong> {
        let line = lines.next()?;
        let mut cursor = Cursor::new(line);
        self.value(&mut cursor, 0, Some(lines))?;
        match cursor.rest() {
            "" => Ok(()),
            _ => Err("a value goes on after its end"),
        }
    }

    /// A value that is all of a text, without tables below.
    fn whole(&mut self, text: &str) -> Result<(), Wrong> {
        let mut cursor = Cursor::new(text);
        self.value(&mut cursor, 0, None)?;
        match cursor.rest() {
            "" => Ok(()),
            _ => Err("a value goes on after its end"),
        }
    }

    /// A line of columns and as many rows.
    fn table(&mut self, lines: &mut Lines<'_>, count: &str, within: Within) -> Result<(), Wrong> {
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

    /// One row: an element of an array, or a member of an object.
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
            return Err("more than such a short text can be");
        }
        if let Some(odd) = row.strip_prefix('!') {
            return match within {
                Within::Object => self.odd_member(odd),
                Within::Lines if odd.is_empty() => Ok(()),
                _ => self.whole(odd),
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
                return match self.found(scope.found(*leaf)?)? {
                    true => Ok(()),
                    false => Err("a member that is not there"),
                };
            }
        } else if head.is_list() {
            return self.list(&scope);
        }
        self.object(fields, &scope)
    }

    /// A member that does not fit into its table: `name:value`.
    fn odd_member(&mut self, text: &str) -> Result<(), Wrong> {
        let mut cursor = Cursor::new(text);
        self.member(&mut cursor)?;
        self.whole(cursor.rest())
    }

    /// A row without names: a value, or a list of them.
    fn list(&mut self, scope: &Scope<'_, '_>) -> Result<(), Wrong> {
        let count = scope.head.leaves.len();
        self.out.push_str(if count > 1 { "[" } else { "" });
        for leaf in 0..count {
            self.out.push_str(if leaf > 0 { "," } else { "" });
            if !self.found(scope.found(leaf)?)? {
                return Err("an element that is not there");
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

    /// A cell that may be a table; whether there is anything in it.
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
        let inside = inside
            .strip_suffix(close)
            .ok_or("a bracket that nothing closes")?;
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
                return Err("a list goes on after its end");
            }
        }
        self.out.push(']');
        Ok(true)
    }

    /// Writes what a cell means; whether that is anything.
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

    /// A value between brackets, or the document. `lines` has the tables below it.
    fn value<'t>(
        &mut self,
        cursor: &mut Cursor<'t>,
        depth: usize,
        mut lines: Option<&mut Lines<'t>>,
    ) -> Result<(), Wrong> {
        if depth > DEEPEST {
            return Err("nested too deeply");
        }
        if cursor.eat("[") {
            if cursor.eat("]") {
                self.out.push_str("[]");
                return Ok(());
            }
            if cursor.eat("|") {
                return self.table_here(cursor, Within::Array);
            }
            self.out.push('[');
            loop {
                self.value(cursor, depth + 1, lines.as_deref_mut())?;
                if !cursor.eat(",") {
                    break;
                }
                self.out.push(',');
            }
            self.out.push(']');
            return cursor.expect("]", "a bracket that nothing closes");
        }
        if cursor.eat("{") {
            if cursor.eat("}") {
                self.out.push_str("{}");
                return Ok(());
            }
            if cursor.eat("|") {
                return self.table_here(cursor, Within::Object);
            }
            self.out.push('{');
            loop {
                self.member(cursor)?;
                self.value(cursor, depth + 1, lines.as_deref_mut())?;
                if !cursor.eat(",") {
                    break;
                }
                self.out.push(',');
            }
            self.out.push('}');
            return cursor.expect("}", "a bracket that nothing closes");
        }
        if cursor.peek() == Some(b'"') {
            return self.string(cursor);
        }
        let text = cursor.until(ends_nested);
        if text.is_empty() {
            return Err("a value is missing");
        }
        if let (Some(number), Some(lines)) = (text.strip_prefix('@'), lines)
            && number.bytes().all(|byte| byte.is_ascii_digit())
        {
            return self.below(lines, text);
        }
        match is_word(text) || is_number(text) {
            true => self.out.push_str(text),
            false => quote(text, &mut self.out),
        }
        Ok(())
    }

    fn string(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Wrong> {
        let string = cursor.string()?;
        let inside = &string[1..string.len() - 1];
        spelling(inside.as_bytes()).ok_or("not a JSON string")?;
        self.out.push_str(string);
        Ok(())
    }

    /// The name of a member and the colon after it.
    fn member(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Wrong> {
        match cursor.peek() {
            Some(b'"') => self.string(cursor)?,
            _ => {
                let name = cursor.until(|byte| ends_nested(byte) || byte == b':');
                quote(name, &mut self.out);
            }
        }
        self.out.push(':');
        cursor.expect(":", "a name without a value")
    }

    /// `@1` in the document: the next table below it.
    fn below(&mut self, lines: &mut Lines<'_>, name: &str) -> Result<(), Wrong> {
        let line = lines.next()?;
        let rest = line
            .strip_prefix(name)
            .ok_or("another table was expected")?;
        let (within, close) = match rest.as_bytes().first() {
            Some(b'[') => (Within::Array, "] "),
            Some(b'{') => (Within::Object, "} "),
            _ => return Err("a table without a number of rows"),
        };
        let (count, header) = rest[1..]
            .split_once(close)
            .ok_or("a table without columns")?;
        let count = count.parse().map_err(|_| "not a number of rows")?;
        self.table_below(lines, count, header, within)
    }

    /// A table in place, after its `[|` or `{|`.
    fn table_here<'t>(&mut self, cursor: &mut Cursor<'t>, within: Within) -> Result<(), Wrong> {
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
        cursor.expect(close, "a bracket that nothing closes")
    }
}
