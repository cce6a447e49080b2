//! The text of a block, independent of the mode.

use std::borrow::Cow;
use std::fmt::Write as _;

use simdutf8::basic::from_utf8;

use crate::block::{Block, Content};
use crate::hunks::Hunks;
use crate::names::EntryKind;
use crate::render::guard;
use crate::tree::{Entries, Step};

/// A content that should be text is not valid UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotText;

/// The text of a block, and its properties.
#[derive(Debug, Clone)]
pub(super) struct Shown<'a> {
    pub(super) text: Cow<'a, str>,
    /// The text is the summary.
    pub(super) summary: bool,
    /// Invalid UTF-8 was replaced.
    pub(super) lossy: bool,
    /// The text is our note about binary data.
    pub(super) binary: bool,
    /// A caption for a block without a name.
    pub(super) caption: Option<&'a str>,
}

/// A longer summary is not used as a caption.
const CAPTION: usize = 200;

pub(super) fn shown<'a>(block: &'a Block<'_>, summary: bool) -> Shown<'a> {
    if summary && let Some(summary) = &block.summary {
        return Shown {
            text: Cow::Borrowed(summary),
            summary: true,
            lossy: false,
            binary: false,
            caption: None,
        };
    }
    let shown = match &block.content {
        Content::FileTree { entries, .. } => whole(Cow::Owned(tree(entries))),
        Content::Diff { hunks, .. } => diff(hunks),
        Content::EmbeddingRef { .. } | Content::Annotation { .. } => whole(Cow::Borrowed("")),
        Content::Image { data, .. } => note("image data", data),
        content => bytes(content.bytes()),
    };
    Shown {
        caption: caption(block),
        ..shown
    }
}

/// Data has neither a path nor a title: only a short summary distinguishes `package.json` from
/// `tsconfig.json`.
fn caption<'a>(block: &'a Block<'_>) -> Option<&'a str> {
    let summary = block.summary.as_deref()?;
    let names = matches!(block.content, Content::StructuredData { .. })
        && summary.len() <= CAPTION
        && !summary.contains(['\n', '\r']);
    names.then_some(summary)
}

fn whole(text: Cow<'_, str>) -> Shown<'_> {
    Shown {
        text,
        summary: false,
        lossy: false,
        binary: false,
        caption: None,
    }
}

/// Bytes that should be text. Latin-1 is shown with replacement characters; data with zero bytes, or with
/// mostly invalid bytes, is shown as a note.
fn bytes(content: &[u8]) -> Shown<'_> {
    if let Ok(text) = from_utf8(content) {
        return whole(Cow::Borrowed(text));
    }
    let bad: usize = content
        .utf8_chunks()
        .map(|chunk| chunk.invalid().len())
        .sum();
    if memchr::memchr(0, content).is_some() || bad > content.len() / 4 {
        return note("content", content);
    }
    Shown {
        lossy: true,
        ..whole(String::from_utf8_lossy(content))
    }
}

fn note(what: &str, bytes: &[u8]) -> Shown<'static> {
    Shown {
        binary: true,
        ..whole(Cow::Owned(binary(what, bytes)))
    }
}

pub(super) fn binary(what: &str, bytes: &[u8]) -> String {
    format!("[binary {what}: {} bytes]", bytes.len())
}

/// The maximum size of a rendered tree or diff: its text may be many times as long as its encoding.
const MOST: usize = 16 << 20;

/// Deeper entries are not indented any further.
const INDENTED: usize = 32;

/// One line per entry, indented by its depth. A size of zero is unknown.
fn tree(entries: &Entries<'_>) -> String {
    let mut out = String::new();
    let (mut depth, mut left_out) = (0, 0_u64);
    for step in entries.walk() {
        let Step::Open(entry) = step else {
            depth -= 1;
            continue;
        };
        depth += 1;
        if out.len() >= MOST {
            left_out += 1;
            continue;
        }
        indent((depth - 1).min(INDENTED), &mut out);
        if depth > INDENTED + 1 {
            let _ = write!(out, "[level {depth}] ");
        }
        out.push_str(&guard::in_header(&entry.name));
        match (entry.kind, entry.size) {
            (EntryKind::Directory, _) => out.push('/'),
            (EntryKind::File, 0) => {}
            (EntryKind::File, size) => _ = write!(out, " ({size} bytes)"),
        }
        out.push('\n');
    }
    if left_out > 0 {
        let _ = writeln!(out, "[{left_out} more entries]");
    }
    out
}

pub(super) fn indent(depth: usize, out: &mut String) {
    for _ in 0..depth {
        out.push_str("  ");
    }
}

/// Hunks in the format of `diff -u`, which keeps line numbers.
fn diff(hunks: &Hunks<'_>) -> Shown<'static> {
    let mut out = String::new();
    let (mut lossy, mut left_out) = (false, 0_u64);
    for hunk in hunks.iter() {
        if out.len() >= MOST {
            left_out += 1;
            continue;
        }
        let (old, new) = lengths(hunk.lines);
        let (at, to) = (hunk.old_start, hunk.new_start);
        let _ = writeln!(out, "@@ -{at},{old} +{to},{new} @@");
        let lines = String::from_utf8_lossy(hunk.lines);
        lossy |= matches!(lines, Cow::Owned(_));
        out.push_str(&lines);
        if !lines.is_empty() && !lines.ends_with('\n') {
            out.push('\n');
        }
    }
    if left_out > 0 {
        let _ = writeln!(out, "[{left_out} more hunks]");
    }
    Shown {
        text: Cow::Owned(out),
        summary: false,
        lossy,
        binary: false,
        caption: None,
    }
}

/// The number of lines of a hunk before and after the change.
fn lengths(lines: &[u8]) -> (u64, u64) {
    let (mut old, mut new) = (0, 0);
    let whole = lines.strip_suffix(b"\n").unwrap_or(lines);
    if whole.is_empty() {
        return (u64::from(!lines.is_empty()), u64::from(!lines.is_empty()));
    }
    for line in whole.split(|byte| *byte == b'\n') {
        match line.first() {
            Some(b'-') => old += 1,
            Some(b'+') => new += 1,
            Some(b'\\') => {}
            // An empty line is a context line that lost its leading blank.
            _ => {
                old += 1;
                new += 1;
            }
        }
    }
    (old, new)
}

/// The type of a block in a placeholder.
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

/// The name of a block in a placeholder.
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

/// The name of a language in a fence or attribute.
pub(super) fn lang(lang: crate::names::Lang) -> &'static str {
    lang.name().unwrap_or("text")
}
