//! Parses a sequence of JSON texts, with jq's error messages.

use super::number::Num;
use super::value::{Map, V};
use std::error::Error;
use std::fmt;
use std::rc::Rc;

/// Deeper nesting is refused; the reader is recursive.
const MAX_DEPTH: usize = 1024;

/// Why no value was parsed.
#[derive(Debug, PartialEq)]
pub enum Trouble {
    /// The text ends within a value; more input may complete it.
    More(&'static str),
    /// A syntax error, and the offset after the last byte examined.
    Wrong(String, usize),
}

/// A syntax error, reported as by jq: columns are counted from the last line feed.
#[derive(Debug, PartialEq)]
pub struct ParseError {
    what: String,
    at_eof: bool,
    line: usize,
    column: usize,
}

/// A reader over a text that may not be complete yet.
pub struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    /// Whether the text is complete.
    whole: bool,
}

/// Parses a text with exactly one value, for `fromjson` and `--argjson`.
pub fn one(text: &str) -> Result<V, ParseError> {
    let mut reader = Reader::new(text.as_bytes(), 0, true);
    let first = reader.next().and_then(|first| match reader.next()? {
        Some(_) => Err(Trouble::Wrong(
            "Unexpected extra JSON values".to_owned(),
            reader.at,
        )),
        None => Ok(first),
    });
    match first {
        Ok(value) => Ok(value.unwrap_or_default()),
        Err(trouble) => Err(ParseError::new(
            text.as_bytes(),
            Before::default(),
            trouble,
            true,
        )),
    }
}

/// Reads every value of a text.
pub fn all(text: &[u8]) -> Result<Vec<V>, ParseError> {
    let mut reader = Reader::new(text, 0, true);
    let mut values = Vec::new();
    loop {
        match reader.next() {
            Ok(Some(value)) => values.push(value),
            Ok(None) => return Ok(values),
            Err(trouble) => return Err(ParseError::new(text, Before::default(), trouble, false)),
        }
    }
}

/// The position in the input at which the current text begins.
#[derive(Clone, Copy, Debug, Default)]
pub struct Before {
    lines: usize,
    column: usize,
}

impl Before {
    /// Advances the position past `text`.
    pub fn add(&mut self, text: &[u8]) {
        self.lines += text.iter().filter(|b| **b == b'\n').count();
        self.column = match text.iter().rposition(|b| *b == b'\n') {
            Some(last) => text.len() - last - 1,
            None => self.column + text.len(),
        };
    }
}

impl ParseError {
    /// A parse error in `text`, which begins at `before`. `at_eof` mentions the end of the text.
    pub fn new(text: &[u8], mut before: Before, trouble: Trouble, at_eof: bool) -> Self {
        let (what, at) = match trouble {
            Trouble::More(what) => (what.to_owned(), text.len()),
            Trouble::Wrong(what, at) => (what, at.min(text.len())),
        };
        before.add(&text[..at]);
        Self {
            at_eof: at_eof && at == text.len() && !what.ends_with("EOF"),
            what,
            line: before.lines + 1,
            column: before.column,
        }
    }
}

impl Error for ParseError {}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let eof = if self.at_eof { " at EOF" } else { "" };
        let Self {
            what, line, column, ..
        } = self;
        write!(f, "{what}{eof} at line {line}, column {column}")
    }
}

type Read<T> = Result<T, Trouble>;

impl<'a> Reader<'a> {
    /// A reader that starts at byte `at`.
    pub fn new(text: &'a [u8], at: usize, whole: bool) -> Self {
        Self { text, at, whole }
    }

    /// The current offset.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The next value, if there is one. A reader must not be used after an error.
    pub fn next(&mut self) -> Read<Option<V>> {
        if self.at == 0 && self.text.starts_with(b"\xef\xbb\xbf") {
            self.at = 3;
        }
        self.space();
        match self.peek() {
            None => Ok(None),
            Some(_) => self.value(0).map(Some),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r' | 0x1e)) {
            self.at += 1;
        }
    }

    fn wrong<T>(&self, what: &str, ahead: usize) -> Read<T> {
        Err(Trouble::Wrong(what.to_owned(), self.at + ahead))
    }

    fn value(&mut self, depth: usize) -> Read<V> {
        if depth > MAX_DEPTH {
            return self.wrong("Exceeds depth limit for parsing", 1);
        }
        match self.peek() {
            None => Err(Trouble::More("Unfinished JSON term")),
            Some(b'[') => self.array(depth),
            Some(b'{') => self.object(depth),
            Some(b'"') => Ok(V::text(self.string()?)),
            Some(c @ (b']' | b'}')) if depth == 0 => {
                self.wrong(&format!("Unmatched '{}'", c as char), 1)
            }
            Some(b',') if depth == 0 => self.wrong("Expected value before ','", 1),
            Some(b',' | b']' | b'}') => self.wrong("Expected another array element", 1),
            Some(b':') => self.wrong("':' not as part of an object", 1),
            Some(_) => self.literal(),
        }
    }

