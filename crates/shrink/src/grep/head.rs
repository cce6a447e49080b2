//! The head line, which tells how to read the body.

use std::fmt;

use linkspan_wire::{Json, quote};

use crate::rendering::Malformed;

/// The notation of a line below its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// A line number and its text.
    Numbered,
    /// A text without a line number.
    Text,
}

/// The widest indentation in the head. It bounds how much a line can expand.
pub(super) const WIDEST: usize = 40;

/// Whether hits have a column number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Column {
    /// No columns.
    None,
    /// Each column is written.
    Shown,
    /// The column of the first occurrence of this pattern, unless another column is written.
    At(String),
}

/// `file, then its lines; tab is 4 spaces; all below /home/me/app/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) style: Style,
    pub(super) column: Column,
    /// The number of repeated texts listed above the first file.
    pub(super) texts: usize,
    /// The indentation that a tab behind a number stands for, besides the colon.
    pub(super) indent: String,
    /// Whether `--` is omitted where line numbers are not consecutive.
    pub(super) implied_separators: bool,
    /// The extension that is omitted from names.
    pub(super) ending: String,
    /// Whether a name without a folder is relative to the previous file's folder.
    pub(super) bare: bool,
    /// The common prefix of all relative paths.
    pub(super) root: String,
}

const NUMBERED: &str = "file, then its lines";
const TEXT: &str = ">file, then its lines";
const SHOWN: &str = "; line:column";
const AT: &str = "; column is at ";
const TEXTS: &str = "; texts that repeat: $1-$";
const INDENT: &str = "; tab is ";
const SPACES: &str = " spaces";
const TABS: &str = " tabs";
const SEPARATOR: &str = "; -- left out";
const ENDING: &str = "; names end ";
const BARE: &str = "; bare names in the folder above";
const ROOT: &str = "; all below ";

impl Head {
    /// A head that abbreviates nothing.
    pub(super) fn plain(style: Style) -> Self {
        Self {
            style,
            column: Column::None,
            texts: 0,
            indent: String::new(),
            implied_separators: false,
            ending: String::new(),
            bare: false,
            root: String::new(),
        }
    }

    pub(super) fn parse(head: &str) -> Result<Self, Malformed> {
        Self::read(head).ok_or_else(|| Malformed::new(0, "not a search header"))
    }

    fn read(head: &str) -> Option<Self> {
        let (style, mut rest) = match head.strip_prefix(NUMBERED) {
            Some(rest) => (Style::Numbered, rest),
            None => (Style::Text, head.strip_prefix(TEXT)?),
        };
        let mut made = Self::plain(style);
        if let Some(more) = rest.strip_prefix(SHOWN) {
            made.column = Column::Shown;
            rest = more;
        } else if let Some(more) = rest.strip_prefix(AT) {
            let (pattern, more) = quoted(more)?;
            made.column = Column::At(pattern);
            rest = more;
        }
        if let Some(more) = rest.strip_prefix(TEXTS) {
            let digits = more.bytes().take_while(u8::is_ascii_digit).count();
            let (count, more) = more.split_at(digits);
            made.texts = count.parse().ok()?;
            rest = more;
        }
        if let Some(indent) = rest.strip_prefix(INDENT) {
            let (width, more) = indent.split_at(indent.find(' ')?);
            let width = width.parse().ok().filter(|width| *width <= WIDEST)?;
            let (sign, more) = match more.strip_prefix(SPACES) {
                Some(more) => (" ", more),
                None => ("\t", more.strip_prefix(TABS)?),
            };
            made.indent = sign.repeat(width);
            rest = more;
        }
        if let Some(more) = rest.strip_prefix(SEPARATOR) {
            made.implied_separators = true;
            rest = more;
        }
        if let Some(ending) = rest.strip_prefix(ENDING) {
            let (ending, more) = ending.split_at(ending.find(';').unwrap_or(ending.len()));
            ending.clone_into(&mut made.ending);
            rest = more;
        }
        if let Some(more) = rest.strip_prefix(BARE) {
            made.bare = true;
            rest = more;
        }
        if !rest.is_empty() {
            rest.strip_prefix(ROOT)?.clone_into(&mut made.root);
        }
        Some(made)
    }
}

/// A quoted word, and the text after it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut escaped = false;
    let end = inner.bytes().position(|b| {
        let ends = b == b'"' && !escaped;
        escaped = b == b'\\' && !escaped;
        ends
    })?;
    let (word, rest) = text.split_at_checked(end + 2)?;
    Some((Json::parse(word).ok()?.as_str()?.into_owned(), rest))
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.style {
            Style::Numbered => NUMBERED,
            Style::Text => TEXT,
        })?;
        match &self.column {
            Column::None => {}
            Column::Shown => f.write_str(SHOWN)?,
            Column::At(pattern) => write!(f, "{AT}{}", quote(pattern))?,
        }
        if self.texts > 0 {
            write!(f, "{TEXTS}{}", self.texts)?;
        }
        if !self.indent.is_empty() {
            let of = if self.indent.starts_with(' ') {
                SPACES
            } else {
                TABS
            };
            write!(f, "{INDENT}{}{of}", self.indent.len())?;
        }
        if self.implied_separators {
            f.write_str(SEPARATOR)?;
        }
        if !self.ending.is_empty() {
            write!(f, "{ENDING}{}", self.ending)?;
        }
        if self.bare {
            f.write_str(BARE)?;
        }
        if !self.root.is_empty() {
            write!(f, "{ROOT}{}", self.root)?;
        }
        Ok(())
    }
}
