//! Parses the line of columns.

use super::cursor::{Cursor, Wrong};
use super::name::{key, name};
use super::row::Repeats;
use super::spec::{ParsedSpec, Part, template};
use crate::table::cell::Place;
use crate::table::level::{Bracket, Name};
use crate::table::naming::{Meaning, Naming};

/// The deepest nesting of tables in cells. Tables that this crate writes are not as deep, because JSON is not.
const DEEPEST: usize = 200;

/// The columns of a table.
#[derive(Debug, Default)]
pub(crate) struct Head<'t> {
    pub(crate) fields: Vec<Field<'t>>,
    /// The leaf columns, which have values of their own, including those in groups.
    pub(crate) leaves: Vec<Leaf<'t>>,
    /// The most cells of a row.
    pub(crate) width: usize,
    pub(super) naming: Naming<'t>,
}

/// A field of a row's object.
#[derive(Debug)]
pub(crate) enum Field<'t> {
    /// An index into [`Head::leaves`].
    Leaf(usize),
    /// An object per row.
    Group(Key, Vec<Field<'t>>),
    /// A column with tables in its cells.
    Rows {
        key: Key,
        bracket: Bracket,
        /// The previous rows, if rows may be abbreviated to their first cell.
        repeats: Option<Repeats<'t>>,
        cell: usize,
        head: Box<Head<'t>>,
        group: usize,
    },
}

/// A name as JSON writes it before a value, `"name":`. Empty without a name.
pub(crate) type Key = String;

/// A column with values of its own.
#[derive(Debug)]
pub(crate) struct Leaf<'t> {
    pub(crate) name: Name<'t>,
    pub(crate) key: Key,
    pub(crate) cell: Option<usize>,
    pub(crate) spec: ParsedSpec<'t>,
    pub(super) group: usize,
}

impl<'t> Head<'t> {
    /// Parses the whole text.
    pub(crate) fn parse(text: &'t str) -> Result<Self, Wrong> {
        let mut cursor = Cursor::new(text);
        let mut head = Self::read(&mut cursor, 0)?;
        if !cursor.rest().is_empty() {
            return Err("an unmatched closing bracket");
        }
        head.resolve(&mut Vec::new())?;
        Ok(head)
    }

    /// Parses up to the terminator, a bracket or `;`.
    pub(crate) fn parse_nested(cursor: &mut Cursor<'t>) -> Result<Self, Wrong> {
        let mut head = Self::read(cursor, 0)?;
        head.resolve(&mut Vec::new())?;
        Ok(head)
    }

    /// Whether the rows are arrays or single values, so that no column has a name.
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
                cursor.expect("}", "an unclosed bracket")?;
                return Ok(Field::Group(key, members));
            }
            ("?" | "@", Some(b'{')) => (Bracket::Curly, "}"),
            ("" | "@", Some(b'[')) => (Bracket::Square, "]"),
            _ => return self.leaf(cursor, name, key, mark, group),
        };
        cursor.eat(if bracket == Bracket::Curly { "{" } else { "[" });
        let head = Box::new(Self::read(cursor, depth + 1)?);
        cursor.expect(close, "an unclosed bracket")?;
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
        let spec = match cursor.peek() {
            Some(b':') => {
                cursor.eat(":");
                let value = cursor.cell(Place::Nested)?;
                if usually {
                    ParsedSpec::Usually(value)
                } else {
                    ParsedSpec::Always(value)
                }
            }
            Some(b'=') => {
                cursor.eat("=");
                template(cursor, usually)?
            }
            _ if mark.is_empty() => ParsedSpec::Plain,
            _ => return Err("a mark without a value"),
        };
        if mark == "@" {
            return Err("a mark without a value");
        }
        let has_cell = match &spec {
            ParsedSpec::Always(_) => false,
            ParsedSpec::Template(made) => made.usually || made.has_hole,
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
            spec,
            group,
        });
        Ok(Field::Leaf(at))
    }
}

impl Leaf<'_> {
    /// Whether it is derived from other columns.
    pub(super) fn is_made(&self) -> bool {
        let ParsedSpec::Template(made) = &self.spec else {
            return false;
        };
        made.parts
            .iter()
            .any(|part| matches!(part, Part::Other { .. }))
    }
}
