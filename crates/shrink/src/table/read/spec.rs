//! Parses the specs of columns, which follow their names.

use std::borrow::Cow;

use super::cursor::{Cursor, Wrong, ends_nested};
use super::name::quoted_name;
use crate::lexeme::unescape;
use crate::table::level::Name;
use crate::table::naming::Path;
use crate::table::template::{Form, Mask};

/// The spec of a column.
#[derive(Debug)]
pub(crate) enum ParsedSpec<'t> {
    Plain,
    /// The undecoded value.
    Always(&'t str),
    Usually(&'t str),
    Template(ParsedTemplate<'t>),
    Mask(Mask),
}

/// A template.
#[derive(Debug)]
pub(crate) struct ParsedTemplate<'t> {
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
        /// Its position: how many tables further out, and the column there.
        up: usize,
        leaf: usize,
    },
}

/// Parses a template, behind `=`.
pub(super) fn template<'t>(
    cursor: &mut Cursor<'t>,
    usually: bool,
) -> Result<ParsedSpec<'t>, Wrong> {
    let quoted = cursor.eat("\"");
    let mut parts = Vec::new();
    loop {
        let is_end = |byte| {
            if quoted {
                matches!(byte, b'"' | b'*' | b'{' | b'\\')
            } else {
                ends_nested(byte) || matches!(byte, b'*' | b'{' | b'"' | b'[' | b'\\')
            }
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
            None if quoted => return Err("an unterminated string"),
            Some(byte) if !quoted && !ends_nested(byte) => {
                return Err("a template that must be quoted");
            }
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
        return Ok(ParsedSpec::Mask(Mask {
            pattern: text.to_string(),
            quoted,
        }));
    }
    if holes > 1 || (holes > 0 && usually) {
        return Err("more than one hole in a template");
    }
    Ok(ParsedSpec::Template(ParsedTemplate {
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
    let form = form.ok_or("an unknown form")?;
    cursor.expect("}", "an unclosed bracket")?;
    Ok(Part::Other {
        path: Path { out, names },
        form,
        up: 0,
        leaf: 0,
    })
}
