//! A legacy client and a legacy child: messages are forwarded unchanged.

use linkspan_testkit::mcp_client::everything;
use linkspan_testkit::{Message, Server, child};
use serde_json::json;

use crate::setup::{LATEST, assert_works, clip, content, legacy, pid, value};

#[test]
fn the_childs_welcome_reaches_the_client_untouched() {
    let exposed = legacy();
    for version in ["2025-03-26", "2025-06-18", LATEST] {
        let session = exposed.client().session(version);
        let expected = child::initialize_result(version);
        assert_eq!(session.welcome.result, Some(expected));
        assert_eq!(session.welcome.id.as_deref(), Some("\"init\""));
    }
}

#[test]
fn the_client_reaches_the_child_with_its_own_name_and_abilities() {
    let exposed = legacy();
    let abilities = json!({"sampling": {"vendor": 1}, "experimental": {"vendor/x": {"y": 0.5}}});
    let session = exposed.client().session_with("2025-06-18", &abilities);
    let client = &value(&session.tool("1", "whoami", &json!({})))["client"];
    assert_eq!(client["capabilities"], abilities);
    assert_eq!(client["clientInfo"]["name"], "testkit-client");
    assert_eq!(client["clientInfo"]["vendorField"], 1);
    assert_eq!(client["protocolVersion"], "2025-06-18");
    exposed
        .children
        .wait_for_method("notifications/initialized");
}

#[test]
fn answers_keep_the_spelling_of_ids() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    for id in [
        "0",
        "-1",
        "9007199254740991",
        "\"seven\"",
        "\"\"",
        "\"\u{26f4} \\u0041\\n\"",
    ] {
        let answer = session.call(id, "echo", &json!({})).answer();
        assert_eq!(answer.id.as_deref(), Some(id));
    }
}

#[test]
fn two_sessions_may_use_the_same_ids() {
    let exposed = legacy();
    let client = exposed.client();
    let (one, two) = (client.session(LATEST), client.session(LATEST));
    assert_ne!(one.id, two.id);
    assert_ne!(pid(&one), pid(&two), "a child for each session");
    let mut first = one.call("1", "gate", &json!({"name": "one"}));
    let mut second = two.call("1", "gate", &json!({"name": "two"}));
    exposed.children.wait_for_tools("gate", 2);
    exposed.children.open("two");
    assert_eq!(content(&second.answer()), r#"{"name":"two"}"#);
    exposed.children.open("one");
    assert_eq!(content(&first.answer()), r#"{"name":"one"}"#);
}

#[test]
fn a_fast_call_overtakes_a_slow_one() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    let mut slow = session.call("1", "gate", &json!({"name": "slow"}));
    exposed.children.wait_for_tool("gate");
    assert_works(&session);
    exposed.children.open("slow");
    assert_eq!(slow.answer().id.as_deref(), Some("1"));
}

#[test]
fn a_second_call_with_the_id_of_a_running_one_is_refused() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    let mut first = session.call("7", "gate", &json!({"name": "first"}));
    exposed.children.wait_for_tool("gate");
    let refused = session.call("7", "echo", &json!({})).answer();
    assert_eq!(refused.code(), Some(-32600), "{}", refused.text);
    exposed.children.open("first");
    assert_eq!(content(&first.answer()), r#"{"name":"first"}"#);
    assert!(
        session.tool("7", "echo", &json!({})).result.is_some(),
        "an answered id is free again"
    );
}

#[test]
fn progress_arrives_on_the_stream_of_its_call_while_it_is_running() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    for (id, token) in [("1", json!("token")), ("2", json!(17))] {
        let gate = format!("step-{id}");
        let arguments = json!({"n": 3, "gate": gate});
        let mut call = session.call_with_token(id, &token, "progress", &arguments);
        for step in 1..=3 {
            let progress = call.heard("notifications/progress").json();
            assert_eq!(progress["params"]["progressToken"], token);
            assert_eq!(progress["params"]["progress"], step);
            exposed.children.open(&format!("{gate}-{step}"));
        }
        assert_eq!(call.answer().id.as_deref(), Some(id));
        assert!(call.message().is_none(), "the answer is the last message");
    }
}

