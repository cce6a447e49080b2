//! `decode --json` writes a manifest from which `encode -` restores the same bytes.

use serde_json::Value;

use crate::files::{bytes, names, vector};
use crate::run::Run;

#[track_caller]
fn comes_back(folder: &str, name: &str, flags: &[&str]) {
    let file = vector(folder, &format!("{name}.bcp"));
    let manifest = Run::new(&["decode", &file, "--json"]).end().well();
    let mut args = vec!["encode", "-", "-o", "-"];
    args.extend(flags);
    let ran = Run::new(&args).stdin(manifest.stdout.clone()).end();
    assert_eq!(
        ran.code,
        Some(0),
        "{name}: {}: {}",
        ran.stderr,
        manifest.text()
    );
    let expected = bytes(folder, &format!("{name}.bcp"));
    assert_eq!(ran.stdout, expected, "{name}: {}", manifest.text());
}

#[test]
fn every_type_of_block_is_restored_to_the_same_bytes() {
    for name in names("api", ".bcp") {
        let flags: &[&str] = match name.as_str() {
            "12_reference" => continue, // its reference cannot be resolved
            "13_autodedup" => &["--dedup"],
            "14_block_zstd" => &["--compress-blocks"],
            "15_payload_zstd" => &["--compress-payload"],
            _ => &[],
        };
        comes_back("api", &name, flags);
    }
}

#[test]
fn unknown_types_and_binary_contents_are_restored_too() {
    for name in [
        "type_0",
        "type_0x42_unknown",
        "summary_flag_on_unknown",
        "summary_empty",
        "nonutf8_content",
        "nonutf8_one_of_two",
        "annotation_bad_prio",
        "annotation_target_oob",
        "code_xml_injection",
        "control_chars_path",
    ] {
        comes_back("malformed", name, &[]);
    }
}

#[test]
fn the_json_uses_the_names_of_the_manifest() {
    let file = vector("api", "20_all.bcp");
    let told = Run::new(&["decode", &file, "--json"]).end().well().json();
    let types: Vec<&str> = told["blocks"]
        .as_array()
        .expect("a list of blocks")
        .iter()
        .filter_map(|block| block["type"].as_str())
        .collect();
    assert_eq!(types.len(), 18, "{types:?}");
    for name in [
        "code",
        "annotation",
        "conversation",
        "file_tree",
        "tool_result",
        "document",
        "structured_data",
        "diff",
        "embedding_ref",
        "image",
        "extension",
    ] {
        assert!(types.contains(&name), "{name}: {types:?}");
    }
    let first = &told["blocks"][0];
    for (key, value) in [
        ("lang", "rust"),
        ("path", "src/main.rs"),
        ("summary", "Entry point"),
    ] {
        assert_eq!(first[key], Value::from(value), "{first}");
    }
}
