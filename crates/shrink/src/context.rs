//! The parameters of a rendering besides its text.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use linkspan_tokens::Vocabulary;

/// How much a rendering may depart from the usual notation. All levels are lossless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Level {
    /// Common notations: tables, constants written once, indented trees.
    Safe,
    /// Also common prefixes and suffixes of columns and paths, written once.
    Balanced,
    /// Also columns derived from others, tables in cells, and file extensions written once.
    #[default]
    Max,
}

impl Level {
    /// All levels, from the plainest to the shortest.
    pub const ALL: [Self; 3] = [Self::Safe, Self::Balanced, Self::Max];

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Balanced => "balanced",
            Self::Max => "max",
        }
    }

    /// The level with this name.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == word)
    }
}

/// Cancels a running call whose result is no longer needed. Clones share the flag.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Sets the flag.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is set. Cheap; long loops check it every few hundred lines.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The parameters of a rendering besides its text.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// How much the notation may change.
    pub level: Level,
    /// The vocabulary that tokens are counted with.
    pub vocabulary: Vocabulary,
    /// Cancels the rendering; `encode` then returns nothing.
    pub stop: Stop,
}

impl Context {
    /// The number of tokens of a text.
    pub fn tokens(&self, text: &str) -> u64 {
        self.vocabulary.count(text)
    }
}
