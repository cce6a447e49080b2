//! What a rendering is: a word, the way there and the way back.

use std::fmt;

use crate::context::Context;
use crate::kind::Kind;
use crate::{diff, grep, json, log, numbered, sheet, tree};

/// A region in its short form. On the wire it is `%word head` on a line of its own, then the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// Which rendering this is; `json`, `table` and so on.
    pub word: &'static str,
    /// What else stands on the first line: parameters, and how to read the body. One line, no edge
    /// spaces; may be empty.
    pub head: String,
    /// Everything below. Lines are separated, not ended, by `\n`.
    pub body: String,
}

/// Why a text cannot be taken back to the original: it is none of ours, or it was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// The line of the body where that shows, from 1; 0 is the first line, `%word head`.
    pub line: usize,
    /// What is wrong with it, in lower case.
    pub why: String,
}

impl Malformed {
    /// At a line of the body.
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

/// One way to say a region shorter.
///
/// `encode` gets a region without its last line end, lines separated by `\n` (`pack` takes care of both,
/// and of lines that look like ours). It returns the candidates, best guess first; none if this is not
/// for it. `decode` gives the region back: the same bytes, or for JSON the same value.
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

    /// Those that may do something for a kind.
    pub(crate) fn for_kind(kind: Kind) -> impl Iterator<Item = &'static Self> {
        static ALL: [Rendering; 7] = Rendering::ALL;
        ALL.iter()
            .filter(move |rendering| rendering.kinds.contains(&kind))
    }
}
