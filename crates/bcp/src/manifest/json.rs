//! A pull parser for JSON in a stream, with a window of fixed size.
//!
//! A manifest can be larger than memory, and most of it is contents of files. The parser therefore holds only
//! the values that the caller requests, and reads strings many bytes at a time (`text.rs`). Line feeds occur
//! between values only, which makes lines cheap to count.

mod number;
mod skip;
#[cfg(test)]
mod tests;
mod text;
mod window;

use std::io::Read;

use super::error::{Problem, Syntax};
use window::Window;

pub(super) type Result<T> = std::result::Result<T, Problem>;

/// The maximum nesting: twice the depth of a tree, whose entries are objects in arrays, and the values around
/// them. The parser is not recursive, so nesting uses no stack.
pub(super) const DEPTH: usize = 2 * crate::Limits::DEPTH + 8;

/// A pull parser: it tracks the open arrays and objects; the caller requests the next element.
pub(super) struct Json<R> {
    window: Window<R>,
    /// The maximum size of a caller's buffer in bytes.
    limit: usize,
    /// The closing brackets of the open arrays and objects, innermost last.
    open: Vec<u8>,
    /// Whether the innermost one was just opened, so that no comma is expected.
    fresh: bool,
    line: u64,
    /// The offset of the current line.
    line_start: u64,
    /// A buffer for skipped values.
    scratch: Vec<u8>,
}

/// The type of the next value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Text,
    Number,
    Bool(bool),
    Null,
    Array,
    Object,
}

impl Shape {
    /// The name in errors.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Number => "a number",
            Self::Bool(true) => "true",
            Self::Bool(false) => "false",
            Self::Null => "null",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

impl<R: Read> Json<R> {
    pub(super) fn new(input: R, limit: usize) -> Self {
        Self {
            window: Window::new(input),
            limit,
            open: Vec::new(),
            fresh: false,
            line: 1,
            line_start: 0,
            scratch: Vec::new(),
        }
    }

    /// The number of bytes consumed.
    pub(super) fn position(&self) -> u64 {
        self.window.offset()
    }

    /// Skips a byte order mark.
    pub(super) fn skip_mark(&mut self) -> Result<()> {
        if self.byte()? == Some(0xEF) {
            for byte in *b"\xEF\xBB\xBF" {
                self.exactly(byte, "a value")?;
            }
        }
        self.line_start = self.window.offset();
        Ok(())
    }

    /// The type of the next value, where one is required.
    pub(super) fn shape(&mut self) -> Result<Shape> {
        Ok(match self.peek()? {
            Some(b'"') => Shape::Text,
            Some(b'-' | b'0'..=b'9') => Shape::Number,
            Some(b't') => Shape::Bool(true),
            Some(b'f') => Shape::Bool(false),
            Some(b'n') => Shape::Null,
            Some(b'[') => Shape::Array,
            Some(b'{') => Shape::Object,
            found => return Err(self.expected("a value", found)),
        })
    }

    /// Enters the next array.
    pub(super) fn open_array(&mut self) -> Result<()> {
        self.expect(b'[', "an array")?;
        self.enter(b']')
    }

    /// Enters the next object.
    pub(super) fn open_object(&mut self) -> Result<()> {
        self.expect(b'{', "an object")?;
        self.enter(b'}')
    }

    fn enter(&mut self, close: u8) -> Result<()> {
        if self.open.len() >= DEPTH {
            return Err(self.wrong(Syntax::TooDeep(DEPTH)));
        }
        self.open.push(close);
        self.fresh = true;
        Ok(())
    }

    /// Whether the open array has another value. If not, it is closed.
    pub(super) fn item(&mut self) -> Result<bool> {
        self.more(b']', "',' or ']'", "a value")
    }

    /// Reads the next key of the open object into `key`. If there is none, the object is closed.
    pub(super) fn key(&mut self, key: &mut Vec<u8>) -> Result<bool> {
        if !self.more(b'}', "',' or '}'", "a key")? {
            return Ok(false);
        }
        key.clear();
        match self.peek()? {
            Some(b'"') => self.text(key)?,
            found => return Err(self.expected("a key", found)),
        }
        self.expect(b':', "':'")?;
        Ok(true)
    }

    fn more(&mut self, close: u8, due: &'static str, next: &'static str) -> Result<bool> {
        let fresh = std::mem::take(&mut self.fresh);
        match self.peek()? {
            Some(byte) if byte == close => {
                self.window.take(1);
                self.open.pop();
                Ok(false)
            }
            Some(b',') if !fresh => {
                self.window.take(1);
                match self.peek()? {
                    Some(byte) if byte == close => Err(self.expected(next, Some(byte))),
                    _ => Ok(true),
                }
            }
            Some(_) if fresh => Ok(true),
            found => Err(self.expected(due, found)),
        }
    }

    /// The number of open arrays and objects.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Checks that the text ends here.
    pub(super) fn end(&mut self) -> Result<()> {
        match self.peek()? {
            None => Ok(()),
            found => Err(self.expected("the end of the text", found)),
        }
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> Result<()> {
        self.peek()?;
        self.exactly(byte, what)
    }

    fn exactly(&mut self, byte: u8, what: &'static str) -> Result<()> {
        match self.byte()? {
            Some(found) if found == byte => self.window.take(1),
            found => return Err(self.expected(what, found)),
        }
        Ok(())
    }

    /// The next byte that is not white space.
    #[inline]
    fn peek(&mut self) -> Result<Option<u8>> {
        loop {
            match self.byte()? {
                Some(b' ' | b'\t' | b'\r') => self.window.take(1),
                Some(b'\n') => {
                    self.window.take(1);
                    self.line += 1;
                    self.line_start = self.window.offset();
                }
                other => return Ok(other),
            }
        }
    }

    #[inline]
    fn byte(&mut self) -> Result<Option<u8>> {
        let byte = self.window.peek();
        byte.map_err(|e| Problem::Io(e.kind(), e.to_string()))
    }

    fn expected(&self, what: &'static str, found: Option<u8>) -> Problem {
        self.wrong(Syntax::Expected { what, found })
    }

    fn wrong(&self, why: Syntax) -> Problem {
        Problem::Syntax {
            why,
            line: self.line,
            column: self.window.offset() - self.line_start + 1,
        }
    }
}