#[test]
fn progress_stays_in_its_own_session() {
    let exposed = legacy();
    let client = exposed.client();
    let (one, two) = (client.session(LATEST), client.session(LATEST));
    let mut listening = two.listen();
    assert_eq!(listening.status(), 200);
    let arguments = json!({"n": 3});
    let mut mine = one.call_with_token("1", &json!("same"), "progress", &arguments);
    mine.answer();
    assert_eq!(mine.rest().len(), 3, "and here they are");
    two.tool("1", "later", &json!({"gate": "now"}));
    exposed.children.open("now");
    let first = listening.message().expect("the stream goes on");
    assert_eq!(
        first.method.as_deref(),
        Some("notifications/tools/list_changed"),
        "what the other session is told of comes first: {}",
        first.text
    );
}

#[test]
fn errors_keep_their_code_and_their_data() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    let answer = session.tool("1", "fail", &json!({}));
    assert_eq!(answer.error.as_deref(), Some(child::FAILURE));
}

#[test]
fn results_keep_every_byte() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    let answer = session.tool("1", "fidelity", &json!({}));
    assert_eq!(answer.result, Some(format!("{{{}}}", child::FIDELITY)));
    let list = session.request("2", "tools/list", &json!({})).answer();
    assert_eq!(list.result, Some(format!("{{{}}}", child::TOOLS)));
}

#[test]
fn arguments_keep_every_byte() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    let arguments = "{\"big\":12345678901234567890,\"z\":1.0, \"a\" : -0,\"s\":\"\\u2028\u{2028}\\u0000\u{1f6a2}\"}";
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{arguments},"vendorField":0.10}}}}"#
    );
    assert_eq!(content(&session.post(&body).answer()), arguments);
    let heard = exposed.children.wait_for_tool("echo").message.unwrap();
    assert_eq!(
        heard.at(&["params", "vendorField"]).as_deref(),
        Some("0.10")
    );
}

#[test]
fn an_unknown_method_of_a_peer_is_passed_on() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    let answer = session
        .request("1", "vendor/dredge", &json!({"depth": 4}))
        .answer();
    assert_eq!(
        answer.at(&["result", "heard"]).as_deref(),
        Some(r#"{"depth":4}"#)
    );
    session.notify("notifications/vendor/tide", &json!({"high": true}));
    exposed
        .children
        .wait_for_method("notifications/vendor/tide");
    let unknown = session.request("2", "dredge", &json!({})).answer();
    assert_eq!(
        unknown.code(),
        Some(-32601),
        "the child says so: {}",
        unknown.text
    );
}

#[test]
fn noise_on_the_childs_stdout_is_skipped() {
    let exposed = crate::setup::expose(&[], &["--noisy"]);
    let session = exposed.client().session(LATEST);
    let mut call = session.call("1", "noise", &json!({}));
    assert!(call.answer().result.is_some());
    assert!(call.rest().is_empty());
    assert_works(&session);
}

#[test]
fn a_megabyte_of_arguments_is_accepted() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    let text = "x".repeat(1_000_000);
    let answer = session.tool("1", "echo", &json!({"text": text}));
    assert!(value(&answer)["text"] == text, "{}", clip(&answer.text));
}

#[test]
fn thirty_megabytes_of_result_pass_unchanged() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    let size = 30_000_000;
    let answer = session.tool("1", "blob", &json!({"size": size}));
    let expected = format!(
        r#"{{"content":[{{"type":"text","text":"{}"}}]}}"#,
        Server::blob(size)
    );
    assert!(answer.result == Some(expected), "{}", clip(&answer.text));
    if let Some(peak) = exposed.bridge.peak_memory() {
        assert!(
            peak < 5 * answer.text.len(),
            "{} MB at the peak",
            peak / 1_000_000
        );
    }
}

#[test]
fn sixty_four_calls_may_finish_in_reverse_order() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    let mut calls: Vec<_> = (0..64)
        .map(|id| {
            session.call(
                &id.to_string(),
                "gate",
                &json!({"name": format!("gate {id}")}),
            )
        })
        .collect();
    exposed.children.wait_for_tools("gate", 64);
    for (id, call) in calls.iter_mut().enumerate().rev() {
        exposed.children.open(&format!("gate {id}"));
        let answer: Message = call.answer();
        assert_eq!(answer.id, Some(id.to_string()));
        assert_eq!(value(&answer)["name"], format!("gate {id}"));
    }
}

#[test]
fn a_client_without_abilities_is_no_worse_off() {
    let exposed = legacy();
    let session = exposed.client().session_with(LATEST, &json!({}));
    let client = &value(&session.tool("1", "whoami", &json!({})))["client"];
    assert_eq!(client["capabilities"], json!({}), "nothing was added");
    assert_ne!(client["capabilities"], everything());
}
