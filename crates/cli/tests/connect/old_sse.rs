//! HTTP+SSE servers of 2024-11-05.

use linkspan_testkit::{Conn, Flow, Request, Server};
use serde_json::json;

use crate::setup::{LATEST, assert_kind, assert_works, ready_with, started};

#[test]
fn an_old_server_is_recognised() {
    for status in [400, 404, 405] {
        let hook = move |request: &Request, conn: &mut Conn| match (
            request.method.as_str(),
            request.path(),
        ) {
            ("POST", "/sse") => Flow::written(conn.reply(status, &[], "POST elsewhere")),
            _ => Flow::Pass,
        };
        let server = Server::sse().intercept(hook).start();
        let bridge = ready_with(&server, &[]);
        assert_works(&bridge);
        let to_stream: Vec<_> = server
            .with_method("POST")
            .into_iter()
            .filter(|r| r.path() == "/sse")
            .collect();
        assert_eq!(to_stream.len(), 1, "one POST is enough to find out");
    }
}

#[test]
fn an_old_server_can_be_named_as_such() {
    let server = Server::sse().start();
    let bridge = ready_with(&server, &["--transport", "sse"]);
    assert_works(&bridge);
    assert_eq!(server.requests()[0].method, "GET");
    assert!(
        server
            .with_method("POST")
            .iter()
            .all(|r| r.path() == "/messages" && r.query("sessionId").is_some())
    );
    assert_eq!(
        server.with_method("GET").len(),
        1,
        "one stream for everything"
    );
}

#[test]
fn a_modern_address_can_be_kept_from_the_old_transport() {
    let server = Server::sse().start();
    let bridge = started(&server, &["--transport", "http"]);
    bridge.request("1", "initialize", &json!({"protocolVersion": LATEST, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}));
    assert_kind(&bridge.answer("1"), "http_status");
    assert!(server.with_method("GET").is_empty());
}

#[test]
fn an_old_server_may_name_its_endpoint_in_full() {
    let port = linkspan_testkit::Port::reserve();
    let endpoint = format!("http://127.0.0.1:{}/messages", port.number());
    let server = Server::sse().endpoint(&endpoint).start_on(port);
    assert_works(&ready_with(&server, &[]));
}

#[test]
fn an_endpoint_at_another_origin_is_refused() {
    let elsewhere = Server::sse().start();
    for endpoint in [
        format!("http://127.0.0.1:{}/messages", elsewhere.port()),
        format!("//127.0.0.1:{}/messages", elsewhere.port()),
    ] {
        let server = Server::sse().endpoint(&endpoint).start();
        let bridge = started(
            &server,
            &["--transport", "sse", "-H", "Authorization: Bearer mine"],
        );
        bridge.request("1", "initialize", &json!({"protocolVersion": LATEST, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}));
        let answer = bridge.answer("1");
        assert_eq!(answer.code(), Some(-32000), "{}", answer.text);
        assert!(
            elsewhere.requests().is_empty(),
            "nothing, least of all a token, may go there"
        );
    }
}

#[test]
fn calls_of_an_old_server_run_at_once_and_ask_back() {
    let server = Server::sse().start();
    let bridge = ready_with(&server, &[]);
    bridge.call("1", "gate", &json!({"name": "slow"}));
    bridge.call("2", "ask", &json!({}));
    let question = bridge
        .heard("elicitation/create")
        .id
        .expect("a question has an id");
    bridge.send(&format!(
        r#"{{"jsonrpc":"2.0","id":{question},"result":{{"action":"decline"}}}}"#
    ));
    assert_eq!(
        bridge
            .answer("2")
            .at(&["result", "structuredContent"])
            .as_deref(),
        Some(r#"{"action":"decline"}"#)
    );
    server.open("slow");
    assert!(bridge.answer("1").result.is_some());
}

#[test]
fn an_old_server_gets_a_cancellation() {
    let server = Server::sse().start();
    let bridge = ready_with(&server, &[]);
    bridge.call("\"mine\"", "gate", &json!({"name": "never"}));
    let call = server.wait_for_calls("gate", 1).remove(0);
    bridge.notify("notifications/cancelled", &json!({"requestId": "mine"}));
    let cancelled = server.wait_for_post("notifications/cancelled");
    let id = |request: &Request, path: &[&str]| request.message.as_ref().and_then(|m| m.at(path));
    assert_eq!(id(&cancelled, &["params", "requestId"]), id(&call, &["id"]));
}

#[test]
fn a_lost_stream_loses_its_calls_and_is_opened_again() {
    let server = Server::sse().start();
    let bridge = ready_with(&server, &[]);
    bridge.call("1", "gate", &json!({"name": "never"}));
    server.wait_for_calls("gate", 1);
    server.drop_streams();
    assert_kind(&bridge.answer("1"), "answer_lost");
    assert_eq!(server.calls("gate").len(), 1);
    assert_works(&bridge);
    assert!(server.with_method("GET").len() >= 2);
}

#[test]
fn a_client_that_exits_closes_the_old_stream() {
    let server = Server::sse().start();
    let mut bridge = ready_with(&server, &[]);
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
    server.wait_for("the end of the stream", |request| {
        request.method == "GET" && request.client_left()
    });
}
