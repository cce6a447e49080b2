//! What a rendering is told besides its text.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use linkspan_tokens::Vocabulary;

/// How far a rendering may go from the usual form. All of them are lossless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Level {
    /// Common forms: tables, constants said once, indented trees.
    Safe,
    /// What columns and paths have in common said once.
    Balanced,
    /// Columns that follow from others, tables in cells, endings of file names said once.
    #[default]
    Max,
}

impl Level {
    /// All of them, from the plainest to the shortest.
    pub const ALL: [Self; 3] = [Self::Safe, Self::Balanced, Self::Max];

    /// The word, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Balanced => "balanced",
            Self::Max => "max",
        }
    }

    /// What a person calls it.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == word)
    }
}

/// Tells a running call to stop because its result is not needed any more. Clones share the flag.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// From now on.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether to give up. Cheap: to be asked every few hundred lines.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a rendering is told besides its text.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// How far it may go.
    pub level: Level,
    /// Whose tokens count.
    pub vocabulary: Vocabulary,
    /// When to give up: `encode` returns nothing then.
    pub stop: Stop,
}

impl Context {
    /// How many tokens a text has.
    pub fn tokens(&self, text: &str) -> u64 {
        self.vocabulary.count(text)
    }
}
