//! Parses the names of columns.

use std::borrow::Cow;

use super::cursor::{Cursor, Wrong, ends_nested};
use super::head::Key;
use crate::lexeme::{Spelling, escape, spelling, unescape};
use crate::table::level::Name;

/// A name and its mark, `?` or `@`.
pub(super) fn name<'t>(cursor: &mut Cursor<'t>) -> Result<(Name<'t>, &'t str), Wrong> {
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

/// A quoted name.
pub(super) fn quoted_name<'t>(cursor: &mut Cursor<'t>) -> Result<Name<'t>, Wrong> {
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

/// The key as JSON writes it before a value.
pub(super) fn key(name: &Name<'_>) -> Key {
    let mut key = String::from("\"");
    match name {
        Name::Itself => return String::new(),
        Name::Text(text) => escape(text, &mut key),
        Name::Lone(inside) => key.push_str(inside),
    }
    key.push_str("\":");
    key
}
