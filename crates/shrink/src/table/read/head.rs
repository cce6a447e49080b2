//! The line of columns, taken apart.

use std::borrow::Cow;

use super::cursor::{Cursor, Wrong, ends_nested};
use super::row::Repeats;
use crate::table::level::{Bracket, Name};
use crate::table::lexeme::{Spelling, escape, spelling, unescape};
use crate::table::naming::{Meaning, Naming, Path};
use crate::table::template::Form;

/// Tables in cells of tables in cells … may go so deep. Ours cannot: JSON of ours does not.
const DEEPEST: usize = 200;

/// The columns of a table.
#[derive(Debug, Default)]
pub(crate) struct Head<'t> {
    pub(crate) fields: Vec<Field<'t>>,
    /// Columns with values of their own, also those in groups.
    pub(crate) leaves: Vec<Leaf<'t>>,
    /// How many cells a row has at most.
    pub(crate) width: usize,
    naming: Naming<'t>,
}

/// What a row's object has.
#[derive(Debug)]
pub(crate) enum Field<'t> {
    /// One of [`Head::leaves`].
    Leaf(usize),
    /// An object in each row.
    Group(Key, Vec<Field<'t>>),
    /// A column with tables in its cells.
    Rows {
        key: Key,
        bracket: Bracket,
        /// If its rows may be said by their first cell: those that were there.
        repeats: Option<Repeats<'t>>,
        cell: usize,
        head: Box<Head<'t>>,
        group: usize,
    },
}

/// A name as JSON writes it before a value, `"name":`. Empty for what has no name.
pub(crate) type Key = String;

/// A column with values of its own.
#[derive(Debug)]
pub(crate) struct Leaf<'t> {
    pub(crate) name: Name<'t>,
    pub(crate) key: Key,
    pub(crate) cell: Option<usize>,
    pub(crate) said: Said<'t>,
    group: usize,
}

/// What is said of a column.
#[derive(Debug)]
pub(crate) enum Said<'t> {
    Plain,
    /// The value as it stands there.
    Always(&'t str),
    Usually(&'t str),
    Made(Made<'t>),
    Mask(crate::table::template::Mask),
}

/// A template.
#[derive(Debug)]
pub(crate) struct Made<'t> {
    pub(crate) parts: Vec<Part<'t>>,
    pub(crate) quoted: bool,
    pub(crate) usually: bool,
    pub(crate) has_hole: bool,
}

#[derive(Debug)]
pub(crate) enum Part<'t> {
    Text(Cow<'t, str>),
    Cell,
    Other {
        path: Path<'t>,
        form: Form,
        /// Where it is: how many tables further out, and which column there.
        up: usize,
        leaf: usize,
    },
}

impl<'t> Head<'t> {
    /// Reads all of `text`.
    pub(crate) fn parse(text: &'t str) -> Result<Self, Wrong> {
        let mut cursor = Cursor::new(text);
        let mut head = Self::read(&mut cursor, 0)?;
        if !cursor.rest().is_empty() {
            return Err("a bracket that nothing opened");
        }
        head.resolve(&mut Vec::new())?;
        Ok(head)
    }

    /// Reads up to what ends it: a bracket, or `;`.
    pub(crate) fn parse_nested(cursor: &mut Cursor<'t>) -> Result<Self, Wrong> {
        let mut head = Self::read(cursor, 0)?;
        head.resolve(&mut Vec::new())?;
        Ok(head)
    }

    /// Whether its rows are lists or single values: nothing has a name.
    pub(crate) fn is_list(&self) -> bool {
        let is_nameless = |field: &Field<'_>| matches!(field, Field::Leaf(_));
        self.fields.iter().all(is_nameless)
            && self.leaves.iter().all(|leaf| leaf.name == Name::Itself)
    }

    fn read(cursor: &mut Cursor<'t>, depth: usize) -> Result<Self, Wrong> {
        let mut head = Self::default();
        head.naming.groups.push(0);
        head.fields = head.fields(cursor, 0, depth)?;
        Ok(head)
    }

    fn fields(
        &mut self,
        cursor: &mut Cursor<'t>,
        group: usize,
        depth: usize,
    ) -> Result<Vec<Field<'t>>, Wrong> {
        if depth > DEEPEST {
            return Err("nested too deeply");
        }
        let mut fields = Vec::new();
        loop {
            fields.push(self.field(cursor, group, depth)?);
            if !cursor.eat(",") {
                return Ok(fields);
            }
        }
    }

    fn field(
        &mut self,
        cursor: &mut Cursor<'t>,
        group: usize,
        depth: usize,
    ) -> Result<Field<'t>, Wrong> {
        let (name, mark) = name(cursor)?;
        let key = key(&name);
        let (bracket, close) = match (mark, cursor.peek()) {
            ("", Some(b'{')) => {
                cursor.eat("{");
                let inner = self.naming.groups.len();
                self.naming.groups.push(group);
                self.naming.add(group, name, Meaning::Group(inner));
                let members = self.fields(cursor, inner, depth + 1)?;
                cursor.expect("}", "a bracket that nothing closes")?;
                return Ok(Field::Group(key, members));
            }
            ("?" | "@", Some(b'{')) => (Bracket::Curly, "}"),
            ("" | "@", Some(b'[')) => (Bracket::Square, "]"),
            _ => return self.leaf(cursor, name, key, mark, group),
        };
        cursor.eat(if bracket == Bracket::Curly { "{" } else { "[" });
        let head = Box::new(Self::read(cursor, depth + 1)?);
        cursor.expect(close, "a bracket that nothing closes")?;
        let cell = self.width;
        self.width += 1;
        Ok(Field::Rows {
            key,
            bracket,
            repeats: (mark == "@").then(Repeats::default),
            cell,
            head,
            group,
        })
    }

    fn leaf(
        &mut self,
        cursor: &mut Cursor<'t>,
        name: Name<'t>,
        key: Key,
        mark: &str,
        group: usize,
    ) -> Result<Field<'t>, Wrong> {
        let usually = mark == "?";
        let said = match cursor.peek() {
            Some(b':') => {
                cursor.eat(":");
                let value = cursor.cell(crate::table::cell::Place::Nested)?;
                match usually {
                    true => Said::Usually(value),
                    false => Said::Always(value),
                }
            }
            Some(b'=') => {
                cursor.eat("=");
                template(cursor, usually)?
            }
            _ if mark.is_empty() => Said::Plain,
            _ => return Err("a mark that nothing follows"),
        };
        if mark == "@" {
            return Err("a mark that nothing follows");
        }
        let has_cell = match &said {
            Said::Always(_) => false,
            Said::Made(made) => made.usually || made.has_hole,
            _ => true,
        };
        let cell = has_cell.then_some(self.width);
        self.width += usize::from(has_cell);
        let at = self.leaves.len();
        self.naming.add(group, name.clone(), Meaning::Leaf(at));
        self.leaves.push(Leaf {
            name,
            key,
            cell,
            said,
            group,
        });
        Ok(Field::Leaf(at))
    }

    /// Finds the columns that others are made of. `outer` are the tables further out, innermost last, with
    /// the group that this one is in.
    fn resolve(&mut self, outer: &mut Vec<Outer<'t>>) -> Result<(), Wrong> {
        let own = Outer {
            made: self.leaves.iter().map(Leaf::is_made).collect(),
            naming: std::mem::take(&mut self.naming),
            group: 0,
        };
        for leaf in &mut self.leaves {
            let Said::Made(made) = &mut leaf.said else {
                continue;
            };
            for part in &mut made.parts {
                let Part::Other {
                    path, up, leaf: at, ..
                } = part
                else {
                    continue;
                };
                let found = find(&own, leaf.group, outer, path);
                let (found_up, found, is_made) = found.ok_or("a column that is not there")?;
                if is_made {
                    return Err("a column made of one that is made itself");
                }
                (*up, *at) = (found_up, found);
            }
        }
        outer.push(own);
        let result = resolve_fields(&mut self.fields, outer);
        if let Some(own) = outer.pop() {
            self.naming = own.naming;
        }
        result
    }
}

