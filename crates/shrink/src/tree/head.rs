//! The head line: the notation of the body, the style to draw it in, and the text around it.
//!
//! ```text
//! one line per folder, *.x: a = a.x; box sorted locale; in src; 12 directories, 300 files
//! ```

use std::borrow::Cow;

use linkspan_wire::{Json, quote};

use super::order::Order;
use super::pattern::LONGEST_PART;
use super::spelling::Spelling;
use super::style::Style;
use crate::lexeme::string_len;

/// The parsed head line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Head<'a> {
    pub(super) form: Form<'a>,
    pub(super) style: Style<'a>,
    /// The line above all entries, or their common prefix.
    pub(super) root: Option<Cow<'a, str>>,
    /// The last line, below all entries and a blank line.
    pub(super) tail: Option<Cow<'a, str>>,
}

/// The notation of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form<'a> {
    /// One line per entry.
    Lines,
    /// One line per folder with its entries.
    Folders {
        spelling: Spelling<'a>,
        order: Option<Order>,
        /// Whether patterns occur; only part of the legend.
        patterns: bool,
    },
}

const LINES: &str = "one entry per line";
const FOLDERS: &str = "one line per folder";
const COMMAS: &str = ", commas between";
const SLASHES: &str = ", / may be in names";
const ENDING: &str = ", names without dot end in ";
const PATTERNS: &str = ", *.x: a = a.x";
const SORTED: &str = " sorted ";
const ROOT: &str = "in ";

impl<'a> Head<'a> {
    pub(super) fn write(&self) -> String {
        let mut out = String::new();
        let mut sorted = None;
        match &self.form {
            Form::Lines => out.push_str(LINES),
            Form::Folders {
                spelling,
                order,
                patterns,
            } => {
                out.push_str(FOLDERS);
                out.push_str(if spelling.commas { COMMAS } else { "" });
                out.push_str(if spelling.slashes { SLASHES } else { "" });
                if let Some(ending) = spelling.ending {
                    out.push_str(ENDING);
                    out.push_str(ending);
                }
                out.push_str(if *patterns { PATTERNS } else { "" });
                sorted = *order;
            }
        }
        out.push_str("; ");
        self.style.write(&mut out);
        if let Some(order) = sorted {
            out.push_str(SORTED);
            out.push_str(&order.words());
        }
        if let Some(root) = &self.root {
            out.push_str("; in ");
            if root.contains(';') || has_edges(root) {
                out.push_str(&quote(root))
            } else {
                out.push_str(root)
            }
        }
        if let Some(tail) = &self.tail {
            out.push_str("; ");
            if tail.starts_with(ROOT) || has_edges(tail) {
                out.push_str(&quote(tail))
            } else {
                out.push_str(tail)
            }
        }
        out
    }

    /// The most bytes that may be drawn: deep folders expand to a lot of white space.
    pub(super) fn limit(&self, body: &str) -> usize {
        let len = |line: &Option<Cow<'_, str>>| line.as_deref().map_or(0, str::len);
        (body.len() + len(&self.root) + len(&self.tail)).saturating_mul(128)
    }

    pub(super) fn read(head: &'a str) -> Option<Self> {
        let (form, rest) = head.split_once("; ")?;
        let (style, mut rest) = cut(rest);
        let (style, order) = match style.split_once(SORTED) {
            Some((style, order)) => (style, Some(Order::parse(order)?)),
            None => (style, None),
        };
        let mut root = None;
        if let Some(text) = rest.and_then(|rest| rest.strip_prefix(ROOT)) {
            let (text, below) = if text.starts_with('"') {
                let (text, below) = text.split_at(string_len(text.as_bytes())?);
                (
                    text,
                    below
                        .strip_prefix("; ")
                        .or((!below.is_empty()).then_some("")),
                )
            } else {
                cut(text)
            };
            root = Some(unquote(text)?);
            rest = below;
        }
        let tail = match rest {
            Some(rest) => Some(unquote(rest)?),
            None => None,
        };
        Some(Self {
            form: Form::read(form, order)?,
            style: Style::read(style)?,
            root,
            tail,
        })
    }
}

impl<'a> Form<'a> {
    fn read(form: &'a str, order: Option<Order>) -> Option<Self> {
        if form == LINES {
            return order.is_none().then_some(Self::Lines);
        }
        let rest = form.strip_prefix(FOLDERS)?;
        let (rest, patterns) = cut_option(rest, PATTERNS);
        let (rest, ending) = match rest.split_once(ENDING) {
            Some((rest, ending)) => (rest, Some(ending)),
            None => (rest, None),
        };
        let (rest, slashes) = cut_option(rest, SLASHES);
        let (rest, commas) = cut_option(rest, COMMAS);
        let spelling = Spelling {
            commas,
            slashes,
            ending,
        };
        if ending.is_some_and(|ending| ending.len() > LONGEST_PART) {
            return None;
        }
        rest.is_empty().then_some(Self::Folders {
            spelling,
            order,
            patterns,
        })
    }
}

fn cut_option<'a>(text: &'a str, option: &str) -> (&'a str, bool) {
    match text.strip_suffix(option) {
        Some(rest) => (rest, true),
        None => (text, false),
    }
}

fn cut(text: &str) -> (&str, Option<&str>) {
    match text.split_once("; ") {
        Some((text, rest)) => (text, Some(rest)),
        None => (text, None),
    }
}

/// Whether a text must be quoted because of spaces at its edges or special characters.
fn has_edges(text: &str) -> bool {
    text.is_empty()
        || text.starts_with('"')
        || text.trim() != text
        || text.contains(char::is_control)
}

fn unquote(text: &str) -> Option<Cow<'_, str>> {
    if text.starts_with('"') {
        Json::parse(text).ok()?.as_str()
    } else {
        Some(Cow::Borrowed(text))
    }
}
