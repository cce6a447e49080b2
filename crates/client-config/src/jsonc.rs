//! Adds a server to a configuration file that users edit by hand: JSON with comments and trailing commas. The
//! other parts keep their bytes.

use std::ops::Range;

use serde_json::{Map, Value};

/// Why a text cannot be edited.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// It is not JSON with comments.
    #[error("not JSON: {0}")]
    Syntax(String),
    /// A part that has to be an object is not.
    #[error("{0} is not an object")]
    NoObject(String),
    /// A member occurs more than once.
    #[error("`{0}` is there more than once")]
    Duplicate(String),
    /// The edited text does not have the intended value.
    #[error("the text cannot be edited")]
    Unsafe,
}

/// The text with `entry` under `key` and `name`; `None` if it has the entry already.
///
/// # Errors If the text is not JSON with comments, or has another structure.
pub fn put(text: &str, key: &str, name: &str, entry: &Value) -> Result<Option<String>, EditError> {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        let whole = Value::Object(one(key, Value::Object(one(name, entry.clone()))));
        return Ok(Some(pretty(&whole, "") + "\n"));
    }
    let before = read(text)?;
    let wanted = wanted(&before, key, name, entry)?;
    if wanted == before {
        return Ok(None);
    }
    let scan = Scan { text };
    let root = scan.object(scan.blank(0));
    let unit = root.indent(text).unwrap_or("  ").to_owned();
    let edited = match root.find(key)? {
        None => {
            let value = Value::Object(one(name, entry.clone()));
            root.add(text, key, &value, &unit, "")
        }
        Some(value) => {
            let servers = scan.object(value.start);
            match servers.find(name)? {
                Some(old) => {
                    let indent = servers.indent(text).unwrap_or_default();
                    let new = pretty_in(text, entry, indent, &unit);
                    format!("{}{new}{}", &text[..old.start], &text[old.end..])
                }
                None => {
                    let above = root.indent(text).unwrap_or_default();
                    servers.add(text, name, entry, &unit, above)
                }
            }
        }
    };
    // The file belongs to the user: an edit with an unintended result is never written.
    match read(&edited) {
        Ok(after) if after == wanted => Ok(Some(edited)),
        _ => Err(EditError::Unsafe),
    }
}

/// The value of a text.
pub(crate) fn read(text: &str) -> Result<Value, EditError> {
    serde_json::from_str(&plain(text)).map_err(|e| EditError::Syntax(e.to_string()))
}

/// The text as JSON: comments and trailing commas are replaced by spaces, so lines and columns do not change.
fn plain(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    let scan = Scan { text };
    let mut at = 0;
    let mut comma = None;
    while at < out.len() {
        let after = scan.blank(at);
        for byte in &mut out[at..after] {
            if !byte.is_ascii_whitespace() {
                *byte = b' ';
            }
        }
        at = after;
        match text.as_bytes().get(at) {
            None => break,
            Some(b'"') => {
                comma = None;
                at = scan.string(at);
            }
            Some(b',') => {
                comma = Some(at);
                at += 1;
            }
            Some(b']' | b'}') => {
                if let Some(comma) = comma.take() {
                    out[comma] = b' ';
                }
                at += 1;
            }
            Some(_) => {
                comma = None;
                at += 1;
            }
        }
    }
    // Only whole characters are replaced.
    String::from_utf8(out).unwrap_or_default()
}

fn wanted(before: &Value, key: &str, name: &str, entry: &Value) -> Result<Value, EditError> {
    let mut wanted = before.clone();
    let root = wanted
        .as_object_mut()
        .ok_or_else(|| EditError::NoObject("the whole file".to_owned()))?;
    let servers = root
        .entry(key)
        .or_insert_with(|| Value::Object(Map::new()))
        .as_object_mut()
        .ok_or_else(|| EditError::NoObject(format!("`{key}`")))?;
    servers.insert(name.to_owned(), entry.clone());
    Ok(wanted)
}

fn one(key: &str, value: Value) -> Map<String, Value> {
    Map::from_iter([(key.to_owned(), value)])
}

/// Scans a text that has been parsed as JSON with comments.
#[derive(Clone, Copy)]
struct Scan<'a> {
    text: &'a str,
}