/// A table further out, for finding columns in it.
struct Outer<'t> {
    naming: Naming<'t>,
    made: Vec<bool>,
    group: usize,
}

/// The table, counted outward, and the column in it that is called so; and whether that is made itself.
fn find<'t>(
    own: &Outer<'t>,
    group: usize,
    outer: &[Outer<'t>],
    path: &Path<'t>,
) -> Option<(usize, usize, bool)> {
    let mut out = path.out;
    let here = std::iter::once((own, group));
    let tables = here.chain(outer.iter().rev().map(|outer| (outer, outer.group)));
    for (up, (table, group)) in tables.enumerate() {
        match table.naming.resolve(group, out, &path.names) {
            Ok(leaf) => return Some((up, leaf, *table.made.get(leaf)?)),
            Err(left) => out = left,
        }
    }
    None
}

fn resolve_fields<'t>(fields: &mut [Field<'t>], outer: &mut Vec<Outer<'t>>) -> Result<(), Wrong> {
    for field in fields {
        match field {
            Field::Leaf(_) => {}
            Field::Group(_, members) => resolve_fields(members, outer)?,
            Field::Rows { head, group, .. } => {
                if let Some(last) = outer.last_mut() {
                    last.group = *group;
                }
                head.resolve(outer)?;
            }
        }
    }
    Ok(())
}

impl Leaf<'_> {
    /// Whether other columns are needed for it.
    fn is_made(&self) -> bool {
        let Said::Made(made) = &self.said else {
            return false;
        };
        made.parts
            .iter()
            .any(|part| matches!(part, Part::Other { .. }))
    }
}

/// A name and the mark after it, `?` or `@`.
fn name<'t>(cursor: &mut Cursor<'t>) -> Result<(Name<'t>, &'t str), Wrong> {
    if cursor.peek() == Some(b'"') {
        let name = quoted_name(cursor)?;
        for mark in ["?", "@"] {
            if cursor.eat(mark) {
                return Ok((name, mark));
            }
        }
        return Ok((name, ""));
    }
    let text = cursor.until(|byte| ends_nested(byte) || matches!(byte, b':' | b'[' | b'{' | b'='));
    let bare = text.trim_end_matches(['?', '@']);
    let mark = &text[bare.len()..];
    if mark.len() > 1 {
        return Err("a name with two marks");
    }
    let name = match bare {
        "" => Name::Itself,
        bare => Name::Text(Cow::Borrowed(bare)),
    };
    Ok((name, mark))
}

