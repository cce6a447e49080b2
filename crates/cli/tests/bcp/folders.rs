//! Packing plain files and folders without a manifest.

use serde_json::Value;

use crate::files::Scratch;
use crate::run::{Ran, Run};

/// Packs `inputs` of the folder; returns the run and the blocks.
fn pack(scratch: &Scratch, inputs: &[&str]) -> (Ran, Vec<Value>) {
    // In another folder, so that it is not an input of a second run.
    let elsewhere = Scratch::new();
    let out = elsewhere.file("packed.bcp");
    let mut args = vec!["encode"];
    args.extend(inputs);
    args.extend(["-o", &out]);
    let ran = Run::new(&args).inside(scratch.path()).end();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let mut told = Run::new(&["decode", &out, "--json"]).end().well().json();
    let blocks = match told["blocks"].take() {
        Value::Array(blocks) => blocks,
        other => panic!("no blocks: {other}"),
    };
    (ran, blocks)
}

/// The path or title of each block that has one, in order.
fn paths(blocks: &[Value]) -> Vec<&str> {
    let named = |block: &'_ Value| {
        ["path", "title"]
            .iter()
            .find_map(|key| block.get(key).map(|_| *key))
    };
    blocks
        .iter()
        .filter_map(|block| block[named(block)?].as_str())
        .collect()
}

fn by_path<'a>(blocks: &'a [Value], end: &str) -> &'a Value {
    let found = blocks.iter().find(|block| {
        ["path", "title"]
            .iter()
            .any(|key| block[*key].as_str().is_some_and(|p| p.ends_with(end)))
    });
    found.unwrap_or_else(|| panic!("no {end} in {:?}", paths(blocks)))
}

fn has(blocks: &[Value], end: &str) -> bool {
    paths(blocks).iter().any(|path| path.ends_with(end))
}

#[test]
fn a_folder_becomes_its_tree_and_then_its_files() {
    let scratch = Scratch::new();
    scratch.write("src/main.rs", "fn main() {}\n");
    scratch.write("src/lib/a.py", "x = 1\n");
    scratch.write("README.md", "# Hi\n");
    let (ran, blocks) = pack(&scratch, &["src", "README.md"]);
    assert!(ran.text().starts_with("Wrote "), "{}", ran.text());
    assert_eq!(blocks[0]["type"], "file_tree", "{blocks:?}");
    let tree = blocks[0].to_string();
    for name in ["main.rs", "lib", "a.py"] {
        assert!(tree.contains(name), "{tree}");
    }
    let trees = blocks.iter().filter(|b| b["type"] == "file_tree").count();
    assert_eq!(trees, 1, "one per folder: {blocks:?}");
    let main = by_path(&blocks, "src/main.rs");
    assert_eq!(main["type"], "code");
    assert_eq!(main["lang"], "rust");
    assert_eq!(main["content"], "fn main() {}\n");
    assert_eq!(by_path(&blocks, "src/lib/a.py")["lang"], "python");
    let readme = by_path(&blocks, "README.md");
    assert_eq!(readme["type"], "document", "{readme}");
    assert_eq!(readme["content"], "# Hi\n");
}

#[test]
fn the_same_folder_gives_the_same_bytes() {
    let scratch = Scratch::new();
    for name in ["b.rs", "a.rs", "c/z.py", "c/a.py", "Z.rs"] {
        scratch.write(name, name);
    }
    let run = || {
        let run = Run::new(&["encode", ".", "-o", "-"]).inside(scratch.path());
        run.end().well().stdout
    };
    assert_eq!(run(), run());
}

#[test]
fn languages_are_detected_by_name_extension_and_shebang() {
    let scratch = Scratch::new();
    let files = [
        ("a.rs", "x", "rust"),
        ("a.py", "x", "python"),
        ("a.ts", "x", "typescript"),
        ("a.tsx", "x", "typescript"),
        ("a.js", "x", "javascript"),
        ("a.mjs", "x", "javascript"),
        ("a.go", "x", "go"),
        ("A.java", "x", "java"),
        ("a.c", "x", "c"),
        ("a.cpp", "x", "cpp"),
        ("a.rb", "x", "ruby"),
        ("a.sh", "x", "shell"),
        ("a.sql", "x", "sql"),
        ("a.css", "x", "css"),
        ("run", "#!/bin/sh\necho hi\n", "shell"),
        ("tool", "#!/usr/bin/env python3\nprint()\n", "python"),
    ];
    for (name, content, _) in files {
        scratch.write(name, content);
    }
    let (_, blocks) = pack(&scratch, &["."]);
    for (name, _, lang) in files {
        let block = by_path(&blocks, name);
        assert_eq!(block["type"], "code", "{block}");
        assert_eq!(block["lang"], lang, "{block}");
    }
}

#[test]
fn build_files_without_an_extension_are_code_too() {
    let scratch = Scratch::new();
    for name in ["Dockerfile", "Makefile"] {
        scratch.write(name, "all:\n");
    }
    let (_, blocks) = pack(&scratch, &["."]);
    for name in ["Dockerfile", "Makefile"] {
        assert_eq!(by_path(&blocks, name)["type"], "code");
    }
}

