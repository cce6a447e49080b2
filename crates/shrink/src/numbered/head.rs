//! The head line: the range of lines, and the format of their numbers.

use std::fmt;

use linkspan_wire::{Json, quote};

use super::format::Format;
use crate::rendering::Malformed;

/// How lines without text are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blanks {
    /// Like other lines.
    Plain,
    /// Without their trailing spaces.
    Trimmed,
    /// Without a number and not counted: spaces up to the column of texts, as `nl` prints them.
    Margin,
    /// Without a number and not counted: empty.
    Bare,
}

impl Blanks {
    const ALL: [Self; 4] = [Self::Plain, Self::Trimmed, Self::Margin, Self::Bare];

    const fn words(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Trimmed => ", blanks trimmed",
            Self::Margin => ", blanks not counted",
            Self::Bare => ", empty lines not counted",
        }
    }

    pub(super) fn are_counted(self) -> bool {
        matches!(self, Self::Plain | Self::Trimmed)
    }

    /// The original of an empty line in the short form, if that is not a numbered line.
    pub(super) fn of(self, format: &Format) -> Option<String> {
        match self {
            Self::Plain | Self::Trimmed => None,
            Self::Margin => Some(format.margin()),
            Self::Bare => Some(String::new()),
        }
    }
}

/// `9-11 as "%6d\t", every 10th numbered`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) format: Format,
    pub(super) sparse: bool,
    pub(super) blanks: Blanks,
}

const SPARSE: &str = ", every 10th numbered";

impl Head {
    pub(super) fn parse(head: &str) -> Result<Self, Malformed> {
        Self::read(head).ok_or_else(|| Malformed::new(0, "not a header of numbered lines"))
    }

    fn read(head: &str) -> Option<Self> {
        let (range, rest) = head.split_once(" as ")?;
        let (first, last) = range.split_once('-')?;
        let format_ends = rest.rfind('"')? + 1;
        let (format, rest) = rest.split_at(format_ends);
        let (sparse, rest) = match rest.strip_prefix(SPARSE) {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        Some(Self {
            first: first.parse().ok()?,
            last: last.parse().ok()?,
            format: Format::parse(&Json::parse(format).ok()?.as_str()?)?,
            sparse,
            blanks: Blanks::ALL.into_iter().find(|one| one.words() == rest)?,
        })
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, last, .. } = self;
        let format = quote(&self.format.to_string());
        let sparse = if self.sparse { SPARSE } else { "" };
        let blanks = self.blanks.words();
        write!(f, "{first}-{last} as {format}{sparse}{blanks}")
    }
}
