//! Writing values: compact, indented, with sorted keys, in ASCII only.

use super::value::{Map, V};
use std::fmt::{self, Write};
use std::rc::Rc;

/// The layout of values.
#[derive(Clone, Debug)]
pub struct Layout {
    /// One level of indentation; `None` prints on one line.
    pub indent: Option<String>,
    /// Sorts members by key.
    pub sort_keys: bool,
    /// Everything outside of ASCII as `\u` escapes.
    pub ascii: bool,
}

impl Layout {
    /// One line, as `-c` prints it.
    pub const COMPACT: Layout = Layout {
        indent: None,
        sort_keys: false,
        ascii: false,
    };

    /// Appends the value's text.
    pub fn write(&self, out: &mut String, value: &V) {
        self.value(out, value, 0);
    }

    fn value(&self, out: &mut String, value: &V, depth: usize) {
        match value {
            V::Null => out.push_str("null"),
            V::Bool(true) => out.push_str("true"),
            V::Bool(false) => out.push_str("false"),
            V::Num(n) => {
                // Writing into a string does not fail.
                let _ = write!(out, "{n}");
            }
            V::Str(s) => quote(out, s, self.ascii),
            V::Arr(items) => self.list(out, ('[', ']'), depth, items.iter(), |out, item| {
                self.value(out, item, depth + 1)
            }),
            V::Obj(members) => self.object(out, members, depth),
        }
    }

    fn object(&self, out: &mut String, members: &Map, depth: usize) {
        let mut pairs: Vec<(&Rc<str>, &V)> = members.iter().collect();
        if self.sort_keys {
            pairs.sort_by_key(|(key, _)| *key);
        }
        self.list(
            out,
            ('{', '}'),
            depth,
            pairs.into_iter(),
            |out, (key, value)| {
                quote(out, key, self.ascii);
                out.push(':');
                if self.indent.is_some() {
                    out.push(' ');
                }
                self.value(out, value, depth + 1);
            },
        );
    }

    fn list<T>(
        &self,
        out: &mut String,
        (open, close): (char, char),
        depth: usize,
        items: impl ExactSizeIterator<Item = T>,
        mut item: impl FnMut(&mut String, T),
    ) {
        out.push(open);
        let empty = items.len() == 0;
        for (i, each) in items.enumerate() {
            if i > 0 {
                out.push(',');
            }
            self.line(out, depth + 1);
            item(out, each);
        }
        if !empty {
            self.line(out, depth);
        }
        out.push(close);
    }

    fn line(&self, out: &mut String, depth: usize) {
        if let Some(indent) = &self.indent {
            out.push('\n');
            for _ in 0..depth {
                out.push_str(indent);
            }
        }
    }
}

/// A JSON string with its quotes.
pub fn quote(out: &mut String, text: &str, ascii: bool) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..='\u{1f}' | '\u{7f}' => escape(out, c),
            c if ascii && !c.is_ascii() => escape(out, c),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn escape(out: &mut String, c: char) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        let _ = write!(out, "\\u{unit:04x}");
    }
}

impl fmt::Display for V {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        Layout::COMPACT.write(&mut text, self);
        f.write_str(&text)
    }
}
