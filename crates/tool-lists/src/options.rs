//! What a user chooses.

use std::str::FromStr;

/// The tokens of a list of tools within which `auto` leaves definitions alone: four per cent of a context of 200,000.
pub const BUDGET: u64 = 8000;

/// How lists of tools are shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Choice {
    /// Not at all.
    #[default]
    Full,
    /// First sentences, and names and types of arguments.
    Brief,
    /// First sentences.
    Thin,
    /// As much as fits into a budget, depending on the client.
    Auto,
    /// Tools are found by a search.
    Search,
}

/// A word that names no choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is none of full, brief, thin, auto and search")]
pub struct UnknownChoice;

impl Choice {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Full,
        Self::Brief,
        Self::Thin,
        Self::Auto,
        Self::Search,
    ];

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Brief => "brief",
            Self::Thin => "thin",
            Self::Auto => "auto",
            Self::Search => "search",
        }
    }
}

impl FromStr for Choice {
    type Err = UnknownChoice;

    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        let found = Self::ALL.into_iter().find(|one| one.name() == word);
        found.ok_or(UnknownChoice)
    }
}

/// How lists of tools are shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ToolListOptions {
    /// What a client gets.
    pub choice: Choice,
    /// The tokens that `auto` stays within, as long as all tools fit when they are thin.
    pub budget: u64,
    /// Leave out what tools say about their results, which not every client shows to a model.
    pub drop_output_schema: bool,
}

impl Default for ToolListOptions {
    fn default() -> Self {
        Self {
            choice: Choice::Full,
            budget: BUDGET,
            drop_output_schema: false,
        }
    }
}

impl ToolListOptions {
    /// Whether nothing is changed, for any client.
    pub fn is_idle(&self) -> bool {
        self.choice == Choice::Full && !self.drop_output_schema
    }
}
