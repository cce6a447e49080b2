//! The layout of JSON: the white space and escapes needed to print it with the same bytes.
//!
//! A text that is one JSON value is restored as a value. JSON inside another text is restored byte for byte, so its
//! layout is part of its first line: `%json/2` had an indentation of two spaces.

use std::fmt::Write as _;

use crate::rendering::Malformed;

/// The widest indentation and margin that are supported.
const WIDEST: usize = 64;

/// White space and escapes of a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Layout {
    indent: Indent,
    /// A space after a colon.
    colon: bool,
    /// A space after a comma that does not end a line.
    comma: bool,
    /// Spaces before every line.
    margin: usize,
    /// Characters outside of ASCII are escaped.
    ascii: bool,
    /// `/` is escaped.
    slash: bool,
    /// `<`, `>` and `&` are escaped.
    html: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Indent {
    /// Everything on one line.
    #[default]
    None,
    Spaces(usize),
    Tab,
}

impl Layout {
    /// The layout that prints exactly this text, if there is one.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let (layout, minified) = (Self::guess(text)?, minified(text));
        // Lone surrogates are escaped even if other characters are not.
        let plain = Self {
            ascii: false,
            ..layout
        };
        let prints = |layout: &Self| layout.print(&minified).is_ok_and(|again| again == text);
        [layout, plain].into_iter().find(prints)
    }

    /// Infers a layout from the first colon, comma and bracket.
    fn guess(text: &str) -> Option<Self> {
        let first = text.split('\n').find(|line| !line.trim().is_empty())?;
        let margin = first.len() - first.trim_start_matches(' ').len();
        let mut layout = Self {
            margin,
            ascii: has_escape(text, |code| code >= 0x80),
            html: has_escape(text, |code| matches!(code, 0x3c | 0x3e | 0x26)),
            slash: text.contains("\\/"),
            ..Self::default()
        };
        let bytes = text.as_bytes();
        let (mut at, mut colon, mut comma, mut open) = (0, None, None, None);
        while at < bytes.len() && (colon.is_none() || comma.is_none() || open.is_none()) {
            let next = bytes.get(at + 1).copied();
            match bytes[at] {
                b'"' => at += string_length(&text[at..]) - 1,
                b':' if colon.is_none() => colon = Some(next == Some(b' ')),
                b',' if comma.is_none() => comma = Some(next == Some(b' ')),
                b'{' | b'[' if open.is_none() && !matches!(next, Some(b'}' | b']')) => {
                    open = Some(at + 1);
                }
                _ => {}
            }
            at += 1;
        }
        let inside = open.and_then(|open| text[open..].strip_prefix('\n'));
        layout.indent = match inside {
            None => Indent::None,
            Some(inside) if inside.starts_with('\t') && margin == 0 => Indent::Tab,
            Some(inside) => {
                let width = inside.len() - inside.trim_start_matches(' ').len();
                Indent::Spaces(width.checked_sub(margin)?)
            }
        };
        let indented = layout.indent != Indent::None;
        layout.colon = colon.unwrap_or(indented);
        layout.comma = !indented && comma.unwrap_or(false);
        (margin <= WIDEST && layout.indent.width() <= WIDEST).then_some(layout)
    }

    /// The suffix of the word in the head line; empty for the layout that a rendering prints by default.
    pub(crate) fn suffix(&self) -> String {
        if *self == Self::default() {
            return String::new();
        }
        let mut out = match (self.indent, self.colon, self.comma) {
            (Indent::Spaces(width), ..) => format!("/{width}"),
            (Indent::Tab, ..) => "/tab".to_owned(),
            (Indent::None, true, true) => "/spaced".to_owned(),
            (Indent::None, true, false) => "/colon".to_owned(),
            (Indent::None, false, true) => "/comma".to_owned(),
            (Indent::None, false, false) => "/flat".to_owned(),
        };
        if self.indent != Indent::None && !self.colon {
            out.push_str("+tight");
        }
        if self.margin > 0 {
            let _ = write!(out, "+in{}", self.margin);
        }
        for (is, word) in [
            (self.ascii, "+ascii"),
            (self.slash, "+slash"),
            (self.html, "+html"),
        ] {
            out.push_str(if is { word } else { "" });
        }
        out
    }

    /// Parses a suffix without its slash; `None` if it is unknown.
    pub(crate) fn parse(suffix: &str) -> Option<Self> {
        let mut words = suffix.split('+');
        let mut layout = Self::default();
        match words.next()? {
            "tab" => (layout.indent, layout.colon) = (Indent::Tab, true),
            "spaced" => (layout.colon, layout.comma) = (true, true),
            "colon" => layout.colon = true,
            "comma" => layout.comma = true,
            "flat" => {}
            width => (layout.indent, layout.colon) = (Indent::Spaces(number(width)?), true),
        }
        for word in words {
            match word {
                "tight" => layout.colon = false,
                "ascii" => layout.ascii = true,
                "slash" => layout.slash = true,
                "html" => layout.html = true,
                _ => layout.margin = number(word.strip_prefix("in")?)?,
            }
        }
        Some(layout)
    }

    /// Prints JSON without white space, or lines of it, in this layout.
    pub(crate) fn print(&self, json: &str) -> Result<String, Malformed> {
        let mut out = String::with_capacity(json.len() * 2);
        // Bounds the output of a small input.
        let most = json.len().saturating_mul(64).saturating_add(1 << 20);
        for (at, line) in json.split('\n').enumerate() {
            if at > 0 {
                out.push('\n');
            }
            if !line.is_empty() {
                self.print_line(line, most, &mut out)?;
            }
        }
        Ok(out)
    }

    fn print_line(&self, json: &str, most: usize, out: &mut String) -> Result<(), Malformed> {
        let bytes = json.as_bytes();
        let (mut at, mut depth) = (0, 0_usize);
        push_spaces(self.margin, out);
        while at < bytes.len() {
            if out.len() > most {
                return Err(Malformed::new(
                    0,
                    "the decoded text would exceed the size limit",
                ));
            }
            let byte = bytes[at];
            match byte {
                b'"' => {
                    let length = string_length(&json[at..]);
                    self.spell(&json[at..at + length], out);
                    at += length;
                    continue;
                }
                b'{' | b'[' => {
                    out.push(char::from(byte));
                    if let Some(close @ (b'}' | b']')) = bytes.get(at + 1) {
                        out.push(char::from(*close));
                        at += 1;
                    } else {
                        depth += 1;
                        self.break_line(depth, out);
                    }
                }
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    self.break_line(depth, out);
                    out.push(char::from(byte));
                }
                b',' => {
                    out.push_str(if self.comma { ", " } else { "," });
                    self.break_line(depth, out);
                }
                b':' => out.push_str(if self.colon { ": " } else { ":" }),
                _ => {
                    let is_plain =
                        |byte: &u8| !matches!(byte, b'"' | b'{' | b'}' | b'[' | b']' | b',' | b':');
                    let length = bytes[at..].iter().take_while(|byte| is_plain(byte)).count();
                    out.push_str(&json[at..at + length]);
                    at += length;
                    continue;
                }
            }
            at += 1;
        }
        Ok(())
    }

    fn break_line(&self, depth: usize, out: &mut String) {
        match self.indent {
            Indent::None => {}
            Indent::Spaces(width) => {
                out.push('\n');
                push_spaces(self.margin + width * depth, out);
            }
            Indent::Tab => {
                out.push('\n');
                out.extend(std::iter::repeat_n('\t', depth));
            }
        }
    }

    /// Writes a string, with its quotes, escaped as in this layout.
    fn spell(&self, string: &str, out: &mut String) {
        let mut rest = string;
        while let Some(first) = rest.chars().next() {
            let mut length = first.len_utf8();
            match first {
                '\\' => {
                    length = escape_length(rest);
                    match unescaped(&rest[..length]) {
                        Some(character) => self.spell_char(character, out),
                        None => out.push_str(&rest[..length]),
                    }
                }
                '"' => out.push('"'),
                character => self.spell_char(character, out),
            }
            rest = &rest[length..];
        }
    }

    fn spell_char(&self, character: char, out: &mut String) {
        let escape = |unit: u16, out: &mut String| {
            let _ = write!(out, "\\u{unit:04x}");
        };
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '/' if self.slash => out.push_str("\\/"),
            '\0'..='\u{1f}' => escape(character as u16, out),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' if self.html => escape(character as u16, out),
            '\u{80}'.. if self.ascii => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    escape(*unit, out);
                }
            }
            character => out.push(character),
        }
    }
}

