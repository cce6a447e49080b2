use linkspan_bcp::Kind as Type;
use proptest::prelude::*;

use super::*;
use crate::detect::detect;

fn types(text: &str) -> Vec<Type> {
    let regions = detect(text, 0.7);
    blocks(text, &regions, "tool")
        .iter()
        .filter_map(|block| block.content.kind())
        .collect()
}

fn shown(text: &str, mode: Mode) -> String {
    render(
        text,
        &detect(text, 0.7),
        "tool",
        mode,
        None,
        Vocabulary::Estimate,
    )
}

/// Stores a text and restores it.
fn kept(text: &str) -> Vec<Type> {
    let file = document(text, &detect(text, 0.1), "tool");
    assert_eq!(original(&file).as_deref(), Ok(text));
    let read = linkspan_bcp::Blocks::new(&file, Limits::default()).unwrap();
    read.filter_map(|block| block.unwrap().content.kind())
        .collect()
}

const TREE: &str = "\
src
├── bin
│   └── main.rs
├── lib.rs
└── util
    ├── a.rs
    └── b.rs

2 directories, 4 files
";

const DIFF: &str = "\
diff --git a/src/a.rs b/src/a.rs
index 123..456 100644
--- a/src/a.rs
+++ b/src/a.rs
@@ -1,2 +1,2 @@ fn main()
-old
+new
 same
diff --git a/old.rs b/new.rs
similarity index 100%
rename from old.rs
rename to new.rs
";

#[test]
fn a_tree_becomes_a_file_tree_and_is_restored() {
    assert_eq!(types(TREE), [Type::FileTree]);
    assert_eq!(kept(TREE), [Type::FileTree, Type::Annotation]);
    let plain = "<context>\n<tree root=\"src\">\nbin/\n  main.rs\nlib.rs\nutil/\n  a.rs\n  b.rs\n</tree>\n</context>";
    assert_eq!(shown(TREE, Mode::Xml), plain);
}

#[test]
fn trees_in_other_styles_are_restored() {
    for [branch, last, trunk] in [
        ["|-- ", "`-- ", "|   "],
        ["├── ", "└── ", "│\u{a0}\u{a0} "],
        ["+-- ", "\\-- ", "|   "],
    ] {
        let text = TREE
            .replace("│   ", trunk)
            .replace("├── ", branch)
            .replace("└── ", last);
        assert_eq!(kept(&text), [Type::FileTree, Type::Annotation], "{text}");
    }
    let folders = "./\n├── a/\n│   └── b\n└── c/";
    assert_eq!(kept(folders), [Type::FileTree, Type::Annotation]);
    assert_eq!(kept(&folders[3..]), [Type::ToolResult]);
}

#[test]
fn a_tree_in_an_unknown_style_is_stored_as_text() {
    let text = TREE.replace("    ├── a", "   ├── a");
    assert_eq!(kept(&text), [Type::ToolResult]);
}

#[test]
fn paths_become_a_file_tree_and_are_restored() {
    let files =
        "/home/me/a/x.rs\n/home/me/a/y.rs\n/home/me/b/z.rs\n/home/me/c.rs\n/home/me/a/w.rs\n";
    assert_eq!(types(files), [Type::FileTree]);
    assert_eq!(kept(files), [Type::FileTree, Type::Annotation]);
    let all = "./src\n./src/a\n./src/a/x.rs\n./src/b.rs";
    assert_eq!(kept(all), [Type::FileTree, Type::Annotation]);
    assert!(shown(files, Mode::Minimal).contains("  x.rs\n"));
}

#[test]
fn a_diff_becomes_a_block_per_file_and_is_restored() {
    assert_eq!(types(DIFF), [Type::Diff, Type::ToolResult]);
    assert_eq!(
        kept(DIFF),
        [Type::Diff, Type::Annotation, Type::Diff, Type::Annotation]
    );
    let shown = shown(DIFF, Mode::Markdown);
    assert!(shown.contains("src/a.rs") && shown.contains("@@ -1,2 +1,2 @@\n-old\n+new\n same"));
    // Facts without a block field are preserved.
    assert!(shown.contains("rename from old.rs"), "{shown}");
}

#[test]
fn json_becomes_data_and_code_keeps_its_path_and_language() {
    assert_eq!(types("[1, 2, 3]"), [Type::StructuredData]);
    let text = "## src/main.rs\n```rust\nfn main() {}\n```\n";
    assert_eq!(types(text), [Type::Code]);
    assert_eq!(
        shown(text, Mode::Markdown),
        "## src/main.rs\n\n```rust\nfn main() {}\n```"
    );
    assert_eq!(kept(text), [Type::ToolResult, Type::Code, Type::ToolResult]);
}

#[test]
fn prose_is_a_result_or_a_document() {
    assert_eq!(types("Nothing was found."), [Type::ToolResult]);
    assert_eq!(types("# Title\n\nSome *words*.\n"), [Type::Document]);
    assert_eq!(types(""), [Type::ToolResult; 0]);
}