    fn array(&mut self, depth: usize) -> Read<V> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(V::array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.space();
            match self.peek() {
                None => return Err(Trouble::More("Unfinished JSON term")),
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(V::array(items));
                }
                Some(b'}') => return self.wrong("Unmatched '}'", 1),
                Some(_) => return self.separator(),
            }
            self.space();
        }
    }

    fn object(&mut self, depth: usize) -> Read<V> {
        self.at += 1;
        let mut members = Map::new();
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(V::object(members));
        }
        loop {
            let key = match self.peek() {
                None => return Err(Trouble::More("Unfinished JSON term")),
                Some(b'"') => self.string()?,
                Some(b'}' | b',') => {
                    return self.wrong("Objects must consist of key:value pairs", 1);
                }
                Some(_) => {
                    self.value(depth + 1)?;
                    return self.wrong("Object keys must be strings", 1);
                }
            };
            self.space();
            match self.peek() {
                None => return Err(Trouble::More("Unfinished JSON term")),
                Some(b':') => self.at += 1,
                Some(b',' | b'}') => {
                    return self.wrong("Objects must consist of key:value pairs", 1);
                }
                Some(_) => return self.separator(),
            }
            self.space();
            let value = self.value(depth + 1)?;
            members.insert(Rc::from(key), value);
            self.space();
            match self.peek() {
                None => return Err(Trouble::More("Unfinished JSON term")),
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(V::object(members));
                }
                Some(b']') => return self.wrong("Unmatched ']'", 1),
                Some(_) => return self.separator(),
            }
            self.space();
        }
    }

    /// jq notices a missing comma when it has read the value that follows.
    fn separator<T>(&mut self) -> Read<T> {
        self.value(1)?;
        let after = usize::from(self.peek().is_some());
        self.wrong("Expected separator between values", after)
    }

    fn literal(&mut self) -> Read<V> {
        let rest = &self.text[self.at..];
        let is_end = |b: &u8| b" \t\n\r[]{},:\"".contains(b);
        let Some(length) = rest
            .iter()
            .position(is_end)
            .or(self.whole.then_some(rest.len()))
        else {
            return Err(Trouble::More("Unfinished JSON term"));
        };
        let word = &rest[..length];
        let value = match word {
            b"null" => V::Null,
            b"true" => V::Bool(true),
            b"false" => V::Bool(false),
            b"nan" | b"NaN" => V::from(f64::NAN),
            _ => match std::str::from_utf8(word).ok().filter(|w| is_number(w)) {
                Some(text) => Num::parse(text).map_or(V::Null, V::Num),
                None => {
                    let what = if word.first().is_some_and(u8::is_ascii_alphabetic)
                        && matches!(word[0], b'n' | b't' | b'f')
                        && [&b"null"[..], b"true", b"false"]
                            .iter()
                            .any(|w| w.len() == length)
                    {
                        "Invalid literal"
                    } else {
                        "Invalid numeric literal"
                    };
                    return self.wrong(what, length + 1);
                }
            },
        };
        self.at += length;
        Ok(value)
    }

    fn string(&mut self) -> Read<String> {
        let start = self.at + 1;
        let mut at = start;
        loop {
            match self.text.get(at) {
                None => return Err(Trouble::More("Unfinished string")),
                Some(b'"') => break,
                Some(b'\\') => at += 2,
                Some(_) => at += 1,
            }
        }
        let raw = &self.text[start..at];
        let text = match unescape(raw) {
            Ok(text) => text,
            Err(what) => return self.wrong(what, at + 1 - self.at),
        };
        self.at = at + 1;
        Ok(text)
    }
}

fn is_number(word: &str) -> bool {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let word = word.strip_prefix('-').unwrap_or(word);
    let (mantissa, exponent) = match word.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (word, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, fraction),
        None => (mantissa, "0"),
    };
    digits(whole)
        && (digits(fraction) || fraction.is_empty())
        && exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}

/// Decodes escapes; invalid Unicode becomes U+FFFD, as in jq.
fn unescape(raw: &[u8]) -> Result<String, &'static str> {
    if !raw.contains(&b'\\') {
        return Ok(String::from_utf8_lossy(raw).into_owned());
    }
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let Some((&kind, after)) = rest.split_first() else {
            return Err("Expected escape character at end of string");
        };
        rest = after;
        match kind {
            b'"' | b'\\' | b'/' => bytes.push(kind),
            b'b' => bytes.push(8),
            b'f' => bytes.push(12),
            b'n' => bytes.push(b'\n'),
            b'r' => bytes.push(b'\r'),
            b't' => bytes.push(b'\t'),
            b'u' => {
                let mut unit = hex(rest)?;
                rest = &rest[4..];
                if (0xd800..0xdc00).contains(&unit) {
                    let low = rest.strip_prefix(b"\\u").and_then(|r| hex(r).ok());
                    if let Some(low) = low.filter(|l| (0xdc00..0xe000).contains(l)) {
                        rest = &rest[6..];
                        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                    }
                }
                let c = char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER);
                bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            _ => return Err("Invalid escape"),
        }
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => String::from_utf8_lossy(e.as_bytes()).into_owned(),
    })
}

fn hex(bytes: &[u8]) -> Result<u32, &'static str> {
    let digits = bytes.get(..4).ok_or("Invalid \\uXXXX escape")?;
    let value = |b: &u8| {
        (*b as char)
            .to_digit(16)
            .ok_or("Invalid characters in \\uXXXX escape")
    };
    digits.iter().try_fold(0, |sum, b| Ok(sum * 16 + value(b)?))
}
