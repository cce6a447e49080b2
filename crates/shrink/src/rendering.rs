//! Renderings: a word, an encoder and a decoder.

use std::fmt;

use crate::context::Context;
use crate::kind::Kind;
use crate::{diff, grep, json, log, numbered, sheet, tree};

/// A region in short form. It is transmitted as `%word head` on a line of its own, then the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The word of the rendering, such as `json` or `table`.
    pub word: &'static str,
    /// The rest of the first line: parameters, and a legend for the body. One line without leading or trailing spaces;
    /// may be empty.
    pub head: String,
    /// The text below the head. Lines are separated, not terminated, by `
    /// `.
    pub body: String,
}

/// Why a text cannot be decoded: it was not written by this crate, or it was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// The line of the body with the error, from 1; 0 is the head line, `%word head`.
    pub line: usize,
    /// The error, in lower case.
    pub why: String,
}

impl Malformed {
    /// An error in a line of the body.
    pub fn new(line: usize, why: impl Into<String>) -> Self {
        let why = why.into();
        Self { line, why }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for Malformed {}

/// A reversible short notation for regions of some kinds.
///
/// `encode` gets a region without its last line end, lines separated by `
/// ` (`pack` restores both, and escapes lines that look like control lines). It returns the candidates, best guess
/// first; none if the rendering does not apply. `decode` restores the region: the same bytes, or for JSON the same
/// value.
pub(crate) struct Rendering {
    pub(crate) word: &'static str,
    pub(crate) kinds: &'static [Kind],
    pub(crate) encode: fn(&str, Kind, &Context) -> Vec<Rendered>,
    pub(crate) decode: fn(&str, &str) -> Result<String, Malformed>,
}

impl Rendering {
    pub(crate) const ALL: [Self; 7] = [
        json::RENDERING,
        sheet::RENDERING,
        tree::RENDERING,
        grep::RENDERING,
        numbered::RENDERING,
        log::RENDERING,
        diff::RENDERING,
    ];

    pub(crate) fn of(word: &str) -> Option<&'static Self> {
        static ALL: [Rendering; 7] = Rendering::ALL;
        ALL.iter().find(|rendering| rendering.word == word)
    }

    /// The renderings that apply to a kind.
    pub(crate) fn for_kind(kind: Kind) -> impl Iterator<Item = &'static Self> {
        static ALL: [Rendering; 7] = Rendering::ALL;
        ALL.iter()
            .filter(move |rendering| rendering.kinds.contains(&kind))
    }
}