#[test]
fn data_and_images_have_their_own_types() {
    let scratch = Scratch::new();
    scratch.write("a.json", "{}");
    scratch.write("a.yaml", "a: 1\n");
    scratch.write("a.toml", "a = 1\n");
    scratch.write("a.csv", "a,b\n");
    scratch.write("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let (_, blocks) = pack(&scratch, &["."]);
    let data = blocks.iter().filter(|b| b["type"] == "structured_data");
    let mut formats: Vec<&str> = data.filter_map(|b| b["format"].as_str()).collect();
    formats.sort_unstable();
    assert_eq!(formats, ["csv", "json", "toml", "yaml"], "{blocks:?}");
    assert!(blocks.iter().any(|b| b["type"] == "image"), "{blocks:?}");
}

#[test]
fn files_ignored_by_git_are_left_out_by_default() {
    let scratch = Scratch::new();
    scratch.write(".gitignore", "target/\n*.log\n");
    for name in ["kept.rs", "noise.log", "target/made.rs", "sub/deep.log"] {
        scratch.write(name, "x");
    }
    let (_, blocks) = pack(&scratch, &["."]);
    assert!(has(&blocks, "kept.rs"));
    for name in ["noise.log", "made.rs", "deep.log"] {
        assert!(!has(&blocks, name), "{:?}", paths(&blocks));
        assert!(!blocks[0].to_string().contains(name), "nor in the tree");
    }
    let (_, blocks) = pack(&scratch, &[".", "--no-ignore"]);
    assert!(has(&blocks, "made.rs"), "{:?}", paths(&blocks));
}

#[test]
fn hidden_files_are_left_out_by_default() {
    let scratch = Scratch::new();
    scratch.write("kept.rs", "x");
    scratch.write(".secret.rs", "x");
    scratch.write(".config/a.rs", "x");
    scratch.write(".git/config.rs", "x");
    let (_, blocks) = pack(&scratch, &["."]);
    assert_eq!(paths(&blocks).len(), 1, "{:?}", paths(&blocks));
    let (_, blocks) = pack(&scratch, &[".", "--hidden"]);
    assert!(has(&blocks, ".secret.rs"), "{:?}", paths(&blocks));
    assert!(has(&blocks, ".config/a.rs"), "{:?}", paths(&blocks));
    assert!(!has(&blocks, ".git/config.rs"), "{:?}", paths(&blocks));
}

#[test]
fn a_binary_is_left_out_and_named() {
    let scratch = Scratch::new();
    scratch.write("kept.rs", "x");
    scratch.write("blob.bin", [0, 159, 146, 150]);
    let (ran, blocks) = pack(&scratch, &["."]);
    assert!(!has(&blocks, "blob.bin"));
    assert!(ran.stderr.contains("blob.bin"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("kept.rs"), "{}", ran.stderr);
}

#[test]
fn a_file_that_is_too_large_is_left_out_and_named() {
    let scratch = Scratch::new();
    scratch.write("small.rs", "x");
    scratch.write("large.rs", "x".repeat(5000));
    let (ran, blocks) = pack(&scratch, &[".", "--max-file-size", "4096"]);
    assert!(has(&blocks, "small.rs") && !has(&blocks, "large.rs"));
    assert!(ran.stderr.contains("large.rs"), "{}", ran.stderr);
}

#[test]
fn a_manifest_can_be_packed_as_a_file() {
    let scratch = Scratch::new();
    scratch.write("m.json", r#"{"blocks":[]}"#);
    let (_, blocks) = pack(&scratch, &["m.json", "--as-files"]);
    assert_eq!(blocks[0]["type"], "structured_data", "{blocks:?}");
    assert_eq!(blocks[0]["content"], r#"{"blocks":[]}"#);
}

#[test]
fn the_tree_can_be_left_out() {
    let scratch = Scratch::new();
    scratch.write("a.rs", "x");
    let (_, blocks) = pack(&scratch, &[".", "--no-tree"]);
    assert!(blocks.iter().all(|b| b["type"] != "file_tree"));
    assert_eq!(blocks.len(), 1);
}

#[test]
fn files_of_overlapping_inputs_are_packed_once() {
    let scratch = Scratch::new();
    scratch.write("sub/a.rs", "x");
    scratch.write("sub/deep/b.rs", "y");
    let whole = scratch.file("sub");
    for inputs in [["sub", "./sub"], [&*whole, "sub"], ["sub", "sub/../sub"]] {
        let (ran, blocks) = pack(&scratch, &inputs);
        assert_eq!(paths(&blocks).len(), 2, "{inputs:?}: {:?}", paths(&blocks));
        let told = "is left out: all of it is packed already";
        assert!(ran.stderr.contains(told), "{inputs:?}: {}", ran.stderr);
    }
    let file = scratch.file("sub/a.rs");
    let (ran, blocks) = pack(&scratch, &["sub", &file]);
    assert_eq!((paths(&blocks).len(), &*ran.stderr), (2, ""));
}

#[test]
fn a_named_file_that_is_left_out_gets_a_warning() {
    let scratch = Scratch::new();
    scratch.write("a.rs", "x");
    scratch.write("logo.bin", [0, 1, 2]);
    let (ran, _) = pack(&scratch, &["a.rs", "logo.bin"]);
    assert_eq!(ran.stderr, "warning: logo.bin is left out: binary\n");
}

#[test]
fn nothing_to_pack_is_an_error() {
    let scratch = Scratch::new();
    let run = |input: &str| {
        let out = scratch.file("o.bcp");
        let args = ["encode", input, "-o", &out];
        Run::new(&args).inside(scratch.path()).end()
    };
    assert!(run("no-such-file.rs").failed(1).contains("no-such-file.rs"));
    assert!(scratch.listing().is_empty());
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_not_followed() {
    let scratch = Scratch::new();
    scratch.write("outside/secret.rs", "hush");
    scratch.write("project/a.rs", "x");
    std::os::unix::fs::symlink("../outside", scratch.file("project/way")).unwrap();
    std::os::unix::fs::symlink("../outside/secret.rs", scratch.file("project/l.rs")).unwrap();
    let (_, blocks) = pack(&scratch, &["project"]);
    let all = Value::Array(blocks).to_string();
    assert!(!all.contains("hush"), "{all}");
}
