//! Steps through JSON without parsing it. Lenient: the caller validates the whole text.

use crate::lexeme::string_len;

/// A position in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scan<'a> {
    pub(super) rest: &'a str,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    /// Skips white space, and this byte if it is next.
    pub(super) fn takes(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.rest.as_bytes().first() == Some(&byte);
        if found && byte.is_ascii() {
            self.rest = &self.rest[1..];
        }
        found
    }

    /// The next byte after white space.
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.skip_space();
        self.rest.as_bytes().first().copied()
    }

    /// Reads a string with its quotes.
    pub(super) fn string(&mut self) -> Option<&'a str> {
        if self.peek() != Some(b'"') {
            return None;
        }
        let (string, rest) = self
            .rest
            .split_at_checked(string_len(self.rest.as_bytes())?)?;
        self.rest = rest;
        Some(string)
    }

    /// Reads a string, a number or a word.
    pub(super) fn scalar(&mut self) -> Option<&'a str> {
        if self.peek()? == b'"' {
            return self.string();
        }
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        let end = self.rest.bytes().position(|byte| !is_part(byte));
        let (scalar, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        (!scalar.is_empty()).then_some(scalar)
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\n', '\r', '\t']);
    }
}
