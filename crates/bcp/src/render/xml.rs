//! Tags around each block.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::block::Content;
use crate::render::guard::{attribute, has_tags, without_tags};
use crate::render::text::{Shown, lang};

pub(super) fn render(content: &Content<'_>, shown: &Shown<'_>, out: &mut String) {
    let mut tag = match content {
        Content::Code {
            lang: language,
            path,
            lines,
            ..
        } => {
            let tag = Tag::new("code", out)
                .with("lang", lang(*language))
                .with("path", path);
            match lines {
                Some((start, end)) => tag.with("lines", &format!("{start}-{end}")),
                None => tag,
            }
        }
        Content::Conversation {
            role, tool_call_id, ..
        } => Tag::new("turn", out)
            .with("role", role.name())
            .with_if_any("id", tool_call_id),
        Content::FileTree { root, .. } => Tag::new("tree", out).with("root", root),
        Content::ToolResult { name, status, .. } => Tag::new("tool", out)
            .with("name", name)
            .with("status", status.name()),
        Content::Document { title, format, .. } => Tag::new("doc", out)
            .with("title", title)
            .with("format", format.name()),
        Content::StructuredData { format, .. } => {
            let tag = Tag::new("data", out).with("format", format.name());
            match shown.caption {
                Some(caption) => tag.with("about", caption),
                None => tag,
            }
        }
        Content::Diff { path, .. } => Tag::new("diff", out).with("path", path),
        Content::EmbeddingRef { model, .. } => {
            let tag = Tag::new("embed-ref", out).with("model", model);
            if !shown.summary {
                tag.out.push_str(" />");
                return;
            }
            tag
        }
        Content::Image { media, alt, .. } => Tag::new("image", out)
            .with("type", media.name())
            .with("alt", alt),
        Content::Extension {
            namespace,
            type_name,
            ..
        } => Tag::new("ext", out)
            .with("ns", namespace)
            .with("type", type_name),
        Content::Unknown { kind, .. } => return unknown(*kind, shown, out),
        Content::Annotation { .. } => return,
    };
    if shown.summary {
        tag = tag.with("summary", "true");
    }
    if shown.lossy {
        tag = tag.with("lossy", "true");
    }
    if shown.binary && !matches!(content, Content::Image { .. }) {
        tag = tag.with("binary", "true");
    }
    let text = &*shown.text;
    let escaped = has_tags(text);
    if escaped {
        tag = tag.with("escaped", "true");
    }
    let inline = matches!(
        content,
        Content::Conversation { .. } | Content::Image { .. } | Content::EmbeddingRef { .. }
    );
    // Trees and diffs end with a line end.
    let ended = matches!(content, Content::FileTree { .. } | Content::Diff { .. })
        && (text.is_empty() || text.ends_with('\n'));
    let before = if inline { "" } else { "\n" };
    let after = if inline || ended { "" } else { "\n" };
    let name = tag.name;
    let _ = write!(tag.out, ">{before}");
    put(text, escaped, tag.out);
    let _ = write!(tag.out, "{after}</{name}>");
}

/// A tag that is being written.
struct Tag<'o> {
    name: &'static str,
    out: &'o mut String,
}

impl<'o> Tag<'o> {
    fn new(name: &'static str, out: &'o mut String) -> Self {
        out.push('<');
        out.push_str(name);
        Self { name, out }
    }

    fn with(self, name: &str, value: &str) -> Self {
        let _ = write!(self.out, " {name}=\"{}\"", attribute(value));
        self
    }

    fn with_if_any(self, name: &str, value: &Option<Cow<'_, str>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }
}

fn unknown(kind: u8, shown: &Shown<'_>, out: &mut String) {
    let escaped = has_tags(&shown.text);
    let _ = write!(out, "<!-- unknown block type 0x{kind:02X}");
    for (is, mark) in [
        (shown.summary, " (summary)"),
        (shown.lossy, " (lossy)"),
        (shown.binary, " (binary)"),
        (escaped, " (escaped)"),
    ] {
        if is {
            out.push_str(mark);
        }
    }
    out.push_str(" -->\n");
    put(&shown.text, escaped, out);
}

fn put(text: &str, escaped: bool, out: &mut String) {
    if escaped {
        without_tags(text, out);
    } else {
        out.push_str(text);
    }
}

pub(super) fn placeholder(label: &str, about: &str, tokens: u64, out: &mut String) {
    let about = attribute(about);
    let _ = write!(
        out,
        "<omitted type=\"{label}\" desc=\"{about}\" tokens=\"{tokens}\" />"
    );
}

pub(super) fn note(why: &str, out: &mut String) {
    let _ = write!(out, "<unreadable why=\"{}\" />", attribute(why));
}
