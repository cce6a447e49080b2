//! What a block shows, whatever stands around it.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::block::{Block, Content};
use crate::hunks::Hunks;
use crate::names::EntryKind;
use crate::render::guard;
use crate::tree::{Entries, Step};

/// A content that should be text is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotText;

/// The text of a block, and what a reader has to know about it.
#[derive(Debug, Clone)]
pub(super) struct Shown<'a> {
    pub(super) text: Cow<'a, str>,
    /// It is the summary.
    pub(super) summary: bool,
    /// Some bytes were no UTF-8 and were replaced.
    pub(super) lossy: bool,
}

pub(super) fn shown<'a>(block: &'a Block<'_>, summary: bool) -> Shown<'a> {
    if summary && let Some(summary) = &block.summary {
        return Shown {
            text: Cow::Borrowed(summary),
            summary: true,
            lossy: false,
        };
    }
    match &block.content {
        Content::FileTree { entries, .. } => whole(Cow::Owned(tree(entries))),
        Content::Diff { hunks, .. } => diff(hunks),
        Content::EmbeddingRef { .. } | Content::Annotation { .. } => whole(Cow::Borrowed("")),
        Content::Image { data, .. } => whole(Cow::Owned(binary("image data", data))),
        Content::Code { content, .. }
        | Content::Conversation { content, .. }
        | Content::ToolResult { content, .. }
        | Content::Document { content, .. }
        | Content::StructuredData { content, .. }
        | Content::Extension { content, .. }
        | Content::Unknown { body: content, .. } => bytes(content),
    }
}

fn whole(text: Cow<'_, str>) -> Shown<'_> {
    Shown {
        text,
        summary: false,
        lossy: false,
    }
}

/// Bytes that should be a text. One in Latin-1 can still be read; one with zero bytes is no text.
fn bytes(content: &[u8]) -> Shown<'_> {
    match std::str::from_utf8(content) {
        Ok(text) => whole(Cow::Borrowed(text)),
        Err(_) if memchr::memchr(0, content).is_some() => {
            whole(Cow::Owned(binary("content", content)))
        }
        Err(_) => Shown {
            text: String::from_utf8_lossy(content),
            summary: false,
            lossy: true,
        },
    }
}

pub(super) fn binary(what: &str, bytes: &[u8]) -> String {
    format!("[binary {what}: {} bytes]", bytes.len())
}

/// One line for each entry, indented by its depth. A size of zero is one that nobody knows.
fn tree(entries: &Entries<'_>) -> String {
    let mut out = String::new();
    let mut depth = 0;
    for step in entries.walk() {
        match step {
            Step::Open(entry) => {
                indent(depth, &mut out);
                out.push_str(&guard::one_line(&entry.name));
                match (entry.kind, entry.size) {
                    (EntryKind::Directory, _) => out.push('/'),
                    (EntryKind::File, 0) => {}
                    (EntryKind::File, size) => {
                        let _ = write!(out, " ({size} bytes)");
                    }
                }
                out.push('\n');
                depth += 1;
            }
            Step::Close => depth -= 1,
        }
    }
    out
}

pub(super) fn indent(depth: usize, out: &mut String) {
    for _ in 0..depth {
        out.push_str("  ");
    }
}

/// Hunks as `diff -u` writes them, so that line numbers are kept.
fn diff(hunks: &Hunks<'_>) -> Shown<'static> {
    let mut out = String::new();
    let mut lossy = false;
    for hunk in hunks.iter() {
        let (mut old, mut new) = (0, 0);
        for line in hunk.lines.split(|byte| *byte == b'\n') {
            match line.first() {
                Some(b'-') => old += 1,
                Some(b'+') => new += 1,
                // An empty line is a context line that lost its blank; the last one is none.
                Some(b'\\') | None => {}
                Some(_) => {
                    old += 1;
                    new += 1;
                }
            }
        }
        let _ = writeln!(
            out,
            "@@ -{},{old} +{},{new} @@",
            hunk.old_start, hunk.new_start
        );
        let lines = String::from_utf8_lossy(hunk.lines);
        lossy |= matches!(lines, Cow::Owned(_));
        out.push_str(&lines);
        if !lines.is_empty() && !lines.ends_with('\n') {
            out.push('\n');
        }
    }
    Shown {
        text: Cow::Owned(out),
        summary: false,
        lossy,
    }
}

/// What kind of block it is, in a placeholder.
pub(super) fn label(content: &Content<'_>) -> &'static str {
    match content {
        Content::Code { .. } => "code",
        Content::Conversation { .. } => "conversation",
        Content::FileTree { .. } => "file-tree",
        Content::ToolResult { .. } => "tool-result",
        Content::Document { .. } => "document",
        Content::StructuredData { .. } => "data",
        Content::Diff { .. } => "diff",
        Content::Image { .. } => "image",
        Content::Extension { .. } => "extension",
        Content::Annotation { .. } | Content::EmbeddingRef { .. } | Content::Unknown { .. } => {
            "block"
        }
    }
}

/// Which block it is, in a placeholder.
pub(super) fn about<'a>(content: &'a Content<'_>) -> Cow<'a, str> {
    match content {
        Content::Code { path, .. } | Content::Diff { path, .. } => Cow::Borrowed(path),
        Content::Conversation { role, .. } => Cow::Owned(format!("{} turn", role.name())),
        Content::FileTree { root, .. } => Cow::Owned(format!("tree: {root}")),
        Content::ToolResult { name, .. } => Cow::Borrowed(name),
        Content::Document { title, .. } => Cow::Borrowed(title),
        Content::StructuredData { format, .. } => Cow::Owned(format!("{} data", format.name())),
        Content::EmbeddingRef { model, .. } => Cow::Owned(format!("embedding: {model}")),
        Content::Image { alt, .. } => Cow::Borrowed(alt),
        Content::Extension {
            namespace,
            type_name,
            ..
        } => Cow::Owned(format!("{namespace}/{type_name}")),
        Content::Unknown { kind, .. } => Cow::Owned(format!("unknown 0x{kind:02X}")),
        Content::Annotation { target, .. } => Cow::Owned(format!("annotation of {target}")),
    }
}

/// A language's word in a fence or attribute.
pub(super) fn lang(lang: crate::names::Lang) -> &'static str {
    lang.name().unwrap_or("text")
}
