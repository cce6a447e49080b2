//! The positions of the parts of a text: JSON with comments and trailing commas.

use std::ops::Range;

use crate::edit::EditError;

/// Scans a text that has been parsed as JSON with comments.
#[derive(Clone, Copy)]
pub(super) struct Scan<'a> {
    pub(super) text: &'a str,
}

impl Scan<'_> {
    fn byte(self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or_default()
    }

    /// The end of white space and comments.
    pub(super) fn blank(self, mut at: usize) -> usize {
        loop {
            // Bytes, because in invalid JSON `at` may be inside a character.
            let rest = self.text.as_bytes().get(at..).unwrap_or_default();
            at += match rest {
                [0xef, 0xbb, 0xbf, ..] => 3,
                [b'/', b'/', ..] => {
                    let end = rest.iter().position(|byte| *byte == b'\n');
                    end.unwrap_or(rest.len())
                }
                [b'/', b'*', ..] => {
                    let end = rest[2..].windows(2).position(|two| two == b"*/");
                    end.map_or(rest.len(), |end| end + 4)
                }
                [byte, ..] if byte.is_ascii_whitespace() => 1,
                _ => return at,
            };
        }
    }

    /// The end of white space and a comment on the same line.
    pub(super) fn line(self, at: usize) -> usize {
        let rest = &self.text[at..];
        let line = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
        let inside = line.trim_start();
        let comment = inside.starts_with("//")
            || (inside.starts_with("/*") && inside.trim_end().ends_with("*/"));
        if comment {
            at + line.trim_end().len()
        } else {
            at
        }
    }

    /// The end of the string that starts here.
    fn string(self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = at + 1;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' => return at + 1,
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        bytes.len()
    }

    /// The end of the value that starts here.
    pub(super) fn value(self, at: usize) -> usize {
        let mut depth = 0_usize;
        let mut at = at;
        loop {
            at = self.blank(at);
            match self.byte(at) {
                b'"' => at = self.string(at),
                b'{' | b'[' => {
                    depth += 1;
                    at += 1;
                }
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    at += 1;
                }
                b',' | b':' => at += 1,
                0 => return self.text.len(),
                _ => at = self.word(at),
            }
            if depth == 0 {
                return at;
            }
        }
    }

    /// The end of a number, true, false or null.
    fn word(self, at: usize) -> usize {
        let rest = &self.text[at..];
        let ends = |c: char| c.is_ascii_whitespace() || ",:]}/\"".contains(c);
        at + rest.find(ends).unwrap_or(rest.len()).max(1)
    }

    /// The items of the object or array that starts here.
    pub(super) fn items(self, start: usize) -> Items {
        let is_object = self.byte(start) == b'{';
        let mut items = Vec::new();
        let mut at = self.blank(start + 1);
        while !matches!(self.byte(at), b'}' | b']' | 0) {
            let first = at;
            let mut name = None;
            if is_object {
                let key = at..self.string(at);
                name = serde_json::from_str(&self.text[key.clone()]).ok();
                at = self.blank(self.blank(key.end) + 1);
            }
            let value = at..self.value(at);
            at = self.blank(value.end);
            let comma = (self.byte(at) == b',').then_some(at);
            if comma.is_some() {
                at = self.blank(at + 1);
            }
            items.push(Item {
                name,
                start: first,
                value,
                comma,
            });
        }
        Items { start, items }
    }
}

/// The items of an object or array.
pub(super) struct Items {
    /// The position of its opening bracket.
    pub(super) start: usize,
    pub(super) items: Vec<Item>,
}

#[derive(PartialEq)]
pub(super) struct Item {
    /// The name of a member.
    name: Option<String>,
    pub(super) start: usize,
    pub(super) value: Range<usize>,
    /// The position of the comma behind it, if any.
    pub(super) comma: Option<usize>,
}

impl Items {
    /// The member with a name.
    pub(super) fn find(&self, name: &str) -> Result<Option<&Item>, EditError> {
        let is_it = |item: &&Item| item.name.as_deref() == Some(name);
        let mut found = self.items.iter().filter(is_it);
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(EditError::Duplicate(name.to_owned())),
            (found, None) => Ok(found),
        }
    }

    /// The indentation of its items, if each is on its own line.
    pub(super) fn indent<'a>(&self, text: &'a str) -> Option<&'a str> {
        let before = &text[..self.items.first()?.start];
        let line = &before[before.rfind('\n')? + 1..];
        line.trim().is_empty().then_some(line)
    }
}
