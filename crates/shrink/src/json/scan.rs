//! Reads and validates the tokens of JSON.

use super::parse::ValueKind;
use crate::lexeme::{Spelling, number_len, spelling, string_len};

/// The position of the reader in a JSON text.
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// The first token of a value.
pub(crate) enum Token {
    Scalar(ValueKind),
    Array,
    Object,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self::part(text, 0, text.len())
    }

    /// Reads from `start` to `end` of a text.
    pub(crate) fn part(text: &'a str, start: usize, end: usize) -> Self {
        let bytes = &text.as_bytes()[..end];
        Self { bytes, at: start }
    }

    pub(crate) fn position(&self) -> u32 {
        self.at as u32
    }

    /// Whether only white space is left.
    pub(crate) fn at_end(&mut self) -> bool {
        self.skip_space();
        self.at == self.bytes.len()
    }

    /// Reads a scalar or an opening bracket, and returns its range.
    pub(crate) fn value(&mut self) -> Option<(Token, u32, u32)> {
        self.skip_space();
        let start = self.at;
        let token = match *self.bytes.get(start)? {
            b'"' => Token::Scalar(self.string()?),
            b'[' => {
                self.at += 1;
                Token::Array
            }
            b'{' => {
                self.at += 1;
                Token::Object
            }
            b't' => self.word(b"true")?,
            b'f' => self.word(b"false")?,
            b'n' => self.word(b"null")?,
            _ => {
                self.at += number_len(&self.bytes[start..])?;
                Token::Scalar(ValueKind::Number)
            }
        };
        Some((token, start as u32, self.at as u32))
    }

    /// Reads the name of a member and its colon.
    pub(crate) fn name(&mut self) -> Option<(ValueKind, u32, u32)> {
        self.skip_space();
        let start = self.at;
        if *self.bytes.get(start)? != b'"' {
            return None;
        }
        let kind = self.string()?;
        let end = self.at;
        self.skip_space();
        self.eat(b':').then_some((kind, start as u32, end as u32))
    }

    /// After an opening bracket: whether the matching bracket follows.
    pub(crate) fn closes(&mut self, is_object: bool) -> bool {
        self.skip_space();
        self.eat(if is_object { b'}' } else { b']' })
    }

    /// After a value: whether its array or object ends; otherwise a comma must follow.
    pub(crate) fn ends(&mut self, is_object: bool) -> Option<bool> {
        self.skip_space();
        if self.eat(b',') {
            return Some(false);
        }
        self.closes(is_object).then_some(true)
    }

    fn eat(&mut self, byte: u8) -> bool {
        let is_there = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    fn word(&mut self, word: &[u8]) -> Option<Token> {
        let is_there = self.bytes[self.at..].starts_with(word);
        self.at += word.len();
        is_there.then_some(Token::Scalar(ValueKind::Word))
    }

    /// Reads a string from its opening quote on.
    fn string(&mut self) -> Option<ValueKind> {
        let length = string_len(&self.bytes[self.at..])?;
        let inside = &self.bytes[self.at + 1..self.at + length - 1];
        self.at += length;
        Some(match spelling(inside)? {
            Spelling::Plain => ValueKind::Plain,
            Spelling::Escaped => ValueKind::Escaped,
            Spelling::Lone => ValueKind::Lone,
        })
    }
}
