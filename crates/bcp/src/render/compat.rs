//! The renderings of the reference implementation, byte for byte, with their losses and without escaping.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::block::{Block, Content};
use crate::hunks::Hunks;
use crate::names::EntryKind;
use crate::render::Mode::{self, Markdown, Minimal, Xml};
use crate::render::text::{NotText, about, binary, indent, label, lang};
use crate::tree::{Entries, Step};

pub(super) fn render(
    mode: Mode,
    block: &Block<'_>,
    summary: bool,
    out: &mut String,
) -> Result<(), NotText> {
    let _ = match &block.content {
        Content::Code {
            lang: language,
            path,
            content,
            ..
        } => {
            let (l, p) = (lang(*language), path);
            // Only code is ever shown by its summary.
            match block.summary.as_ref().filter(|_| summary) {
                Some(s) => match mode {
                    Xml => {
                        let p = escape(p);
                        write!(
                            out,
                            "<code lang=\"{l}\" path=\"{p}\" summary=\"true\">\n{s}\n</code>"
                        )
                    }
                    Markdown => write!(out, "## {p} (summary)\n\n{s}"),
                    Minimal => write!(out, "--- {p} [{l}] (summary) ---\n{s}"),
                },
                None => {
                    let c = utf8(content)?;
                    match mode {
                        Xml => {
                            let p = escape(p);
                            write!(out, "<code lang=\"{l}\" path=\"{p}\">\n{c}\n</code>")
                        }
                        Markdown => write!(out, "## {p}\n\n```{l}\n{c}\n```"),
                        Minimal => write!(out, "--- {p} [{l}] ---\n{c}"),
                    }
                }
            }
        }
        Content::Conversation { role, content, .. } => {
            let (r, c) = (role.name(), utf8(content)?);
            match mode {
                Xml => write!(out, "<turn role=\"{r}\">{c}</turn>"),
                Markdown => {
                    let first = r[..1].to_ascii_uppercase();
                    write!(out, "**{first}{}**: {c}", &r[1..])
                }
                Minimal => write!(out, "[{r}] {c}"),
            }
        }
        Content::FileTree { root, entries } => {
            let t = tree(entries)?;
            match mode {
                Xml => write!(out, "<tree root=\"{}\">\n{t}</tree>", escape(root)),
                Markdown => write!(out, "### File Tree: {root}\n\n```\n{t}```"),
                Minimal => write!(out, "--- tree: {root} ---\n{t}"),
            }
        }
        Content::ToolResult {
            name,
            status,
            content,
            ..
        } => {
            let (st, c) = (status.name(), utf8(content)?);
            match mode {
                Xml => write!(
                    out,
                    "<tool name=\"{}\" status=\"{st}\">\n{c}\n</tool>",
                    escape(name)
                ),
                Markdown => write!(out, "### Tool: {name} ({st})\n\n{c}"),
                Minimal => write!(out, "--- {name} [{st}] ---\n{c}"),
            }
        }
        Content::Document {
            title,
            content,
            format,
        } => {
            let (f, c) = (format.name(), utf8(content)?);
            match mode {
                Xml => write!(
                    out,
                    "<doc title=\"{}\" format=\"{f}\">\n{c}\n</doc>",
                    escape(title)
                ),
                Markdown => write!(out, "### Document: {title} [{f}]\n\n{c}"),
                Minimal => write!(out, "--- {title} ---\n{c}"),
            }
        }
        Content::StructuredData {
            format, content, ..
        } => {
            let (f, c) = (format.name(), utf8(content)?);
            match mode {
                Xml => write!(out, "<data format=\"{f}\">\n{c}\n</data>"),
                Markdown => write!(out, "```{f}\n{c}\n```"),
                Minimal => write!(out, "--- data [{f}] ---\n{c}"),
            }
        }
        Content::Diff { path, hunks } => {
            let l = lines(hunks);
            match mode {
                Xml => write!(out, "<diff path=\"{}\">\n{l}</diff>", escape(path)),
                Markdown => write!(out, "### Diff: {path}\n\n```diff\n{l}```"),
                Minimal => write!(out, "--- diff: {path} ---\n{l}"),
            }
        }
        Content::EmbeddingRef { model, .. } => match mode {
            Xml => write!(out, "<embed-ref model=\"{}\" />", escape(model)),
            Markdown => write!(out, "*[Embedding ref: model={model}]*"),
            Minimal => write!(out, "[embed-ref: {model}]"),
        },
        Content::Image { media, alt, data } => {
            let (k, n) = (media.name(), binary("image data", data));
            match mode {
                Xml => write!(
                    out,
                    "<image type=\"{k}\" alt=\"{}\">{n}</image>",
                    escape(alt)
                ),
                Markdown => write!(out, "### Image ({k}): {alt}\n\n{n}"),
                Minimal => write!(out, "--- image [{k}]: {alt} ---\n{n}"),
            }
        }
        Content::Extension {
            namespace,
            type_name,
            content,
        } => {
            let c = utf8(content)?;
            match mode {
                Xml => {
                    let (ns, ty) = (escape(namespace), escape(type_name));
                    write!(out, "<ext ns=\"{ns}\" type=\"{ty}\">\n{c}\n</ext>")
                }
                Markdown => write!(out, "### Extension: {namespace}/{type_name}\n\n{c}"),
                Minimal => write!(out, "--- ext: {namespace}/{type_name} ---\n{c}"),
            }
        }
        Content::Unknown { kind, body } => {
            let c = String::from_utf8_lossy(body);
            match mode {
                Xml | Markdown => write!(out, "<!-- unknown block type 0x{kind:02X} -->\n{c}"),
                Minimal => write!(out, "--- unknown 0x{kind:02X} ---\n{c}"),
            }
        }
        Content::Annotation { .. } => Ok(()),
    };
    Ok(())
}

