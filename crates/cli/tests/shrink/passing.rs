//! Content other than texts of tool results passes byte for byte.

use linkspan_testkit::{Conn, Flow, Request, Server, child};
use serde_json::{Value, json};

use crate::samples;
use crate::setup::{Line, assert_untouched, meta, result_of, shrink};

/// Asserts that a result passes unchanged, although its text alone would be shortened.
#[track_caller]
fn assert_passes(line: &Line, result: &str) {
    assert_untouched(&line.answer_to(result), result);
}

/// A result with these items.
fn items(items: &[Value]) -> String {
    json!({"content": items}).to_string()
}

fn resource(uri: &str) -> Value {
    json!({"type": "resource", "resource": {"uri": uri, "mimeType": "text/html", "text": samples::rows(60)}})
}

fn with_audience(audience: Value) -> Value {
    json!({"type": "text", "text": samples::rows(60), "annotations": {"audience": audience, "priority": 0.5}})
}

#[test]
fn the_texts_of_these_tests_are_shortened_elsewhere() {
    let line = shrink(&[]).ready();
    for result in [
        result_of(&samples::rows(60)),
        items(&[resource("file:///rows.json")]),
        items(&[with_audience(json!(["user", "assistant"]))]),
    ] {
        let answer = line.answer_to(&result);
        assert!(meta(&answer).is_object(), "{}", answer.text);
    }
}

#[test]
fn an_error_result_passes() {
    let line = shrink(&[]).ready();
    let failed = json!({"content": [{"type": "text", "text": samples::rows(60)}], "isError": true});
    assert_passes(&line, &failed.to_string());
}

#[test]
fn images_sounds_and_links_pass() {
    let line = shrink(&[]).ready();
    let data = "QUFB".repeat(2000);
    for item in [
        json!({"type": "image", "data": data, "mimeType": "image/png"}),
        json!({"type": "audio", "data": data, "mimeType": "audio/wav"}),
        json!({"type": "resource_link", "uri": "file:///x", "name": "x", "description": samples::rows(60)}),
        json!({"type": "resource", "resource": {"uri": "file:///x", "blob": data}}),
        json!({"type": "hologram", "text": samples::rows(60)}),
    ] {
        assert_passes(&line, &items(&[item]));
    }
}

#[test]
fn pages_and_skills_for_the_client_pass() {
    let line = shrink(&[]).ready();
    for uri in ["ui://weather/map", "skill://pilot/SKILL.md", "UI://weather"] {
        assert_passes(&line, &items(&[resource(uri)]));
    }
}

#[test]
fn content_for_the_user_only_passes() {
    let line = shrink(&[]).ready();
    assert_passes(&line, &items(&[with_audience(json!(["user"]))]));
    assert_passes(&line, &items(&[with_audience(json!([]))]));
}

