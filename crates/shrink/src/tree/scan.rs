//! Steps through JSON without parsing it. Lenient: the caller validates the text as a whole.

use crate::lexeme::string_len;

/// A place in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scan<'a> {
    pub(super) rest: &'a str,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    /// Steps over white space, and over this byte if it is next.
    pub(super) fn takes(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.rest.as_bytes().first() == Some(&byte);
        if found && byte.is_ascii() {
            self.rest = &self.rest[1..];
        }
        found
    }

    /// What comes next.
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.skip_space();
        self.rest.as_bytes().first().copied()
    }

    /// A string, its quotes included.
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

    /// A string, a number or a word.
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