fn quoted_name<'t>(cursor: &mut Cursor<'t>) -> Result<Name<'t>, Wrong> {
    let string = cursor.string()?;
    let inside = &string[1..string.len() - 1];
    match spelling(inside.as_bytes()).ok_or("not a JSON string")? {
        Spelling::Plain => Ok(Name::Text(Cow::Borrowed(inside))),
        Spelling::Lone => Ok(Name::Lone(Cow::Borrowed(inside))),
        Spelling::Escaped => {
            let text = unescape(inside).ok_or("not a JSON string")?;
            Ok(Name::Text(Cow::Owned(text)))
        }
    }
}

fn key(name: &Name<'_>) -> Key {
    let mut key = String::from("\"");
    match name {
        Name::Itself => return String::new(),
        Name::Text(text) => escape(text, &mut key),
        Name::Lone(inside) => key.push_str(inside),
    }
    key.push_str("\":");
    key
}

/// What stands after `=`.
fn template<'t>(cursor: &mut Cursor<'t>, usually: bool) -> Result<Said<'t>, Wrong> {
    let quoted = cursor.eat("\"");
    let mut parts = Vec::new();
    loop {
        let is_end = |byte| match quoted {
            true => matches!(byte, b'"' | b'*' | b'{' | b'\\'),
            false => ends_nested(byte) || matches!(byte, b'*' | b'{' | b'"' | b'[' | b'\\'),
        };
        let text = cursor.until(is_end);
        push_text(&mut parts, text);
        match cursor.peek() {
            Some(b'*') => {
                cursor.eat("*");
                parts.push(Part::Cell);
            }
            Some(b'{') => {
                cursor.eat("{");
                parts.push(other(cursor)?);
            }
            Some(b'\\') if quoted => {
                let character = escaped(cursor)?;
                push_text(&mut parts, &character);
            }
            Some(b'"') if quoted => {
                cursor.eat("\"");
                break;
            }
            None if quoted => return Err("a quote that nothing closes"),
            Some(byte) if !quoted && !ends_nested(byte) => return Err("a template needs quotes"),
            _ => break,
        }
    }
    let holes = parts
        .iter()
        .filter(|part| matches!(part, Part::Cell))
        .count();
    if let [Part::Text(text)] = &*parts
        && text.contains('#')
        && !usually
    {
        return Ok(Said::Mask(crate::table::template::Mask {
            pattern: text.to_string(),
            quoted,
        }));
    }
    if holes > 1 || (holes > 0 && usually) {
        return Err("more holes than cells");
    }
    Ok(Said::Made(Made {
        parts,
        quoted,
        usually,
        has_hole: holes > 0,
    }))
}

fn push_text<'t>(parts: &mut Vec<Part<'t>>, text: &str) {
    match parts.last_mut() {
        _ if text.is_empty() => {}
        Some(Part::Text(before)) => before.to_mut().push_str(text),
        _ => parts.push(Part::Text(Cow::Owned(text.to_owned()))),
    }
}

/// An escape of JSON, or `\*` or `\{`.
fn escaped(cursor: &mut Cursor<'_>) -> Result<String, Wrong> {
    for special in ["\\*", "\\{"] {
        if cursor.eat(special) {
            return Ok(special[1..].to_owned());
        }
    }
    let rest = cursor.rest();
    let length = match rest.as_bytes() {
        [b'\\', b'u', b'0', b'0', ..] => 6,
        [b'\\', b'u', ..] => return Err("not an escape"),
        _ => 2,
    };
    let text = rest.get(..length).and_then(unescape);
    cursor.expect(rest.get(..length).unwrap_or("\\"), "not an escape")?;
    text.ok_or("not an escape")
}

/// `^name.name|form}`
fn other<'t>(cursor: &mut Cursor<'t>) -> Result<Part<'t>, Wrong> {
    let mut out = 0;
    while cursor.eat("^") {
        out += 1;
    }
    let mut names = Vec::new();
    loop {
        names.push(match cursor.peek() {
            Some(b'"') => quoted_name(cursor)?,
            _ => {
                let text = cursor.until(|byte| matches!(byte, b'.' | b'|' | b'}'));
                match text {
                    "" => Name::Itself,
                    text => Name::Text(Cow::Borrowed(text)),
                }
            }
        });
        if !cursor.eat(".") {
            break;
        }
    }
    let mark = cursor.until(|byte| byte == b'}');
    let form = Form::ALL.into_iter().find(|form| form.mark() == mark);
    let form = form.ok_or("a form that is not known")?;
    cursor.expect("}", "a bracket that nothing closes")?;
    Ok(Part::Other {
        path: Path { out, names },
        form,
        up: 0,
        leaf: 0,
    })
}
