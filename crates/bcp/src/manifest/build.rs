//! Builds a block from its members.

use std::borrow::Cow;

use super::ManifestOptions;
use super::error::Problem;
use super::fields::{Field, Fields};
use super::json::Result;
use crate::block::{Block, Content};
use crate::hunks::Hunks;
use crate::names::{AnnotationKind, DataFormat, DocFormat, Kind, Media, Priority, Role, Status};

/// The value of `"type"` for a block whose type has no name.
pub(super) const UNKNOWN: &str = "unknown";

/// `$type` by the name in a field, if given.
macro_rules! word {
    ($fields:expr, $field:expr, $type:ident) => {
        $fields.word($field, $type::WHAT, $type::parse, || {
            $type::ALL.iter().map(|word| word.name()).collect()
        })
    };
}

impl Fields {
    /// The block and its priority.
    pub(super) fn build(
        &mut self,
        options: &ManifestOptions,
    ) -> Result<(Block<'_>, Option<Priority>)> {
        let hunks = std::mem::take(&mut self.hunks);
        let this = &*self;
        let kind = this.kind()?;
        let content = match kind {
            Some(kind) => this.content(kind, hunks, options)?,
            None => this.unknown()?,
        };
        let ignored =
            options.compat && matches!(kind, Some(Kind::ToolResult | Kind::StructuredData));
        if ignored {
            return Ok((content.into(), None));
        }
        let summary = this.text(Field::Summary)?;
        Ok((Block { summary, content }, this.priority(Field::Priority)?))
    }

    /// The type, if it has a name.
    fn kind(&self) -> Result<Option<Kind>> {
        let word = self.need("a block", Field::Type)?;
        let kind = Kind::parse(&word);
        if kind.is_none() && !word.eq_ignore_ascii_case(UNKNOWN) {
            let names = Kind::ALL.iter().map(|kind| kind.name());
            return Err(Problem::Word {
                what: "type",
                word: word.into_owned(),
                allowed: names.chain([UNKNOWN]).collect(),
            });
        }
        Ok(kind)
    }

    /// A text that manifests of the reference implementation do not have.
    fn text_unless_compat(
        &self,
        field: Field,
        options: &ManifestOptions,
    ) -> Result<Option<Cow<'_, str>>> {
        if options.compat {
            return Ok(None);
        }
        self.text(field)
    }

    fn content<'a>(
        &'a self,
        kind: Kind,
        hunks: Hunks<'a>,
        options: &ManifestOptions,
    ) -> Result<Content<'a>> {
        let what = kind.name();
        Ok(match kind {
            Kind::Code => Content::Code {
                lang: self.lang(what)?,
                path: self.need(what, Field::Path)?,
                content: self.need_contents(what, options)?,
                lines: if options.compat { None } else { self.lines()? },
            },
            Kind::Conversation => Content::Conversation {
                role: self.found(what, Field::Role, word!(self, Field::Role, Role)?)?,
                content: self.need_contents(what, options)?,
                tool_call_id: self.text_unless_compat(Field::ToolCallId, options)?,
            },
            Kind::FileTree => Content::FileTree {
                root: self.need(what, Field::Root)?,
                entries: self.entries(what)?,
            },
            Kind::ToolResult => Content::ToolResult {
                name: self.need(what, Field::Name)?,
                status: word!(self, Field::Status, Status)?.unwrap_or(Status::Ok),
                content: self.need_contents(what, options)?,
                schema_hint: self.text_unless_compat(Field::SchemaHint, options)?,
            },
            Kind::Document => Content::Document {
                title: self.need(what, Field::Title)?,
                content: self.need_contents(what, options)?,
                format: word!(self, Field::Format, DocFormat)?.unwrap_or(DocFormat::Markdown),
            },
            Kind::StructuredData => Content::StructuredData {
                format: self.found(what, Field::Format, word!(self, Field::Format, DataFormat)?)?,
                schema: self.text_unless_compat(Field::Schema, options)?,
                content: self.need_contents(what, options)?,
            },
            Kind::Diff => Content::Diff {
                path: self.need(what, Field::Path)?,
                hunks: self.list(what, Field::Hunks).map(|()| hunks)?,
            },
            Kind::Annotation => {
                let kind =
                    self.found(what, Field::Kind, word!(self, Field::Kind, AnnotationKind)?)?;
                Content::Annotation {
                    target: self.found(what, Field::Target, self.int(Field::Target, u64::MAX)?)?,
                    kind,
                    value: self.annotation(what, kind)?,
                }
            }
            Kind::EmbeddingRef => Content::EmbeddingRef {
                vector_id: self.need(what, Field::VectorId)?,
                source_hash: self.source_hash(what)?,
                model: self.need(what, Field::Model)?,
            },
            Kind::Image => Content::Image {
                media: self.found(what, Field::Media, word!(self, Field::Media, Media)?)?,
                alt: self.text(Field::Alt)?.unwrap_or_default(),
                data: self.image(what, options)?,
            },
            Kind::Extension => Content::Extension {
                namespace: self.need(what, Field::Namespace)?,
                type_name: self.need(what, Field::TypeName)?,
                content: self.need_contents(what, options)?,
            },
        })
    }
}
