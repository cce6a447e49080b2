//! Validates JSON in UTF-8 in one pass, and finds the end of each value.
//!
//! A large message is mostly one long string, so that is scanned once, in blocks that stay in the cache meanwhile: for
//! its end, for control bytes, and for bytes that are not ASCII (only then is UTF-8 checked). Everything outside
//! strings is ASCII by the grammar.
//!
//! serde_json's `RawValue` would do most of this, but it has no nesting limit, so a second pass would be needed to
//! count; and the relay needs offsets, not values. Property tests and a fuzz target compare this scanner with
//! serde_json.

use memchr::memchr2;

use crate::depth::Depth;
use crate::error::Syntax;

/// Small enough for the first-level cache.
const BLOCK: usize = 8 * 1024;

/// A cursor over bytes.
#[derive(Clone)]
pub(crate) struct Scanner<'a> {
    text: &'a [u8],
    pub(crate) at: usize,
    /// How deep a value may nest.
    max_depth: usize,
    /// Whether a line ends between two tokens.
    pub(crate) line_ends: bool,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a [u8], at: usize, max_depth: usize) -> Self {
        Self {
            text,
            at,
            max_depth,
            line_ends: false,
        }
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    pub(crate) fn skip_space(&mut self) {
        while let Some(byte @ (b' ' | b'\t' | b'\n' | b'\r')) = self.peek() {
            self.line_ends |= byte < b' ' && byte != b'\t';
            self.at += 1;
        }
    }

    /// Consumes `byte`, or returns the error for the byte at the cursor.
    pub(crate) fn expect(&mut self, byte: u8) -> Result<(), Syntax> {
        if self.peek() == Some(byte) {
            self.at += 1;
            return Ok(());
        }
        Err(self.wrong())
    }

    /// Skips one value and returns its offsets.
    pub(crate) fn value(&mut self) -> Result<(usize, usize), Syntax> {
        self.skip_space();
        let start = self.at;
        let mut depth = Depth::of(self.max_depth);
        'value: loop {
            self.skip_space();
            match self.peek() {
                Some(open @ (b'{' | b'[')) => {
                    let object = open == b'{';
                    if !depth.push(object) {
                        return Err(Syntax::TooDeep(self.at));
                    }
                    self.at += 1;
                    self.skip_space();
                    if self.peek() == Some(if object { b'}' } else { b']' }) {
                        self.at += 1;
                        depth.pop();
                    } else {
                        if object {
                            self.key()?;
                        }
                        continue 'value;
                    }
                }
                Some(b'"') => {
                    self.string()?;
                }
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(b't') => self.word(b"true")?,
                Some(b'f') => self.word(b"false")?,
                Some(b'n') => self.word(b"null")?,
                _ => return Err(self.wrong()),
            }
            // A value has ended: close its brackets, or continue with the next value.
            loop {
                if depth.is_empty() {
                    return Ok((start, self.at));
                }
                self.skip_space();
                match (self.peek(), depth.in_object()) {
                    (Some(b','), object) => {
                        self.at += 1;
                        self.skip_space();
                        if object {
                            self.key()?;
                        }
                        continue 'value;
                    }
                    (Some(b'}'), true) | (Some(b']'), false) => {
                        self.at += 1;
                        depth.pop();
                    }
                    _ => return Err(self.wrong()),
                }
            }
        }
    }

    /// Consumes `"key" :` and returns the offsets of the inside of the quotes.
    pub(crate) fn key(&mut self) -> Result<(usize, usize), Syntax> {
        let inner = self.string()?;
        self.skip_space();
        self.expect(b':')?;
        Ok(inner)
    }

    /// Consumes a string and returns the offsets of its inside.
    pub(crate) fn string(&mut self) -> Result<(usize, usize), Syntax> {
        self.expect(b'"')?;
        let start = self.at;
        let mut ascii = true;
        loop {
            let rest = &self.text[self.at..];
            let block = &rest[..rest.len().min(BLOCK)];
            let stop = memchr2(b'"', b'\\', block);
            let run = &block[..stop.unwrap_or(block.len())];
            ascii &= self.look_over(run)?;
            self.at += run.len();
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') if stop.is_some() => {
                    self.at += 1;
                    self.escape()?;
                }
                Some(_) => {}
                None => return Err(Syntax::Torn),
            }
        }
        let end = self.at;
        self.at += 1;
        if !ascii && let Err(e) = std::str::from_utf8(&self.text[start..end]) {
            return Err(Syntax::Utf8(start + e.valid_up_to()));
        }
        Ok((start, end))
    }

    fn escape(&mut self) -> Result<(), Syntax> {
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    match self.peek() {
                        Some(digit) if digit.is_ascii_hexdigit() => self.at += 1,
                        _ => return Err(self.wrong()),
                    }
                }
            }
            _ => return Err(self.wrong()),
        }
        Ok(())
    }

    /// Refuses control bytes, and returns whether all bytes are ASCII.
    fn look_over(&self, run: &[u8]) -> Result<bool, Syntax> {
        // The smallest byte and the union of all bits: two vector instructions for 16 bytes.
        let (least, all) = run.iter().fold((0xff, 0), |(least, all): (u8, u8), &b| {
            (least.min(b), all | b)
        });
        if least < 0x20 {
            let offset = run.iter().position(|&b| b < 0x20).unwrap_or(0);
            return Err(Syntax::Unexpected(self.at + offset));
        }
        Ok(all.is_ascii())
    }

    fn number(&mut self) -> Result<(), Syntax> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits()?,
            _ => return Err(self.wrong()),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Syntax> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.wrong());
        }
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        Ok(())
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Syntax> {
        for &byte in word {
            self.expect(byte)?;
        }
        Ok(())
    }

    /// The error for the byte at the cursor.
    pub(crate) fn wrong(&self) -> Syntax {
        if self.at < self.text.len() {
            Syntax::Unexpected(self.at)
        } else {
            Syntax::Torn
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::MAX_DEPTH;
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    fn is_valid(text: &[u8]) -> bool {
        let mut scanner = Scanner::new(text, 0, MAX_DEPTH);
        scanner.value().is_ok() && {
            scanner.skip_space();
            scanner.peek().is_none()
        }
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json_on_json_like_noise(
            text in r#"([\[\]{}:,"\\ \n0-9eE.+\-tfnu]|true|false|null|"[a-z]*"){0,24}"#
        ) {
            prop_assert_eq!(is_valid(text.as_bytes()), serde_json::from_str::<&RawValue>(&text).is_ok(), "{:?}", text);
        }

        #[test]
        fn agrees_with_serde_json_on_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            prop_assert_eq!(is_valid(&bytes), serde_json::from_slice::<&RawValue>(&bytes).is_ok());
        }

        #[test]
        fn agrees_with_serde_json_on_strings_across_blocks(
            before in BLOCK - 4..BLOCK + 4,
            middle in prop_oneof![
                Just(&b"\\n"[..]), Just(&b"\\u00e9"[..]), Just(&b"\\"[..]), Just(&b"\""[..]), Just(&b"\n"[..]),
                Just("\u{e9}".as_bytes()), Just("😀".as_bytes()), Just(&b"\xff"[..]), Just(&b"\xf0\x9f"[..]), Just(&b"x"[..]),
            ],
            after in 0usize..3,
        ) {
            let text = [b"\"", &vec![b'a'; before][..], middle, &vec![b'b'; after * BLOCK][..], b"\""].concat();
            prop_assert_eq!(is_valid(&text), serde_json::from_slice::<&RawValue>(&text).is_ok());
        }
    }

    #[test]
    fn the_maximum_depth_is_accepted_and_one_more_is_refused() {
        let nested = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(is_valid(nested(MAX_DEPTH).as_bytes()));
        let deep = nested(MAX_DEPTH + 1);
        assert_eq!(
            Scanner::new(deep.as_bytes(), 0, MAX_DEPTH).value(),
            Err(Syntax::TooDeep(MAX_DEPTH))
        );
    }

    #[test]
    fn a_million_brackets_cost_no_stack() {
        let text = r#"{"a":["#.repeat(1_000_000);
        assert!(matches!(
            Scanner::new(text.as_bytes(), 0, MAX_DEPTH).value(),
            Err(Syntax::TooDeep(_))
        ));
    }
}
