//! The spelling of names in a line, and parsing of lines.

use std::borrow::Cow;

use linkspan_wire::{Json, quote};

use super::entry::Entry;
use super::pattern::{Pattern, Range};
use crate::lexeme::string_len;

/// The spelling of names in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Spelling<'a> {
    /// Names are separated by `, ` so that they may contain spaces; otherwise by a space.
    pub(super) commas: bool,
    /// A `/` may be part of a name; otherwise `a/b` is the only child `b` of the folder `a`.
    pub(super) slashes: bool,
    /// The extension that is omitted from names.
    pub(super) ending: Option<&'a str>,
}

impl Spelling<'_> {
    /// The spelling that needs the fewest quotes.
    pub(super) fn of(entries: &[Entry<'_>]) -> Self {
        let having = |c: char| {
            entries
                .iter()
                .filter(move |entry| entry.name.contains(c))
                .count()
        };
        Self {
            // Quotes cost two tokens for one name, commas one for every name.
            commas: having(' ') * 2 > entries.len(),
            slashes: having('/') * 50 > entries.len(),
            ending: None,
        }
    }

    pub(super) fn separator(self) -> &'static str {
        if self.commas { ", " } else { " " }
    }

    /// Appends a name so that it is read back, both alone and before a `/`.
    pub(super) fn push(self, name: &str, out: &mut String) {
        if self.is_bare(name) {
            out.push_str(name)
        } else {
            out.push_str(&quote(name))
        }
    }

    /// Appends the part of a name that a pattern leaves.
    pub(super) fn push_stem(self, stem: &str, out: &mut String) {
        if self.is_bare(stem) && !Range::looks_like(stem) {
            out.push_str(stem)
        } else {
            out.push_str(&quote(stem))
        }
    }

    /// Appends the name of a file.
    pub(super) fn push_file(self, name: &str, out: &mut String) {
        match self.ending {
            None => self.push(name, out),
            Some(ending) => match name.strip_suffix(ending) {
                Some(stem) if !stem.contains('.') && self.is_bare(stem) => out.push_str(stem),
                _ if !name.contains('.') => out.push_str(&quote(name)),
                _ => self.push(name, out),
            },
        }
    }

    /// Whether a name needs no quotes.
    pub(super) fn is_bare(self, name: &str) -> bool {
        let bytes = name.as_bytes();
        let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
            return false;
        };
        let mut star = false;
        let mut before = b' ';
        for byte in bytes {
            let is_special = match *byte {
                b' ' => !self.commas || matches!(before, b',' | b'/'),
                b'/' => !self.slashes,
                byte => byte < b' ',
            };
            if is_special {
                return false;
            }
            star |= *byte == b'*';
            before = *byte;
        }
        let pattern = star && *last == b':';
        !pattern && !matches!(first, b'"' | b' ' | b'{') && !matches!(last, b'/' | b',' | b' ')
    }
}

/// An item of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Word<'a> {
    /// Names joined by `/`, stored in `names` of the reader. With a final `/`, the last one is a folder as well.
    Names { folder: bool },
    /// The pattern of the words that follow.
    Pattern(Pattern<'a>),
}

/// A name in a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Name<'a> {
    One(Cow<'a, str>),
    /// `{a,b}` without its braces: folders with equal contents.
    Several(&'a str),
}

/// Parses lines.
pub(super) struct Words<'a, 's> {
    rest: &'a str,
    spelling: Spelling<'s>,
    /// The names of the last word.
    pub(super) names: Vec<Name<'a>>,
    /// Whether the last name was quoted.
    pub(super) quoted: bool,
}

impl<'a, 's> Words<'a, 's> {
    pub(super) fn new(spelling: Spelling<'s>) -> Self {
        Self {
            rest: "",
            spelling,
            names: Vec::new(),
            quoted: false,
        }
    }

    /// Starts another line.
    pub(super) fn over(&mut self, line: &'a str) {
        self.rest = line;
    }

    /// The extension that is omitted from names.
    pub(super) fn ending(&self) -> Option<&'s str> {
        self.spelling.ending
    }

    pub(super) fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next word; `None` if it is malformed. `first`: the word may be the folder of the line.
    pub(super) fn next(&mut self, first: bool) -> Option<Word<'a>> {
        self.names.clear();
        if !self.spelling.commas && !self.rest.starts_with('"') {
            let end = memchr::memchr(b' ', self.rest.as_bytes()).unwrap_or(self.rest.len());
            let (word, rest) = self.rest.split_at(end);
            if let Some(pattern) = Pattern::read(word) {
                self.rest = rest;
                return self.separator().then_some(Word::Pattern(pattern));
            }
        }
        loop {
            let (name, rest) = self.name(first)?;
            self.names.push(name);
            self.rest = rest;
            let Some(below) = rest.strip_prefix('/') else {
                return self.separator().then_some(Word::Names { folder: false });
            };
            self.rest = below;
            if below.is_empty() {
                return Some(Word::Names { folder: true });
            }
            if let Some(items) = below.strip_prefix(' ').filter(|_| first) {
                self.rest = items;
                return Some(Word::Names { folder: true });
            }
            if below.starts_with(self.spelling.separator()) {
                return self.separator().then_some(Word::Names { folder: true });
            }
            if self.spelling.slashes {
                return None;
            }
        }
    }

    /// Reads a name; returns it with the text behind it, which is empty or begins with a separator or `/`.
    fn name(&mut self, first: bool) -> Option<(Name<'a>, &'a str)> {
        let text = self.rest;
        self.quoted = text.starts_with('"');
        if self.quoted {
            let end = string_len(text.as_bytes())?;
            let (string, rest) = text.split_at(end);
            return Some((Name::One(Json::parse(string).ok()?.as_str()?), rest));
        }
        let end = self.end_of_name(text, first);
        let (name, rest) = text.split_at(end);
        let name = match name.strip_prefix('{') {
            Some(names) => Name::Several(names.strip_suffix('}')?),
            None if name.is_empty() => return None,
            None => Name::One(Cow::Borrowed(name)),
        };
        Some((name, rest))
    }

    fn end_of_name(&self, text: &str, first: bool) -> usize {
        let bytes = text.as_bytes();
        let separator = self.spelling.separator();
        let mut from = 0;
        loop {
            let found = if self.spelling.commas {
                memchr::memchr2(b'/', b',', &bytes[from..])
            } else {
                memchr::memchr2(b'/', b' ', &bytes[from..])
            };
            let Some(at) = found.map(|found| from + found) else {
                return bytes.len();
            };
            let rest = &text[at..];
            let ends = match rest.strip_prefix('/') {
                None => rest.starts_with(separator),
                Some(_) if !self.spelling.slashes => true,
                Some(below) => {
                    below.is_empty()
                        || below.starts_with(separator)
                        || (first && below.starts_with(' '))
                }
            };
            if ends {
                return at;
            }
            from = at + 1;
        }
    }

    /// Skips the separator between two words; `false` if it is malformed.
    fn separator(&mut self) -> bool {
        if self.rest.is_empty() {
            return true;
        }
        match self.rest.strip_prefix(self.spelling.separator()) {
            // A separator must be followed by a word.
            Some(rest) if !rest.is_empty() => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }
}