impl Indent {
    fn width(self) -> usize {
        match self {
            Self::Spaces(width) => width,
            Self::None | Self::Tab => 0,
        }
    }
}

fn push_spaces(count: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', count));
}

/// Parses a number in a suffix.
fn number(text: &str) -> Option<usize> {
    let plain =
        !text.is_empty() && text.len() < 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    plain
        .then(|| text.parse().ok())
        .flatten()
        .filter(|number| *number <= WIDEST)
}

/// Removes the white space from valid JSON, except line ends between values.
pub(super) fn minified(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let length = string_length(&text[at..]);
                out.push_str(&text[at..at + length]);
                at += length;
                continue;
            }
            b'\n' if depth == 0 => out.push('\n'),
            b' ' | b'\t' | b'\r' | b'\n' => {}
            byte => {
                match byte {
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                out.push_str(&text[at..at + 1]);
            }
        }
        at += 1;
    }
    out
}

/// The length of a string, with both quotes.
fn string_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += found;
        match bytes[at] {
            b'"' => return at + 1,
            _ => at += 2,
        }
    }
    text.len()
}

/// The length of the escape that a text begins with; a surrogate pair counts as one escape.
fn escape_length(text: &str) -> usize {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    match (unit(0), unit(6)) {
        (Some(0xD800..0xDC00), Some(0xDC00..0xE000)) => 12,
        (Some(_), _) => 6,
        (None, _) => text
            .char_indices()
            .nth(2)
            .map_or(text.len(), |(end, _)| end),
    }
}

