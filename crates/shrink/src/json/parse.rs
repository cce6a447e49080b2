//! Parses JSON into one flat list of values that point into the text.

use std::borrow::Cow;
use std::collections::HashMap;

use super::names::{Name, Names};
use super::scan::{Scanner, Token};

/// Deeper texts are not shrunk, because encoding and decoding are recursive.
pub(crate) const MAX_DEPTH: usize = 128;

/// The index of a value of a [`Document`].
pub(crate) type Id = u32;

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// A string without escapes.
    Plain,
    /// A string with escapes that has a text.
    Escaped,
    /// A string with a lone surrogate: it has no text, only a spelling.
    Lone,
    /// A number.
    Number,
    /// `true`, `false` or `null`.
    Word,
    Array,
    Object,
}

/// A value: its type, its range in the text, and the number of values in it, which follow it in the list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value {
    pub(crate) kind: ValueKind,
    start: u32,
    end: u32,
    /// The value after this one and its contents.
    next: Id,
    /// The number of its members or elements.
    pub(crate) count: u32,
    /// The shape of an object.
    pub(crate) shape: u32,
}

/// The names of an object's members, in order.
pub(crate) struct Shape {
    pub(crate) names: Box<[Name]>,
    /// Whether a name occurs twice.
    pub(crate) repeats: bool,
}

/// A parsed JSON text.
pub(crate) struct Document<'a> {
    text: &'a str,
    pub(crate) values: Vec<Value>,
    pub(crate) shapes: Vec<Shape>,
    pub(crate) names: Names<'a>,
    shape_ids: HashMap<Box<[Name]>, u32>,
}

/// An array or object that is not closed yet.
struct Open {
    id: Id,
    count: u32,
    is_object: bool,
    /// Where its names begin in the list of names of all open objects.
    names: usize,
    /// The predicted shape: that of the previous object in the same array.
    likely: u32,
    /// The shape of the last object in this container.
    last: u32,
}

const NO_SHAPE: u32 = u32::MAX;

