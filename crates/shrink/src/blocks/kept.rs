//! Stores a text as a BCP file from which it can be restored byte for byte.
//!
//! The concatenated contents of the blocks are the text. A tree or a diff gets its own block type only if it can be
//! rewritten from that block and a tag that follows it, which records how it was drawn; all other text without a block
//! type of its own becomes a tool result.

use std::borrow::Cow;
use std::fmt;

use linkspan_bcp::{
    AnnotationKind, Block, Blocks, Content, DataFormat, DocFormat, Error, Limits, Status,
    WriteOptions, Writer,
};

use super::{LARGE, branches, changes, folders, language, summary};
use crate::detect::Region;
use crate::kind::Kind;

/// The largest block; a larger region becomes several blocks.
const PIECE: usize = 8 << 20;

/// With more regions than this, the text is stored as one.
const REGIONS: usize = 50_000;

/// The largest original.
const MOST: usize = 512 << 20;

/// A tool's text as a BCP file. [`original`] restores it.
pub fn document(text: &str, regions: &[Region], tool: &str) -> Vec<u8> {
    let few = if regions.len() > REGIONS {
        &[]
    } else {
        regions
    };
    // Writing to memory cannot fail within the limits.
    write(text, few, tool)
        .or_else(|_| write(text, &[], tool))
        .unwrap_or_default()
}

fn write(text: &str, regions: &[Region], tool: &str) -> Result<Vec<u8>, Error> {
    let options = WriteOptions {
        compress_blocks: true,
        ..WriteOptions::default()
    };
    let mut out = Out {
        writer: Writer::new(Vec::new(), options)?,
        tool,
    };
    let mut at = 0;
    for region in regions {
        let Some(part) = text
            .get(region.range.clone())
            .filter(|_| region.range.start == at)
        else {
            // These regions belong to another text.
            break;
        };
        out.region(part, region)?;
        at = region.range.end;
    }
    if at < text.len() || text.is_empty() {
        out.pieces(&text[at..], &|content| out_result(content, tool))?;
    }
    Ok(out.writer.finish()?.0)
}

struct Out<'a> {
    writer: Writer<Vec<u8>>,
    tool: &'a str,
}

