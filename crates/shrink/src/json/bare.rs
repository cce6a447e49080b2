//! JSON without redundant quotes, and with tables in it.

use super::build::Builder;
use super::names::Spelled;
use super::parse::{Id, ValueKind};
use crate::context::Level as Strength;
use crate::lexeme::quote;
use crate::table::{Page, Place, write_text};

/// Tables with fewer rows are written in place at the highest level.
const LINES: usize = 5;
/// The cost of a table below the document, in tokens.
const BELOW: usize = 8;
/// The cost of a table in place, in tokens.
const IN_PLACE: usize = 2;

/// Tables below the document, with the brackets for their row counts.
pub(crate) type Below = Vec<([char; 2], Page)>;

impl Builder<'_, '_> {
    /// A value in the notation that it has between brackets.
    pub(crate) fn text(&self, id: Id) -> String {
        let mut out = String::new();
        self.write(id, &mut out, None);
        out
    }

    /// Writes a value in the notation that it has between brackets, with tables in place or below.
    pub(crate) fn write(&self, id: Id, out: &mut String, mut below: Option<&mut Below>) {
        let document = self.document;
        let value = document.value(id);
        match value.kind {
            ValueKind::Plain | ValueKind::Escaped => {
                write_text(&document.string(id), Place::Nested, out)
            }
            ValueKind::Lone | ValueKind::Number | ValueKind::Word => {
                out.push_str(document.spelling(id))
            }
            ValueKind::Array if value.count > 1 && self.table(id, out, below.as_deref_mut()) => {}
            ValueKind::Object if value.count > 2 && self.table(id, out, below.as_deref_mut()) => {}
            ValueKind::Array => {
                out.push('[');
                for (at, element) in document.inside(id).enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    self.write(element, out, below.as_deref_mut());
                }
                out.push(']');
            }
            ValueKind::Object => {
                out.push('{');
                let names = document.names_of(id).iter();
                for (at, (name, value)) in names.zip(document.inside(id)).enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    write_key(document.names.get(*name), out);
                    out.push(':');
                    self.write(value, out, below.as_deref_mut());
                }
                out.push('}');
            }
        }
    }

    /// Writes an array or an object as a table, if that is shorter.
    fn table(&self, id: Id, out: &mut String, below: Option<&mut Below>) -> bool {
        let document = self.document;
        let may_be_here = self.context.level >= Strength::Max;
        let is_object = document.value(id).kind == ValueKind::Object;
        if !self.has_tables || (!may_be_here && (is_object || below.is_none())) {
            return false;
        }
        let rows: Vec<Id> = document.inside(id).collect();
        let names = is_object.then(|| document.names_of(id));
        let [open, close] = if is_object { ['{', '}'] } else { ['[', ']'] };
        match below.filter(|_| !may_be_here || rows.len() >= LINES) {
            Some(below) => {
                let Some(page) = self.page(&rows, names, Place::Line, BELOW) else {
                    return false;
                };
                below.push(([open, close], page));
                out.push_str(&format!("@{}", below.len()));
            }
            None => {
                let Some(page) = self.page(&rows, names, Place::Nested, IN_PLACE) else {
                    return false;
                };
                self.notes.in_place.set(true);
                out.push(open);
                out.push('|');
                out.push_str(&page.into_nested());
                out.push(close);
            }
        }
        if is_object {
            self.notes.members.set(true);
        }
        true
    }
}

/// Writes the name of a member.
pub(crate) fn write_key(name: &Spelled<'_>, out: &mut String) {
    match name {
        Spelled::Text(text) if is_bare(text) => out.push_str(text),
        Spelled::Text(text) => quote(text, out),
        Spelled::Lone(inside) => {
            out.push('"');
            out.push_str(inside);
            out.push('"');
        }
    }
}

/// Whether a name needs no quotes to be read back.
fn is_bare(name: &str) -> bool {
    let is_end = |byte: u8| {
        byte < b' '
            || matches!(
                byte,
                b',' | b';' | b':' | b'[' | b']' | b'{' | b'}' | b'"' | 0x7f
            )
    };
    !name.is_empty()
        && !name.bytes().any(is_end)
        && !name.starts_with(['|', '!'])
        && name.trim().len() == name.len()
}
