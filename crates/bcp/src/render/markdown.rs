//! Headings and fences.

use std::fmt::Write as _;

use crate::block::Content;
use crate::render::guard::{fence, in_brackets, in_header, needs_fence, one_line};
use crate::render::text::{Shown, lang};

pub(super) fn render(content: &Content<'_>, shown: &Shown<'_>, out: &mut String) {
    let mut marks = String::new();
    if shown.summary {
        marks.push_str(" (summary)");
    }
    if shown.lossy {
        marks.push_str(" (lossy)");
    }
    let image = matches!(content, Content::Image { .. });
    if shown.binary && !image {
        marks.push_str(" (binary)");
    }
    // Writes the heading; the info string of the fence for types that always have one.
    let fenced = match content {
        Content::Code {
            lang: language,
            path,
            lines,
            ..
        } => {
            let _ = write!(out, "## {}", in_header(path));
            if let Some((start, end)) = lines {
                let _ = write!(out, " (lines {start}-{end})");
            }
            Some(lang(*language))
        }
        Content::Conversation {
            role, tool_call_id, ..
        } => {
            let mut name = role.name().to_owned();
            name[..1].make_ascii_uppercase();
            let _ = write!(out, "**{name}**");
            if let Some(id) = tool_call_id {
                let _ = write!(out, " ({})", in_brackets(id));
            }
            return turn(shown, &marks, out);
        }
        Content::FileTree { root, .. } => {
            let _ = write!(out, "### File Tree: {}", in_header(root));
            Some("")
        }
        Content::ToolResult { name, status, .. } => {
            let _ = write!(out, "### Tool: {} ({})", in_header(name), status.name());
            None
        }
        Content::Document { title, format, .. } => {
            let _ = write!(
                out,
                "### Document: {} [{}]",
                in_header(title),
                format.name()
            );
            None
        }
        Content::StructuredData { format, .. } => {
            // Data has a heading only if there is a caption or a mark.
            match shown.caption {
                None if marks.is_empty() => return fence_in(format.name(), &shown.text, out),
                None => out.push_str("### Data"),
                Some(caption) => _ = write!(out, "### Data: {}", in_header(caption)),
            }
            let _ = write!(out, " [{}]", format.name());
            Some(format.name())
        }
        Content::Diff { path, .. } => {
            let _ = write!(out, "### Diff: {}", in_header(path));
            Some("diff")
        }
        Content::EmbeddingRef { model, .. } => {
            let _ = write!(out, "*[Embedding ref: model={}]*", in_header(model));
            if !shown.summary {
                return;
            }
            None
        }
        Content::Image { media, alt, .. } => {
            let _ = write!(out, "### Image ({}): {}", media.name(), in_header(alt));
            if !shown.summary {
                // This text is our own note.
                let _ = write!(out, "\n\n{}", shown.text);
                return;
            }
            None
        }
        Content::Extension {
            namespace,
            type_name,
            ..
        } => {
            let (namespace, type_name) = (in_header(namespace), in_header(type_name));
            let _ = write!(out, "### Extension: {namespace}/{type_name}");
            None
        }
        Content::Unknown { kind, .. } => {
            let _ = writeln!(out, "<!-- unknown block type 0x{kind:02X}{marks} -->");
            return open(&shown.text, out);
        }
        Content::Annotation { .. } => return,
    };
    out.push_str(&marks);
    out.push_str("\n\n");
    match fenced {
        Some(word @ ("" | "diff")) if !shown.summary => fence_in_lines(word, &shown.text, out),
        Some(word) if !shown.summary => fence_in(word, &shown.text, out),
        _ => open(&shown.text, out),
    }
}

fn turn(shown: &Shown<'_>, marks: &str, out: &mut String) {
    let _ = write!(out, "{marks}:");
    if needs_fence(&shown.text) {
        out.push_str("\n\n");
        fence_in("", &shown.text, out);
    } else {
        let _ = write!(out, " {}", shown.text);
    }
}

/// A text without a fence, unless it could be mistaken for markup.
fn open(text: &str, out: &mut String) {
    if needs_fence(text) {
        fence_in("", text, out);
    } else {
        out.push_str(text);
    }
}

fn fence_in(word: &str, text: &str, out: &mut String) {
    let fence = fence(text);
    let _ = write!(out, "{fence}{word}\n{text}\n{fence}");
}

/// Trees and diffs end with a line end.
fn fence_in_lines(word: &str, lines: &str, out: &mut String) {
    let fence = fence(lines);
    let _ = write!(out, "{fence}{word}\n{lines}{fence}");
}

pub(super) fn placeholder(label: &str, about: &str, tokens: u64, out: &mut String) {
    let about = one_line(about);
    let _ = write!(out, "_[Omitted: {label} {about}, ~{tokens} tokens]_");
}

pub(super) fn note(why: &str, out: &mut String) {
    let _ = write!(out, "_[Unreadable: {why}]_");
}
