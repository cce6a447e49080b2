//! The styles that entries are drawn in.

use std::borrow::Cow;

use super::drawn::{self, Drawn};
use super::entry::Entry;
use super::indented::{self, Indented};
use super::json;
use super::listing::{self, Listing};
use super::paths::{self, Paths};
use super::template::Template;
use crate::kind::Kind;

/// A style that entries are drawn in.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Style<'a> {
    /// With branches.
    Drawn(Drawn),
    /// With white space.
    Indented(Indented),
    /// One path per line.
    Paths(Paths),
    /// As `ls -R` does.
    Listing(Listing),
    /// Nested JSON objects.
    Json(Template<'a>),
}

/// A parsed text.
#[derive(Debug)]
pub(super) struct Parsed<'a> {
    pub(super) style: Style<'a>,
    /// The line above all entries, or their common prefix.
    pub(super) root: Option<Cow<'a, str>>,
    /// The last line, below all entries and a blank line.
    pub(super) tail: Option<&'a str>,
    pub(super) entries: Vec<Entry<'a>>,
}

/// The input for drawing.
pub(super) struct Picture<'e, 'a> {
    pub(super) root: Option<&'e str>,
    pub(super) entries: &'e [Entry<'a>],
    /// The most bytes of the drawing.
    pub(super) limit: usize,
}

impl<'a> Style<'a> {
    /// Parses `text` if its style is known.
    pub(super) fn parse(text: &'a str, kind: Kind) -> Option<Parsed<'a>> {
        match kind {
            Kind::Json => json::parse(text),
            Kind::Paths => listing::parse(text)
                .or_else(|| indented::parse_marked(text))
                .or_else(|| paths::parse(text)),
            _ => drawn::parse(text).or_else(|| indented::parse(text)),
        }
    }

    pub(super) fn write(&self, out: &mut String) {
        match self {
            Self::Drawn(drawn) => drawn.write(out),
            Self::Indented(indented) => indented.write(out),
            Self::Paths(paths) => paths.write(out),
            Self::Listing(listing) => listing.write(out),
            Self::Json(template) => template.write(out),
        }
    }

    pub(super) fn read(words: &'a str) -> Option<Self> {
        let (word, options) = words.split_once(' ').unwrap_or((words, ""));
        match word {
            "indent" => Indented::read(options).map(Self::Indented),
            "paths" | "find" => Paths::read(word, options).map(Self::Paths),
            "ls-R" => Listing::read(options).map(Self::Listing),
            "json" => Template::read(&words[word.len()..]).map(Self::Json),
            _ => Drawn::read(word, options).map(Self::Drawn),
        }
    }

    /// `None` if the drawing would exceed the limit, or if the style cannot draw these entries.
    pub(super) fn draw(&self, picture: &Picture<'_, '_>, tail: Option<&str>) -> Option<String> {
        let mut out = match self {
            Self::Drawn(drawn) => drawn.draw(picture),
            Self::Indented(indented) => indented.draw(picture),
            Self::Paths(paths) => paths.draw(picture),
            Self::Listing(listing) => listing.draw(picture),
            Self::Json(template) => return template.draw(picture, tail),
        }?;
        if let Some(tail) = tail {
            out.push_str("\n\n");
            out.push_str(tail);
        }
        Some(out)
    }
}

/// Splits off a last line that is preceded by a blank line.
pub(super) fn cut_tail(text: &str) -> (&str, Option<&str>) {
    let last = memchr::memrchr(b'\n', text.as_bytes());
    let cut = last.and_then(|end| Some((text[..end].strip_suffix('\n')?, &text[end + 1..])));
    match cut {
        Some((above, tail)) if !tail.is_empty() => (above, Some(tail)),
        _ => (text, None),
    }
}
