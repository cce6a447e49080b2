//! Files of the reference implementation are read, and rendered with `--compat` byte for byte like the
//! reference implementation does.

use crate::files::{bytes, names, vectors};
use crate::run::{Ran, Run};

/// The reference implementation cannot read these two: it never writes the store that they refer to.
const REFERENCES: [&str; 2] = ["12_reference", "13_autodedup"];

/// Runs in the folder of the files: `stats` prints the name as given.
fn there(args: &[&str]) -> Ran {
    Run::new(args).inside(vectors("api")).end()
}

/// The outputs of the reference implementation: the file, the subcommand or mode, and the variant, if any.
fn renderings() -> Vec<(String, String, Option<String>)> {
    let all = names("render", ".txt").into_iter().filter_map(|name| {
        let mut parts = name.split('.').map(str::to_owned);
        let (file, how) = (parts.next()?, parts.next()?);
        Some((file, how, parts.next()))
    });
    all.filter(|(file, ..)| !REFERENCES.contains(&file.as_str()))
        .collect()
}

#[test]
fn every_file_is_shown_like_by_the_reference_implementation() {
    let mut cases = 0;
    for (file, how, variant) in renderings() {
        let (name, shown) = (format!("{file}.bcp"), variant.as_deref());
        let ran = match (how.as_str(), shown) {
            ("validate", None) => there(&["validate", &name]),
            ("inspect" | "stats", None) => there(&[&how, &name, "--compat"]),
            (mode, None) => there(&["decode", &name, "--compat", "--mode", mode]),
            (mode, Some("summary")) => there(&[
                "decode",
                &name,
                "--compat",
                "--mode",
                mode,
                "--verbosity",
                "summary",
            ]),
            (mode, Some(budget)) => {
                let budget = budget.strip_prefix('b').expect("bN is a budget");
                let args = [
                    "decode", &name, "--compat", "--mode", mode, "--budget", budget,
                ];
                there(&args)
            }
        };
        let variant = variant.map_or(String::new(), |variant| format!(".{variant}"));
        let expected = bytes("render", &format!("{file}.{how}{variant}.txt"));
        let ran = ran.well();
        assert_eq!(
            ran.text(),
            String::from_utf8(expected).unwrap(),
            "{file}.{how}{variant}"
        );
        cases += 1;
    }
    assert_eq!(cases, 23 * 6 + 11, "the vectors have grown or shrunk");
}

#[test]
fn modes_have_aliases_and_ignore_case() {
    let long = there(&["decode", "20_all.bcp", "--compat", "--mode", "markdown"]).well();
    for mode in ["md", "MD", "Markdown"] {
        let ran = there(&["decode", "20_all.bcp", "--compat", "--mode", mode]).well();
        assert_eq!(ran.stdout, long.stdout, "{mode}");
    }
}

#[test]
fn a_reference_to_an_earlier_block_of_the_file_is_resolved() {
    for (mode, text) in [
        (
            "xml",
            "<context>\n<turn role=\"user\">Hi</turn>\n\n<turn role=\"user\">Hi</turn>\n</context>\n",
        ),
        ("markdown", "**User**: Hi\n\n**User**: Hi\n"),
        ("minimal", "[user] Hi\n\n[user] Hi\n"),
    ] {
        let ran = there(&["decode", "13_autodedup.bcp", "--compat", "--mode", mode]).well();
        assert_eq!(ran.text(), text);
    }
    let inspected = there(&["inspect", "13_autodedup.bcp"]).well();
    for block in 0..2 {
        let line = format!("Block {block}: CONVERSATION [user] (2 bytes)");
        assert!(inspected.text().contains(&line), "{}", inspected.text());
    }
    let valid = there(&["validate", "13_autodedup.bcp"]).well();
    assert!(valid.text().contains("2 blocks parsed successfully"));
    there(&["stats", "13_autodedup.bcp"]).well();
}

#[test]
fn an_unresolved_reference_makes_its_block_unreadable() {
    for args in [
        &["decode", "12_reference.bcp"][..],
        &["decode", "12_reference.bcp", "--compat"],
        &["inspect", "12_reference.bcp"],
        &["stats", "12_reference.bcp"],
    ] {
        let ran = there(args);
        assert!(ran.failed(1).contains("block 0"), "{args:?}: {ran:?}");
    }
    let ran = there(&["validate", "12_reference.bcp"]);
    ran.failed(1);
    assert!(ran.text().starts_with("✗ Error: "), "{}", ran.text());
    assert!(ran.text().contains("block 0"), "{}", ran.text());
}

#[test]
fn a_reference_is_resolved_in_the_store() {
    let scratch = crate::files::Scratch::new();
    let store = scratch.file("store");
    let plain = crate::files::vector("api", "02_conversation.bcp");
    // Its only block is the one that the reference refers to.
    let manifest = Run::new(&["decode", &plain, "--json"]).end().well().stdout;
    let out = scratch.file("stored.bcp");
    let args = ["encode", "-", "-o", &out, "--dedup", "--store", &store];
    Run::new(&args).stdin(manifest).end().well();
    let args = [
        "decode",
        "12_reference.bcp",
        "--mode",
        "minimal",
        "--store",
        &store,
    ];
    assert_eq!(there(&args).well().text(), "[user] Hi\n");
}
