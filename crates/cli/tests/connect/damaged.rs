//! Servers whose answers are damaged or badly framed.

use linkspan_testkit::{Bridge, Server, child_program};
use serde_json::{Value, json};

use crate::setup::{LATEST, assert_kind, assert_works, program, ready, ready_with};

/// `connect` to a scripted server over stdio.
fn child() -> Bridge {
    let bridge = Bridge::launch(program())
        .args(["connect", "--server-era", "legacy", "--"])
        .arg(child_program())
        .start();
    bridge.initialize(LATEST);
    bridge
}

fn raw(lines: &[&str]) -> Value {
    json!({ "lines": lines })
}

/// Damaged messages of that id; each of them names its request.
const DAMAGED: [&str; 9] = [
    r#"{"jsonrpc":"2.0","id":$ID,"result":{"x":NaN}}"#,
    r#"{"jsonrpc":"2.0","result":{"x":-Infinity},"id":$ID}"#,
    "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"text\":\"a\tb\"}}",
    r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"te"#,
    r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[1"#,
    r#"{"jsonrpc":"2.0","id":$ID,"result":{},}"#,
    r#"{"jsonrpc":"2.0","id":$ID,"id":$ID,"result":{}}"#,
    r#"{"jsonrpc":"2.0","id":$ID,"result":{},"result":{}}"#,
    r#"{"id":$ID,"result":{}}"#,
];

#[test]
fn an_answer_of_a_child_that_cannot_be_read_fails_its_call() {
    let bridge = child();
    for (n, line) in DAMAGED.iter().enumerate() {
        let answer = bridge.ask(&n.to_string(), "raw", &raw(&[line]));
        assert_kind(&answer, "bad_answer");
    }
    assert_works(&bridge);
}

#[test]
fn an_answer_that_is_not_utf8_fails_its_call_with_the_reason() {
    let bridge = child();
    let line = "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"text\":\"caf\u{e9}\"}}";
    let answer = bridge.ask("1", "raw", &raw(&[line]));
    assert_kind(&answer, "bad_answer");
    assert!(answer.text.contains("not UTF-8"), "{}", answer.text);
    assert_works(&bridge);
}

#[test]
fn messages_that_are_laid_out_otherwise_are_read() {
    let bridge = child();
    let note = r#"{"jsonrpc":"2.0","method":"notifications/vendor/beside"}"#;
    let two = format!(r#"{note}{{"jsonrpc":"2.0","id":$ID,"result":{{"two":0.10}}}}"#);
    let answer = bridge.ask("1", "raw", &raw(&[&two]));
    assert_eq!(answer.result.as_deref(), Some(r#"{"two":0.10}"#));
    bridge.heard("notifications/vendor/beside");

    let pretty = [
        "{",
        "  \"jsonrpc\": \"2.0\",",
        "  \"id\": $ID,",
        "  \"result\": {",
        "    \"lines\": [",
        "      1,",
        "      {}",
        "    ]",
        "  }",
        "}",
    ];
    let answer = bridge.ask("2", "raw", &raw(&pretty));
    assert_eq!(
        answer
            .at(&["result", "lines"])
            .map(|l| l.split_whitespace().collect()),
        Some("[1,{}]".to_owned())
    );

    let text = r#"{"jsonrpc":"2.0","id":"$ID","result":{"typed":true}}"#;
    let answer = bridge.ask("3", "raw", &raw(&[text]));
    assert_eq!(answer.result.as_deref(), Some(r#"{"typed":true}"#));
    assert_works(&bridge);
}

#[test]
fn an_unreadable_answer_fails_all_calls_that_it_may_belong_to() {
    let bridge = child();
    bridge.call("1", "gate", &json!({"name": "never"}));
    bridge.call(
        "2",
        "raw",
        &raw(&[r#"{"jsonrpc":"2.0","result":{"x":NaN}}"#]),
    );
    assert_kind(&bridge.answer("1"), "bad_answer");
    assert_kind(&bridge.answer("2"), "bad_answer");
    for (id, line) in [
        ("3", r#"{"jsonrpc":"2.0","id":null,"result":{}}"#),
        ("4", r#"{"jsonrpc":"2.0","id":[$ID],"result":{}}"#),
        ("5", r#"{"jsonrpc":"2.0","id":1,"id":$ID,"result":{}}"#),
        ("6", r#"{"jsonrpc":"2.0","id":"call","result":{}}"#),
        ("9", r#"{"jsonrpc":"2.0","id":7777,"result":{}}"#),
        ("7", r#"{"jsonrpc":"2.0","id":$ID"#),
        ("8", r#"{"jsonrpc":"2.0","id":$ID,"#),
    ] {
        assert_kind(&bridge.ask(id, "raw", &raw(&[line])), "bad_answer");
    }
    assert_works(&bridge);
}

#[test]
fn an_error_without_an_id_reaches_the_call_that_waits() {
    let bridge = child();
    let error = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#;
    let answer = bridge.ask("\"mine\"", "raw", &raw(&[error]));
    assert_eq!(answer.code(), Some(-32700), "{}", answer.text);
    assert_works(&bridge);
}

#[test]
fn log_lines_between_messages_of_a_child_harm_no_call() {
    let bridge = child();
    bridge.call("1", "gate", &json!({"name": "never"}));
    let lines = [
        "Listening on stdio",
        "[INFO] {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"quoted\":1}}",
        "{\"level\":30,\"id\":$ID,\"msg\":\"called\"}",
        "{ port: 3000 }",
        "{",
        "  port: 3000",
        "}",
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"real":1}}"#,
    ];
    let answer = bridge.ask("2", "raw", &raw(&lines));
    assert_eq!(answer.result.as_deref(), Some(r#"{"real":1}"#));
    assert_works(&bridge);
    assert!(bridge.unread().is_empty(), "{:?}", bridge.unread());
}

#[test]
fn an_answer_behind_other_text_or_in_a_damaged_batch_does_not_hang_its_call() {
    let bridge = child();
    for (id, line) in [
        ("1", r#"loading...{"jsonrpc":"2.0","id":$ID,"result":{}}"#),
        ("2", r#"INFO: {"jsonrpc":"2.0","id":$ID,"result":{}}"#),
        (
            "3",
            r#"[{"jsonrpc":"2.0","id":$ID,"result":{"content":NaN}}]"#,
        ),
        ("4", r#"[{"jsonrpc":"2.0","result":{"content":NaN}}]"#),
    ] {
        assert_kind(&bridge.ask(id, "raw", &raw(&[line])), "bad_answer");
    }
    let line = "\0{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"nul\":1}}";
    let answer = bridge.ask("5", "raw", &raw(&[line]));
    assert_eq!(answer.result.as_deref(), Some(r#"{"nul":1}"#));
    assert_works(&bridge);
}

#[test]
fn an_answer_over_http_that_cannot_be_read_fails_its_call() {
    for server in [Server::legacy(), Server::legacy().json(), Server::sse()] {
        let server = server.start();
        let bridge = ready(&server);
        for (n, envelope) in DAMAGED.iter().enumerate() {
            let answer = bridge.ask(&n.to_string(), "raw", &json!({"envelope": envelope}));
            assert_kind(&answer, "bad_answer");
        }
        for (id, envelope) in [
            ("20", r#"{"jsonrpc":"2.0","result":{}}"#),
            ("21", r#"{"jsonrpc":"2.0","id":null,"result":{}}"#),
            ("22", r#"{"jsonrpc":"2.0","id":"call","result":{}}"#),
        ] {
            let answer = bridge.ask(id, "raw", &json!({"envelope": envelope}));
            assert_kind(&answer, "bad_answer");
        }
        let typed = r#"{"jsonrpc":"2.0","id":"$ID","result":{"typed":true}}"#;
        let answer = bridge.ask("30", "raw", &json!({"envelope": typed}));
        assert_eq!(answer.result.as_deref(), Some(r#"{"typed":true}"#));
        assert_works(&bridge);
    }
}

#[test]
fn an_event_that_is_no_message_does_not_end_a_call() {
    let server = Server::legacy().start();
    let bridge = ready_with(&server, &[]);
    let note = r#"{"jsonrpc":"2.0","method":"notifications/vendor/beside"}"#;
    let envelope = format!(r#"{note} {{"jsonrpc":"2.0","id":$ID,"result":{{"two":1}}}}"#);
    let answer = bridge.ask("1", "raw", &json!({"envelope": envelope}));
    assert_eq!(answer.result.as_deref(), Some(r#"{"two":1}"#));
    bridge.heard("notifications/vendor/beside");
    assert_works(&bridge);
}
