//! The `printf` format of line numbers.

use std::fmt::{self, Write};

/// The most digits of a line number. It also bounds how much a line can expand.
pub(super) const WIDEST: usize = 18;

/// How a number is padded to its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pad {
    /// `   12`
    Right,
    /// `12   `
    Left,
    /// `00012`
    Zero,
}

/// The format of the line number before each line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Format {
    pub(super) before: &'static str,
    pub(super) pad: Pad,
    pub(super) width: usize,
    /// The separator behind the number, at most three characters.
    pub(super) after: String,
}

impl Format {
    /// The possible texts before a number.
    pub(super) const BEFORE: [&str; 2] = ["", "L"];

    /// The number and text of a line, if [`Self::write`] reproduces the line.
    pub(super) fn read<'a>(&self, line: &'a str, trimmed: bool) -> Option<(u64, &'a str)> {
        let padded = line.strip_prefix(self.before)?;
        let digits_from = match self.pad {
            Pad::Right => padded.bytes().take_while(|b| *b == b' ').count(),
            Pad::Left | Pad::Zero => 0,
        };
        let from = &padded[digits_from..];
        let digits = from.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 || digits > WIDEST {
            return None;
        }
        let leading_zero = digits > 1 && from.starts_with('0');
        let mut rest = &from[digits..];
        let fits = match self.pad {
            Pad::Right => {
                !leading_zero
                    && (digits_from + digits == self.width
                        || (digits_from == 0 && digits > self.width))
            }
            Pad::Zero => digits == self.width || (digits > self.width && !leading_zero),
            Pad::Left => {
                let fill = self.width.saturating_sub(digits);
                let (spaces, more) = rest.split_at_checked(fill)?;
                rest = more;
                !leading_zero && spaces.bytes().all(|b| b == b' ')
            }
        };
        if !fits {
            return None;
        }
        let number = from[..digits].parse().ok()?;
        let text = match rest.strip_prefix(self.after.as_str()) {
            Some("") if trimmed && self.trimmed().len() < self.after.len() => return None,
            Some(text) => text,
            None if trimmed && rest == self.trimmed() => "",
            None => return None,
        };
        Some((number, text))
    }

    /// Writes a line. With `trimmed`, trailing spaces of a line without text are omitted.
    pub(super) fn write(&self, number: u64, text: &str, trimmed: bool, out: &mut String) {
        out.push_str(self.before);
        let width = self.width;
        // Writing to a string cannot fail.
        let _ = match self.pad {
            Pad::Right => write!(out, "{number:width$}"),
            Pad::Left => write!(out, "{number:<width$}"),
            Pad::Zero => write!(out, "{number:0width$}"),
        };
        out.push_str(if trimmed && text.is_empty() {
            self.trimmed()
        } else {
            &self.after
        });
        out.push_str(text);
    }

    /// As many spaces as precede the text of a numbered line.
    pub(super) fn margin(&self) -> String {
        " ".repeat(self.width + self.after.chars().count())
    }

    fn trimmed(&self) -> &str {
        self.after.trim_end()
    }

    /// The inverse of `Display`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (before, text) = text.split_once('%')?;
        let before = Self::BEFORE.into_iter().find(|one| *one == before)?;
        let (width, after) = text.split_once('d')?;
        let (pad, width) = match width.strip_prefix('0') {
            Some(width) => (Pad::Zero, width),
            None => match width.strip_prefix('-') {
                Some(width) => (Pad::Left, width),
                None => (Pad::Right, width),
            },
        };
        let width = match width {
            "" => 0,
            width => width.parse().ok().filter(|width| *width <= WIDEST)?,
        };
        if after.chars().count() > 3 {
            return None;
        }
        Some(Self {
            before,
            pad,
            width,
            after: after.to_owned(),
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pad = match self.pad {
            Pad::Right => "",
            Pad::Left => "-",
            Pad::Zero => "0",
        };
        write!(f, "{}%{pad}", self.before)?;
        if self.width > 0 {
            write!(f, "{}", self.width)?;
        }
        write!(f, "d{}", self.after)
    }
}
