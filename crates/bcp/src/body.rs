//! Reads and writes the body of a block: the summary, then the fields in the order of the specification.

use std::borrow::Cow;

use crate::block::{Block, Content};
use crate::error::{Flaw, Reason};
use crate::hunks::Hunks;
use crate::names::{AnnotationKind, DataFormat, DocFormat, Kind, Lang, Media, Role, Status};
use crate::tlv::{Field, Fields, put_bytes, put_int};
use crate::tree::Entries;
use crate::varint;

/// Reads an opened body.
pub(crate) fn read(kind: u8, has_summary: bool, body: &[u8]) -> Result<Block<'_>, Flaw> {
    let (summary, start) = if has_summary {
        let (summary, start) = read_summary(body)?;
        (Some(summary), start)
    } else {
        (None, 0)
    };
    let content = match Kind::from_byte(kind) {
        Some(kind) => read_content(kind, &body[start..]).map_err(|flaw| Flaw {
            at: flaw.at + start,
            ..flaw
        })?,
        None => Content::Unknown {
            kind,
            body: Cow::Borrowed(&body[start..]),
        },
    };
    Ok(Block { summary, content })
}

fn read_summary(body: &[u8]) -> Result<(Cow<'_, str>, usize), Flaw> {
    let truncated = |says, has| {
        Reason::Beyond {
            what: "a summary",
            says,
            has,
        }
        .at(0)
    };
    let Some((says, used)) = varint::read(body).map_err(|reason| reason.at(0))? else {
        return Err(truncated(None, body.len() as u64));
    };
    let rest = &body[used..];
    let text = usize::try_from(says).ok().and_then(|len| rest.get(..len));
    let text = text.ok_or_else(|| truncated(Some(says), rest.len() as u64))?;
    Ok((String::from_utf8_lossy(text), used + text.len()))
}

/// The fields of a body that may occur once. The last occurrence counts.
struct Once<'a>([Option<Field<'a>>; 5]);

impl<'a> Once<'a> {
    fn read(body: &'a [u8]) -> Result<Self, Flaw> {
        let mut once = Self([None; 5]);
        let mut fields = Fields::new(body);
        while let Some(field) = fields.next()? {
            if let Some(place) = usize::try_from(field.id)
                .ok()
                .and_then(|id| id.checked_sub(1))
                .and_then(|index| once.0.get_mut(index))
            {
                *place = Some(field);
            }
        }
        Ok(once)
    }

