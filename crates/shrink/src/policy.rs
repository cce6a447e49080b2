//! The user's settings for results.

use linkspan_bcp::render::Mode;
use linkspan_tokens::Vocabulary;

use crate::context::Level;
use crate::lossy::Lossy;
use crate::shrinking::Thresholds;

/// What to do with `structuredContent` that equals a text which was shortened. Other `structuredContent` always stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Structured {
    /// Keep it.
    #[default]
    Keep,
    /// Replace it by `{"text": …}` with the short form.
    Mirror,
    /// Remove it.
    Drop,
}

/// The user's settings for results.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// When a replacement is worth it.
    pub thresholds: Thresholds,
    /// How much the notation may change.
    pub level: Level,
    /// The vocabulary that tokens are counted with.
    pub vocabulary: Vocabulary,
    /// Render as BCP blocks, which is not reversible; `None` renders by kind, which is.
    pub render: Option<Mode>,
    /// The allowed lossy reductions.
    pub lossy: Vec<Lossy>,
    /// The most tokens of a result; a text beyond it becomes an outline with a handle.
    pub budget: Option<u64>,
    /// What to do with `structuredContent`.
    pub structured: Structured,
}

/// Storage of originals.
pub trait Keep {
    /// Stores a tool's text; returns the id with which a client can fetch it.
    fn keep(&self, tool: &str, text: &str) -> Option<String>;

    /// The text to send in place of one that this client already has; `None` if it does not have it.
    fn earlier(&self, tool: &str, text: &str) -> Option<String> {
        let _ = (tool, text);
        None
    }
}

/// Stores nothing.
impl Keep for () {
    fn keep(&self, _: &str, _: &str) -> Option<String> {
        None
    }
}