#[test]
fn short_texts_pass() {
    let line = shrink(&[]).ready();
    assert_passes(&line, &result_of(&samples::rows(1)));
    assert_passes(&line, &result_of(""));
    assert_passes(&line, r#"{"content":[]}"#);
}

#[test]
fn texts_without_a_short_form_pass() {
    let line = shrink(&[]).ready();
    assert_passes(&line, &result_of(&samples::prose()));
    assert_passes(&line, &result_of(&"x".repeat(5000)));
}

#[test]
fn a_text_with_a_lone_surrogate_passes() {
    // A lone surrogate would not survive decoding.
    let line = shrink(&[]).ready();
    let half = result_of(&samples::rows(60)).replace("Rotterdam", "\\ud83d");
    assert_passes(&line, &half);
}

#[test]
fn malformed_tool_results_pass() {
    let line = shrink(&[]).ready();
    for odd in [
        r#"{"content":"text"}"#.to_owned(),
        json!({"content": {"type": "text", "text": samples::rows(60)}}).to_string(),
        json!({"content": [[{"type": "text", "text": samples::rows(60)}]]}).to_string(),
        json!({"content": [{"type": "text", "text": [samples::rows(60)]}]}).to_string(),
        json!({"content": [{"type": ["text"], "text": samples::rows(60)}]}).to_string(),
        json!({"contents": [{"type": "text", "text": samples::rows(60)}]}).to_string(),
        "[]".to_owned(),
        "null".to_owned(),
        json!(samples::rows(60)).to_string(),
    ] {
        assert_passes(&line, &odd);
    }
}

#[test]
fn results_with_unknown_members_pass() {
    let line = shrink(&[]).ready();
    let answer = line.call("fidelity", &json!({}));
    assert_untouched(&answer, &format!("{{{}}}", child::FIDELITY));
}

#[test]
fn errors_pass() {
    let line = shrink(&[]).ready();
    let answer = line.call("fail", &json!({}));
    assert_eq!(answer.error.as_deref(), Some(child::FAILURE));
    let unknown = line.call("no such tool", &json!({}));
    assert_eq!(unknown.code(), Some(-32602), "{}", unknown.text);
}

#[test]
fn resources_prompts_and_completions_pass() {
    let answers = [
        (
            "resources/read",
            json!({"contents": [{"uri": "quay://1", "text": samples::rows(60)}]}),
        ),
        (
            "prompts/get",
            json!({"messages": [{"role": "user", "content": {"type": "text", "text": samples::rows(60)}}]}),
        ),
        (
            "completion/complete",
            json!({"completion": {"values": [samples::rows(60)]}}),
        ),
        (
            "resources/list",
            json!({"resources": [], "content": [{"type": "text", "text": samples::rows(60)}]}),
        ),
        (
            "vendor/else",
            json!({"content": [{"type": "text", "text": samples::rows(60)}]}),
        ),
    ];
    let known = answers.clone();
    let hook = move |request: &Request, conn: &mut Conn| {
        let Some((_, result)) = known
            .iter()
            .find(|(method, _)| request.rpc() == Some(method))
        else {
            return Flow::Pass;
        };
        let id = request.message.as_ref().and_then(|m| m.id.clone());
        let id = id.expect("a request has an id");
        Flow::written(conn.json(
            200,
            &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
        ))
    };
    let server = Server::legacy().intercept(hook).start();
    let setting = shrink(&[]);
    let line = setting.ready_with(&[server.url()], linkspan_testkit::Children::listen());
    for (method, result) in answers {
        assert_untouched(&line.ask(method, &json!({})), &result.to_string());
    }
    assert!(server.violations().is_empty(), "{:?}", server.violations());
}

#[test]
fn notifications_pass_in_order() {
    let line = shrink(&[]).ready();
    let params =
        json!({"name": "progress", "arguments": {"n": 3}, "_meta": {"progressToken": "p/1"}});
    let id = line.send("tools/call", &params);
    for step in 1..=3 {
        let heard = line.bridge.heard("notifications/progress");
        let expected = format!(r#"{{"progressToken":"p/1","progress":{step},"total":3}}"#);
        assert_eq!(heard.params.as_deref(), Some(expected.as_str()));
    }
    line.bridge.answer(&id);
    line.call("log", &json!({}));
    let heard = line.bridge.heard("notifications/message");
    assert_eq!(
        heard.params.as_deref(),
        Some(r#"{"level":"info","data":"all is well"}"#)
    );
    line.call("change", &json!({"what": "tools"}));
    line.bridge.heard("notifications/tools/list_changed");
}

#[test]
fn server_requests_and_client_responses_pass() {
    let line = shrink(&[]).ready();
    let long = samples::rows(60);
    for (tool, method, answer) in [
        (
            "ask",
            "elicitation/create",
            json!({"action": "accept", "content": {"quay": long}}),
        ),
        (
            "sample",
            "sampling/createMessage",
            json!({"role": "assistant", "content": {"type": "text", "text": long}, "model": "m"}),
        ),
        (
            "roots",
            "roots/list",
            json!({"roots": [{"uri": "file:///harbour", "name": long}]}),
        ),
    ] {
        let id = line.begin(tool, &json!({}));
        let question = line.bridge.heard(method);
        let answered = answer.to_string();
        let number = question.id.unwrap();
        line.bridge.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{number},"result":{answered}}}"#
        ));
        // The tool returns it beside an empty text.
        let got = line.bridge.answer(&id).at(&["result", "structuredContent"]);
        assert_eq!(got.as_deref(), Some(answered.as_str()), "{tool}");
    }
}

#[test]
fn client_messages_pass() {
    let line = shrink(&[]).ready();
    let spelled = r#"{ "b" : 0.10, "a":[ 12345678901234567890 ], "text":"\u0041" }"#;
    line.bridge.send(&format!(
        r#"{{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{{"name":"echo","arguments":{spelled}}}}}"#
    ));
    let answer = line.bridge.answer("77");
    assert_eq!(
        answer.at(&["result", "structuredContent"]).as_deref(),
        Some(spelled)
    );
    line.bridge
        .notify("notifications/vendor", &json!({"x": samples::rows(60)}));
    let heard = line
        .children
        .wait_for_method("notifications/vendor")
        .message
        .unwrap();
    assert_eq!(
        heard.params,
        Some(json!({"x": samples::rows(60)}).to_string())
    );
}
