//! Alternative spellings and unusual combinations of flags.

use crate::files::{Scratch, vector};
use crate::run::{Run, bcp};

#[test]
fn a_list_may_end_in_a_comma() {
    let file = vector("api", "20_all.bcp");
    let plain = bcp(&["decode", &file, "--include", "code"]).well();
    let comma = bcp(&["decode", &file, "--include", "code,"]).well();
    assert_eq!(plain.text(), comma.text());
}

#[test]
fn words_have_aliases_and_ignore_case() {
    let file = vector("api", "20_all.bcp");
    for args in [
        ["--mode", "MD"],
        ["--mode", "Markdown"],
        ["--verbosity", "FULL"],
        ["--include", "ToolResult"],
        ["--tokenizer", "O200K_base"],
    ] {
        bcp(&["decode", &file, args[0], args[1]]).well();
    }
    let ran = bcp(&["decode", &file, "--mode", "html"]);
    assert!(ran.failed(2).contains("it is xml, markdown or minimal"));
}

#[test]
fn bcp_has_its_own_version() {
    for flag in ["--version", "-V"] {
        let ran = bcp(&[flag]).well();
        assert!(ran.text().contains(env!("CARGO_PKG_VERSION")));
    }
}

#[test]
fn defaults_can_be_given_explicitly() {
    let scratch = Scratch::new();
    scratch.write("src/a.rs", "x");
    let out = scratch.file("o.bcp");
    let blocks = |flags: &[&str]| {
        let args = [&["encode", "src", "-o", &out], flags].concat();
        Run::new(&args).inside(scratch.path()).end().well();
        bcp(&["inspect", &out]).well().text().to_owned()
    };
    assert!(blocks(&["--tree"]).contains("2 blocks"));
    assert!(blocks(&["--no-tree"]).contains("1 block"));
    assert!(blocks(&["--no-tree", "--tree"]).contains("2 blocks"));
}

#[test]
fn inspecting_a_missing_block_is_an_error_except_with_compat() {
    let file = vector("api", "20_all.bcp");
    for flags in [&[][..], &["--json"]] {
        let ran = bcp(&[&["inspect", &file, "--block", "99"], flags].concat());
        assert!(ran.failed(1).contains("no block 99"), "{}", ran.stderr);
        assert_eq!(ran.text(), "");
    }
    bcp(&["inspect", &file, "--block", "0"]).well();
    bcp(&["inspect", &file, "--block", "99", "--compat"]).well();
}

#[test]
fn json_refuses_flags_without_an_effect() {
    let file = vector("api", "20_all.bcp");
    let run = Run::new(&["decode", &file, "--json"]).env("BCP_RENDER_MODE", "html");
    run.end().well();
    for flags in [["--verbosity", "summary"], ["--tokenizer", "cl100k"]] {
        bcp(&["decode", &file, "--json", flags[0], flags[1]]).failed(2);
    }
}

#[test]
fn a_manifest_with_another_extension_is_packed_with_a_warning() {
    let scratch = Scratch::new();
    let input = scratch.write("manifest", "\n{ \"blocks\": []}");
    let out = scratch.file("o.bcp");
    let ran = bcp(&["encode", &input, "-o", &out]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.starts_with("warning: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("looks like a manifest"));
    bcp(&["encode", &input, "-o", &out, "--as-files"]).well();
    let other = scratch.write("other", "{\"some\": \"blocks\"}");
    bcp(&["encode", &other, "-o", &out]).well();
}

#[test]
fn an_input_is_not_replaced_by_its_output() {
    let scratch = Scratch::new();
    let manifest = r#"{"blocks":[{"type":"document","title":"t","content":"x"}]}"#;
    let json = scratch.write("m.json", manifest);
    let code = scratch.write("a.rs", "x");
    let other = scratch.write("b.rs", "y");
    let file = scratch.file("f.bcp");
    bcp(&["encode", &json, "-o", &file]).well();
    let before = scratch.read("f.bcp");
    for args in [
        &["encode", &json, "-o", &json][..],
        &["encode", &code, "-o", &code],
        &["encode", &file, &other, "-o", &file],
        &["decode", &file, "-o", &file],
    ] {
        let ran = bcp(args);
        assert!(ran.failed(2).contains("--output"), "{}", ran.stderr);
    }
    assert_eq!(scratch.read("m.json"), manifest.as_bytes());
    assert_eq!(scratch.read("a.rs"), b"x");
    assert_eq!(scratch.read("f.bcp"), before);
    assert_eq!(scratch.listing(), ["a.rs", "b.rs", "f.bcp", "m.json"]);
}

#[test]
fn compressed_blocks_are_counted_but_not_with_compat() {
    let scratch = Scratch::new();
    let long = "again and again ".repeat(100);
    let manifest = format!(
        r#"{{"blocks":[{{"type":"document","title":"t","content":"{long}"}},{{"type":"conversation","role":"user","content":"Hi"}}]}}"#
    );
    let input = scratch.write("m.json", manifest);
    let file = scratch.file("o.bcp");
    bcp(&["encode", &input, "-o", &file, "--compress-blocks"]).well();
    let ours = bcp(&["stats", &file]).well();
    let told = "flags=0x00 (1 of 2 blocks zstd-compressed)";
    assert!(ours.text().contains(told), "{}", ours.text());
    let theirs = bcp(&["stats", &file, "--compat"]).well();
    assert!(theirs.text().contains("flags=0x00 (uncompressed)"));
}

#[test]
fn the_help_explains_left_out_files_and_the_store() {
    let help = bcp(&["encode", "--help"]).well();
    assert!(help.text().contains("the exit code is 0"));
    assert!(help.text().contains("stay there"));
}

#[test]
fn a_failed_encode_leaves_no_more_than_bodies_in_the_store() {
    let scratch = Scratch::new();
    let input = scratch.write(
        "m.json",
        r#"{"blocks":[{"type":"document","title":"t","content":"x"},{"type":"foo"}]}"#,
    );
    let (out, store) = (scratch.file("o.bcp"), scratch.file("store"));
    bcp(&["encode", &input, "-o", &out, "--store", &store]).failed(1);
    assert_eq!(scratch.listing(), ["m.json", "store"]);
}
