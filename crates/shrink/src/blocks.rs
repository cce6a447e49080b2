//! Regions as BCP blocks: to show them as BCP does, and to store the original.
//!
//! A shown block may omit what the format has no field for: the blob ids of a diff, the drawing of a tree. A stored
//! document omits nothing; see [`document`].

mod branches;
mod changes;
mod folders;
mod kept;
mod language;
mod shown;
mod summary;
#[cfg(test)]
mod tests;

use linkspan_bcp::render::{Mode, Renderer};
use linkspan_bcp::{Block, Document, Limits, Show, Tokenizer, Verbosity, WriteOptions, Writer};
use linkspan_tokens::Vocabulary;

use crate::detect::Region;

pub use kept::{Unreadable, document, original};

/// Larger trees and diffs are stored and shown as plain text.
const LARGE: usize = 4 << 20;

/// The blocks that show a tool's text.
pub fn blocks<'a>(text: &'a str, regions: &[Region], tool: &'a str) -> Vec<Block<'a>> {
    shown::blocks(text, regions, tool)
}

/// A tool's text as BCP shows its blocks: in full, or as many of them as fit into a number of tokens. The blocks are
/// written to a file and read back, as any other reader would.
pub fn render(
    text: &str,
    regions: &[Region],
    tool: &str,
    mode: Mode,
    budget: Option<u64>,
    vocabulary: Vocabulary,
) -> String {
    let blocks = blocks(text, regions, tool);
    show(&blocks, mode, budget, vocabulary).unwrap_or_else(|| text.to_owned())
}

fn show(
    blocks: &[Block<'_>],
    mode: Mode,
    budget: Option<u64>,
    vocabulary: Vocabulary,
) -> Option<String> {
    let mut writer = Writer::new(Vec::new(), WriteOptions::default()).ok()?;
    for block in blocks {
        writer.add(block).ok()?;
    }
    let (file, _) = writer.finish().ok()?;
    let document = Document::new(file, Limits::default());
    let mut show = Show::all(Renderer {
        mode,
        compat: false,
    });
    let watch = &mut |_| true;
    match budget {
        Some(budget) => {
            show.verbosity = Verbosity::Adaptive;
            let shown = document.show_within(&show, budget, &Counter(vocabulary), watch);
            shown.ok().map(|(text, _)| text)
        }
        None => {
            let mut out = Vec::new();
            document.show(&show, &mut out, watch).ok()?;
            String::from_utf8(out).ok()
        }
    }
}

struct Counter(Vocabulary);

impl Tokenizer for Counter {
    fn count(&self, text: &str) -> u64 {
        self.0.count(text)
    }

    fn count_to(&self, text: &str, limit: u64) -> Option<u64> {
        self.0.count_to(text, limit)
    }
}
