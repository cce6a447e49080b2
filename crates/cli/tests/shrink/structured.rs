//! `structuredContent`: some clients show a model nothing else, so a duplicate of the text is dropped for them.

use linkspan_testkit::Message;
use serde_json::{Value, json};

use crate::samples;
use crate::setup::{Line, Setting, clip, meta, one_text, shrink};

const TOOLS: &str = r#""tools":[{"name":"say","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"orders":{"type":"array"}}}},{"name":"echo","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}]"#;

/// A result whose text equals its structured content.
fn twice() -> Value {
    let text = samples::orders(30);
    let value: Value = serde_json::from_str(&text).expect("it is JSON");
    json!({"content": [{"type": "text", "text": text}], "structuredContent": value, "after": 1})
}

fn line(flags: &[&str]) -> Line {
    setting(flags).ready()
}

fn setting(flags: &[&str]) -> Setting {
    shrink(flags).tools(TOOLS)
}

/// The structured content of an answer, as written.
fn structured(answer: &Message) -> Option<String> {
    assert!(
        meta(answer).is_object(),
        "not rewritten: {}",
        clip(&answer.text)
    );
    answer.at(&["result", "structuredContent"])
}

/// The tools whose output schema promises structured content.
fn promising(line: &Line) -> Vec<String> {
    let tools = line.tools().into_iter();
    tools
        .filter(|tool| tool.get("outputSchema").is_some())
        .map(|tool| tool["name"].as_str().expect("a name").to_owned())
        .collect()
}

#[test]
fn structured_content_stays_for_a_client_that_shows_the_text() {
    let line = line(&[]);
    assert_eq!(promising(&line), ["say", "echo"]);
    let answer = line.answer_to(&twice().to_string());
    assert_eq!(
        structured(&answer),
        Some(twice()["structuredContent"].to_string())
    );
}

#[test]
fn structured_content_is_dropped_for_a_client_that_shows_nothing_else() {
    for name in ["claude-code", "Claude-Code", "claude-code/2.1"] {
        let line = setting(&[]).named(name).ready();
        assert_eq!(
            promising(&line),
            [""; 0],
            "a promise that is not kept is taken back"
        );
        let answer = line.answer_to(&twice().to_string());
        assert_eq!(structured(&answer), None, "{name}");
        assert_eq!(answer.at(&["result", "after"]).as_deref(), Some("1"));
    }
    let line = setting(&[]).named("claude-codex").ready();
    assert!(structured(&line.answer_to(&twice().to_string())).is_some());
}

#[test]
fn a_flag_overrides_the_rule_for_structured_content() {
    let kept = setting(&["--structured", "keep"])
        .named("claude-code")
        .ready();
    assert_eq!(promising(&kept), ["say", "echo"]);
    assert!(structured(&kept.answer_to(&twice().to_string())).is_some());

    let dropped = line(&["--structured", "drop"]);
    assert_eq!(promising(&dropped), [""; 0]);
    assert_eq!(structured(&dropped.answer_to(&twice().to_string())), None);

    let mirrored = line(&["--structured", "mirror"]);
    assert_eq!(promising(&mirrored), [""; 0]);
    let answer = mirrored.answer_to(&twice().to_string());
    let mirror: Value = serde_json::from_str(&structured(&answer).unwrap()).unwrap();
    assert_eq!(mirror, json!({"text": one_text(&answer)}));
}

#[test]
fn the_last_matching_rule_for_a_tool_applies() {
    let line = line(&["--structured", "drop", "--structured", "say=keep"]);
    assert_eq!(promising(&line), ["say"]);
    assert!(structured(&line.answer_to(&twice().to_string())).is_some());
    let line = self::line(&["--structured", "s*=drop"]);
    assert_eq!(promising(&line), ["echo"]);
    assert_eq!(structured(&line.answer_to(&twice().to_string())), None);
}

#[test]
fn structured_content_with_more_than_the_text_always_stays() {
    let line = line(&["--structured", "drop"]);
    let mut more = twice();
    more["structuredContent"]["secret"] = json!("only here");
    let answer = line.answer_to(&more.to_string());
    assert_eq!(
        structured(&answer),
        Some(more["structuredContent"].to_string())
    );
    // The same number for some parsers, and another one for an exact one.
    let spelled = twice()
        .to_string()
        .replace(r#""total":30}"#, r#""total":30.0}"#);
    let answer = line.answer_to(&spelled);
    assert!(structured(&answer).unwrap().contains(r#""total":30.0"#));
}

#[test]
fn structured_content_stays_if_the_text_is_not_shortened() {
    let line = line(&["--structured", "drop"]);
    let short = r#"{"content":[{"type":"text","text":"{\"a\": 1}"}],"structuredContent":{"a":1}}"#;
    assert_eq!(line.answer_to(short).result.as_deref(), Some(short));
    let failed = {
        let mut result = twice();
        result["isError"] = json!(true);
        result.to_string()
    };
    assert_eq!(
        line.answer_to(&failed).result.as_deref(),
        Some(failed.as_str())
    );
}

#[test]
fn no_mirror_is_added_without_structured_content() {
    let line = line(&["--structured", "mirror"]);
    let answer = line.answer_to(&crate::setup::result_of(&samples::orders(30)));
    assert_eq!(structured(&answer), None);
}
