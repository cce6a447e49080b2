//! A line below its file: number, column, sign and text.
//!
//! ```text
//! 12:text       verbatim; so are 12-text, 12=text, 12,5): text and 12
//! 12    text    12:    text
//! 12⇥text       12:text; or 12:    text, if the head defines the tab as four spaces
//! 12⇥$3         12: and the third repeated text; 12-$3 likewise
//! ```
//!
//! If hits have a column, `12:5` is written in place of `12`, unless the column is implied by the text.

use super::head::{Column, Head};

/// The part of a line behind its file and sign: `12:text`, `12:5:text`, `12-text`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit<'a> {
    pub(super) number: &'a str,
    /// Empty if the hit has none.
    pub(super) column: &'a str,
    pub(super) sign: char,
    pub(super) text: &'a str,
}

impl<'a> Hit<'a> {
    /// Parses `rest`. With `columns`, a hit must have a column.
    pub(super) fn parse(rest: &'a str, columns: bool) -> Option<Self> {
        let (number, behind) = rest.split_at(digits(rest));
        let sign = behind
            .chars()
            .next()
            .filter(|c| matches!(c, ':' | '-' | '='))?;
        let text = &behind[1..];
        let (column, text) = if columns && sign == ':' {
            let (column, behind) = text.split_at(digits(text));
            let text = behind.strip_prefix(':').filter(|_| !column.is_empty())?;
            (column, text)
        } else {
            ("", text)
        };
        Some(Self {
            number,
            column,
            sign,
            text,
        })
    }

    /// Whether the column is that of the first occurrence of `pattern`.
    pub(super) fn is_at(&self, pattern: &str) -> bool {
        at(self.text, pattern).is_some_and(|at| at == self.column)
    }
}

/// Whether this is a hit without the column that the other hits have.
pub(super) fn lacks_column(rest: &str) -> bool {
    rest[digits(rest)..].starts_with(':') && Hit::parse(rest, true).is_none()
}

/// Writes the short form of `rest`. `repeated` returns the index of a repeated text.
pub(super) fn write(
    rest: &str,
    head: &Head,
    repeated: impl Fn(&str) -> Option<usize>,
    out: &mut String,
) {
    let columns = head.column != Column::None;
    let Some(hit) = Hit::parse(rest, columns) else {
        out.push_str(rest);
        return;
    };
    let Hit { number, text, .. } = hit;
    out.push_str(number);
    if hit.sign != ':' {
        out.push(hit.sign);
        match repeated(text) {
            Some(index) => reference(index, out),
            None if head.texts > 0 && text.starts_with('$') => out.extend(["$", text]),
            None => out.push_str(text),
        }
        return;
    }
    let derived = match &head.column {
        Column::At(pattern) => hit.is_at(pattern) && !starts_with_digit(text),
        _ => !columns,
    };
    if !derived {
        out.push(':');
        out.push_str(hit.column);
    }
    if let Some(index) = repeated(text) {
        out.push('\t');
        reference(index, out);
        return;
    }
    let own = indentation(text);
    let first = text.as_bytes().get(own.len()).copied().unwrap_or(b':');
    let taken = first == b'$' && head.texts > 0;
    if own == head.indent && !taken && (!own.is_empty() || is_word(first)) {
        out.push('\t');
        out.push_str(&text[own.len()..]);
        return;
    }
    // A colon and punctuation are often one token; a number followed by spaces needs no colon.
    if !own.starts_with(' ') {
        out.push(':');
    }
    out.push_str(text);
}

/// Decodes a line into `rest` and returns the sign between the file and `rest`.
pub(super) fn read(
    line: &str,
    head: &Head,
    texts: &[&str],
    rest: &mut String,
) -> Option<&'static str> {
    rest.clear();
    let (number, behind) = line.split_at(digits(line));
    rest.push_str(number);
    let (explicit, behind) = match column(behind) {
        Some((column, behind)) if head.column != Column::None => (Some(column), behind),
        _ => (None, behind),
    };
    let text: [&str; 2] = match behind.split_at_checked(1) {
        Some(("\t", text)) => match text.strip_prefix('$').filter(|_| head.texts > 0) {
            Some(index) => ["", texts.get(index.parse::<usize>().ok()?.checked_sub(1)?)?],
            None => [&head.indent, text],
        },
        Some((" ", _)) => ["", behind],
        Some((":", text)) => ["", text],
        Some((sign @ ("-" | "="), text)) if explicit.is_none() => {
            rest.push_str(sign);
            rest.push_str(match text.strip_prefix('$').filter(|_| head.texts > 0) {
                Some(text) if text.starts_with('$') => text,
                Some(index) => texts.get(index.parse::<usize>().ok()?.checked_sub(1)?)?,
                None => text,
            });
            return sign_of_number(rest);
        }
        _ if explicit.is_none() => {
            rest.push_str(behind);
            return sign_of_number(rest);
        }
        _ => return None,
    };
    rest.push(':');
    let column = match (&head.column, explicit) {
        (Column::None, _) => "",
        (_, Some(column)) => column,
        (Column::Shown, None) => return None,
        (Column::At(pattern), None) => &at(&text.concat(), pattern)?,
    };
    rest.push_str(column);
    if !column.is_empty() {
        rest.push(':');
    }
    rest.extend(text);
    (!number.is_empty()).then_some(":")
}

/// The column in `:5`, and the text behind it, if one may follow.
fn column(behind: &str) -> Option<(&str, &str)> {
    let behind = behind.strip_prefix(':')?;
    let (column, text) = behind.split_at(digits(behind));
    let is_one = !column.is_empty() && text.starts_with(['\t', ' ', ':']);
    is_one.then_some((column, text))
}

/// The column of the first occurrence of a pattern.
fn at(text: &str, pattern: &str) -> Option<String> {
    Some((memchr::memmem::find(text.as_bytes(), pattern.as_bytes())? + 1).to_string())
}

fn reference(index: usize, out: &mut String) {
    out.push('$');
    out.push_str(&(index + 1).to_string());
}

/// The sign between a file and a text that begins with a number.
pub(super) fn sign_of_number(rest: &str) -> Option<&'static str> {
    let digits = digits(rest);
    let sign = match rest.as_bytes().get(digits) {
        None | Some(b':') => ":",
        Some(b'-') => "-",
        Some(b'=') => "=",
        Some(b',' | b')') => "(",
        Some(_) => return None,
    };
    (digits > 0).then_some(sign)
}

/// The sign between a file and a text without a number; empty if the text keeps its own sign.
pub(super) fn sign_of_text(rest: &str) -> &'static str {
    if rest.starts_with([':', '-', '=']) {
        ""
    } else {
        ":"
    }
}

/// The leading spaces and tabs.
pub(super) fn indentation(text: &str) -> &str {
    let end = text
        .bytes()
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    &text[..end]
}

/// The number of leading digits.
pub(super) fn digits(rest: &str) -> usize {
    rest.bytes().take_while(u8::is_ascii_digit).count()
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphabetic() || byte >= 0x80
}
