//! The published revisions of MCP, and the two eras they fall into.

use std::fmt;

/// The kind of a protocol revision: with or without a handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Era {
    /// `initialize` opens a session: 2024-11-05 … 2025-11-25.
    Legacy,
    /// Every request is independent: 2026-07-28.
    Modern,
}

/// A known revision. Peers may name others; those are forwarded as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are the dates")]
pub enum Revision {
    V2024_11_05,
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
    V2026_07_28,
}

impl Revision {
    /// Oldest first.
    pub const ALL: [Self; 5] = [
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
        Self::V2026_07_28,
    ];

    /// The newest revision that begins with `initialize`.
    pub const LAST_LEGACY: Self = Self::V2025_11_25;

    /// The newest revision.
    pub const LATEST: Self = Self::V2026_07_28;

    /// The date on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// The revision of a date.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|r| r.as_str() == text)
    }

    /// The era of the revision.
    pub fn era(self) -> Era {
        if self >= Self::V2026_07_28 {
            Era::Modern
        } else {
            Era::Legacy
        }
    }

    /// Whether `completion/complete` is announced, and there is sound in results.
    pub fn has_completions(self) -> bool {
        self >= Self::V2025_03_26
    }

    /// Whether results have `structuredContent` and links to resources, and things have titles.
    pub fn has_structured_content(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// Whether tools and other items have icons.
    pub fn has_icons(self) -> bool {
        self >= Self::V2025_11_25
    }

    /// Whether an array of messages is legal. Only one revision has batches.
    pub fn has_batches(self) -> bool {
        self == Self::V2025_03_26
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_revision_is_read_back() {
        for revision in Revision::ALL {
            assert_eq!(Revision::parse(revision.as_str()), Some(revision));
        }
        assert_eq!(Revision::parse("2025-01-01"), None);
    }

    #[test]
    fn only_the_last_one_is_modern() {
        let modern: Vec<_> = Revision::ALL
            .into_iter()
            .filter(|r| r.era() == Era::Modern)
            .collect();
        assert_eq!(modern, [Revision::LATEST]);
        assert_eq!(Revision::LAST_LEGACY.era(), Era::Legacy);
    }
}
