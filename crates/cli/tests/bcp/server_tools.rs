//! `linkspan bcp mcp`: its tools with real files.

use serde_json::json;

use crate::files::vectors;
use crate::server::{LATEST, Scratch, assert_error, launch, ready, text, texts};

#[test]
fn a_file_is_read_in_the_selected_mode() {
    let server = ready(&vectors("api"));
    for (mode, begin) in [("xml", "<context"), ("markdown", "#"), ("minimal", "---")] {
        let call = json!({"path": "20_all.bcp", "mode": mode});
        let (text, is_error) = text(&server.ask("1", "read_bcp_file", &call));
        assert!(!is_error && text.starts_with(begin), "{mode}: {text}");
    }
    let call = json!({"path": "20_all.bcp"});
    let (text, is_error) = text(&server.ask("2", "inspect_bcp_file", &call));
    assert!(!is_error && text.contains("CODE"), "{text}");
}

#[test]
fn critical_blocks_over_the_budget_are_noted_for_the_model() {
    let server = ready(&vectors("api"));
    let call = json!({"path": "21_budget.bcp", "budget": 500});
    let (texts, is_error) = texts(&server.ask("1", "read_bcp_file", &call));
    assert!(!is_error && texts.len() == 2, "{texts:?}");
    assert!(
        texts[1].contains("more than the budget of 500"),
        "{texts:?}"
    );
    let told = "other blocks are left out.";
    assert!(texts[1].ends_with(told), "{texts:?}");
    let enough = json!({"path": "21_budget.bcp", "budget": 100_000});
    let (_, is_error) = text(&server.ask("2", "read_bcp_file", &enough));
    assert!(!is_error);
}

#[test]
fn encoding_a_manifest_leaves_only_the_file() {
    let scratch = Scratch::new("encode");
    scratch.write("sub/text.txt", "the text");
    scratch.write(
        "m.json",
        r#"{"blocks":[{"type":"document","title":"t","content_file":"sub/text.txt"}]}"#,
    );
    scratch.write("bad.json", r#"{"blocks":[{"type":"nonsense"}]}"#);
    let server = ready(&scratch.path(""));
    let encode = json!({"manifest_path": "m.json", "output_path": "sub/o.bcp"});
    let (said, is_error) = text(&server.ask("1", "encode_bcp_file", &encode));
    assert!(!is_error && said.starts_with("Wrote "), "{said}");
    assert!(said.contains("tokens"), "{said}");
    let call = json!({"path": "sub/o.bcp"});
    let (shown, _) = text(&server.ask("2", "read_bcp_file", &call));
    assert!(shown.contains("the text"), "{shown}");

    let bad = json!({"manifest_path": "bad.json", "output_path": "sub/o.bcp"});
    assert_error(&server.ask("3", "encode_bcp_file", &bad), "nonsense");
    let (again, _) = text(&server.ask("4", "read_bcp_file", &call));
    assert_eq!(again, shown);
    let mut names: Vec<_> = std::fs::read_dir(scratch.path("sub"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["o.bcp", "text.txt"]);
}

#[test]
fn a_file_is_written_in_time_even_if_its_tokens_cannot_be_counted_in_time() {
    let scratch = Scratch::new("slow-stats");
    let words = "a few words that have to be counted one after the other ".repeat(100_000);
    let block = json!({"type": "document", "title": "t", "content": words});
    scratch.write("m.json", &json!({"blocks": [block]}).to_string());
    let server = launch(["--root"])
        .arg(scratch.path(""))
        .env("BCP_CLI_TIMEOUT_MS", "1500")
        .start();
    server.initialize(LATEST);
    let encode = json!({"manifest_path": "m.json", "output_path": "o.bcp"});
    let (said, is_error) = text(&server.ask("1", "encode_bcp_file", &encode));
    let written = scratch.path("o.bcp").exists();
    // A slow machine may not even write the file in time; then it must not exist.
    assert_eq!(!is_error, written, "{said}");
    if written {
        assert!(said.starts_with("Wrote "), "{said}");
    }
}
