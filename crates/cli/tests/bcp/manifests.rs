//! Manifests produce the same bytes as with the reference implementation, and are refused for the same
//! reasons, except for documented differences.

use crate::files::{Scratch, bytes, names, vector};
use crate::run::{Ran, bcp};

/// Encodes a manifest of the vectors; returns the run and the bytes.
fn encode(manifest: &str, flags: &[&str]) -> (Ran, Option<Vec<u8>>) {
    let scratch = Scratch::new();
    let (input, out) = (vector("cli", manifest), scratch.file("out.bcp"));
    let mut args = vec!["encode", &input, "-o", &out];
    args.extend(flags);
    (bcp(&args), std::fs::read(&out).ok())
}

#[test]
fn every_manifest_becomes_the_bytes_of_the_reference_implementation() {
    for name in names("cli", ".bcp") {
        let (manifest, flags) = match name.split_once("--") {
            Some((manifest, flags)) => (manifest, flags.split("--").collect()),
            None if name == "dedup" => ("dedup", vec!["dedup"]),
            None => (name.as_str(), vec![]),
        };
        let mut flags: Vec<String> = flags.iter().map(|flag| format!("--{flag}")).collect();
        for compat in [false, true] {
            flags.extend(compat.then(|| "--compat".to_owned()));
            let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
            let (ran, written) = encode(&format!("{manifest}.json"), &flags);
            let expected = bytes("cli", &format!("{name}.bcp"));
            let said = ran.well();
            assert_eq!(written.as_ref(), Some(&expected), "{name} {flags:?}");
            let start = format!("Wrote {} bytes to ", expected.len());
            assert!(said.text().starts_with(&start), "{}", said.text());
            assert!(said.text().ends_with("out.bcp\n"), "{}", said.text());
        }
    }
}

#[test]
fn manifests_that_the_reference_implementation_refuses_are_refused() {
    // The word that the message has to contain, and the index of the invalid block, if there is one.
    for (manifest, named, block) in [
        ("bad_baddocfmt", &["rst", "markdown"][..], true),
        ("bad_badfmt", &["xml", "json"], true),
        ("bad_badprio", &["urgent", "critical"], true),
        ("bad_badrole", &["bot", "assistant"], true),
        ("bad_badstatus", &["maybe", "timeout"], true),
        ("bad_nocontent", &["content_file"], true),
        ("bad_nofile", &["nope.rs"], true),
        ("bad_nopath", &["path"], true),
        ("bad_notype", &["type"], true),
        ("bad_type_unknown", &["foo"], true),
        ("bad_empty", &["blocks"], false),
        ("bad_noblocks", &["block"], false),
        ("bad_notjson", &["line 1"], false),
    ] {
        let (ran, written) = encode(&format!("{manifest}.json"), &[]);
        let error = ran.failed(1);
        for word in named {
            assert!(error.contains(word), "{manifest}: {error}");
        }
        assert!(!block || error.contains("block 0"), "{manifest}: {error}");
        assert_eq!(written, None, "{manifest}");
        assert_eq!(ran.text(), "", "{manifest}");
    }
}

#[test]
fn manifests_that_the_reference_implementation_accepts_are_accepted() {
    for (manifest, length) in [("bad_both", 31), ("bad_desc", 22)] {
        let (ran, written) = encode(&format!("{manifest}.json"), &[]);
        ran.well();
        assert_eq!(written.map(|bytes| bytes.len()), Some(length), "{manifest}");
    }
}

#[test]
fn the_other_dialect_and_the_other_types_are_read() {
    for (manifest, line) in [
        ("bad_toolname", "TOOL_RESULT [rg] status=ok (1 bytes)"),
        (
            "bad_type_annotation",
            r#"ANNOTATION target=0 kind=tag value="x" (1 bytes)"#,
        ),
        ("bad_type_diff", r#"DIFF path="a" (0 bytes)"#),
        (
            "bad_type_extension",
            r#"EXTENSION namespace="a" type="b" (0 bytes)"#,
        ),
        ("bad_type_file_tree", r#"FILE_TREE root="/""#),
        ("bad_type_image", r#"IMAGE [png] alt="x" (0 bytes)"#),
    ] {
        let scratch = Scratch::new();
        let (input, out) = (
            vector("cli", &format!("{manifest}.json")),
            scratch.file("o.bcp"),
        );
        bcp(&["encode", &input, "-o", &out]).well();
        let shown = bcp(&["inspect", &out]).well();
        let line = format!("Block 0: {line}");
        assert!(shown.text().contains(&line), "{manifest}: {}", shown.text());
    }
}

#[test]
fn files_outside_the_manifests_folder_are_not_read() {
    for manifest in ["bad_absfile", "bad_traversal"] {
        let (ran, written) = encode(&format!("{manifest}.json"), &[]);
        assert!(ran.failed(1).contains("block 0"), "{}", ran.stderr);
        assert_eq!(written, None, "{manifest}");
    }
}

#[test]
fn an_unknown_priority_is_refused_on_every_type_except_with_compat() {
    let (ran, written) = encode("bad_unknownfield.json", &[]);
    assert!(ran.failed(1).contains("bogus"), "{}", ran.stderr);
    assert_eq!(written, None);
    let (ran, written) = encode("bad_unknownfield.json", &["--compat"]);
    ran.well();
    assert_eq!(written.map(|bytes| bytes.len()), Some(27));
}

#[test]
fn summaries_and_priorities_apply_to_every_type_except_with_compat() {
    let scratch = Scratch::new();
    let input = scratch.write(
        "m.json",
        r#"{"blocks":[
            {"type":"tool_result","name":"rg","content":"x","summary":"short","priority":"low"},
            {"type":"structured_data","format":"json","content":"{}","summary":"data","priority":"high"}]}"#,
    );
    let out = scratch.file("o.bcp");
    let blocks = |flags: &[&str]| {
        let mut args = vec!["encode", &input, "-o", &out];
        args.extend(flags);
        bcp(&args).well();
        bcp(&["inspect", &out]).well().text().to_owned()
    };
    let ours = blocks(&[]);
    for line in [
        "4 blocks",
        r#"Summary: "short""#,
        r#"target=0 kind=priority value="low""#,
        r#"Summary: "data""#,
        r#"target=2 kind=priority value="high""#,
    ] {
        assert!(ours.contains(line), "{ours}");
    }
    let theirs = blocks(&["--compat"]);
    assert!(theirs.contains("2 blocks"), "{theirs}");
    assert!(!theirs.contains("Summary"), "{theirs}");
}