#[test]
fn a_large_block_has_a_summary_and_a_small_one_has_none() {
    let rows: Vec<String> = (0..100)
        .map(|id| format!("{{\"id\": {id}, \"name\": \"x\"}}"))
        .collect();
    let text = format!("[{}]", rows.join(",\n"));
    let summary = blocks(&text, &detect(&text, 0.7), "tool")[0]
        .summary
        .clone();
    assert_eq!(
        summary.as_deref(),
        Some("json, 100 lines: array of 100 with id, name")
    );
    let small = "[1, 2]";
    assert_eq!(blocks(small, &detect(small, 0.7), "tool")[0].summary, None);
}

#[test]
fn shown_blocks_stay_within_the_budget() {
    let text = format!(
        "Some words first.\n\n{}\n{TREE}",
        "A long text about nothing at all. ".repeat(200)
    );
    let regions = detect(&text, 0.7);
    for budget in [50, 100, 300] {
        let shown = render(
            &text,
            &regions,
            "tool",
            Mode::Minimal,
            Some(budget),
            Vocabulary::Estimate,
        );
        assert!(Vocabulary::Estimate.count(&shown) <= budget, "{shown}");
    }
}

#[test]
fn files_that_were_not_made_from_a_text_are_refused() {
    assert!(matches!(original(b""), Err(Unreadable::File(_))));
    let mut writer = Writer::new(Vec::new(), WriteOptions::default()).unwrap();
    let tree = linkspan_bcp::Content::FileTree {
        root: "x".into(),
        entries: linkspan_bcp::TreeBuilder::default().finish(),
    };
    writer.add(&tree.into()).unwrap();
    let (file, _) = writer.finish().unwrap();
    assert_eq!(original(&file), Err(Unreadable::Block(0)));
}

#[test]
fn a_text_of_many_megabytes_is_restored() {
    let text = "a line that is repeated\n".repeat(1_000_000);
    let whole = [Region {
        range: 0..text.len(),
        kind: crate::Kind::Plain,
        confidence: 1.0,
        lang: None,
        path: None,
    }];
    assert_eq!(
        original(&document(&text, &whole, "tool")).as_deref(),
        Ok(text.as_str())
    );
}

#[test]
fn a_hostile_tree_cannot_expand_without_limit() {
    let mut tree = linkspan_bcp::TreeBuilder::default();
    for _ in 0..200 {
        tree.open(&"n".repeat(20_000), linkspan_bcp::EntryKind::Directory, 0)
            .unwrap();
    }
    for _ in 0..1_000 {
        tree.open("x", linkspan_bcp::EntryKind::File, 0).unwrap();
        tree.close();
    }
    assert_eq!(folders::write("", &tree.finish(), "", 1 << 20), None);
}

/// Texts that look like trees, paths and diffs, and mostly are.
fn texts() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        Just("a"),
        Just("b.rs"),
        Just("c d"),
        Just(""),
        Just("e/"),
        Just("é"),
        Just("├── x"),
        Just("@@ -1 +1 @@")
    ];
    let tree = proptest::collection::vec((0usize..4, any::<bool>(), name.clone()), 1..12).prop_map(
        |lines| {
            let line = |(depth, last, name): (usize, bool, &str)| {
                "│   ".repeat(depth / 2)
                    + &"    ".repeat(depth - depth / 2)
                    + if last { "└── " } else { "├── " }
                    + name
                    + "\n"
            };
            ".\n".to_owned() + &lines.into_iter().map(line).collect::<String>()
        },
    );
    let paths = proptest::collection::vec(proptest::collection::vec(name.clone(), 1..4), 4..12)
        .prop_map(|lines| {
            lines
                .into_iter()
                .map(|parts| "x/".to_owned() + &parts.join("/") + "\n")
                .collect::<String>()
        });
    let hunk = (
        0u8..3,
        0u8..3,
        proptest::collection::vec(
            prop_oneof![
                Just("-a"),
                Just("+b"),
                Just(" c"),
                Just(""),
                Just("\\ No"),
                Just("--- a/x"),
                Just("+++ b/y"),
                Just("@@ -1 +1 @@ x"),
                Just("diff --git a/x b/y")
            ],
            0..6,
        ),
    );
    let diff = proptest::collection::vec(hunk, 1..6).prop_map(|hunks| {
        let hunk = |(old, new, lines): (u8, u8, Vec<&str>)| {
            format!("@@ -1,{old} +1,{new} @@\n{}\n", lines.join("\n"))
        };
        "--- a/x\n+++ b/x\n".to_owned() + &hunks.into_iter().map(hunk).collect::<String>()
    });
    prop_oneof![tree, paths, diff]
}

proptest! {
    #[test]
    fn every_stored_text_is_restored(text in prop_oneof![texts(), any::<String>()], cut in 0usize..4, crlf: bool) {
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        let end = text.floor_char_boundary(text.len().saturating_sub(cut));
        kept(&text[..end]);
        for mode in Mode::ALL {
            shown(&text[..end], mode);
        }
    }

    #[test]
    fn any_bytes_are_restored_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = original(&bytes);
        let mut file = document("├── a\n├── b\n├── c\n└── d\n", &detect("├── a\n├── b\n├── c\n└── d\n", 0.1), "t");
        for (at, byte) in bytes.iter().take(8).enumerate() {
            let place = (at * 31 + usize::from(*byte)) % file.len();
            file[place] ^= byte;
        }
        let _ = original(&file);
    }
}
