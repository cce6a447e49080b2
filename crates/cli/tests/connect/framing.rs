//! What clients do to lines.

use linkspan_testkit::{Message, Server};
use serde_json::{Value, json};

use crate::setup::{assert_works, ready, ready_with, started};

const ECHO: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}}"#;

#[test]
fn lines_may_end_in_crlf() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    bridge.send(&format!("{ECHO}\r"));
    assert!(bridge.answer("1").result.is_some());
    assert_eq!(
        server.calls("echo")[0].text().trim_end(),
        server.calls("echo")[0].text(),
        "the CR is not part of the message"
    );
}

#[test]
fn a_byte_order_mark_at_the_start_is_skipped() {
    let server = Server::legacy().start();
    let bridge = started(&server, &[]);
    bridge.send_bytes("\u{feff}".as_bytes());
    bridge.initialize(crate::setup::LATEST);
    assert_works(&bridge);
    assert!(bridge.unread().is_empty(), "{:?}", bridge.unread());
}

#[test]
fn blank_lines_are_skipped() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    bridge.send_bytes(format!("\n\r\n   \n\t\n{ECHO}\n\n").as_bytes());
    assert!(bridge.answer("1").result.is_some());
    assert!(bridge.unread().is_empty(), "{:?}", bridge.unread());
}

#[test]
fn a_message_may_come_in_pieces() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    for piece in ECHO.as_bytes().chunks(3) {
        bridge.send_bytes(piece);
    }
    bridge.send(" ");
    assert!(bridge.answer("1").result.is_some());
}

#[test]
fn a_line_that_is_not_json_is_answered_and_the_next_one_works() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    for line in [
        "hello",
        "{",
        "{\"jsonrpc\":\"2.0\",\"id\":1,",
        "{} {}",
        "\"open",
    ] {
        bridge.send(line);
        assert_eq!(bridge.answer("null").code(), Some(-32700), "{line}");
    }
    bridge.send_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}\n");
    assert_eq!(bridge.answer("null").code(), Some(-32700), "not UTF-8");
    assert_works(&bridge);
}

#[test]
fn json_that_is_not_json_rpc_is_refused_and_the_next_one_works() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    for line in [
        "1",
        "\"text\"",
        "null",
        "{}",
        r#"{"jsonrpc":"1.0","id":null,"method":"x"}"#,
        r#"{"jsonrpc":"2.0","method":7}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"x"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}"#,
    ] {
        bridge.send(line);
        assert_eq!(bridge.answer("null").code(), Some(-32600), "{line}");
    }
    assert_works(&bridge);
}

#[test]
fn a_message_that_two_readers_could_read_differently_is_refused() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    let both = r#"{"jsonrpc":"2.0","id":"d","method":"tools/call","params":{},"\u006dethod":"tools/list"}"#;
    bridge.send(both);
    let answer = bridge.find("a refusal", Message::is_response);
    assert_eq!(answer.code(), Some(-32600), "{}", answer.text);
    assert_works(&bridge);
    assert!(
        server
            .requests()
            .iter()
            .all(|request| !request.text().contains("u006d"))
    );
}

#[test]
fn a_batch_is_refused_where_there_are_none() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    bridge.send(&format!("[{ECHO}]"));
    assert_eq!(bridge.answer("null").code(), Some(-32600));
    assert!(server.calls("echo").is_empty());
    assert_works(&bridge);
}

#[test]
fn a_batch_of_the_revision_that_has_them_is_split_and_answered_as_one() {
    let server = Server::legacy().start();
    let bridge = started(&server, &[]);
    bridge.initialize("2025-03-26");
    let other = r#"{"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"gate","arguments":{"name":"g"}}}"#;
    let note = r#"{"jsonrpc":"2.0","method":"notifications/vendor/hello"}"#;
    bridge.send(&format!("[{other}, {note},{ECHO}]"));
    server.wait_for_calls("gate", 1);
    server.wait_for_calls("echo", 1);
    server.wait_for_post("notifications/vendor/hello");
    server.open("g");
    let line = bridge.line();
    let Ok(Value::Array(answers)) = serde_json::from_str(&line) else {
        panic!("not an array: {line}")
    };
    let mut ids: Vec<_> = answers
        .iter()
        .map(|answer| answer["id"].to_string())
        .collect();
    ids.sort();
    assert_eq!(ids, ["\"two\"", "1"]);
    assert!(
        answers.iter().all(|answer| answer["result"].is_object()),
        "{line}"
    );
}

#[test]
fn odd_batches_are_answered_as_json_rpc_says() {
    let server = Server::legacy().start();
    let bridge = started(&server, &[]);
    bridge.initialize("2025-03-26");
    bridge.send("[]");
    assert_eq!(bridge.answer("null").code(), Some(-32600));
    bridge.send(r#"[{"jsonrpc":"2.0","method":"notifications/vendor/alone"}]"#);
    server.wait_for_post("notifications/vendor/alone");
    bridge.send(&format!("[1,{ECHO}]"));
    let Ok(Value::Array(answers)) = serde_json::from_str(&bridge.line()) else {
        panic!("not an array")
    };
    let mut codes: Vec<_> = answers
        .iter()
        .map(|answer| answer["error"]["code"].as_i64())
        .collect();
    codes.sort();
    assert_eq!(codes, [None, Some(-32600)]);
}

#[test]
fn the_last_line_needs_no_end() {
    let server = Server::legacy().start();
    let mut bridge = ready_with(&server, &["--drain", "25"]);
    bridge.send_bytes(ECHO.as_bytes());
    bridge.close_stdin();
    assert!(bridge.answer("1").result.is_some());
    assert_eq!(bridge.exit_code(), Some(0));
}

#[test]
fn half_a_last_line_is_harmless() {
    let server = Server::legacy().start();
    let mut bridge = ready(&server);
    bridge.send_bytes(&ECHO.as_bytes()[..30]);
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
    assert!(server.calls("echo").is_empty());
    for line in bridge.unread() {
        assert_eq!(
            Message::parse(&line).and_then(|m| m.code()),
            Some(-32700),
            "{line}"
        );
    }
}

#[test]
fn a_line_above_the_limit_is_refused_and_the_next_one_works() {
    let server = Server::legacy().start();
    let bridge = ready_with(&server, &["--max-message", "65536"]);
    bridge.call("1", "echo", &json!({"text": "x".repeat(100_000)}));
    let refused = bridge.find("a refusal", Message::is_response);
    assert_eq!(
        refused.kind().as_deref(),
        Some("too_large"),
        "{}",
        refused.text
    );
    assert!(server.calls("echo").is_empty());
    assert_works(&bridge);
}

#[test]
fn an_answer_above_the_limit_fails_that_call_only() {
    for server in [Server::legacy(), Server::legacy().json()] {
        let server = server.start();
        let bridge = ready_with(&server, &["--max-message", "64KiB"]);
        let answer = bridge.ask("1", "blob", &json!({"size": 100_000}));
        assert_eq!(
            answer.kind().as_deref(),
            Some("too_large"),
            "{}",
            answer.text.len()
        );
        assert_works(&bridge);
    }
}
