//! The acceptance criteria of the first specification, one by one.

use serde_json::json;

use crate::run::taken_back;
use crate::same::{assert_same_json, tokens};
use crate::samples;
use crate::setup::{assert_untouched, meta, one_text, result_of, shrink};

#[test]
fn it_starts_the_server_and_completes_the_handshake() {
    let line = shrink(&[]).ready();
    line.children.wait_for_method("notifications/initialized");
    assert_eq!(line.children.started(), 1);
    line.children.wait_for_method("initialize");
}

#[test]
fn the_list_has_the_tools_of_the_server_and_the_layer() {
    let line = shrink(&[]).ready();
    assert_eq!(
        line.tool_names(),
        [
            "echo",
            "routed",
            "read_bcp_file",
            "inspect_bcp_file",
            "encode_bcp_file",
            "bcp_fetch"
        ]
    );
}

#[test]
fn a_local_tool_whose_name_is_taken_is_renamed() {
    let theirs = r#""tools":[{"name":"say","inputSchema":{"type":"object"}},{"name":"read_bcp_file","inputSchema":{"type":"object"}}]"#;
    let line = shrink(&[]).tools(theirs).ready();
    let names = line.tool_names();
    assert_eq!(names[..2], ["say", "read_bcp_file"]);
    assert!(
        names.contains(&"linkspan_read_bcp_file".to_owned()),
        "{names:?}"
    );
    assert_eq!(
        names.iter().filter(|name| *name == "read_bcp_file").count(),
        1
    );
    // Each name calls the tool that the list describes.
    line.call("read_bcp_file", &json!({"path": "theirs.bcp"}));
    line.children.wait_for_tool("read_bcp_file");
    let ours = line.call("linkspan_read_bcp_file", &json!({"path": "ours.bcp"}));
    assert!(one_text(&ours).contains("does not exist"), "{}", ours.text);
    let heard = line.children.seen(|seen| seen.text.contains("ours.bcp"));
    assert!(heard.is_empty(), "{heard:?}");
}

#[test]
fn a_call_is_forwarded_and_its_result_returned() {
    let line = shrink(&[]).ready();
    let answer = line.call("echo", &json!({"a": [1, "two"]}));
    assert_eq!(
        answer.at(&["result", "structuredContent"]).as_deref(),
        Some(r#"{"a":[1,"two"]}"#)
    );
    let heard = line.children.wait_for_tool("echo").message.unwrap();
    assert_eq!(
        heard.at(&["params", "arguments"]).as_deref(),
        Some(r#"{"a":[1,"two"]}"#)
    );
}

#[test]
fn valid_json_is_detected_and_shortened() {
    let line = shrink(&[]).ready();
    let text = samples::rows(60);
    let answer = line.answer_to(&result_of(&text));
    assert_eq!(meta(&answer)["content"][0]["kinds"], json!(["json"]));
    assert_same_json(&taken_back(&one_text(&answer)), &text);
}

#[test]
fn a_text_below_the_confidence_threshold_passes_unmodified() {
    // Valid JSON is detected with a confidence of 0.9, which is below this threshold.
    let line = shrink(&["--threshold", "0.95"]).ready();
    let result = result_of(&samples::rows(60));
    assert_untouched(&line.answer_to(&result), &result);
}

#[test]
fn a_shortened_result_has_fewer_tokens() {
    let line = shrink(&[]).ready();
    let text = samples::rows(60);
    let new = line.given(&text);
    assert!(tokens(&new) * 10 <= tokens(&text) * 9, "{new}");
}

#[test]
fn a_server_crash_is_an_error_of_the_call() {
    let mut line = shrink(&[]).ready();
    let answer = line.call("crash", &json!({"code": 3}));
    assert_eq!(answer.code(), Some(-32000), "{}", answer.text);
    assert!(answer.hint().is_some(), "{}", answer.text);
    assert_eq!(
        line.call("echo", &json!({"again": 1}))
            .at(&["result", "structuredContent"])
            .as_deref(),
        Some(r#"{"again":1}"#),
        "the server was started again"
    );
    assert_eq!(line.end(), Some(0));
    assert!(
        !line.bridge.stderr().contains("panicked"),
        "{}",
        line.bridge.stderr()
    );
}

#[test]
fn the_server_ends_when_stdin_closes() {
    let mut line = shrink(&[]).ready();
    line.children.wait_for_alive(1);
    assert_eq!(line.end(), Some(0));
}
