//! Valid manifests.

use super::*;
use crate::block::Content;
use crate::names::{AnnotationKind, Lang, Status};
use crate::tree::Step;

type Owned = (Block<'static>, Option<Priority>);

pub(super) fn read(text: impl Read, options: ManifestOptions) -> Result<Vec<Owned>, ManifestError> {
    let mut manifest = Manifest::new(text, options);
    let mut items = Vec::new();
    while let Some(item) = manifest.next()? {
        assert_eq!(item.index, items.len() as u64);
        items.push((item.block.into_owned(), item.priority));
    }
    assert!(manifest.next()?.is_none());
    Ok(items)
}

pub(super) fn files() -> ManifestOptions<'static> {
    let files = Box::new(|path: &str, _: u64| match path {
        "b.zig" => Ok(b"const x = 1;\n".to_vec()),
        _ => Err("there is no such file".into()),
    });
    ManifestOptions {
        compat: false,
        files,
    }
}

fn one(block: &str) -> Block<'static> {
    let text = format!("{{\"blocks\":[{block}]}}");
    read(text.as_bytes(), files()).unwrap().remove(0).0
}

fn bytes(content: &Content<'_>) -> Vec<u8> {
    match content {
        Content::Code { content, .. }
        | Content::Conversation { content, .. }
        | Content::Extension { content, .. } => content.to_vec(),
        Content::Annotation { value, .. } => value.to_vec(),
        Content::Image { data, .. } => data.to_vec(),
        Content::Unknown { body, .. } => body.to_vec(),
        Content::EmbeddingRef { source_hash, .. } => source_hash.to_vec(),
        other => panic!("{other:?} has no bytes"),
    }
}

#[test]
fn a_manifest_of_the_reference_implementation_is_read() {
    let text = r#"{"blocks":[
        {"type":"code","lang":"rust","path":"a.rs","content":"fn a() {}\n","summary":"s","priority":"high"},
        {"type":"code","lang":"zig","path":"b.zig","content_file":"b.zig"},
        {"type":"tool_result","name":"rg","status":"err","content":""}
    ]}"#;
    let items = read(text.as_bytes(), files()).unwrap();
    assert_eq!(items[0].0.summary.as_deref(), Some("s"));
    assert_eq!(items[0].1, Some(Priority::High));
    assert_eq!(bytes(&items[1].0.content), b"const x = 1;\n");
    let Content::ToolResult { status, .. } = items[2].0.content else {
        panic!("not a tool result");
    };
    assert_eq!(status, Status::Error);
}

#[test]
fn names_of_both_dialects_are_equivalent() {
    let pairs = [
        (
            r#"{"type":"tool_result","name":"ls","content":"x"}"#,
            r#"{"type":"tool_result","tool_name":"ls","status":"ok","content":"x"}"#,
        ),
        (
            r#"{"type":"document","title":"t","format":"txt","content":"x"}"#,
            r#"{"format_hint":"plain","content":"x","title":"t","type":"document"}"#,
        ),
        (
            r#"{"type":"file_tree","root":"/","entries":[{"name":"a","kind":"dir","children":[]}]}"#,
            r#"{"type":"file_tree","root_path":"/","entries":[{"children":[],"size":0,"name":"a"}]}"#,
        ),
        (
            r#"{"type":"image","media":"png","alt":"a","data":"eA=="}"#,
            r#"{"type":"image","media_type":"image/png","alt_text":"a","data":"eA"}"#,
        ),
        (
            r#"{"type":"annotation","target":3,"kind":"priority","value":"high"}"#,
            r#"{"type":"annotation","target_block_id":3,"kind":"priority","value":2}"#,
        ),
        (
            r#"{"type":"extension","namespace":"n","type_name":"t","content":"x"}"#,
            r#"{"type":"extension","ns":"n","type_name":"t","content_base64":"eA=="}"#,
        ),
        (
            r#"{"type":"code","lang":66,"path":"p","content":"","lines":[10,300]}"#,
            r#"{"type":"code","lang":"other(66)","path":"p","content":"","line_end":300,"line_start":10}"#,
        ),
        (
            r#"{"type":"unknown","kind":"0x42","body_base64":"eA=="}"#,
            r#"{"type":"unknown","kind":66,"body":"x"}"#,
        ),
    ];
    for (one_way, other_way) in pairs {
        assert_eq!(one(one_way), one(other_way), "{one_way}");
    }
}

#[test]
fn children_may_come_before_the_name() {
    let block = one(
        r#"{"entries":[{"children":[{"size":7,"name":"b"}],"name":"a"},{"name":"c"}],
        "root":"r","type":"file_tree"}"#,
    );
    let Content::FileTree { entries, .. } = &block.content else {
        panic!("not a tree");
    };
    let names: Vec<_> = entries
        .walk()
        .map(|step| match step {
            Step::Open(entry) => format!("{} {}", entry.name, entry.size),
            Step::Close => "^".to_owned(),
        })
        .collect();
    assert_eq!(names, ["a 0", "b 7", "^", "^", "c 0", "^"]);
}

