//! A header line before each block.

use std::fmt::Write as _;

use crate::block::Content;
use crate::render::guard::{headers, in_brackets, in_header, one_line, without_headers};
use crate::render::text::{Shown, lang};

pub(super) fn render(content: &Content<'_>, shown: &Shown<'_>, out: &mut String) {
    // A note about binary data is our own text and cannot imitate a header.
    let headers = if shown.binary {
        Vec::new()
    } else {
        headers(&shown.text)
    };
    let mut marks = String::new();
    for (is, mark) in [
        (shown.summary, "summary"),
        (shown.lossy, "lossy"),
        (
            shown.binary && !matches!(content, Content::Image { .. }),
            "binary",
        ),
        (!headers.is_empty(), "escaped"),
    ] {
        if is {
            let _ = write!(marks, " ({mark})");
        }
    }
    let text = &*shown.text;
    let name = match content {
        Content::Code {
            lang: language,
            path,
            lines,
            ..
        } => {
            let range = lines.map_or_else(String::new, |(start, end)| format!(":{start}-{end}"));
            format!("{}{range} [{}]", in_header(path), lang(*language))
        }
        Content::Conversation {
            role, tool_call_id, ..
        } => {
            let id = tool_call_id.as_deref().map(in_brackets).unwrap_or_default();
            let blank = if id.is_empty() { "" } else { " " };
            let _ = write!(out, "[{}{blank}{id}{marks}] ", role.name());
            return without_headers(text, &headers, out);
        }
        Content::FileTree { root, .. } => format!("tree: {}", in_header(root)),
        Content::ToolResult { name, status, .. } => {
            format!("{} [{}]", in_header(name), status.name())
        }
        Content::Document { title, .. } => in_header(title).into_owned(),
        Content::StructuredData { format, .. } => {
            let caption = shown
                .caption
                .map(|caption| format!(": {}", in_header(caption)));
            format!("data [{}]{}", format.name(), caption.unwrap_or_default())
        }
        Content::Diff { path, .. } => format!("diff: {}", in_header(path)),
        Content::EmbeddingRef { model, .. } => {
            let _ = write!(out, "[embed-ref: {}{marks}]", in_header(model));
            if shown.summary {
                out.push(' ');
                without_headers(text, &headers, out);
            }
            return;
        }
        Content::Image { media, alt, .. } => {
            format!("image [{}]: {}", media.name(), in_header(alt))
        }
        Content::Extension {
            namespace,
            type_name,
            ..
        } => format!("ext: {}/{}", in_header(namespace), in_header(type_name)),
        Content::Unknown { kind, .. } => format!("unknown 0x{kind:02X}"),
        Content::Annotation { .. } => return,
    };
    let _ = writeln!(out, "--- {name}{marks} ---");
    without_headers(text, &headers, out);
}

pub(super) fn placeholder(label: &str, about: &str, tokens: u64, out: &mut String) {
    let about = one_line(about);
    let _ = write!(out, "[omitted: {label} {about} ~{tokens}tok]");
}

pub(super) fn note(why: &str, out: &mut String) {
    let _ = write!(out, "[unreadable: {why}]");
}
