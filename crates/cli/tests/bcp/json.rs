//! `--json`: stdout has the documented members and nothing else.

use serde_json::{Value, json};

use crate::files::{Scratch, vector};
use crate::run::{Run, bcp};

fn told(args: &[&str]) -> Value {
    bcp(args).well().json()
}

#[test]
fn inspect_lists_every_block_with_its_offset() {
    let file = vector("api", "20_all.bcp");
    let told = told(&["inspect", &file, "--json"]);
    assert_eq!(told["version"], "1.0");
    assert_eq!(told["flags"], 0);
    assert_eq!(told["end"], 564);
    let blocks = told["blocks"].as_array().expect("a list of blocks");
    assert_eq!(blocks.len(), 18);
    let mut before = 0;
    for (index, block) in blocks.iter().enumerate() {
        assert_eq!(block["index"], json!(index));
        let offset = block["offset"].as_u64().expect("an offset");
        assert!(if index == 0 {
            offset == 8
        } else {
            offset > before
        });
        before = offset;
        assert!(block["type"].is_string(), "{block}");
        assert!(block["flags"].is_u64(), "{block}");
        assert!(block["bytes"].is_u64(), "{block}");
    }
    assert_eq!(blocks[0]["type"], "code");
    assert_eq!(blocks[0]["bytes"], 13);
    assert_eq!(blocks[0]["flags"], 1);
    assert_eq!(blocks[0]["summary"], "Entry point");
    assert_eq!(blocks[2]["summary"], Value::Null);
}

#[test]
fn inspect_lists_one_selected_block() {
    let file = vector("api", "20_all.bcp");
    let told = told(&["inspect", &file, "--json", "--block", "13"]);
    let blocks = told["blocks"].as_array().expect("a list of blocks");
    assert_eq!(blocks.len(), 1);
    assert_eq!(blocks[0]["index"], 13);
    assert_eq!(blocks[0]["type"], "diff");
}

#[test]
fn validate_reports_validity_or_the_errors() {
    let fine = told(&["validate", &vector("api", "20_all.bcp"), "--json"]);
    assert_eq!(fine["valid"], true);
    assert_eq!(fine.get("error"), None);
    assert_eq!(fine["warnings"], json!([]));
    let odd = vector("malformed", "hdr_flags_0xFC.bcp");
    let odd = bcp(&["validate", &odd, "--json"]).json();
    assert_eq!(odd["valid"], true);
    let warnings = odd["warnings"].as_array().expect("a list");
    assert_eq!(warnings.len(), 1, "{odd}");
    let bad = bcp(&["validate", &vector("malformed", "role_9.bcp"), "--json"]);
    assert_eq!(bad.code, Some(1));
    let bad = bad.json();
    assert_eq!(bad["valid"], false);
    assert_eq!(bad["error"]["block"], 0);
    assert!(bad["error"]["offset"].is_u64(), "{bad}");
    assert!(bad["error"]["message"].is_string(), "{bad}");
}

#[test]
fn stats_lists_sizes_by_type_and_tokens_by_mode() {
    let told = told(&["stats", &vector("api", "20_all.bcp"), "--json"]);
    assert_eq!(told["bytes"], 568);
    assert_eq!(told["blocks"], 18);
    let types = told["types"].as_array().expect("a list of types");
    assert_eq!(types.len(), 11);
    assert_eq!(
        (&types[0]["type"], &types[0]["count"], &types[0]["bytes"]),
        (&json!("code"), &json!(2), &json!(29))
    );
    for mode in ["xml", "markdown", "minimal"] {
        let tokens = told["tokens"][mode].as_u64();
        assert!(tokens.is_some_and(|n| n > 20), "{told}");
    }
}

#[test]
fn tokens_are_counted_with_the_selected_tokenizer() {
    let file = vector("api", "21_budget.bcp");
    let count = |flags: &[&str]| {
        let args = [&["stats", &file, "--json"], flags].concat();
        told(&args)["tokens"]["minimal"].as_u64().expect("a count")
    };
    assert_eq!(count(&[]), count(&["--tokenizer", "o200k"]));
    assert!(count(&["--tokenizer", "cl100k"]) > 0);
    // With --compat it is the estimate of the reference implementation: a quarter of the bytes.
    let shown = bcp(&["decode", &file, "--mode", "minimal", "--compat"]).well();
    let bytes = shown.stdout.len() as u64;
    let estimate = count(&["--tokenizer", "estimate", "--compat"]);
    assert_eq!(estimate, bytes / 4);
}

#[test]
fn encode_reports_its_output() {
    let scratch = Scratch::new();
    let out = scratch.file("o.bcp");
    let input = vector("cli", "all5.json");
    let told = told(&["encode", &input, "-o", &out, "--json"]);
    assert_eq!(told["bytes"], 235, "{told}");
    assert_eq!(told["blocks"], 11, "{told}");
}

#[test]
fn errors_stay_on_stderr() {
    for command in ["decode", "inspect", "stats"] {
        let file = vector("malformed", "bad_magic.bcp");
        let ran = bcp(&[command, &file, "--json"]);
        ran.failed(1);
        assert!(ran.stdout.is_empty() || ran.json().is_object(), "{ran:?}");
    }
}

#[test]
fn a_missing_file_is_named() {
    for command in ["decode", "inspect", "validate", "stats"] {
        let ran = Run::new(&[command, "no/such.bcp"]).end();
        assert!(ran.failed(1).contains("no/such.bcp"), "{}", ran.stderr);
    }
}