/// The character that an escape denotes; `None` for a lone surrogate.
fn unescaped(escape: &str) -> Option<char> {
    let unit = |at: usize| u32::from_str_radix(escape.get(at..at + 4)?, 16).ok();
    match escape.as_bytes().get(1)? {
        b'n' => Some('\n'),
        b'r' => Some('\r'),
        b't' => Some('\t'),
        b'b' => Some('\u{8}'),
        b'f' => Some('\u{c}'),
        b'u' => match (unit(2)?, unit(8)) {
            (high @ 0xD800..0xDC00, Some(low)) => {
                char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
            }
            (code, _) => char::from_u32(code),
        },
        _ => escape.chars().nth(1),
    }
}

/// Whether the text has a `\u` escape whose code satisfies `is`.
fn has_escape(text: &str, is: impl Fn(u32) -> bool) -> bool {
    memchr::memmem::find_iter(text.as_bytes(), b"\\u").any(|at| {
        let digits = text.get(at + 2..at + 6);
        digits.is_some_and(|digits| u32::from_str_radix(digits, 16).is_ok_and(&is))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suffix(text: &str) -> Option<String> {
        Layout::of(text).map(|layout| layout.suffix())
    }

    #[test]
    fn common_layouts_are_reproduced() {
        for (text, expected) in [
            (r#"{"a":[1,{}],"b":"x"}"#, ""),
            (r#"{"a": [1, {}], "b": "x"}"#, "/spaced"),
            (r#"{"a":[1, {}], "b":"x"}"#, "/comma"),
            (r#"{"a": [1,{}],"b": "x"}"#, "/colon"),
            ("{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}", "/2"),
            ("[\n\t{\n\t\t\"a\": 1\n\t}\n]", "/tab"),
            ("   {\n       \"a\": 1\n   }", "/4+in3"),
            ("{\n \"a\":1\n}", "/1+tight"),
            (r#"["\u00e9\ud83d\ude00\n"]"#, "/flat+ascii"),
            (r#"["a\/b"]"#, "/flat+slash"),
            (r#"["\u003cb\u003e"]"#, "/flat+html"),
            ("{\"a\": 1, \"b\": 2}\n\n{\"a\": 3, \"b\": 4}", "/spaced"),
            (r#"["\ud800", "é"]"#, "/comma"),
        ] {
            assert_eq!(suffix(text).as_deref(), Some(expected), "{text}");
            let parsed = expected.strip_prefix('/').map(Layout::parse);
            assert_eq!(
                parsed.unwrap_or(Some(Layout::default())),
                Layout::of(text),
                "{text}"
            );
        }
    }

    #[test]
    fn unusual_layouts_are_not_recognised() {
        for text in [
            "{\"a\": 1, \"b\":2}",
            "{\n  \"a\": [1, 2]\n}",
            "{\n  \"a\": 1\n   }",
            "[1 ,2]",
            r#"["\u00e9", "é"]"#,
            r#"["a\/b", "a/b"]"#,
            r#"["\u0041"]"#,
            "[1]\n ",
        ] {
            assert_eq!(suffix(text), None, "{text}");
        }
    }

    #[test]
    fn unknown_suffixes_are_rejected() {
        for word in ["", "x", "100", "2+", "2+in", "2+x", "-1", "+ascii", "2 "] {
            assert_eq!(Layout::parse(word), None, "{word}");
        }
    }

    #[test]
    fn a_short_text_cannot_expand_without_limit() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert!(Layout::parse("64").unwrap().print(&deep).is_err());
    }
}
