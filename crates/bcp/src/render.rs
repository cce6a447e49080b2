//! Blocks as text for a model.
//!
//! By default, no content of a block can imitate our markup: closing tags, headers and fences in a content
//! are escaped reversibly, and the block is marked. The reference implementation escapes nothing, and loses
//! line numbers and summaries; `compat` produces its renderings, byte for byte.

mod compat;
mod guard;
mod markdown;
mod minimal;
mod text;
mod xml;

use crate::block::{Block, Content};
use crate::error::Error;

pub(crate) use compat::text as compat_text;
pub use text::NotText;

/// The format of a rendering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Tags around each block, and around all blocks.
    Xml,
    /// Headings and fences.
    Markdown,
    /// A header line before each block.
    Minimal,
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::Xml, Self::Markdown, Self::Minimal];

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Xml => "xml",
            Self::Markdown => "markdown",
            Self::Minimal => "minimal",
        }
    }

    /// The mode with this name, in any case.
    pub fn parse(word: &str) -> Option<Self> {
        let word = if word.eq_ignore_ascii_case("md") {
            "markdown"
        } else {
            word
        };
        let mut all = Self::ALL.into_iter();
        all.find(|mode| mode.name().eq_ignore_ascii_case(word))
    }

    /// The text before all blocks.
    pub const fn opening(self) -> &'static str {
        match self {
            Self::Xml => "<context>\n",
            _ => "",
        }
    }

    /// The text between two blocks.
    pub const SEPARATOR: &'static str = "\n\n";

    /// The text after all blocks.
    pub const fn closing(self) -> &'static str {
        match self {
            Self::Xml => "\n</context>",
            _ => "",
        }
    }
}

/// How much of a block is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The whole content.
    Full,
    /// The summary, if there is one; otherwise the whole content.
    Summary,
    /// A mention of the block.
    Placeholder {
        /// The estimated tokens of the whole content.
        tokens: u64,
    },
}

/// Renders blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Renderer {
    /// The format.
    pub mode: Mode,
    /// Renders like the reference implementation, with its faults.
    pub compat: bool,
}

impl Renderer {
    /// Appends a block. Only compat mode fails on content that is not text.
    pub fn render(self, block: &Block<'_>, form: Form, out: &mut String) -> Result<(), NotText> {
        match (form, self.compat) {
            (Form::Placeholder { tokens }, true) => {
                compat::placeholder(self.mode, &block.content, tokens, out);
            }
            (Form::Placeholder { tokens }, false) => self.placeholder(&block.content, tokens, out),
            (form, true) => return compat::render(self.mode, block, form == Form::Summary, out),
            (form, false) => {
                let shown = text::shown(block, form == Form::Summary);
                match self.mode {
                    Mode::Xml => xml::render(&block.content, &shown, out),
                    Mode::Markdown => markdown::render(&block.content, &shown, out),
                    Mode::Minimal => minimal::render(&block.content, &shown, out),
                }
            }
        }
        Ok(())
    }

    fn placeholder(self, content: &Content<'_>, tokens: u64, out: &mut String) {
        let (label, about) = (text::label(content), text::about(content));
        let about = guard::short(&about);
        match self.mode {
            Mode::Xml => xml::placeholder(label, &about, tokens, out),
            Mode::Markdown => markdown::placeholder(label, &about, tokens, out),
            Mode::Minimal => minimal::placeholder(label, &about, tokens, out),
        }
    }

    /// Appends a note in place of a block that could not be read.
    pub fn unreadable(self, why: &Error, out: &mut String) {
        let why = guard::one_line(&why.to_string()).into_owned();
        match self.mode {
            Mode::Xml => xml::note(&why, out),
            Mode::Markdown => markdown::note(&why, out),
            Mode::Minimal => minimal::note(&why, out),
        }
    }

    /// Appends a note about blocks without even a placeholder.
    pub fn left_out(self, blocks: u64, tokens: u64, out: &mut String) {
        let count = format!("{blocks} more");
        let what = if blocks == 1 { "block" } else { "blocks" };
        match self.mode {
            Mode::Xml => xml::placeholder("blocks", &count, tokens, out),
            Mode::Markdown => markdown::placeholder(&count, what, tokens, out),
            Mode::Minimal => minimal::placeholder(&count, what, tokens, out),
        }
    }
}

#[cfg(test)]
mod tests;