impl<'a> Document<'a> {
    /// `None` unless the text is one JSON value, at most [`MAX_DEPTH`] deep and smaller than 4 GB.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let mut document = Self::new(text)?;
        let mut scanner = Scanner::new(text);
        document.read(&mut scanner)?;
        scanner.at_end().then_some(document)
    }

    /// Parses one value per line; returns the value of each line, or `None` for a blank one.
    pub(crate) fn parse_lines(text: &'a str) -> Option<(Self, Vec<Option<Id>>)> {
        let mut document = Self::new(text)?;
        let mut lines = Vec::new();
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
            let mut scanner = Scanner::part(text, start, end);
            let line = if scanner.at_end() {
                None
            } else {
                Some(document.read(&mut scanner)?)
            };
            if !scanner.at_end() {
                return None;
            }
            lines.push(line);
            start = end + 1;
        }
        Some((document, lines))
    }

    fn new(text: &'a str) -> Option<Self> {
        (text.len() < u32::MAX as usize).then(|| Self {
            text,
            values: Vec::with_capacity(text.len() / 24),
            shapes: Vec::new(),
            names: Names::default(),
            shape_ids: HashMap::new(),
        })
    }

    fn read(&mut self, scanner: &mut Scanner<'a>) -> Option<Id> {
        let root = self.values.len() as Id;
        let mut open = Vec::new();
        let mut names: Vec<Name> = Vec::new();
        loop {
            let is_container = self.begin(scanner, &mut open, names.len())?;
            self.close(scanner, &mut open, &mut names, is_container)?;
            let Some(inner) = open.last() else {
                return Some(root);
            };
            if inner.is_object {
                let (kind, start, end) = scanner.name()?;
                let at = names.len() - inner.names;
                let likely = self.shapes.get(inner.likely as usize);
                let likely = likely.and_then(|shape| shape.names.get(at)).copied();
                let inside = &self.text[start as usize + 1..end as usize - 1];
                names.push(self.names.of(kind, inside, likely));
            }
        }
    }

    /// Reads a scalar, or the opening bracket of an array or object; returns whether it was a bracket.
    fn begin(
        &mut self,
        scanner: &mut Scanner<'a>,
        open: &mut Vec<Open>,
        names: usize,
    ) -> Option<bool> {
        let id = self.values.len() as Id;
        let (token, start, end) = scanner.value()?;
        let (kind, is_container) = match token {
            Token::Scalar(kind) => (kind, false),
            Token::Array => (ValueKind::Array, true),
            Token::Object => (ValueKind::Object, true),
        };
        if is_container {
            if open.len() == MAX_DEPTH {
                return None;
            }
            let likely = open.last().map_or(NO_SHAPE, |parent| parent.last);
            open.push(Open {
                id,
                count: 0,
                is_object: kind == ValueKind::Object,
                names,
                likely,
                last: NO_SHAPE,
            });
        }
        self.values.push(Value {
            kind,
            start,
            end,
            next: id + 1,
            count: 0,
            shape: NO_SHAPE,
        });
        Some(is_container)
    }

    /// After a value or an opening bracket: closes all arrays and objects that end here.
    fn close(
        &mut self,
        scanner: &mut Scanner<'a>,
        open: &mut Vec<Open>,
        names: &mut Vec<Name>,
        mut is_empty: bool,
    ) -> Option<()> {
        while let Some(inner) = open.last_mut() {
            let ends = if is_empty {
                scanner.closes(inner.is_object)
            } else {
                inner.count += 1;
                scanner.ends(inner.is_object)?
            };
            if !ends {
                break;
            }
            is_empty = false;
            let shape = if inner.is_object {
                self.shape(&names[inner.names..], inner.likely)
            } else {
                NO_SHAPE
            };
            names.truncate(inner.names);
            let next = self.values.len() as Id;
            let value = &mut self.values[inner.id as usize];
            value.end = scanner.position();
            value.next = next;
            value.count = inner.count;
            value.shape = shape;
            open.pop();
            if let Some(parent) = open.last_mut() {
                parent.last = shape;
            }
        }
        Some(())
    }

    fn shape(&mut self, names: &[Name], likely: u32) -> u32 {
        if let Some(shape) = self.shapes.get(likely as usize)
            && *shape.names == *names
        {
            return likely;
        }
        if let Some(id) = self.shape_ids.get(names) {
            return *id;
        }
        let mut sorted = names.to_vec();
        sorted.sort_unstable();
        let id = self.shapes.len() as u32;
        self.shapes.push(Shape {
            names: names.into(),
            repeats: sorted.windows(2).any(|pair| pair[0] == pair[1]),
        });
        self.shape_ids.insert(names.into(), id);
        id
    }

    pub(crate) fn value(&self, id: Id) -> Value {
        self.values[id as usize]
    }

    /// The text of a value as it is in the document.
    pub(crate) fn spelling(&self, id: Id) -> &'a str {
        let value = self.value(id);
        &self.text[value.start as usize..value.end as usize]
    }

    /// The text of a string that is not [`ValueKind::Lone`].
    pub(crate) fn string(&self, id: Id) -> Cow<'a, str> {
        let spelling = self.spelling(id);
        let inside = &spelling[1..spelling.len() - 1];
        match self.value(id).kind {
            ValueKind::Escaped => {
                crate::lexeme::unescape(inside).map_or(Cow::Borrowed(inside), Cow::Owned)
            }
            _ => Cow::Borrowed(inside),
        }
    }

    /// The direct members or elements of an object or array.
    pub(crate) fn inside(&self, id: Id) -> impl Iterator<Item = Id> {
        let mut next = id + 1;
        (0..self.value(id).count).map(move |_| {
            let this = next;
            next = self.value(this).next;
            this
        })
    }

    /// The names of an object's members; empty for other values.
    pub(crate) fn names_of(&self, id: Id) -> &[Name] {
        let shape = self.shapes.get(self.value(id).shape as usize);
        shape.map_or(&[], |shape| &shape.names)
    }
}