    fn get(&self, id: usize) -> Option<&Field<'a>> {
        self.0[id - 1].as_ref()
    }

    fn must(&self, id: usize, name: &'static str) -> Result<&Field<'a>, Flaw> {
        self.get(id).ok_or_else(|| Reason::Missing(name).at(0))
    }

    fn bytes(&self, id: usize, name: &'static str) -> Result<Cow<'a, [u8]>, Flaw> {
        Ok(Cow::Borrowed(self.must(id, name)?.bytes(name)?))
    }

    fn text(&self, id: usize, name: &'static str) -> Result<Cow<'a, str>, Flaw> {
        Ok(String::from_utf8_lossy(self.must(id, name)?.bytes(name)?))
    }

    fn text_if_any(&self, id: usize, name: &'static str) -> Result<Option<Cow<'a, str>>, Flaw> {
        self.get(id)
            .map(|field| field.bytes(name).map(String::from_utf8_lossy))
            .transpose()
    }

    fn u32_if_any(&self, id: usize, name: &'static str) -> Result<Option<u32>, Flaw> {
        self.get(id).map(|field| field.u32(name)).transpose()
    }
}

fn read_content(kind: Kind, body: &[u8]) -> Result<Content<'_>, Flaw> {
    let one = Once::read(body)?;
    Ok(match kind {
        Kind::Code => {
            let lang = one
                .must(1, "lang")?
                .word("language", |byte| Some(Lang(byte)))?;
            let (start, end) = (
                one.u32_if_any(4, "line_start")?,
                one.u32_if_any(5, "line_end")?,
            );
            Content::Code {
                lang,
                path: one.text(2, "path")?,
                content: one.bytes(3, "content")?,
                // One of them without the other is ignored.
                lines: start.zip(end),
            }
        }
        Kind::Conversation => Content::Conversation {
            role: one.must(1, "role")?.word(Role::WHAT, Role::from_byte)?,
            content: one.bytes(2, "content")?,
            tool_call_id: one.text_if_any(3, "tool_call_id")?,
        },
        Kind::FileTree => Content::FileTree {
            root: one.text(1, "root_path")?,
            entries: Entries::check(body)?,
        },
        Kind::ToolResult => Content::ToolResult {
            name: one.text(1, "tool_name")?,
            status: one
                .must(2, "status")?
                .word(Status::WHAT, Status::from_byte)?,
            content: one.bytes(3, "content")?,
            schema_hint: one.text_if_any(4, "schema_hint")?,
        },
        Kind::Document => Content::Document {
            title: one.text(1, "title")?,
            content: one.bytes(2, "content")?,
            format: one
                .must(3, "format_hint")?
                .word(DocFormat::WHAT, DocFormat::from_byte)?,
        },
        Kind::StructuredData => Content::StructuredData {
            format: one
                .must(1, "format")?
                .word(DataFormat::WHAT, DataFormat::from_byte)?,
            schema: one.text_if_any(2, "schema")?,
            content: one.bytes(3, "content")?,
        },
        Kind::Diff => Content::Diff {
            path: one.text(1, "path")?,
            hunks: Hunks::check(body)?,
        },
        Kind::Annotation => Content::Annotation {
            target: one.must(1, "target_block_id")?.int("target_block_id")?,
            kind: one
                .must(2, "kind")?
                .word(AnnotationKind::WHAT, AnnotationKind::from_byte)?,
            value: one.bytes(3, "value")?,
        },
        Kind::EmbeddingRef => Content::EmbeddingRef {
            vector_id: one.text(1, "vector_id")?,
            source_hash: one.bytes(2, "source_hash")?,
            model: one.text(3, "model")?,
        },
        Kind::Image => Content::Image {
            media: one
                .must(1, "media_type")?
                .word(Media::WHAT, Media::from_byte)?,
            alt: one.text(2, "alt_text")?,
            data: one.bytes(3, "data")?,
        },
        Kind::Extension => Content::Extension {
            namespace: one.text(1, "namespace")?,
            type_name: one.text(2, "type_name")?,
            content: one.bytes(3, "content")?,
        },
    })
}

/// Appends the body of a block.
pub(crate) fn write(block: &Block<'_>, out: &mut Vec<u8>) {
    if let Some(summary) = &block.summary {
        varint::write(summary.len() as u64, out);
        out.extend_from_slice(summary.as_bytes());
    }
    match &block.content {
        Content::Code {
            lang,
            path,
            content,
            lines,
        } => {
            put_int(1, u64::from(lang.0), out);
            put_bytes(2, path.as_bytes(), out);
            put_bytes(3, content, out);
            if let Some((start, end)) = lines {
                put_int(4, u64::from(*start), out);
                put_int(5, u64::from(*end), out);
            }
        }
        Content::Conversation {
            role,
            content,
            tool_call_id,
        } => {
            put_int(1, u64::from(role.byte()), out);
            put_bytes(2, content, out);
            put_text_if_any(3, tool_call_id, out);
        }
        Content::FileTree { root, entries } => {
            put_bytes(1, root.as_bytes(), out);
            entries.write(out);
        }
        Content::ToolResult {
            name,
            status,
            content,
            schema_hint,
        } => {
            put_bytes(1, name.as_bytes(), out);
            put_int(2, u64::from(status.byte()), out);
            put_bytes(3, content, out);
            put_text_if_any(4, schema_hint, out);
        }
        Content::Document {
            title,
            content,
            format,
        } => {
            put_bytes(1, title.as_bytes(), out);
            put_bytes(2, content, out);
            put_int(3, u64::from(format.byte()), out);
        }
        Content::StructuredData {
            format,
            schema,
            content,
        } => {
            put_int(1, u64::from(format.byte()), out);
            put_text_if_any(2, schema, out);
            put_bytes(3, content, out);
        }
        Content::Diff { path, hunks } => {
            put_bytes(1, path.as_bytes(), out);
            hunks.write(out);
        }
        Content::Annotation {
            target,
            kind,
            value,
        } => {
            put_int(1, *target, out);
            put_int(2, u64::from(kind.byte()), out);
            put_bytes(3, value, out);
        }
        Content::EmbeddingRef {
            vector_id,
            source_hash,
            model,
        } => {
            put_bytes(1, vector_id.as_bytes(), out);
            put_bytes(2, source_hash, out);
            put_bytes(3, model.as_bytes(), out);
        }
        Content::Image { media, alt, data } => {
            put_int(1, u64::from(media.byte()), out);
            put_bytes(2, alt.as_bytes(), out);
            put_bytes(3, data, out);
        }
        Content::Extension {
            namespace,
            type_name,
            content,
        } => {
            put_bytes(1, namespace.as_bytes(), out);
            put_bytes(2, type_name.as_bytes(), out);
            put_bytes(3, content, out);
        }
        Content::Unknown { body, .. } => out.extend_from_slice(body),
    }
}

fn put_text_if_any(id: u64, text: &Option<Cow<'_, str>>, out: &mut Vec<u8>) {
    if let Some(text) = text {
        put_bytes(id, text.as_bytes(), out);
    }
}
