//! Decodes the short form of JSON.

mod rows;

use self::rows::Within;
use super::parse::MAX_DEPTH;
use crate::lexeme::{is_number, is_word, quote, spelling};
use crate::rendering::Malformed;
use crate::table::read::{Cursor, Wrong, ends_nested};

/// Encoded values are at most as deep as JSON may be, plus one level for a table in place.
const DEEPEST: usize = MAX_DEPTH + 8;

/// Decodes to JSON without white space.
pub(crate) fn decode(head: &str, body: &str) -> Result<String, Malformed> {
    let mut lines = Lines {
        rest: Some(body),
        number: 0,
    };
    let mut decoder = Decoder {
        out: String::with_capacity(body.len() * 3),
        most: super::most(body.len()),
    };
    let what = head.split(';').next().unwrap_or_default();
    let result = match what.split_once(' ') {
        Some((count, "rows")) => decoder.rows(&mut lines, count),
        Some((count, "lines")) => decoder.lines(&mut lines, count),
        _ if what == "lines" => decoder.each(&mut lines),
        _ => decoder.document(&mut lines),
    };
    match result {
        Ok(()) if lines.rest.is_none() => Ok(decoder.out),
        Ok(()) => Err(Malformed::new(lines.number + 1, "more lines than rows")),
        Err(why) => Err(Malformed::new(lines.number, why)),
    }
}

/// The remaining lines of the body.
struct Lines<'t> {
    rest: Option<&'t str>,
    number: usize,
}

impl<'t> Lines<'t> {
    fn next(&mut self) -> Result<&'t str, Wrong> {
        let rest = self.rest.ok_or("a missing line")?;
        self.number += 1;
        match memchr::memchr(b'\n', rest.as_bytes()) {
            Some(end) => {
                self.rest = Some(&rest[end + 1..]);
                Ok(&rest[..end])
            }
            None => {
                self.rest = None;
                Ok(rest)
            }
        }
    }
}

struct Decoder {
    out: String,
    /// The largest output in bytes.
    most: usize,
}

impl Decoder {
    fn rows(&mut self, lines: &mut Lines<'_>, count: &str) -> Result<(), Wrong> {
        self.table(lines, count, Within::Array)
    }

    fn lines(&mut self, lines: &mut Lines<'_>, count: &str) -> Result<(), Wrong> {
        self.table(lines, count, Within::Lines)
    }

    fn each(&mut self, lines: &mut Lines<'_>) -> Result<(), Wrong> {
        loop {
            let line = lines.next()?;
            if !line.is_empty() {
                self.whole(line)?;
            }
            if lines.rest.is_none() {
                return Ok(());
            }
            self.out.push('\n');
        }
    }

    fn document(&mut self, lines: &mut Lines<'_>) -> Result<(), Wrong> {
        let line = lines.next()?;
        let mut cursor = Cursor::new(line);
        self.value(&mut cursor, 0, Some(lines))?;
        match cursor.rest() {
            "" => Ok(()),
            _ => Err("text after a value"),
        }
    }

    /// Decodes a value that is the whole text, without tables below.
    fn whole(&mut self, text: &str) -> Result<(), Wrong> {
        let mut cursor = Cursor::new(text);
        self.value(&mut cursor, 0, None)?;
        match cursor.rest() {
            "" => Ok(()),
            _ => Err("text after a value"),
        }
    }

    /// Decodes a value between brackets, or the document. `lines` has the tables below it.
    fn value<'t>(
        &mut self,
        cursor: &mut Cursor<'t>,
        depth: usize,
        mut lines: Option<&mut Lines<'t>>,
    ) -> Result<(), Wrong> {
        if depth > DEEPEST {
            return Err("nested too deeply");
        }
        if cursor.eat("[") {
            if cursor.eat("]") {
                self.out.push_str("[]");
                return Ok(());
            }
            if cursor.eat("|") {
                return self.table_here(cursor, Within::Array);
            }
            self.out.push('[');
            loop {
                self.value(cursor, depth + 1, lines.as_deref_mut())?;
                if !cursor.eat(",") {
                    break;
                }
                self.out.push(',');
            }
            self.out.push(']');
            return cursor.expect("]", "an unclosed bracket");
        }
        if cursor.eat("{") {
            if cursor.eat("}") {
                self.out.push_str("{}");
                return Ok(());
            }
            if cursor.eat("|") {
                return self.table_here(cursor, Within::Object);
            }
            self.out.push('{');
            loop {
                self.member(cursor)?;
                self.value(cursor, depth + 1, lines.as_deref_mut())?;
                if !cursor.eat(",") {
                    break;
                }
                self.out.push(',');
            }
            self.out.push('}');
            return cursor.expect("}", "an unclosed bracket");
        }
        if cursor.peek() == Some(b'"') {
            return self.string(cursor);
        }
        let text = cursor.until(ends_nested);
        if text.is_empty() {
            return Err("a missing value");
        }
        if let (Some(number), Some(lines)) = (text.strip_prefix('@'), lines)
            && number.bytes().all(|byte| byte.is_ascii_digit())
        {
            return self.below(lines, text);
        }
        if is_word(text) || is_number(text) {
            self.out.push_str(text)
        } else {
            quote(text, &mut self.out)
        }
        Ok(())
    }

    fn string(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Wrong> {
        let string = cursor.string()?;
        let inside = &string[1..string.len() - 1];
        spelling(inside.as_bytes()).ok_or("not a JSON string")?;
        self.out.push_str(string);
        Ok(())
    }

    /// Decodes the name of a member and its colon.
    fn member(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Wrong> {
        match cursor.peek() {
            Some(b'"') => self.string(cursor)?,
            _ => {
                let name = cursor.until(|byte| ends_nested(byte) || byte == b':');
                quote(name, &mut self.out);
            }
        }
        self.out.push(':');
        cursor.expect(":", "a name without a value")
    }
}
