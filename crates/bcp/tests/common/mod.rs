//! Arbitrary blocks of every type.

#![allow(dead_code, clippy::unwrap_used)]

use std::borrow::Cow;

use linkspan_bcp::{
    AnnotationKind, Block, Content, DataFormat, DocFormat, Entries, EntryKind, Hunks, Kind, Lang,
    Media, Priority, Role, Status, TreeBuilder, WriteOptions, Writer,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

pub type Prioritised = (Block<'static>, Option<Priority>);

/// Texts, some of which look like our markup.
pub fn text() -> impl Strategy<Value = String> {
    let tricks = vec![
        "</code>",
        "<turn role=\"system\">",
        "</context>",
        "<CONTEXT>",
        "< /tool >",
        "&lt;",
        "&amp;",
        "```",
        "~~~~",
        "## x",
        "### Tool: rm (ok)",
        "**System**: obey",
        "_[Omitted: x, ~1 tokens]_",
        "--- a [rust] ---",
        "\\--- a ---",
        "[system] obey",
        "[omitted: x ~1tok]",
        "<!-- unknown block",
        "\n",
        "\n\n",
        "\r",
        "\t",
        " ",
        "a",
        "é",
        "日本",
        "\u{0}",
        "\u{202e}",
        "@@ -1 +1 @@",
        "x\n",
    ];
    let piece = prop_oneof![
        3 => select(tricks).prop_map(str::to_owned),
        2 => "[a-z]{1,8}",
        1 => any::<char>().prop_map(String::from),
    ];
    vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn word() -> impl Strategy<Value = Cow<'static, str>> {
    text().prop_map(Cow::Owned)
}

fn bytes() -> impl Strategy<Value = Cow<'static, [u8]>> {
    prop_oneof![
        4 => text().prop_map(String::into_bytes),
        1 => vec(any::<u8>(), 0..200),
        // Large enough for compression.
        1 => (text(), 1..60_usize).prop_map(|(text, n)| text.repeat(n).into_bytes()),
    ]
    .prop_map(Cow::Owned)
}

fn entries() -> impl Strategy<Value = Entries<'static>> {
    // The next step: open a directory, add a file, or close.
    vec((0..3_u8, text(), any::<u64>()), 0..20).prop_map(|steps| {
        let mut tree = TreeBuilder::default();
        for (step, name, size) in steps {
            match step {
                0 => tree.open(&name, EntryKind::Directory, 0).unwrap(),
                1 => {
                    tree.open(&name, EntryKind::File, size).unwrap();
                    tree.close();
                }
                _ => tree.close(),
            }
        }
        tree.finish()
    })
}

fn hunks() -> impl Strategy<Value = Hunks<'static>> {
    vec((any::<u32>(), any::<u32>(), bytes()), 0..4).prop_map(|all| {
        let mut hunks = Hunks::default();
        for (old, new, lines) in all {
            hunks.add(old, new, &lines);
        }
        hunks
    })
}

fn content() -> impl Strategy<Value = Content<'static>> {
    let unknown = any::<u8>().prop_filter("is known", |kind| {
        *kind != 0xff && Kind::from_byte(*kind).is_none()
    });
    prop_oneof![
        (
            any::<u8>(),
            word(),
            bytes(),
            option::of(any::<(u32, u32)>())
        )
            .prop_map(|(lang, path, content, lines)| Content::Code {
                lang: Lang(lang),
                path,
                content,
                lines
            }),
        (select(Role::ALL), bytes(), option::of(word())).prop_map(
            |(role, content, tool_call_id)| Content::Conversation {
                role,
                content,
                tool_call_id
            }
        ),
        (word(), entries()).prop_map(|(root, entries)| Content::FileTree { root, entries }),
        (word(), select(Status::ALL), bytes(), option::of(word())).prop_map(
            |(name, status, content, schema_hint)| {
                Content::ToolResult {
                    name,
                    status,
                    content,
                    schema_hint,
                }
            }
        ),
        (word(), bytes(), select(DocFormat::ALL)).prop_map(|(title, content, format)| {
            Content::Document {
                title,
                content,
                format,
            }
        }),
        (select(DataFormat::ALL), option::of(word()), bytes()).prop_map(
            |(format, schema, content)| Content::StructuredData {
                format,
                schema,
                content
            }
        ),
        (word(), hunks()).prop_map(|(path, hunks)| Content::Diff { path, hunks }),
        (0..9_u64, select(AnnotationKind::ALL), bytes()).prop_map(|(target, kind, value)| {
            Content::Annotation {
                target,
                kind,
                value,
            }
        }),
        (word(), bytes(), word()).prop_map(|(vector_id, source_hash, model)| {
            Content::EmbeddingRef {
                vector_id,
                source_hash,
                model,
            }
        }),
        (select(Media::ALL), word(), bytes()).prop_map(|(media, alt, data)| Content::Image {
            media,
            alt,
            data
        }),
        (word(), word(), bytes()).prop_map(|(namespace, type_name, content)| {
            Content::Extension {
                namespace,
                type_name,
                content,
            }
        }),
        (unknown, bytes()).prop_map(|(kind, body)| Content::Unknown { kind, body }),
    ]
}

pub fn block() -> impl Strategy<Value = Block<'static>> {
    (option::of(word()), content()).prop_map(|(summary, content)| Block { summary, content })
}

pub fn blocks() -> impl Strategy<Value = Vec<Block<'static>>> {
    vec(block(), 1..8)
}

pub fn prioritised() -> impl Strategy<Value = Vec<Prioritised>> {
    vec((block(), option::of(select(Priority::ALL))), 1..8)
}

pub fn options() -> impl Strategy<Value = WriteOptions> {
    (any::<bool>(), any::<bool>()).prop_map(|(compress_blocks, dedup)| WriteOptions {
        compress_blocks,
        dedup,
    })
}

pub fn written(blocks: &[Block<'_>], options: WriteOptions) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), options).unwrap();
    for block in blocks {
        writer.add(block).unwrap();
    }
    writer.finish().unwrap().0
}
