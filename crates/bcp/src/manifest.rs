//! Manifests: blocks as people and programs write them, in JSON.
//!
//! ```json
//! {"blocks": [{"type": "code", "lang": "rust", "path": "a.rs", "content": "fn a() {}"}]}
//! ```
//!
//! Two dialects are in use, that of the reference's command line and that of its specification;
//! both are read, name by name. [`Manifest`] reads one block at a time, whatever the size of the
//! text, and [`write_block`] writes what it reads back to the same block.
//!
//! | `type` | needs | may have |
//! |---|---|---|
//! | `code` | `lang`, `path`, content | `lines: [first, last]` or `line_start` and `line_end` |
//! | `conversation` | `role`, content | `tool_call_id` |
//! | `file_tree` | `root`, `entries` of `name` | in each `kind`, `size`, `children` |
//! | `tool_result` | `name`, content | `status`, `schema_hint` |
//! | `document` | `title`, content | `format` |
//! | `structured_data` | `format`, content | `schema` |
//! | `diff` | `path`, `hunks` of `old_start`, `new_start`, `lines` | |
//! | `annotation` | `target`, `kind`, `value` | |
//! | `embedding_ref` | `vector_id`, `source_hash`, `model` | |
//! | `image` | `media`, `data` in base64 or content | `alt` |
//! | `extension` | `namespace`, `type_name`, content | |
//! | `unknown` | `kind`, `body` | |
//!
//! Every type may have a `summary` and a `priority`. Content is `content`, `content_base64` or `content_file`; what
//! else is bytes has a form in base64 too (`value_base64`, `body_base64`, `lines_base64`, `source_hash_base64`). A
//! `source_hash` of 64 hex digits is 32 bytes. Other texts are their own bytes, but not one of 64 characters or with an
//! ellipsis: that is a hash with a mistake. `lang` may be a number, and `other(66)` is the same as 66. Members that a
//! type does not have are ignored, and `null` is as good as nothing.

mod build;
mod entries;
mod error;
mod fields;
mod hunks;
mod json;
mod odd;
mod pick;
mod quote;
mod special;
mod values;
mod write;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::io::Read;

use crate::block::Block;
use crate::names::Priority;
use fields::Fields;
use json::{Json, Shape};
use values::object;

pub use error::{ManifestError, Problem, Syntax};
pub use write::write_block;

/// How much text one block may have. A body has no more than 16 MiB; in base64 that is 22.4.
const TEXTS: usize = 24 << 20;

/// Reads a file that a manifest names, up to a number of bytes.
pub type ReadFile<'f> = dyn Fn(&str, u64) -> Result<Vec<u8>, Box<dyn Error>> + 'f;

/// How to read a manifest.
pub struct ManifestOptions<'f> {
    /// Do as the reference does: a `summary` and a `priority` on `tool_result` and `structured_data`
    /// are ignored, and so are `lines`, `tool_call_id`, `schema_hint` and `schema`, whatever they say.
    pub compat: bool,
    /// Reads a `content_file`, and decides which files may be read. The text of the error becomes part of
    /// the message.
    pub files: Box<ReadFile<'f>>,
}

impl Default for ManifestOptions<'_> {
    /// No files.
    fn default() -> Self {
        Self {
            compat: false,
            files: Box::new(|_, _| Err("files cannot be read here".into())),
        }
    }
}

/// A block of a manifest.
#[derive(Debug, PartialEq, Eq)]
pub struct Item<'a> {
    /// Its place in `"blocks"`, counted from zero.
    pub index: u64,
    /// What it says.
    pub block: Block<'a>,
    /// How much it matters, if it says so.
    pub priority: Option<Priority>,
}

/// How a manifest wants to be written. The reference does not act on these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs)] // They are called as in the manifest.
pub struct Settings {
    pub auto_dedup: Option<bool>,
    pub compress_blocks: Option<bool>,
    pub compress_payload: Option<bool>,
}

/// Reads the blocks of a manifest.
pub struct Manifest<'f, R> {
    json: Json<R>,
    options: ManifestOptions<'f>,
    fields: Fields,
    settings: Settings,
    state: State,
    /// Blocks that were read.
    count: u64,
    key: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    /// Before `"blocks"`.
    Before,
    Blocks,
    After,
    Ended,
}

impl<'f, R: Read> Manifest<'f, R> {
    /// Reads nothing yet.
    pub fn new(input: R, options: ManifestOptions<'f>) -> Self {
        Self {
            json: Json::new(input, TEXTS),
            options,
            fields: Fields::default(),
            settings: Settings::default(),
            state: State::Start,
            count: 0,
            key: Vec::new(),
        }
    }

    /// The next block. After an error, or when the whole text was read, there are no more.
    #[expect(clippy::should_implement_trait, reason = "a block borrows from self")]
    pub fn next(&mut self) -> Result<Option<Item<'_>>, ManifestError> {
        let more = match self.advance() {
            Ok(more) => more,
            Err(problem) => {
                let block = (self.state == State::Blocks).then_some(self.count);
                self.state = State::Ended;
                return Err(ManifestError { block, problem });
            }
        };
        if !more {
            return Ok(None);
        }
        let index = self.count;
        self.count += 1;
        match self.fields.build(&self.options) {
            Ok((block, priority)) => Ok(Some(Item {
                index,
                block,
                priority,
            })),
            Err(problem) => {
                self.state = State::Ended;
                let block = Some(index);
                Err(ManifestError { block, problem })
            }
        }
    }

    /// What the manifest says about how to write it, as far as it was read.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// How many bytes were read.
    pub fn position(&self) -> u64 {
        self.json.position()
    }

    /// Reads the fields of the next block, if there is one.
    fn advance(&mut self) -> Result<bool, Problem> {
        loop {
            match self.state {
                State::Ended => return Ok(false),
                State::Start => {
                    self.json.skip_mark()?;
                    object(&mut self.json, "a manifest")?;
                    self.state = State::Before;
                }
                State::Before | State::After => self.around()?,
                State::Blocks if self.json.item()? => {
                    object(&mut self.json, "a block")?;
                    self.fields.read(&mut self.json, &mut self.key)?;
                    return Ok(true);
                }
                State::Blocks => self.state = State::After,
            }
        }
    }

    /// Reads a member of the manifest, or its end.
    fn around(&mut self) -> Result<(), Problem> {
        if !self.json.key(&mut self.key)? {
            let had_blocks = self.state == State::After;
            self.json.end()?;
            self.state = State::Ended;
            return had_blocks.then_some(()).ok_or(Problem::NoBlocks);
        }
        let shape = self.json.shape()?;
        let flag = match shape {
            Shape::Bool(flag) => Some(flag),
            _ => None,
        };
        match self.key.as_slice() {
            b"blocks" if self.state == State::After => return Err(Problem::Twice("blocks")),
            b"blocks" if shape != Shape::Array => {
                return Err(Problem::Shape {
                    field: "\"blocks\"",
                    must: "an array",
                    found: shape.name(),
                });
            }
            b"blocks" => {
                self.state = State::Blocks;
                return self.json.open_array();
            }
            b"auto_dedup" => self.settings.auto_dedup = flag,
            b"compress_blocks" => self.settings.compress_blocks = flag,
            b"compress_payload" => self.settings.compress_payload = flag,
            _ => {}
        }
        self.json.skip()
    }
}