impl Scan<'_> {
    fn byte(self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or_default()
    }

    /// The end of white space and comments.
    fn blank(self, mut at: usize) -> usize {
        loop {
            // Bytes, because in invalid JSON `at` may be inside a character.
            let rest = self.text.as_bytes().get(at..).unwrap_or_default();
            at += match rest {
                [0xef, 0xbb, 0xbf, ..] => 3,
                [b'/', b'/', ..] => {
                    let end = rest.iter().position(|byte| *byte == b'\n');
                    end.unwrap_or(rest.len())
                }
                [b'/', b'*', ..] => {
                    let end = rest[2..].windows(2).position(|two| two == b"*/");
                    end.map_or(rest.len(), |end| end + 4)
                }
                [byte, ..] if byte.is_ascii_whitespace() => 1,
                _ => return at,
            };
        }
    }

    /// The end of white space and a comment on the same line.
    fn line(self, at: usize) -> usize {
        let rest = &self.text[at..];
        let line = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
        let inside = line.trim_start();
        let comment = inside.starts_with("//")
            || (inside.starts_with("/*") && inside.trim_end().ends_with("*/"));
        if comment {
            at + line.trim_end().len()
        } else {
            at
        }
    }

    /// The end of the string that starts here.
    fn string(self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = at + 1;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' => return at + 1,
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        bytes.len()
    }

    /// The end of the value that starts here.
    fn value(self, at: usize) -> usize {
        let mut depth = 0_usize;
        let mut at = at;
        loop {
            at = self.blank(at);
            match self.byte(at) {
                b'"' => at = self.string(at),
                b'{' | b'[' => {
                    depth += 1;
                    at += 1;
                }
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    at += 1;
                }
                b',' | b':' => at += 1,
                0 => return self.text.len(),
                _ => at = self.word(at),
            }
            if depth == 0 {
                return at;
            }
        }
    }

    /// The end of a number, true, false or null.
    fn word(self, at: usize) -> usize {
        let rest = &self.text[at..];
        let ends = |c: char| c.is_ascii_whitespace() || ",:]}/\"".contains(c);
        at + rest.find(ends).unwrap_or(rest.len()).max(1)
    }

    /// The object that starts here.
    fn object(self, start: usize) -> Object {
        let mut members = Vec::new();
        let mut at = self.blank(start + 1);
        let mut comma = None;
        while self.byte(at) == b'"' {
            let key = at..self.string(at);
            let value = self.blank(self.blank(key.end) + 1);
            let value = value..self.value(value);
            comma = None;
            at = self.blank(value.end);
            if self.byte(at) == b',' {
                comma = Some(at + 1);
                at = self.blank(at + 1);
            }
            let name = serde_json::from_str(&self.text[key.clone()]).unwrap_or_default();
            members.push(Member { name, key, value });
        }
        Object {
            start,
            members,
            comma,
        }
    }
}

struct Object {
    /// The position of its opening brace.
    start: usize,
    members: Vec<Member>,
    /// The end of the comma after its last member, if any.
    comma: Option<usize>,
}

struct Member {
    name: String,
    key: Range<usize>,
    value: Range<usize>,
}

impl Object {
    /// The value under a name.
    fn find(&self, name: &str) -> Result<Option<Range<usize>>, EditError> {
        let mut found = self.members.iter().filter(|member| member.name == name);
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(EditError::Duplicate(name.to_owned())),
            (Some(member), None) => Ok(Some(member.value.clone())),
            (None, _) => Ok(None),
        }
    }

    /// The indentation of its members, if each is on its own line.
    fn indent<'a>(&self, text: &'a str) -> Option<&'a str> {
        let before = &text[..self.members.first()?.key.start];
        let line = &before[before.rfind('\n')? + 1..];
        line.trim().is_empty().then_some(line)
    }

    /// The text with one more member at the end.
    fn add(&self, text: &str, name: &str, value: &Value, unit: &str, above: &str) -> String {
        let key = Value::from(name).to_string();
        let scan = Scan { text };
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let Some(last) = self.members.last() else {
            let indent = format!("{above}{unit}");
            let value = pretty_in(text, value, &indent, unit);
            let inside = self.start + 1;
            let rest = text[inside..].trim_start_matches([' ', '\t', '\r', '\n']);
            // An empty object continues with its brace, or a comment.
            return format!(
                "{}{end}{indent}{key}: {value}{end}{above}{rest}",
                &text[..inside]
            );
        };
        let (at, comma) = match self.comma {
            Some(comma) => (comma, ""),
            None => (last.value.end, ","),
        };
        match self.indent(text) {
            Some(indent) => {
                let value = pretty_in(text, value, indent, unit);
                let line = scan.line(at);
                let (head, note, tail) = (&text[..at], &text[at..line], &text[line..]);
                format!("{head}{comma}{note}{end}{indent}{key}: {value}{tail}")
            }
            None => format!("{}{comma} {key}: {value}{}", &text[..at], &text[at..]),
        }
    }
}

/// A value on several lines; the first line is already indented.
fn pretty_in(text: &str, value: &Value, indent: &str, unit: &str) -> String {
    let lines = pretty(value, unit);
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    lines.replace('\n', &format!("{end}{indent}"))
}

fn pretty(value: &Value, unit: &str) -> String {
    let unit = if unit.is_empty() { "  " } else { unit };
    let mut out = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(unit.as_bytes());
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
    // Writing a value to memory cannot fail.
    let _ = serde::Serialize::serialize(value, &mut serializer);
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests;