impl Out<'_> {
    fn region(&mut self, part: &str, region: &Region) -> Result<(), Error> {
        if part.len() <= LARGE && self.special(part, region.kind)? {
            return Ok(());
        }
        let data = |format| {
            move |content| Content::StructuredData {
                format,
                schema: None,
                content,
            }
        };
        match region.kind {
            Kind::Json | Kind::Ndjson => self.pieces(part, &data(DataFormat::Json)),
            Kind::Yaml => self.pieces(part, &data(DataFormat::Yaml)),
            Kind::Toml => self.pieces(part, &data(DataFormat::Toml)),
            Kind::Csv => self.pieces(part, &data(DataFormat::Csv)),
            Kind::Code => self.pieces(part, &|content| Content::Code {
                lang: language::of(region.lang.as_deref(), region.path.as_deref()),
                path: Cow::Borrowed(region.path.as_deref().unwrap_or("")),
                content,
                lines: None,
            }),
            Kind::Html => self.pieces(part, &|content| Content::Document {
                title: Cow::Borrowed(""),
                content,
                format: DocFormat::Html,
            }),
            _ => {
                let tool = self.tool;
                self.pieces(part, &|content| out_result(content, tool))
            }
        }
    }

    /// Writes a tree, a list of paths or a diff, if it can be restored exactly.
    fn special(&mut self, part: &str, kind: Kind) -> Result<bool, Error> {
        match kind {
            Kind::Tree => {
                let Some(tree) = branches::read(part) else {
                    return Ok(false);
                };
                let content = Content::FileTree {
                    root: Cow::Borrowed(tree.root),
                    entries: tree.entries,
                };
                self.tagged(content, part, kind, &format!("tree {}", tree.form))?;
            }
            Kind::Paths => {
                let Some(list) = folders::read(part) else {
                    return Ok(false);
                };
                let content = Content::FileTree {
                    root: Cow::Borrowed(list.root),
                    entries: list.entries,
                };
                self.tagged(content, part, kind, &format!("paths {}", list.form))?;
            }
            Kind::Diff => {
                let Some(files) = changes::read(part) else {
                    return Ok(false);
                };
                for file in files {
                    let form = format!("diff {}", file.form());
                    let content = Content::Diff {
                        path: Cow::Borrowed(file.path),
                        hunks: file.hunks,
                    };
                    self.tagged(content, "", kind, &form)?;
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Writes a block and, behind it, the tag with which it is rewritten.
    fn tagged(
        &mut self,
        content: Content<'_>,
        text: &str,
        kind: Kind,
        form: &str,
    ) -> Result<(), Error> {
        let block = Block {
            summary: summary::of(text, kind).map(Cow::Owned),
            content,
        };
        let written = self.writer.add(&block)?;
        let tag = Content::Annotation {
            target: written.index,
            kind: AnnotationKind::Tag,
            value: Cow::Borrowed(form.as_bytes()),
        };
        self.writer.add(&tag.into())?;
        Ok(())
    }

    /// Writes as many blocks as the part needs.
    fn pieces<'t>(
        &mut self,
        part: &'t str,
        content: &dyn Fn(Cow<'t, [u8]>) -> Content<'t>,
    ) -> Result<(), Error> {
        let mut rest = part.as_bytes();
        loop {
            let (piece, more) = rest.split_at(rest.len().min(PIECE));
            self.writer.add(&content(Cow::Borrowed(piece)).into())?;
            rest = more;
            if rest.is_empty() {
                return Ok(());
            }
        }
    }
}

fn out_result<'a>(content: Cow<'a, [u8]>, tool: &'a str) -> Content<'a> {
    Content::ToolResult {
        name: Cow::Borrowed(tool),
        status: Status::Ok,
        content,
        schema_hint: None,
    }
}

/// Why a file cannot be read as a text.
#[derive(Debug, Clone, PartialEq)]
pub enum Unreadable {
    /// It is damaged, or not a BCP file.
    File(Error),
    /// The block with this number was not made from a text.
    Block(u64),
    /// The text exceeds the size of any stored original.
    TooLarge,
    /// It is not UTF-8.
    NotText,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Block(index) => write!(f, "block {index} is not a part of a text"),
            Self::TooLarge => write!(f, "a text of more than {MOST} bytes"),
            Self::NotText => write!(f, "not UTF-8"),
        }
    }
}

impl std::error::Error for Unreadable {}

impl From<Error> for Unreadable {
    fn from(error: Error) -> Self {
        Self::File(error)
    }
}

/// Restores the text that [`document`] stored.
pub fn original(bcp: &[u8]) -> Result<String, Unreadable> {
    let mut out = Vec::new();
    let mut blocks = (0..).zip(Blocks::new(bcp, Limits::default())?);
    while let Some((index, block)) = blocks.next() {
        match block?.content {
            Content::Code { content, .. }
            | Content::ToolResult { content, .. }
            | Content::Document { content, .. }
            | Content::StructuredData { content, .. } => out.extend_from_slice(&content),
            content @ (Content::FileTree { .. } | Content::Diff { .. }) => {
                let tag = blocks.next().ok_or(Unreadable::Block(index))?.1?.content;
                let most = MOST.saturating_sub(out.len());
                let text = again(index, &content, &tag, most).ok_or(Unreadable::Block(index))?;
                out.extend_from_slice(text.as_bytes());
            }
            _ => return Err(Unreadable::Block(index)),
        }
        if out.len() > MOST {
            return Err(Unreadable::TooLarge);
        }
    }
    String::from_utf8(out).map_err(|_| Unreadable::NotText)
}

/// The text of a tree or a diff, rewritten with the tag behind it.
fn again(index: u64, content: &Content<'_>, tag: &Content<'_>, most: usize) -> Option<String> {
    let Content::Annotation {
        target,
        kind: AnnotationKind::Tag,
        value,
    } = tag
    else {
        return None;
    };
    if *target != index {
        return None;
    }
    let (word, form) = std::str::from_utf8(value).ok()?.split_once(' ')?;
    match (content, word) {
        (Content::FileTree { root, entries }, "tree") => branches::write(root, entries, form, most),
        (Content::FileTree { root, entries }, "paths") => folders::write(root, entries, form, most),
        (Content::Diff { hunks, .. }, "diff") => changes::write(hunks, form, most),
        _ => None,
    }
}
