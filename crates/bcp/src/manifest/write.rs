//! Writes a block as JSON from which [`super::Manifest`] reads the same block.

use std::io::{self, Write};

use data_encoding::BASE64;

use super::quote::quote;
use crate::block::{Block, Content};
use crate::hunks::Hunks;
use crate::names::{AnnotationKind, Lang, Priority};
use crate::tree::{Entries, Step};

/// Writes a block as one JSON object on one line, without a line feed. Bytes that are not UTF-8 are written
/// in base64, in a member with the suffix `_base64`.
pub fn write_block(
    block: &Block<'_>,
    priority: Option<Priority>,
    out: &mut impl Write,
) -> io::Result<()> {
    let name = block.content.kind().map_or("unknown", |kind| kind.name());
    write!(out, "{{\"type\":\"{name}\"")?;
    let mut members = Members { out };
    members.content(&block.content)?;
    if let Some(summary) = &block.summary {
        members.text("summary", summary)?;
    }
    if let Some(priority) = priority {
        members.text("priority", priority.name())?;
    }
    out.write_all(b"}")
}

/// The members of an object, after its first one.
struct Members<'w, W> {
    out: &'w mut W,
}

impl<W: Write> Members<'_, W> {
    fn content(&mut self, content: &Content<'_>) -> io::Result<()> {
        match content {
            Content::Code {
                lang,
                path,
                content,
                lines,
            } => {
                self.lang(*lang)?;
                self.text("path", path)?;
                if let Some((start, end)) = lines {
                    write!(self.out, ",\"lines\":[{start},{end}]")?;
                }
                self.bytes("content", content)
            }
            Content::Conversation {
                role,
                content,
                tool_call_id,
            } => {
                self.text("role", role.name())?;
                self.option("tool_call_id", tool_call_id.as_deref())?;
                self.bytes("content", content)
            }
            Content::FileTree { root, entries } => {
                self.text("root", root)?;
                self.entries(entries)
            }
            Content::ToolResult {
                name,
                status,
                content,
                schema_hint,
            } => {
                self.text("name", name)?;
                self.text("status", status.name())?;
                self.option("schema_hint", schema_hint.as_deref())?;
                self.bytes("content", content)
            }
            Content::Document {
                title,
                content,
                format,
            } => {
                self.text("title", title)?;
                self.text("format", format.name())?;
                self.bytes("content", content)
            }
            Content::StructuredData {
                format,
                schema,
                content,
            } => {
                self.text("format", format.name())?;
                self.option("schema", schema.as_deref())?;
                self.bytes("content", content)
            }
            Content::Diff { path, hunks } => {
                self.text("path", path)?;
                self.hunks(hunks)
            }
            Content::Annotation {
                target,
                kind,
                value,
            } => {
                self.number("target", *target)?;
                self.text("kind", kind.name())?;
                self.annotation(*kind, value)
            }
            Content::EmbeddingRef {
                vector_id,
                source_hash,
                model,
            } => {
                self.text("vector_id", vector_id)?;
                self.hash(source_hash)?;
                self.text("model", model)
            }
            Content::Image { media, alt, data } => {
                self.text("media", media.name())?;
                self.text("alt", alt)?;
                self.base64("data", data)
            }
            Content::Extension {
                namespace,
                type_name,
                content,
            } => {
                self.text("namespace", namespace)?;
                self.text("type_name", type_name)?;
                self.bytes("content", content)
            }
            Content::Unknown { kind, body } => {
                write!(self.out, ",\"kind\":\"0x{kind:02X}\"")?;
                self.base64("body_base64", body)
            }
        }
    }

    fn lang(&mut self, lang: Lang) -> io::Result<()> {
        match lang.name() {
            Some(name) => self.text("lang", name),
            None if lang == Lang::UNKNOWN => self.text("lang", "unknown"),
            None => write!(self.out, ",\"lang\":\"other({})\"", lang.0),
        }
    }

    fn annotation(&mut self, kind: AnnotationKind, value: &[u8]) -> io::Result<()> {
        if kind != AnnotationKind::Priority {
            return self.bytes("value", value);
        }
        match value {
            [byte] if let Some(priority) = Priority::from_byte(*byte) => {
                self.text("value", priority.name())
            }
            _ => self.base64("value_base64", value),
        }
    }

    fn hash(&mut self, hash: &[u8]) -> io::Result<()> {
        if hash.len() != 32 {
            return self.base64("source_hash_base64", hash);
        }
        self.key("source_hash")?;
        self.out.write_all(b"\"")?;
        for byte in hash {
            write!(self.out, "{byte:02x}")?;
        }
        self.out.write_all(b"\"")
    }

    fn hunks(&mut self, hunks: &Hunks<'_>) -> io::Result<()> {
        self.key("hunks")?;
        self.out.write_all(b"[")?;
        for (i, hunk) in hunks.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(self.out, "{comma}{{\"old_start\":{}", hunk.old_start)?;
            self.number("new_start", u64::from(hunk.new_start))?;
            self.bytes("lines", hunk.lines)?;
            self.out.write_all(b"}")?;
        }
        self.out.write_all(b"]")
    }

    /// Uses a loop instead of recursion, because a tree may be deep.
    fn entries(&mut self, entries: &Entries<'_>) -> io::Result<()> {
        self.key("entries")?;
        self.out.write_all(b"[")?;
        // Whether an entry was just opened, and has no children yet.
        let (mut opened, mut first) = (false, true);
        for step in entries.walk() {
            let Step::Open(entry) = step else {
                self.out.write_all(if opened { b"}" } else { b"]}" })?;
                opened = false;
                continue;
            };
            let before: &[u8] = match (opened, first) {
                (true, _) => b",\"children\":[",
                (false, true) => b"",
                (false, false) => b",",
            };
            self.out.write_all(before)?;
            self.out.write_all(b"{\"name\":")?;
            quote(&entry.name, self.out)?;
            self.text("kind", entry.kind.name())?;
            self.number("size", entry.size)?;
            (opened, first) = (true, false);
        }
        self.out.write_all(b"]")
    }

    /// A text, or base64 if the bytes are not UTF-8.
    fn bytes(&mut self, key: &str, bytes: &[u8]) -> io::Result<()> {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.text(key, text),
            Err(_) => self.base64(&format!("{key}_base64"), bytes),
        }
    }

    fn base64(&mut self, key: &str, bytes: &[u8]) -> io::Result<()> {
        self.key(key)?;
        write!(self.out, "\"{}\"", BASE64.encode_display(bytes))
    }

    fn option(&mut self, key: &str, text: Option<&str>) -> io::Result<()> {
        text.map_or(Ok(()), |text| self.text(key, text))
    }

    fn text(&mut self, key: &str, text: &str) -> io::Result<()> {
        self.key(key)?;
        quote(text, self.out)
    }

    fn number(&mut self, key: &str, number: u64) -> io::Result<()> {
        write!(self.out, ",\"{key}\":{number}")
    }

    fn key(&mut self, key: &str) -> io::Result<()> {
        write!(self.out, ",\"{key}\":")
    }
}
