//! Blocks as text for a model.
//!
//! By default nothing that a block says can pass for something that we say: a closing tag, a
//! header, a fence in a content is made harmless, in a way that can be undone, and the block is
//! marked. The reference does none of that, and loses line numbers and summaries; `compat` has its
//! renderings, byte for byte.

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

/// Which kind of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Tags around each block, and around all of them.
    Xml,
    /// Headings and fences.
    Markdown,
    /// A line in front of each block.
    Minimal,
}

impl Mode {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Xml, Self::Markdown, Self::Minimal];

    /// The word, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Xml => "xml",
            Self::Markdown => "markdown",
            Self::Minimal => "minimal",
        }
    }

    /// What a person calls it, in any case.
    pub fn parse(word: &str) -> Option<Self> {
        let word = if word.eq_ignore_ascii_case("md") {
            "markdown"
        } else {
            word
        };
        let mut all = Self::ALL.into_iter();
        all.find(|mode| mode.name().eq_ignore_ascii_case(word))
    }

    /// What stands before all blocks.
    pub const fn opening(self) -> &'static str {
        match self {
            Self::Xml => "<context>\n",
            _ => "",
        }
    }

    /// What stands between two blocks.
    pub const SEPARATOR: &'static str = "\n\n";

    /// What stands after all blocks.
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
    /// Everything.
    Full,
    /// Its summary, if it has one; else everything.
    Summary,
    /// Only that it is there.
    Placeholder {
        /// About how many tokens it would take.
        tokens: u64,
    },
}

/// Renders blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Renderer {
    /// Which kind of text.
    pub mode: Mode,
    /// As the reference does it, with its faults.
    pub compat: bool,
}

impl Renderer {
    /// Appends a block. Only the reference minds a content that is no text.
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

    /// Appends a note in the place of a block that could not be read.
    pub fn unreadable(self, why: &Error, out: &mut String) {
        let why = guard::one_line(&why.to_string()).into_owned();
        match self.mode {
            Mode::Xml => xml::note(&why, out),
            Mode::Markdown => markdown::note(&why, out),
            Mode::Minimal => minimal::note(&why, out),
        }
    }

    /// Appends a note about blocks that are not even mentioned, because there is no room for that.
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
