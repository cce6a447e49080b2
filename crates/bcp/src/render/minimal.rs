//! A line in front of each block.

use std::fmt::Write as _;

use crate::block::Content;
use crate::render::guard::{below_header, one_line};
use crate::render::text::{Shown, lang};

pub(super) fn render(content: &Content<'_>, shown: &Shown<'_>, out: &mut String) {
    // A note of ours about bytes is not a content that could deceive.
    let ours = matches!(content, Content::Image { .. }) && !shown.summary;
    let guarded = if ours {
        None
    } else {
        below_header(&shown.text)
    };
    let mut marks = String::new();
    for (is, mark) in [
        (shown.summary, "summary"),
        (shown.lossy, "lossy"),
        (guarded.is_some(), "escaped"),
    ] {
        if is {
            let _ = write!(marks, " ({mark})");
        }
    }
    let text = guarded.as_deref().unwrap_or(&shown.text);
    let name = match content {
        Content::Code {
            lang: language,
            path,
            lines,
            ..
        } => {
            let range = lines.map_or_else(String::new, |(start, end)| format!(":{start}-{end}"));
            format!("{}{range} [{}]", one_line(path), lang(*language))
        }
        Content::Conversation {
            role, tool_call_id, ..
        } => {
            let id = tool_call_id.as_deref().map(one_line).unwrap_or_default();
            let blank = if id.is_empty() { "" } else { " " };
            let _ = write!(out, "[{}{blank}{id}{marks}] {text}", role.name());
            return;
        }
        Content::FileTree { root, .. } => format!("tree: {}", one_line(root)),
        Content::ToolResult { name, status, .. } => {
            format!("{} [{}]", one_line(name), status.name())
        }
        Content::Document { title, .. } => one_line(title).into_owned(),
        Content::StructuredData { format, .. } => format!("data [{}]", format.name()),
        Content::Diff { path, .. } => format!("diff: {}", one_line(path)),
        Content::EmbeddingRef { model, .. } => {
            let _ = write!(out, "[embed-ref: {}{marks}]", one_line(model));
            if shown.summary {
                let _ = write!(out, " {text}");
            }
            return;
        }
        Content::Image { media, alt, .. } => {
            format!("image [{}]: {}", media.name(), one_line(alt))
        }
        Content::Extension {
            namespace,
            type_name,
            ..
        } => format!("ext: {}/{}", one_line(namespace), one_line(type_name)),
        Content::Unknown { kind, .. } => format!("unknown 0x{kind:02X}"),
        Content::Annotation { .. } => return,
    };
    let _ = write!(out, "--- {name}{marks} ---\n{text}");
}

pub(super) fn placeholder(label: &str, about: &str, tokens: u64, out: &mut String) {
    let about = one_line(about);
    let _ = write!(out, "[omitted: {label} {about} ~{tokens}tok]");
}

pub(super) fn note(why: &str, out: &mut String) {
    let _ = write!(out, "[unreadable: {why}]");
}