pub(super) fn placeholder(mode: Mode, content: &Content<'_>, tokens: u64, out: &mut String) {
    let (label, about) = (label(content), about(content));
    let _ = match mode {
        Xml => write!(
            out,
            "<omitted type=\"{label}\" desc=\"{about}\" tokens=\"{tokens}\" />"
        ),
        Markdown => write!(out, "_[Omitted: {label} {about}, ~{tokens} tokens]_"),
        Minimal => write!(out, "[omitted: {label} {about} ~{tokens}tok]"),
    };
}

/// The text that the reference implementation estimates tokens from; for content that is not text, its size
/// in bytes.
pub(crate) fn text<'a>(content: &'a Content<'_>) -> Result<Cow<'a, str>, usize> {
    let bytes = match content {
        Content::Diff { hunks, .. } => return Ok(Cow::Owned(lines(hunks))),
        Content::FileTree { entries, .. } => {
            return tree(entries).map(Cow::Owned).map_err(|NotText| MOST);
        }
        Content::EmbeddingRef { model, .. } => return Ok(format!("embedding: {model}").into()),
        Content::Unknown { .. } | Content::Annotation { .. } => return Err(content.bytes().len()),
        _ => content.bytes(),
    };
    utf8(bytes)
        .map(Cow::Borrowed)
        .map_err(|NotText| bytes.len())
}

fn utf8(content: &[u8]) -> Result<&str, NotText> {
    simdutf8::basic::from_utf8(content).map_err(|_| NotText)
}

fn escape(value: &str) -> Cow<'_, str> {
    if !value.contains(['&', '<', '>', '"']) {
        return Cow::Borrowed(value);
    }
    let value = value.replace('&', "&amp;").replace('<', "&lt;");
    Cow::Owned(value.replace('>', "&gt;").replace('"', "&quot;"))
}

/// The lines of all hunks without positions; if a hunk does not end with a line end, the next one continues
/// its last line.
fn lines(hunks: &Hunks<'_>) -> String {
    let all = hunks.iter().map(|hunk| String::from_utf8_lossy(hunk.lines));
    all.collect()
}

/// A longer tree is not rendered: a file of 2 KB can contain a tree of 1 GB.
const MOST: usize = 32 << 20;

/// Prints the size of every file, and no entries inside a file.
fn tree(entries: &Entries<'_>) -> Result<String, NotText> {
    let mut out = String::new();
    let (mut depth, mut hidden) = (0, 0);
    for step in entries.walk() {
        if out.len() > MOST {
            return Err(NotText);
        }
        match step {
            Step::Open(_) if hidden > 0 => hidden += 1,
            Step::Open(entry) => {
                indent(depth, &mut out);
                let name = &entry.name;
                if entry.kind == EntryKind::Directory {
                    let _ = writeln!(out, "{name}/");
                    depth += 1;
                } else {
                    let _ = writeln!(out, "{name} ({} bytes)", entry.size);
                    hidden = 1;
                }
            }
            Step::Close if hidden > 0 => hidden -= 1,
            Step::Close => depth -= 1,
        }
    }
    Ok(out)
}
