//! The line of columns.

use super::cell::Place;
use super::fold::Folded;
use super::groups::Count;
use super::inner::Inner;
use super::level::{Body, Bracket, Column};
use super::naming::{self, write_path};
use super::page::Marks;
use super::plan::Scope;
use super::template::{ColumnSpec, Form, Part, Template};
use crate::lexeme::escape;

/// The written spec of a column, behind its name.
#[derive(Default)]
pub(super) struct SpecText {
    pub(super) text: String,
    pub(super) marks: Marks,
}

impl SpecText {
    /// `None` if another column that it is derived from has no unambiguous name here.
    pub(super) fn of(spec: &ColumnSpec<'_>, group: usize, scope: &Scope<'_, '_>) -> Option<Self> {
        let mut spec_text = Self::default();
        let Self { text, marks } = &mut spec_text;
        match spec {
            ColumnSpec::Plain => {}
            ColumnSpec::Always(cell) => {
                text.push(':');
                cell.write(Place::Nested, text);
                marks.always = true;
            }
            ColumnSpec::Usually(cell) => {
                text.push_str("?:");
                cell.write(Place::Nested, text);
                marks.usually = true;
            }
            ColumnSpec::Template(template) => {
                text.push_str(if template.usually { "?=" } else { "=" });
                write_template(template, group, scope, text, marks)?;
                marks.usually |= template.usually;
            }
            ColumnSpec::Mask(mask) => {
                text.push('=');
                let is_trimmed = mask.pattern.trim().len() == mask.pattern.len();
                let is_quoted = mask.quoted || !is_trimmed || !is_plain(&mask.pattern);
                write_pattern(&mask.pattern, is_quoted, text);
                marks.mask = true;
            }
        }
        Some(spec_text)
    }
}

fn write_template(
    template: &Template,
    group: usize,
    scope: &Scope<'_, '_>,
    out: &mut String,
    marks: &mut Marks,
) -> Option<()> {
    let text = |part: &Part| match part {
        Part::Text(text) => is_plain(text),
        _ => true,
    };
    let edge = |part: Option<&Part>, is_space: fn(&str) -> bool| match part {
        Some(Part::Text(text)) => is_space(text),
        _ => false,
    };
    let is_quoted = template.quoted
        || !template.parts.iter().all(text)
        || edge(template.parts.first(), |text| {
            text.starts_with(char::is_whitespace)
        })
        || edge(template.parts.last(), |text| {
            text.ends_with(char::is_whitespace)
        });
    let quote = if is_quoted { "\"" } else { "" };
    out.push_str(quote);
    for part in &template.parts {
        match part {
            Part::Text(text) => write_literal(text, is_quoted, out),
            Part::Cell => {
                out.push('*');
                marks.cell = true;
            }
            Part::Other(other) => {
                let path = naming::path(scope, group, *other)?;
                out.push('{');
                write_path(&path, out);
                out.push_str(other.form.mark());
                out.push('}');
                marks.other = true;
                marks.last |= other.form == Form::Last;
                marks.form |= !matches!(other.form, Form::Same | Form::Last);
            }
        }
    }
    out.push_str(quote);
    Some(())
}

fn write_pattern(pattern: &str, is_quoted: bool, out: &mut String) {
    let quote = if is_quoted { "\"" } else { "" };
    out.push_str(quote);
    write_literal(pattern, is_quoted, out);
    out.push_str(quote);
}

/// Writes literal text of a template. Between quotes, a backslash also escapes `*` and `{`.
fn write_literal(text: &str, is_quoted: bool, out: &mut String) {
    if !is_quoted {
        return out.push_str(text);
    }
    for piece in text.split_inclusive(['*', '{']) {
        let special = piece.chars().next_back().filter(|c| matches!(c, '*' | '{'));
        match special {
            None => escape(piece, out),
            Some(special) => {
                escape(&piece[..piece.len() - 1], out);
                out.push('\\');
                out.push(special);
            }
        }
    }
}

/// Whether a text needs no quotes in a template.
fn is_plain(text: &str) -> bool {
    !text.bytes().any(|byte| {
        byte < b' '
            || matches!(
                byte,
                b',' | b';' | b'*' | b'{' | b'}' | b'[' | b']' | b'"' | b'\\' | 0x7f
            )
    })
}

/// The parts of the line of columns.
pub(super) struct Header<'h> {
    /// The written spec of each leaf column.
    pub(super) spec_texts: &'h [String],
    pub(super) folded: &'h [Option<Folded>],
    pub(super) inner: &'h [Inner],
}

impl Header<'_> {
    pub(super) fn write(&self, columns: &[Column<'_>]) -> String {
        let mut out = String::new();
        self.columns(columns, &mut Count::START.clone(), &mut out);
        out
    }

    fn columns(&self, columns: &[Column<'_>], count: &mut Count, out: &mut String) {
        for (at, column) in columns.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            naming::write(&column.name, out);
            match &column.body {
                Body::Cells(_) => {
                    out.push_str(&self.spec_texts[count.leaf]);
                    count.leaf += 1;
                }
                Body::Group(members) => {
                    let is_folded = self.folded[count.group].is_some();
                    out.push_str(if is_folded { "@{" } else { "{" });
                    count.group += 1;
                    self.columns(members, count, out);
                    out.push('}');
                }
                Body::Rows(rows) => {
                    let page = &self.inner[count.rows].page;
                    count.rows += 1;
                    let (open, close) = match (rows.bracket, page.repeats) {
                        (Bracket::Square, false) => ("[", ']'),
                        (Bracket::Square, true) => ("@[", ']'),
                        (Bracket::Curly, false) => ("?{", '}'),
                        (Bracket::Curly, true) => ("@{", '}'),
                    };
                    out.push_str(open);
                    out.push_str(&page.header);
                    out.push(close);
                }
            }
        }
    }
}
