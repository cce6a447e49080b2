//! Blocks and their contents.

use std::borrow::Cow;

use crate::hunks::Hunks;
use crate::names::{
    AnnotationKind, DataFormat, DocFormat, Kind, Lang, Media, Priority, Role, Status,
};
use crate::tree::Entries;

/// A block: its content, and an optional summary.
///
/// Decoding borrows from the file where possible. Names are texts (invalid UTF-8 is replaced, as the format
/// requires); contents are the original bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block<'a> {
    /// A short form for a limited budget.
    pub summary: Option<Cow<'a, str>>,
    /// The content.
    pub content: Content<'a>,
}

/// The content of a block, by its type.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)] // docs/bcp.md describes the fields.
pub enum Content<'a> {
    Code {
        lang: Lang,
        path: Cow<'a, str>,
        content: Cow<'a, [u8]>,
        /// The first and the last line in the file, counted from 1.
        lines: Option<(u32, u32)>,
    },
    Conversation {
        role: Role,
        content: Cow<'a, [u8]>,
        tool_call_id: Option<Cow<'a, str>>,
    },
    FileTree {
        root: Cow<'a, str>,
        entries: Entries<'a>,
    },
    ToolResult {
        name: Cow<'a, str>,
        status: Status,
        content: Cow<'a, [u8]>,
        schema_hint: Option<Cow<'a, str>>,
    },
    Document {
        title: Cow<'a, str>,
        content: Cow<'a, [u8]>,
        format: DocFormat,
    },
    StructuredData {
        format: DataFormat,
        schema: Option<Cow<'a, str>>,
        content: Cow<'a, [u8]>,
    },
    Diff {
        path: Cow<'a, str>,
        hunks: Hunks<'a>,
    },
    Annotation {
        /// The index of the target block, counted from zero over all blocks.
        target: u64,
        kind: AnnotationKind,
        value: Cow<'a, [u8]>,
    },
    EmbeddingRef {
        vector_id: Cow<'a, str>,
        source_hash: Cow<'a, [u8]>,
        model: Cow<'a, str>,
    },
    Image {
        media: Media,
        alt: Cow<'a, str>,
        data: Cow<'a, [u8]>,
    },
    Extension {
        namespace: Cow<'a, str>,
        type_name: Cow<'a, str>,
        content: Cow<'a, [u8]>,
    },
    /// A type without a variant here. Never 0xFF, which ends a file.
    Unknown { kind: u8, body: Cow<'a, [u8]> },
}

impl<'a> From<Content<'a>> for Block<'a> {
    fn from(content: Content<'a>) -> Self {
        Self {
            summary: None,
            content,
        }
    }
}

impl Block<'_> {
    /// A copy that borrows nothing.
    pub fn into_owned(self) -> Block<'static> {
        Block {
            summary: self.summary.map(text),
            content: self.content.into_owned(),
        }
    }
}

impl Content<'_> {
    /// The type, if it is known.
    pub fn kind(&self) -> Option<Kind> {
        Kind::from_byte(self.byte())
    }

    /// The content as one run of bytes; empty for a tree, a diff and an embedding, which have parts instead.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Code { content, .. }
            | Self::Conversation { content, .. }
            | Self::ToolResult { content, .. }
            | Self::Document { content, .. }
            | Self::StructuredData { content, .. }
            | Self::Annotation { value: content, .. }
            | Self::Image { data: content, .. }
            | Self::Extension { content, .. }
            | Self::Unknown { body: content, .. } => content,
            Self::FileTree { .. } | Self::Diff { .. } | Self::EmbeddingRef { .. } => &[],
        }
    }

    /// The byte of the type.
    pub fn byte(&self) -> u8 {
        match self {
            Self::Code { .. } => Kind::Code.byte(),
            Self::Conversation { .. } => Kind::Conversation.byte(),
            Self::FileTree { .. } => Kind::FileTree.byte(),
            Self::ToolResult { .. } => Kind::ToolResult.byte(),
            Self::Document { .. } => Kind::Document.byte(),
            Self::StructuredData { .. } => Kind::StructuredData.byte(),
            Self::Diff { .. } => Kind::Diff.byte(),
            Self::Annotation { .. } => Kind::Annotation.byte(),
            Self::EmbeddingRef { .. } => Kind::EmbeddingRef.byte(),
            Self::Image { .. } => Kind::Image.byte(),
            Self::Extension { .. } => Kind::Extension.byte(),
            Self::Unknown { kind, .. } => *kind,
        }
    }

    /// The priority that an annotation assigns: the index of the target block, and its priority. `None` for
    /// other contents and for bytes that are no priority.
    pub fn priority(&self) -> Option<(u64, Priority)> {
        match self {
            Self::Annotation {
                target,
                kind: AnnotationKind::Priority,
                value,
            } => Some((*target, Priority::from_byte(*value.first()?)?)),
            _ => None,
        }
    }

    fn into_owned(self) -> Content<'static> {
        match self {
            Self::Code {
                lang,
                path,
                content,
                lines,
            } => Content::Code {
                lang,
                path: text(path),
                content: bytes(content),
                lines,
            },
            Self::Conversation {
                role,
                content,
                tool_call_id,
            } => Content::Conversation {
                role,
                content: bytes(content),
                tool_call_id: tool_call_id.map(text),
            },
            Self::FileTree { root, entries } => Content::FileTree {
                root: text(root),
                entries: entries.into_owned(),
            },
            Self::ToolResult {
                name,
                status,
                content,
                schema_hint,
            } => Content::ToolResult {
                name: text(name),
                status,
                content: bytes(content),
                schema_hint: schema_hint.map(text),
            },
            Self::Document {
                title,
                content,
                format,
            } => Content::Document {
                title: text(title),
                content: bytes(content),
                format,
            },
            Self::StructuredData {
                format,
                schema,
                content,
            } => Content::StructuredData {
                format,
                schema: schema.map(text),
                content: bytes(content),
            },
            Self::Diff { path, hunks } => Content::Diff {
                path: text(path),
                hunks: hunks.into_owned(),
            },
            Self::Annotation {
                target,
                kind,
                value,
            } => Content::Annotation {
                target,
                kind,
                value: bytes(value),
            },
            Self::EmbeddingRef {
                vector_id,
                source_hash,
                model,
            } => Content::EmbeddingRef {
                vector_id: text(vector_id),
                source_hash: bytes(source_hash),
                model: text(model),
            },
            Self::Image { media, alt, data } => Content::Image {
                media,
                alt: text(alt),
                data: bytes(data),
            },
            Self::Extension {
                namespace,
                type_name,
                content,
            } => Content::Extension {
                namespace: text(namespace),
                type_name: text(type_name),
                content: bytes(content),
            },
            Self::Unknown { kind, body } => Content::Unknown {
                kind,
                body: bytes(body),
            },
        }
    }
}

fn text(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}

fn bytes(bytes: Cow<'_, [u8]>) -> Cow<'static, [u8]> {
    Cow::Owned(bytes.into_owned())
}
