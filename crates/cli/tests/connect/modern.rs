//! A client of the stateless revision, 2026-07-28.

use linkspan_testkit::{Bridge, Request, Server, decode_base64};
use serde_json::{Value, json};

use crate::setup::started;

const VERSION: &str = "2026-07-28";

/// Sends a request with the envelope that this revision requires.
fn request(bridge: &Bridge, id: &str, method: &str, mut params: Value) {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "modern", "version": "1"},
    });
    bridge.request(id, method, &params);
}

fn call(bridge: &Bridge, id: &str, tool: &str, arguments: Value) {
    request(
        bridge,
        id,
        "tools/call",
        json!({"name": tool, "arguments": arguments}),
    );
}

#[test]
fn headers_mirror_the_body() {
    let server = Server::modern().start();
    let mut bridge = started(&server, &[]);
    request(&bridge, "1", "server/discover", json!({}));
    assert!(bridge.answer("1").result.is_some());
    call(&bridge, "2", "echo", json!({"x": 1}));
    assert_eq!(
        bridge
            .answer("2")
            .at(&["result", "structuredContent"])
            .as_deref(),
        Some(r#"{"x":1}"#)
    );
    request(
        &bridge,
        "3",
        "resources/read",
        json!({"uri": "file:///quay"}),
    );
    assert!(bridge.answer("3").result.is_some());
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));

    let headers = |request: &Request| {
        ["mcp-protocol-version", "mcp-method", "mcp-name"]
            .map(|name| request.header(name).map(str::to_owned))
    };
    let seen: Vec<_> = server
        .requests()
        .iter()
        .map(|request| headers(request))
        .collect();
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(seen[0], [some(VERSION), some("server/discover"), None]);
    assert_eq!(seen[1], [some(VERSION), some("tools/call"), some("echo")]);
    assert_eq!(
        seen[2],
        [some(VERSION), some("resources/read"), some("file:///quay")]
    );
    assert_eq!(seen.len(), 3, "no handshake, no GET, no DELETE");
    assert!(server.violations().is_empty(), "{:?}", server.violations());
}

#[test]
fn a_name_that_no_header_can_carry_is_wrapped() {
    let server = Server::modern().start();
    let bridge = started(&server, &[]);
    for (id, uri) in ["file:///Fähre/🚢", " edge", "=?base64?looks?=", "tab\there"]
        .iter()
        .enumerate()
    {
        request(
            &bridge,
            &id.to_string(),
            "resources/read",
            json!({"uri": uri}),
        );
        let answer = bridge.answer(&id.to_string());
        assert!(answer.result.is_some(), "{}", answer.text);
        let seen = server.posts("resources/read").remove(id);
        let name = seen.header("mcp-name").unwrap_or_default();
        let inner = name
            .strip_prefix("=?base64?")
            .and_then(|rest| rest.strip_suffix("?="));
        let inner = inner
            .and_then(decode_base64)
            .unwrap_or_else(|| panic!("not wrapped: {name}"));
        assert_eq!(String::from_utf8(inner).as_deref(), Ok(*uri));
    }
    assert!(server.violations().is_empty(), "{:?}", server.violations());
}

#[test]
fn cancelling_closes_the_stream() {
    let server = Server::modern().start();
    let bridge = started(&server, &[]);
    call(&bridge, "1", "gate", json!({"name": "never"}));
    server.wait_for_calls("gate", 1);
    bridge.notify("notifications/cancelled", &json!({"requestId": 1}));
    server.wait_for("a closed stream", |request| {
        request.tool().as_deref() == Some("gate") && request.client_left()
    });
    call(&bridge, "2", "echo", json!({}));
    assert!(bridge.answer("2").result.is_some());
    assert!(
        server.violations().is_empty(),
        "the notification itself is not sent: {:?}",
        server.violations()
    );
    assert!(bridge.unread().is_empty(), "{:?}", bridge.unread());
}

