//! What the user wants done with results.

use linkspan_bcp::render::Mode;
use linkspan_tokens::Vocabulary;

use crate::context::Level;
use crate::lossy::Lossy;
use crate::shrinking::Thresholds;

/// What becomes of `structuredContent` that says the same as a text which got shorter. If it says
/// anything else it always stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Structured {
    /// It stays.
    #[default]
    Keep,
    /// It becomes `{"text": …}` with the short form.
    Mirror,
    /// It goes.
    Drop,
}

/// What the user wants done with results.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// When a replacement is worth it.
    pub thresholds: Thresholds,
    /// How far a rendering may go.
    pub level: Level,
    /// Whose tokens count.
    pub vocabulary: Vocabulary,
    /// By kind, so that it can be taken back, or as BCP blocks.
    pub render: Option<Mode>,
    /// What may be lost.
    pub lossy: Vec<Lossy>,
    /// The most tokens of a result; what is over comes as an outline with a handle.
    pub budget: Option<u64>,
    /// What becomes of `structuredContent`.
    pub structured: Structured,
}

/// Who keeps originals.
pub trait Keep {
    /// Keeps a text that a tool gave, and says under which id it can be had again.
    fn keep(&self, tool: &str, text: &str) -> Option<String>;

    /// What to say in place of a text that this client has got before; `None` if it has not.
    fn earlier(&self, tool: &str, text: &str) -> Option<String> {
        let _ = (tool, text);
        None
    }
}

/// Keeps nothing.
impl Keep for () {
    fn keep(&self, _: &str, _: &str) -> Option<String> {
        None
    }
}
