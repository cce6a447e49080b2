//! A cursor over the text of a short form.

use crate::lexeme::string_len;
use crate::table::cell::Place;

/// The description of an error.
pub(crate) type Wrong = &'static str;

/// The text that remains to be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'t> {
    rest: &'t str,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { rest: text }
    }

    pub(crate) fn rest(&self) -> &'t str {
        self.rest
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest.as_bytes().first().copied()
    }

    /// Skips `text` if it comes next.
    pub(crate) fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    pub(crate) fn expect(&mut self, text: &str, why: Wrong) -> Result<(), Wrong> {
        if self.eat(text) { Ok(()) } else { Err(why) }
    }

    /// Reads up to one of these bytes, or to the end.
    pub(crate) fn until(&mut self, is_end: impl Fn(u8) -> bool) -> &'t str {
        let end = self.rest.bytes().position(is_end);
        self.take(end.unwrap_or(self.rest.len()))
    }

    fn take(&mut self, length: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    /// Reads a string with its quotes.
    pub(crate) fn string(&mut self) -> Result<&'t str, Wrong> {
        let length = string_len(self.rest.as_bytes()).ok_or("an unterminated string")?;
        Ok(self.take(length))
    }

    /// Reads a cell up to its terminator, undecoded.
    pub(crate) fn cell(&mut self, place: Place) -> Result<&'t str, Wrong> {
        let start = self.rest;
        self.eat("=");
        match self.peek() {
            Some(b'"') => {
                self.string()?;
            }
            Some(b'[' | b'{') => {
                self.brackets()?;
            }
            _ => {
                let end = match place {
                    Place::Line => memchr::memchr(b',', self.rest.as_bytes()),
                    Place::Nested => self.rest.bytes().position(ends_nested),
                };
                self.take(end.unwrap_or(self.rest.len()));
            }
        }
        match self.peek() {
            None | Some(b',') => {}
            Some(byte) if place == Place::Nested && ends_nested(byte) => {}
            Some(_) => return Err("text after a cell"),
        }
        Ok(&start[..start.len() - self.rest.len()])
    }

    /// Reads from an opening bracket to the closing one.
    fn brackets(&mut self) -> Result<&'t str, Wrong> {
        let bytes = self.rest.as_bytes();
        let mut open = 0usize;
        let mut at = 0;
        loop {
            // Only quotes and brackets matter here.
            let next = bytes.get(at..).unwrap_or_default();
            let step = next
                .iter()
                .position(|byte| matches!(byte, b'"' | b'[' | b']' | b'{' | b'}'));
            at += step.ok_or("an unclosed bracket")?;
            match bytes[at] {
                b'"' => {
                    let length = string_len(&bytes[at..]);
                    at += length.ok_or("an unterminated string")?;
                    continue;
                }
                b'[' | b'{' => open += 1,
                _ => open -= 1,
            }
            at += 1;
            if open == 0 {
                return Ok(self.take(at));
            }
        }
    }

    /// Reads a row of a table between brackets.
    pub(crate) fn row(&mut self) -> Result<&'t str, Wrong> {
        let start = self.rest;
        loop {
            match memchr_special(self.rest.as_bytes()) {
                None => {
                    self.rest = "";
                    break;
                }
                Some(at) => {
                    self.rest = &self.rest[at..];
                    match self.peek() {
                        Some(b'"') => {
                            self.string()?;
                        }
                        Some(b'[' | b'{') => {
                            self.brackets()?;
                        }
                        _ => break,
                    }
                }
            }
        }
        Ok(&start[..start.len() - self.rest.len()])
    }
}

/// Whether this byte terminates a value between brackets.
pub(crate) fn ends_nested(byte: u8) -> bool {
    matches!(byte, b',' | b';' | b']' | b'}')
}

/// The next quote, bracket or end of a row.
fn memchr_special(bytes: &[u8]) -> Option<usize> {
    bytes
        .iter()
        .position(|byte| matches!(byte, b'"' | b'[' | b'{' | b';' | b']' | b'}'))
}