#[test]
fn a_hash_is_hex_or_any_other_text() {
    let hex = format!(
        r#"{{"type":"embedding_ref","vector_id":"v","model":"m","source_hash":"{}"}}"#,
        "aB".repeat(32)
    );
    assert_eq!(bytes(&one(&hex).content), [0xAB; 32]);
    let text = r#"{"type":"embedding_ref","vector_id":"v","model":"m","source_hash":"aabb"}"#;
    assert_eq!(bytes(&one(text).content), b"aabb");
}

#[test]
fn an_invalid_hash_is_refused() {
    for hash in [
        "aa…(64 digits)",
        &"xy".repeat(32),
        &("é".repeat(64)),
        "aa...",
    ] {
        let text = format!(
            r#"{{"blocks":[{{"type":"embedding_ref","vector_id":"v","model":"m","source_hash":"{hash}"}}]}}"#
        );
        let why = read(text.as_bytes(), files()).unwrap_err().to_string();
        assert!(why.contains("64 hex digits"), "{why}");
    }
}

#[test]
fn an_unknown_language_name_is_the_unknown_language() {
    let block = one(r#"{"type":"code","lang":"zig","path":"","content":""}"#);
    let Content::Code { lang, .. } = block.content else {
        panic!("not code");
    };
    assert_eq!(lang, Lang::UNKNOWN);
}

#[test]
fn content_has_precedence_over_content_file() {
    let block = one(r#"{"type":"conversation","role":"USER","content_file":"no","content":"x"}"#);
    assert_eq!(bytes(&block.content), b"x");
}

#[test]
fn null_counts_as_absent() {
    let block = one(
        r#"{"type":"conversation","role":"user","content":"x","summary":null,"priority":null,
        "content_file":null}"#,
    );
    assert_eq!(block.summary, None);
}

#[test]
fn unused_members_are_ignored_whatever_their_values() {
    let block = one(
        r#"{"entries":[{"kind":[{"a":1}]}, 3],"hunks":7,"lines":{"x":[]},"path":1,"path":2,
        "zzz":[[{"type":"x"}]],"type":"conversation","role":"tool","content":"x","tool_call_id":"c"}"#,
    );
    let Content::Conversation { tool_call_id, .. } = &block.content else {
        panic!("not a turn");
    };
    assert_eq!(tool_call_id.as_deref(), Some("c"));
}

#[test]
fn compat_ignores_the_same_members_as_the_reference_implementation() {
    let text = r#"{"blocks":[{"type":"tool_result","name":"rg","content":"x","summary":3,"priority":"bogus"},
        {"type":"conversation","role":"user","content":"x","summary":"s","priority":"low","tool_call_id":3},
        {"type":"code","lang":"c","path":"p","content":"x","lines":[1,2]},
        {"type":"code","lang":"c","path":"p","content":"x","line_start":"one"}]}"#;
    let compat = ManifestOptions {
        compat: true,
        ..files()
    };
    let items = read(text.as_bytes(), compat).unwrap();
    assert_eq!((&items[0].0.summary, items[0].1), (&None, None));
    assert_eq!(items[1].0.summary.as_deref(), Some("s"));
    assert_eq!(items[1].1, Some(Priority::Low));
    for (block, _) in &items[2..] {
        assert!(matches!(block.content, Content::Code { lines: None, .. }));
    }
    let strict = read(text.as_bytes(), files()).unwrap_err();
    assert_eq!(
        strict.to_string(),
        "block 0: \"summary\" must be a string, not a number"
    );
}

#[test]
fn settings_are_available_at_the_end() {
    let text =
        r#"{"description":"x","auto_dedup":true,"blocks":[],"compress_payload":false,"n":1.5e3}"#;
    let mut manifest = Manifest::new(text.as_bytes(), ManifestOptions::default());
    assert_eq!(manifest.next().unwrap(), None);
    let settings = manifest.settings();
    assert_eq!(settings.auto_dedup, Some(true));
    assert_eq!(settings.compress_blocks, None);
    assert_eq!(settings.compress_payload, Some(false));
}

#[test]
fn a_byte_order_mark_is_skipped() {
    assert!(
        read("\u{feff}{\"blocks\":[]}".as_bytes(), files())
            .unwrap()
            .is_empty()
    );
}

#[test]
fn an_annotation_may_hold_any_bytes() {
    let text = r#"{"type":"annotation","target":0,"kind":"priority","value_base64":"CQE="}"#;
    let Content::Annotation { kind, value, .. } = one(text).content else {
        panic!("not an annotation");
    };
    assert_eq!(
        (kind, value.to_vec()),
        (AnnotationKind::Priority, vec![9, 1])
    );
}

/// `MANIFEST=file cargo test --release -p linkspan-bcp how_fast -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn how_fast_is_reading_a_manifest() {
    let path = std::env::var_os("MANIFEST").expect("MANIFEST names a file");
    let size = std::fs::metadata(&path).unwrap().len();
    for _ in 0..7 {
        let start = std::time::Instant::now();
        let file = std::fs::File::open(&path).unwrap();
        let mut manifest = Manifest::new(file, ManifestOptions::default());
        let mut count = 0;
        while manifest.next().unwrap().is_some() {
            count += 1;
        }
        let took = start.elapsed();
        let speed = size as f64 / took.as_secs_f64() / 1e6;
        eprintln!("{count} blocks, {size} bytes in {took:?}: {speed:.0} MB/s");
    }
}