#[test]
fn a_client_that_disconnects_cancels_its_calls() {
    let server = Server::modern().start();
    let mut bridge = started(&server, &["--drain", "0"]);
    call(&bridge, "1", "gate", json!({"name": "never"}));
    server.wait_for_calls("gate", 1);
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
    server.wait_for("a closed stream", Request::client_left);
    assert!(server.violations().is_empty(), "{:?}", server.violations());
}

#[test]
fn an_error_that_came_with_a_status_is_passed_on_as_it_is() {
    let server = Server::modern().start();
    let bridge = started(&server, &["--server-era", "modern"]);
    request(&bridge, "\"x\"", "unknown/method", json!({}));
    assert_eq!(
        bridge.answer("\"x\"").error.as_deref(),
        Some(r#"{"code":-32601,"message":"Method not found"}"#)
    );
    assert_eq!(server.requests().len(), 1, "a 404 here is no lost session");
}

#[test]
fn progress_and_answers_of_many_calls_flow_at_once() {
    let server = Server::modern().start();
    let bridge = started(&server, &[]);
    call(&bridge, "1", "gate", json!({"name": "slow"}));
    call(&bridge, "2", "log", json!({}));
    bridge.heard("notifications/message");
    assert!(bridge.answer("2").result.is_some());
    server.open("slow");
    assert!(bridge.answer("1").result.is_some());
}

#[test]
fn a_lost_answer_is_lost_and_not_repeated() {
    let server = Server::modern().start();
    let bridge = started(&server, &[]);
    for (id, tool) in [("1", "die"), ("2", "cut")] {
        call(&bridge, id, tool, json!({}));
        crate::setup::assert_kind(&bridge.answer(id), "answer_lost");
        assert_eq!(server.calls(tool).len(), 1);
    }
    assert!(server.violations().is_empty(), "{:?}", server.violations());
}

#[test]
fn a_subscription_uses_the_clients_own_id() {
    let server = Server::modern().start();
    let bridge = started(&server, &[]);
    request(
        &bridge,
        "\"sub\"",
        "subscriptions/listen",
        json!({"notifications": {"toolsListChanged": true}}),
    );
    let path = ["params", "_meta", "io.modelcontextprotocol/subscriptionId"];
    assert_eq!(
        bridge
            .heard("notifications/subscriptions/acknowledged")
            .at(&path)
            .as_deref(),
        Some("\"sub\"")
    );
    server.open("changed");
    assert_eq!(
        bridge
            .heard("notifications/tools/list_changed")
            .at(&path)
            .as_deref(),
        Some("\"sub\"")
    );
    server.open("over");
    let answer = bridge.answer("\"sub\"");
    assert_eq!(
        answer
            .at(&["result", "_meta", "io.modelcontextprotocol/subscriptionId"])
            .as_deref(),
        Some("\"sub\"")
    );
}

#[test]
fn arguments_that_the_schema_marks_are_repeated_in_headers() {
    let hook = |request: &Request, conn: &mut linkspan_testkit::Conn| match request.rpc() {
        Some("tools/list") => {
            let id = request
                .message
                .as_ref()
                .and_then(|m| m.id.clone())
                .unwrap_or_default();
            let tools = r#"[{"name":"echo","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}]"#;
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":{tools}}}}}"#
            );
            linkspan_testkit::Flow::written(conn.json(200, &body))
        }
        _ => linkspan_testkit::Flow::Pass,
    };
    let server = Server::modern().intercept(hook).start();
    let bridge = started(&server, &[]);
    request(&bridge, "1", "tools/list", json!({}));
    bridge.answer("1");
    call(&bridge, "2", "echo", json!({"region": "eu-1", "other": 1}));
    bridge.answer("2");
    let seen = server.wait_for_calls("echo", 1).remove(0);
    assert_eq!(seen.header("mcp-param-region"), Some("eu-1"));
}
