//! Servers and proxies that answer with something else than MCP.

use linkspan_testkit::{Bridge, Conn, Flow, Message, Request, Server};
use serde_json::json;

use crate::setup::{LATEST, assert_kind, assert_kind_in, ready, started};

const PAGE: &str = "<!DOCTYPE html><html><body><h1>It broke</h1></body></html>";

/// A server that answers calls of `echo` in that way.
fn server(status: u16, content_type: &'static str, body: &'static str) -> Server {
    let hook = move |request: &Request, conn: &mut Conn| match request.tool().as_deref() {
        Some("echo") => Flow::written(conn.reply(status, &[("Content-Type", content_type)], body)),
        _ => Flow::Pass,
    };
    Server::legacy().intercept(hook).start()
}

/// The answer to a call that meets that response; the bridge must survive it.
fn answer_to(status: u16, content_type: &'static str, body: &'static str) -> Message {
    let server = server(status, content_type, body);
    let bridge: Bridge = ready(&server);
    let answer = bridge.ask("1", "echo", &json!({}));
    assert!(
        bridge.ask("2", "log", &json!({})).result.is_some(),
        "later calls work"
    );
    answer
}

#[test]
fn a_broken_page_becomes_an_error_with_its_status_and_without_the_page() {
    let answer = answer_to(500, "text/html", PAGE);
    assert_kind(&answer, "http_status");
    assert_eq!(
        answer.at(&["error", "data", "status"]).as_deref(),
        Some("500")
    );
    assert!(
        !answer.text.contains("<h1>") && !answer.text.contains("DOCTYPE"),
        "{}",
        answer.text
    );
}

#[test]
fn every_refusal_carries_its_status() {
    for status in [400, 402, 405, 429, 502, 503] {
        let answer = answer_to(status, "text/plain", "no");
        assert_kind(&answer, "http_status");
        assert_eq!(
            answer.at(&["error", "data", "status"]),
            Some(status.to_string())
        );
    }
}

#[test]
fn a_missing_credential_is_explained() {
    for status in [401, 403] {
        let answer = answer_to(status, "application/json", r#"{"error":"who are you"}"#);
        assert_kind(&answer, "http_status");
        assert_eq!(
            answer.at(&["error", "data", "status"]),
            Some(status.to_string())
        );
        let hint = answer.hint().unwrap_or_default();
        assert!(
            hint.contains("--header") || hint.contains("--bearer-env"),
            "{hint}"
        );
    }
}

#[test]
fn a_refused_handshake_is_an_error_and_not_the_end() {
    let hook = |request: &Request, conn: &mut Conn| match request.header("authorization") {
        None => Flow::written(conn.reply(401, &[("WWW-Authenticate", "Bearer")], "")),
        Some(_) => Flow::Pass,
    };
    let server = Server::legacy().intercept(hook).start();
    let bridge = started(&server, &[]);
    for id in ["1", "2"] {
        bridge.request(id, "initialize", &json!({"protocolVersion": LATEST, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}));
        let answer = bridge.answer(id);
        assert_kind(&answer, "http_status");
        assert_eq!(
            answer.at(&["error", "data", "status"]).as_deref(),
            Some("401")
        );
    }
    let bridge = started(&server, &["-H", "Authorization: Bearer let-me-in"]);
    bridge.initialize(LATEST);
}

#[test]
fn an_address_without_an_mcp_server_is_an_error() {
    let hook = |_: &Request, conn: &mut Conn| {
        Flow::written(conn.reply(404, &[("Content-Type", "text/html")], PAGE))
    };
    let server = Server::legacy().intercept(hook).start();
    for flags in [&[][..], &["--transport", "http"], &["--transport", "sse"]] {
        let bridge = started(&server, flags);
        bridge.request("1", "initialize", &json!({"protocolVersion": LATEST, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}));
        let answer = bridge.answer("1");
        assert_kind(&answer, "http_status");
        assert_eq!(
            answer.at(&["error", "data", "status"]).as_deref(),
            Some("404"),
            "{flags:?}"
        );
    }
}

#[test]
fn a_web_page_instead_of_an_answer_is_an_error() {
    let answer = answer_to(200, "text/html", PAGE);
    assert_kind(&answer, "bad_answer");
    assert!(!answer.text.contains("<h1>"), "{}", answer.text);
}

#[test]
fn broken_json_instead_of_an_answer_is_an_error() {
    for body in ["", "{\"jsonrpc\":\"2.0\",\"id\"", "[]", "{}", "null"] {
        assert_kind_in(
            &answer_to(200, "application/json", body),
            &["bad_answer", "answer_lost"],
        );
    }
}

#[test]
fn a_request_that_is_only_accepted_is_an_error() {
    assert_kind_in(
        &answer_to(202, "text/plain", ""),
        &["bad_answer", "answer_lost"],
    );
}
