//! What identifies a session and its requests: the handshake, headers and ids.

use linkspan_testkit::Server;
use serde_json::json;

use crate::setup::{LATEST, ready, started};

#[test]
fn the_result_of_initialize_is_passed_on_byte_for_byte() {
    let result = r#"{ "protocolVersion":"2025-11-25", "instructions":"mind the gap \u00e4", "capabilities":{"experimental":{"x":{"n":1.0}},"tools":{}},"serverInfo":{"name":"s","version":"1","title":"S","icons":[]},"_meta":{"big":12345678901234567890} }"#;
    let server = Server::legacy().initialize_result(result).start();
    let bridge = started(&server, &[]);
    assert_eq!(bridge.initialize(LATEST).result.as_deref(), Some(result));
}

#[test]
fn the_servers_initialize_has_the_members_of_the_clients() {
    let server = Server::legacy().start();
    let bridge = started(&server, &[]);
    let params = r#"{"clientInfo":{"version":"9","name":"ferry","title":"F"}, "protocolVersion":"2025-11-25","capabilities":{"roots":{},"experimental":{"z":0.10}}}"#;
    bridge.send(&format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{params}}}"#
    ));
    assert!(bridge.answer("1").result.is_some());
    let seen = server.wait_for_post("initialize");
    assert_eq!(
        seen.message.as_ref().and_then(|m| m.params.as_deref()),
        Some(params)
    );
    assert_eq!(
        server.posts("initialize").len(),
        1,
        "the bridge does not shake hands on its own account"
    );
}

#[test]
fn later_requests_name_the_negotiated_revision_and_the_session() {
    let server = Server::legacy().version("2025-06-18").start();
    let mut bridge = ready(&server);
    assert!(bridge.ask("1", "echo", &json!({})).result.is_some());
    server.wait_for_listener();
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
    let requests = server.requests();
    assert_eq!(requests[0].rpc(), Some("initialize"));
    assert_eq!(requests[0].header("mcp-session-id"), None);
    let session = requests[1].header("mcp-session-id").map(str::to_owned);
    assert!(session.is_some());
    for request in &requests[1..] {
        let what = format!("{} {:?}", request.method, request.rpc());
        assert_eq!(
            request.header("mcp-protocol-version"),
            Some("2025-06-18"),
            "{what}"
        );
        assert_eq!(
            request.header("mcp-session-id"),
            session.as_deref(),
            "{what}"
        );
    }
    for method in ["GET", "DELETE"] {
        assert_eq!(server.with_method(method).len(), 1, "{method}");
    }
}

#[test]
fn requests_have_content_type_and_accept_headers() {
    let server = Server::legacy().start();
    let _bridge = ready(&server);
    server.wait_for_listener();
    for request in server.requests() {
        let accept = request.header("accept").unwrap_or_default();
        assert!(accept.contains("text/event-stream"), "{accept}");
        if request.method == "POST" {
            assert!(accept.contains("application/json"), "{accept}");
            assert_eq!(request.header("content-type"), Some("application/json"));
        }
    }
}

#[test]
fn ids_come_back_exactly_as_they_were_written() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    let ids = [
        "0",
        "-5",
        "9007199254740991",
        "12345678901234567890",
        r#""abc""#,
        r#""""#,
        r#""0""#,
        "\"Fähre-🚢-渡し船\"",
        r#""\u0041\/\n""#,
        r#""with \"quotes\" and spaces""#,
    ];
    for id in ids {
        let answer = bridge.ask(id, "echo", &json!({"of": id}));
        assert_eq!(
            answer
                .string_at(&["result", "structuredContent", "of"])
                .as_deref(),
            Some(id),
            "{}",
            answer.text
        );
    }
}

#[test]
fn initialized_arrives_before_the_first_call() {
    for _ in 0..8 {
        let server = Server::legacy().start();
        let bridge = ready(&server);
        assert!(bridge.ask("1", "echo", &json!({})).result.is_some());
        let posts: Vec<_> = server
            .requests()
            .into_iter()
            .filter(|r| r.method == "POST")
            .collect();
        assert_eq!(
            posts[1].rpc(),
            Some("notifications/initialized"),
            "Python servers refuse calls before it"
        );
    }
}
