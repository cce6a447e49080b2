//! `diff`: added, removed and changed blocks. Exit codes as in diff(1).

use crate::files::{Scratch, vector};
use crate::run::bcp;

/// A file with these turns of a conversation.
fn turns(scratch: &Scratch, name: &str, turns: &[&str]) -> String {
    let blocks: Vec<String> = turns
        .iter()
        .map(|text| format!(r#"{{"type":"conversation","role":"user","content":"{text}"}}"#))
        .collect();
    let manifest = format!(r#"{{"blocks":[{}]}}"#, blocks.join(","));
    let input = scratch.write(&format!("{name}.json"), manifest);
    let out = scratch.file(&format!("{name}.bcp"));
    bcp(&["encode", &input, "-o", &out]).well();
    out
}

/// The changes in `diff --json`, in order.
fn changes(a: &str, b: &str) -> Vec<String> {
    let told = bcp(&["diff", a, b, "--json"]).json();
    let blocks = told["blocks"].as_array().expect("a list of blocks");
    assert_eq!(told["same"], blocks.is_empty(), "{told}");
    let words = blocks.iter().map(|block| block["change"].as_str());
    words.map(|word| word.expect("a word").to_owned()).collect()
}

#[test]
fn files_with_equal_blocks_are_equal() {
    let file = vector("api", "20_all.bcp");
    let ran = bcp(&["diff", &file, &file]).well();
    assert!(!ran.text().contains("changed"), "{}", ran.text());
    let none: [&str; 0] = [];
    assert_eq!(changes(&file, &file), none);
}

#[test]
fn compression_and_references_are_no_difference() {
    let plain = vector("cli", "rep.bcp");
    for other in [
        "rep--compress-blocks",
        "rep--compress-payload",
        "rep--dedup",
    ] {
        let other = vector("cli", &format!("{other}.bcp"));
        bcp(&["diff", &plain, &other]).well();
    }
}

#[test]
fn added_removed_and_changed_blocks_are_listed_with_exit_code_1() {
    let scratch = Scratch::new();
    let two = turns(&scratch, "two", &["one", "two"]);
    let three = turns(&scratch, "three", &["one", "two", "three"]);
    let other = turns(&scratch, "other", &["one", "zwei"]);
    for (a, b, change) in [
        (&two, &three, "added"),
        (&three, &two, "removed"),
        (&two, &other, "changed"),
    ] {
        assert_eq!(changes(a, b), [change]);
        let ran = bcp(&["diff", a, b]);
        assert_eq!(ran.code, Some(1), "{change}: {ran:?}");
        assert_eq!(ran.stderr, "", "a difference is no error");
        assert!(!ran.stdout.is_empty(), "{change}");
    }
}

#[test]
fn an_inserted_block_does_not_affect_the_others() {
    let scratch = Scratch::new();
    let before = turns(&scratch, "before", &["one", "two", "three"]);
    let after = turns(&scratch, "after", &["one", "new", "two", "three"]);
    assert_eq!(changes(&before, &after), ["added"]);
}

#[test]
fn annotations_are_named_by_their_target() {
    let scratch = Scratch::new();
    let file = |name: &str, priority: &str| {
        let manifest = format!(
            r#"{{"blocks":[{{"type":"document","title":"d","content":"x","priority":"{priority}"}}]}}"#
        );
        let input = scratch.write(&format!("{name}.json"), manifest);
        let out = scratch.file(&format!("{name}.bcp"));
        bcp(&["encode", &input, "-o", &out]).well();
        out
    };
    let (low, high) = (file("low", "low"), file("high", "high"));
    let ran = bcp(&["diff", &low, &high]);
    let told = "~ ANNOTATION priority of DOCUMENT title=\"d\" (1 → 1 bytes)\n";
    assert_eq!(ran.text(), told);
}

/// Each annotation targets the previous one, so a full name would be as long as the chain.
#[cfg(target_os = "linux")]
#[test]
fn a_chain_of_annotations_takes_no_more_memory() {
    let scratch = Scratch::new();
    let chain = |name: &str, value: &str| {
        let block = |at: usize| {
            format!(
                r#"{{"type":"annotation","target_block_id":{at},"kind":"tag","value":"{value}"}}"#
            )
        };
        let blocks: Vec<String> = (0..20_000).map(block).collect();
        let manifest = format!(
            r#"{{"blocks":[{{"type":"document","title":"d","content":"x"}},{}]}}"#,
            blocks.join(",")
        );
        let input = scratch.write(&format!("{name}.json"), manifest);
        let out = scratch.file(&format!("{name}.bcp"));
        bcp(&["encode", &input, "-o", &out]).well();
        out
    };
    let (a, b) = (chain("a", "x"), chain("b", "y"));
    let ran = crate::run::Run::within_kb(64 << 10, &["diff", &a, &b]).end();
    assert_eq!((ran.code, &*ran.stderr), (Some(1), ""));
    assert_eq!(ran.text().lines().count(), 20_000);
}

#[test]
fn errors_have_exit_code_2() {
    let file = vector("api", "20_all.bcp");
    bcp(&["diff", &file, &file]).well();
    for other in [
        vector("malformed", "bad_magic.bcp"),
        "no/such.bcp".to_owned(),
    ] {
        bcp(&["diff", &file, &other]).failed(2);
        bcp(&["diff", &other, &file]).failed(2);
    }
    assert_eq!(bcp(&["diff", &file]).code, Some(2));
}
