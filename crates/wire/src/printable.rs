//! Makes text of a peer safe to print on a terminal, in a log or in a transcript.
//!
//! A peer chooses the names of its tools and what it writes to stderr. Control characters drive a terminal or begin a
//! line that looks like one of ours, bidirectional controls change the order in which a line is shown, and invisible
//! characters make two names look alike.

use std::borrow::Cow;
use std::fmt::Write;

/// Escapes one line of a peer: names, titles, lines of stderr. Characters that are invisible or change how a line is
/// shown become escapes such as `\n` or `\u{202e}`.
pub fn escape_line(text: &str) -> Cow<'_, str> {
    replaced(text, is_hidden, |c, out| out.extend(c.escape_default()))
}

/// Escapes several lines of a peer as [`escape_line`] does, except for tabs; all but the first begin with `indent`, so
/// that they cannot pass for lines of ours.
pub fn escape_block<'a>(text: &'a str, indent: &str) -> Cow<'a, str> {
    let escaped = |line| {
        let is_bad = |c| c != '\t' && is_hidden(c);
        replaced(line, is_bad, |c, out| out.extend(c.escape_default()))
    };
    if !text.contains('\n') {
        return escaped(text);
    }
    let mut out = String::with_capacity(text.len() + 64);
    for (number, line) in text.lines().enumerate() {
        if number > 0 {
            out.push('\n');
            out.push_str(indent);
        }
        out.push_str(&escaped(line));
    }
    Cow::Owned(out)
}

/// Replaces unprintable characters of a text by U+FFFD: those that drive a terminal, change the order of a line or are
/// not text. Lines, tabs, and the characters that other scripts than the Latin one need (joiners, marks of direction)
/// are kept. A line may end as on Windows.
pub fn replace_unprintable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let keep = match c {
            '\n' | '\t' => true,
            '\r' => chars.peek() == Some(&'\n'),
            c => !is_steering(c),
        };
        out.push(if keep { c } else { '\u{fffd}' });
    }
    out
}

/// Escapes such characters in JSON text as `\uXXXX`: the same value, safe to print.
pub fn escape_json(json: &str) -> Cow<'_, str> {
    let is_raw = |c: char| !c.is_ascii_control() && is_steering(c) || c == '\u{7f}';
    replaced(json, is_raw, |c, out| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

fn replaced(
    text: &str,
    is_bad: impl Fn(char) -> bool,
    write: impl Fn(char, &mut String),
) -> Cow<'_, str> {
    let Some(first) = text.find(&is_bad) else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(&text[..first]);
    for c in text[first..].chars() {
        if is_bad(c) {
            write(c, &mut out)
        } else {
            out.push(c)
        }
    }
    Cow::Owned(out)
}

/// Drives a terminal, ends a line, changes the order of a line, or is a tag that only programs read.
fn is_steering(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{206f}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Whether a character drives a terminal, ends a line, changes the order of a line, has no width, or is a blank that
/// does not look like one. [`escape_line`] escapes these.
pub fn is_hidden(c: char) -> bool {
    is_steering(c)
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2060}'..='\u{2065}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Characters by which a peer could make its line look like one of ours.
    const TRICKS: [char; 14] = [
        '\n',
        '\r',
        '\u{b}',
        '\u{c}',
        '\u{1b}',
        '\u{7f}',
        '\u{85}',
        '\u{9b}',
        '\u{2028}',
        '\u{2029}',
        '\u{202e}',
        '\u{2066}',
        '\u{206f}',
        '\u{e0041}',
    ];

    #[test]
    fn a_name_stays_on_its_line_and_hides_nothing() {
        assert_eq!(
            escape_line("a\nb\u{1b}[2K\u{202e}é"),
            "a\\nb\\u{1b}[2K\\u{202e}é"
        );
        for trick in TRICKS
            .into_iter()
            .chain(['\u{200b}', '\u{200d}', '\u{feff}', '\t'])
        {
            let name = format!("x{trick}y");
            let escaped = escape_line(&name);
            assert!(
                !escaped.contains(trick) && escaped.contains('\\'),
                "{escaped:?}"
            );
        }
        assert!(matches!(
            escape_line("häuser 家 ❤\u{fe0f}"),
            Cow::Borrowed(_)
        ));
    }

    #[test]
    fn further_lines_are_told_from_ours() {
        let said = "one\n2026 WARN forged\ttab\r\nerror: forged\n";
        assert_eq!(
            escape_block(said, "  | "),
            "one\n  | 2026 WARN forged\ttab\n  | error: forged"
        );
        assert_eq!(escape_block("a\rb\u{2028}c", "  "), "a\\rb\\u{2028}c");
        assert_eq!(escape_block("C:\\temp\n\u{1b}x", ""), "C:\\temp\n\\u{1b}x");
    }

    #[test]
    fn control_characters_are_replaced_and_joiners_are_kept() {
        let persian = "می\u{200c}خواهم\r\n👩\u{200d}💻\t\u{200e}x";
        assert_eq!(replace_unprintable(persian), persian);
        for trick in TRICKS.into_iter().filter(|c| *c != '\n') {
            let text = format!("x{trick}y");
            assert_eq!(replace_unprintable(&text), "x\u{fffd}y", "{trick:?}");
        }
    }

    #[test]
    fn json_keeps_its_value() {
        let json = "{\"a\\n\": \"\u{202e}\u{7f}\u{9b}\u{e0041}é\"}\t";
        let escaped = escape_json(json);
        assert_eq!(
            escaped,
            "{\"a\\n\": \"\\u202e\\u007f\\u009b\\udb40\\udc41é\"}\t"
        );
        let value = |text: &str| {
            crate::Json::parse(text)
                .unwrap()
                .get("a\n")
                .unwrap()
                .as_str()
                .unwrap()
                .into_owned()
        };
        assert_eq!(value(&escaped), value(json));
    }
}
