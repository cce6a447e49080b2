//! The grammar of one JSON value that is read line by line.
//!
//! A token cannot contain a line end, so the state between two lines consists of the open brackets and the next
//! expected token. Each byte is read once, however many lines a value takes.

use crate::depth::Depth;
use crate::error::Syntax;
use crate::limits::MAX_DEPTH;
use crate::scan::Scanner;

/// How far a value has been read.
pub(crate) struct Walk {
    depth: Depth,
    expect: Expect,
}

/// The next expected token.
#[derive(Clone, Copy)]
enum Expect {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
}

/// The result of reading a piece of text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Walked {
    /// The value ends at this offset of the piece.
    Done(usize),
    /// The value continues after the piece.
    More,
    /// The text is not JSON.
    Wrong(Syntax),
}

impl Walk {
    pub(crate) fn new() -> Self {
        Self {
            // The depth of the message and of its content.
            depth: Depth::of(MAX_DEPTH),
            expect: Expect::Value,
        }
    }

    /// Continues with the next piece, which must end at a line end.
    pub(crate) fn feed(&mut self, piece: &[u8]) -> Walked {
        let mut scanner = Scanner::new(piece, 0, 0);
        loop {
            scanner.skip_space();
            let Some(byte) = scanner.peek() else {
                return Walked::More;
            };
            match self.step(byte, &mut scanner) {
                Ok(false) => {}
                Ok(true) => return Walked::Done(scanner.at),
                Err(why) => return Walked::Wrong(why),
            }
        }
    }

    /// Consumes one token; `true` if the value ends with it.
    fn step(&mut self, byte: u8, scanner: &mut Scanner<'_>) -> Result<bool, Syntax> {
        match (self.expect, byte) {
            (Expect::Value | Expect::ValueOrEnd, b'{' | b'[') => {
                let object = byte == b'{';
                if !self.depth.push(object) {
                    return Err(Syntax::TooDeep(scanner.at));
                }
                scanner.at += 1;
                self.expect = if object {
                    Expect::KeyOrEnd
                } else {
                    Expect::ValueOrEnd
                };
                Ok(false)
            }
            (Expect::ValueOrEnd, b']') | (Expect::KeyOrEnd, b'}') => Ok(self.close(scanner)),
            (Expect::CommaOrEnd, b'}') if self.depth.in_object() => Ok(self.close(scanner)),
            (Expect::CommaOrEnd, b']') if !self.depth.in_object() => Ok(self.close(scanner)),
            (Expect::Value | Expect::ValueOrEnd, _) => {
                // Without brackets, so that the scanner needs no depth.
                scanner.value()?;
                Ok(self.ended())
            }
            (Expect::Key | Expect::KeyOrEnd, b'"') => {
                scanner.string()?;
                self.expect = Expect::Colon;
                Ok(false)
            }
            (Expect::Colon, b':') => {
                scanner.at += 1;
                self.expect = Expect::Value;
                Ok(false)
            }
            (Expect::CommaOrEnd, b',') => {
                scanner.at += 1;
                self.expect = if self.depth.in_object() {
                    Expect::Key
                } else {
                    Expect::Value
                };
                Ok(false)
            }
            _ => Err(scanner.wrong()),
        }
    }

    fn close(&mut self, scanner: &mut Scanner<'_>) -> bool {
        scanner.at += 1;
        self.depth.pop();
        self.ended()
    }

    fn ended(&mut self) -> bool {
        self.expect = Expect::CommaOrEnd;
        self.depth.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn walk(text: &str) -> Walked {
        let mut walk = Walk::new();
        let mut before = 0;
        for line in text.split_inclusive('\n') {
            match walk.feed(line.as_bytes()) {
                Walked::Done(at) => return Walked::Done(before + at),
                Walked::More => before += line.len(),
                wrong @ Walked::Wrong(_) => return wrong,
            }
        }
        Walked::More
    }

    proptest! {
        #[test]
        fn a_value_ends_where_the_scanner_says(
            text in r#"[\[{]([\[\]{}:, \n0-9tfn]|true|null|"[a-z]*"|"a":){0,24}"#
        ) {
            let scanned = Scanner::new(text.as_bytes(), 0, MAX_DEPTH).value();
            match walk(&text) {
                Walked::Done(at) => prop_assert_eq!(scanned.map(|(_, end)| end), Ok(at), "{:?}", text),
                Walked::More => prop_assert_eq!(scanned, Err(Syntax::Torn), "{:?}", text),
                Walked::Wrong(_) => prop_assert!(scanned.is_err(), "{:?}", text),
            }
        }
    }

    #[test]
    fn a_string_does_not_go_on_in_the_next_line() {
        assert!(matches!(walk("{\"a\": \"b\nc\"}"), Walked::Wrong(_)));
    }

    #[test]
    fn a_text_beyond_the_maximum_depth_is_an_error() {
        assert!(matches!(
            walk(&"[\n".repeat(MAX_DEPTH + 1)),
            Walked::Wrong(Syntax::TooDeep(_))
        ));
    }
}
