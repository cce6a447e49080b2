//! Property tests of manifests.

use std::borrow::Cow;
use std::io::Read;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::tests::{files, read};
use super::*;
use crate::block::Content;
use crate::hunks::Hunks;
use crate::names::{
    AnnotationKind, DataFormat, DocFormat, EntryKind, Kind, Lang, Media, Role, Status,
};
use crate::tree::{Entries, TreeBuilder};

/// Reads a few bytes at a time.
pub(super) struct Slow<'a>(pub(super) &'a [u8], pub(super) usize);

impl Read for Slow<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(out.len());
        self.0.read(&mut out[..count])
    }
}

pub(super) fn text() -> impl Strategy<Value = Cow<'static, str>> {
    prop_oneof![
        "(?s).{0,40}",
        "[\\x00-\\x2f\\\\\"]{0,80}",
        "[a-z./\\\\ ]{0,200}"
    ]
    .prop_map(Cow::Owned)
}

fn bytes() -> impl Strategy<Value = Cow<'static, [u8]>> {
    prop_oneof![
        text().prop_map(|text| text.into_owned().into_bytes()),
        vec(any::<u8>(), 0..100),
        vec(any::<u8>(), 32),
    ]
    .prop_map(Cow::Owned)
}

fn word<T: Copy + std::fmt::Debug>(all: &'static [T]) -> impl Strategy<Value = T> {
    prop::sample::select(all)
}

fn entries() -> impl Strategy<Value = Entries<'static>> {
    let step = (any::<bool>(), text(), word(EntryKind::ALL), any::<u64>());
    let wide = vec(step, 0..20).prop_map(|steps| {
        let mut tree = TreeBuilder::default();
        for (up, name, kind, size) in steps {
            if up {
                tree.close();
            }
            tree.open(&name, kind, size).unwrap();
        }
        tree.finish()
    });
    let deep = (0..256_usize).prop_map(|levels| {
        let mut tree = TreeBuilder::default();
        (0..levels).for_each(|_| tree.open("d", EntryKind::Directory, 1).unwrap());
        tree.finish()
    });
    prop_oneof![4 => wide, 1 => deep]
}

fn hunks() -> impl Strategy<Value = Hunks<'static>> {
    vec((any::<u32>(), any::<u32>(), bytes()), 0..5).prop_map(|all| {
        let mut hunks = Hunks::default();
        for (old_start, new_start, lines) in all {
            hunks.add(old_start, new_start, &lines);
        }
        hunks
    })
}

fn content() -> impl Strategy<Value = Content<'static>> {
    let lines = option::of(any::<(u32, u32)>());
    prop_oneof![
        (any::<u8>(), text(), bytes(), lines).prop_map(|(lang, path, content, lines)| {
            Content::Code {
                lang: Lang(lang),
                path,
                content,
                lines,
            }
        }),
        (word(Role::ALL), bytes(), option::of(text())).prop_map(|(role, content, id)| {
            Content::Conversation {
                role,
                content,
                tool_call_id: id,
            }
        }),
        (text(), entries()).prop_map(|(root, entries)| Content::FileTree { root, entries }),
        (text(), word(Status::ALL), bytes(), option::of(text())).prop_map(
            |(name, status, content, schema_hint)| Content::ToolResult {
                name,
                status,
                content,
                schema_hint,
            }
        ),
        (text(), bytes(), word(DocFormat::ALL)).prop_map(|(title, content, format)| {
            Content::Document {
                title,
                content,
                format,
            }
        }),
        (word(DataFormat::ALL), option::of(text()), bytes()).prop_map(
            |(format, schema, content)| Content::StructuredData {
                format,
                schema,
                content,
            }
        ),
        (text(), hunks()).prop_map(|(path, hunks)| Content::Diff { path, hunks }),
        (any::<u64>(), word(AnnotationKind::ALL), annotation()).prop_map(
            |(target, kind, value)| Content::Annotation {
                target,
                kind,
                value,
            }
        ),
        (text(), bytes(), text()).prop_map(|(vector_id, source_hash, model)| {
            Content::EmbeddingRef {
                vector_id,
                source_hash,
                model,
            }
        }),
        (word(Media::ALL), text(), bytes()).prop_map(|(media, alt, data)| Content::Image {
            media,
            alt,
            data,
        }),
        (text(), text(), bytes()).prop_map(|(namespace, type_name, content)| {
            Content::Extension {
                namespace,
                type_name,
                content,
            }
        }),
        (0..255_u8, bytes())
            .prop_filter("a type with a name", |(kind, _)| {
                Kind::from_byte(*kind).is_none()
            })
            .prop_map(|(kind, body)| Content::Unknown { kind, body }),
    ]
}

fn annotation() -> impl Strategy<Value = Cow<'static, [u8]>> {
    prop_oneof![bytes(), (0..7_u8).prop_map(|byte| Cow::Owned(vec![byte]))]
}

fn item() -> impl Strategy<Value = (Block<'static>, Option<Priority>)> {
    let priority = option::of(word(Priority::ALL));
    (content(), option::of(text()), priority)
        .prop_map(|(content, summary, priority)| (Block { summary, content }, priority))
}

fn written(items: &[(Block<'_>, Option<Priority>)]) -> Vec<u8> {
    let mut out = b"{\"blocks\":[".to_vec();
    for (i, (block, priority)) in items.iter().enumerate() {
        out.extend_from_slice(if i == 0 { b"\n" } else { b",\n" });
        write_block(block, *priority, &mut out).unwrap();
    }
    out.extend_from_slice(b"\n]}\n");
    out
}

proptest! {
    #[test]
    fn a_block_that_is_written_is_read_back(items in vec(item(), 0..4), step in 1..70_usize) {
        let text = written(&items);
        if let Err(e) = serde_json::from_slice::<serde_json::Value>(&text) {
            // serde_json has a smaller nesting limit than our parser.
            prop_assert!(e.to_string().contains("recursion limit"), "{}", e);
        }
        prop_assert_eq!(read(Slow(&text, step), files()).unwrap(), items);
    }

    #[test]
    fn where_reads_end_makes_no_difference(
        items in vec(item(), 0..3),
        cut in any::<prop::sample::Index>(),
        put in option::of(any::<u8>()),
        step in 1..70_usize,
    ) {
        let mut text = written(&items);
        let at = cut.index(text.len());
        match put {
            Some(byte) => text[at] = byte,
            None => text.truncate(at),
        }
        prop_assert_eq!(read(&text[..], files()), read(Slow(&text, step), files()));
    }

    #[test]
    fn arbitrary_bytes_do_not_panic(soup in vec(any::<u8>(), 0..200)) {
        let _ = read(&soup[..], files());
        let block = [b"{\"blocks\":[{\"content\":\"", &soup[..], b"\"}]}"].concat();
        let _ = read(&block[..], files());
    }
}
