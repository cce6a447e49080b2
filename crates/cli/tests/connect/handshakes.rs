//! Handshakes, sessions and refusals.

use linkspan_testkit::{Conn, Flow, Request, Server};
use serde_json::json;

use crate::servers::{answer_to, hello, plain, welcome};
use crate::setup::{LATEST, assert_kind, launch, ready, started};

#[test]
fn a_client_that_does_not_wait_for_the_handshake_has_its_version_all_the_same() {
    for _ in 0..10 {
        let server = Server::legacy().intercept(plain).start();
        let bridge = started(&server, &[]);
        bridge.request("0", "initialize", &hello());
        bridge.notify("notifications/initialized", &json!({}));
        bridge.request("1", "ping", &json!({}));
        bridge.answer("1");
        let ping = server.wait_for_post("ping");
        assert_eq!(ping.header("mcp-protocol-version"), Some(LATEST));
    }
}

#[test]
fn a_session_without_a_version_is_kept_all_the_same() {
    let hook = |request: &Request, conn: &mut Conn| match request.rpc() {
        Some("initialize") => {
            let headers = [
                ("Mcp-Session-Id", "s1"),
                ("Content-Type", "application/json"),
            ];
            let body = answer_to(request, r#""result":{"capabilities":{}}"#);
            Flow::written(conn.reply(200, &headers, &body))
        }
        _ => plain(request, conn),
    };
    for _ in 0..10 {
        let server = Server::legacy().intercept(hook).start();
        let bridge = started(&server, &[]);
        bridge.request("0", "initialize", &hello());
        bridge.answer("0");
        bridge.request("1", "ping", &json!({}));
        bridge.answer("1");
        let ping = server.wait_for_post("ping");
        assert_eq!(ping.header("mcp-session-id"), Some("s1"));
    }
}

/// A server whose GET is a silent event stream, and that refuses `prompts/list`.
fn silent(request: &Request, conn: &mut Conn) -> Flow {
    if request.method == "GET" {
        if conn.start_sse(&[]).is_ok() {
            conn.wait_until_gone();
        }
        return Flow::Close;
    }
    match request.rpc() {
        Some("prompts/list") => Flow::written(conn.reply(400, &[], "bad")),
        _ => plain(request, conn),
    }
}

#[test]
fn a_refusal_where_the_transport_is_known_is_no_reason_to_try_the_other() {
    let server = Server::legacy().intercept(silent).start();
    let bridge = started(&server, &["--server-era", "modern"]);
    let meta = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}});
    bridge.request("1", "tools/list", &meta);
    bridge.answer("1");
    bridge.request("2", "prompts/list", &meta);
    assert_kind(&bridge.answer("2"), "http_status");
    bridge.request("3", "tools/list", &meta);
    assert!(bridge.answer("3").result.is_some());
    assert!(server.with_method("GET").is_empty());
}

#[test]
fn a_stream_that_took_its_id_back_cannot_be_resumed() {
    let hook = |request: &Request, conn: &mut Conn| match request.tool().as_deref() {
        Some("echo") => {
            let sent = conn
                .start_sse(&[])
                .and_then(|()| conn.chunk("id: 7\ndata:\n\nid:\ndata:\n\n"));
            Flow::written(sent.and_then(|()| conn.end()))
        }
        _ => Flow::Pass,
    };
    let server = Server::legacy().intercept(hook).start();
    let bridge = ready(&server);
    assert_kind(&bridge.ask("1", "echo", &json!({})), "answer_lost");
}

#[test]
fn a_client_that_begins_anew_gets_one_new_session() {
    let hook = |request: &Request, conn: &mut Conn| {
        if request.tool().as_deref() == Some("old") {
            // Refused only after the new session was opened.
            conn.wait_for_gate("begun");
            return Flow::written(conn.reply(404, &[], "gone"));
        }
        Flow::Pass
    };
    let server = Server::legacy().intercept(hook).start();
    let bridge = ready(&server);
    bridge.call("1", "old", &json!({}));
    server.wait_for_calls("old", 1);
    bridge.request("2", "initialize", &hello());
    assert!(bridge.answer("2").result.is_some());
    assert_eq!(server.posts("initialize").len(), 2);
    server.open("begun");
    bridge.answer("1");
    assert_eq!(
        server.calls("old").len(),
        2,
        "sent again once, in the new session"
    );
}

#[test]
fn a_password_in_the_address_is_not_shown() {
    let hook = |request: &Request, conn: &mut Conn| match request.rpc() {
        Some("initialize") => Flow::written(conn.json(200, &answer_to(request, &welcome(LATEST)))),
        _ => Flow::written(conn.reply(403, &[], "the password hunter22 is wrong")),
    };
    let server = Server::legacy().intercept(hook).start();
    let url = server.url().replace("http://", "http://me:hunter22@");
    let mut bridge = launch(&url, &["-v"]).start();
    bridge.request("1", "initialize", &hello());
    bridge.answer("1");
    bridge.request("2", "ping", &json!({}));
    let answer = bridge.answer("2");
    assert_kind(&answer, "http_status");
    bridge.close_stdin();
    bridge.exit_code();
    assert!(!answer.text.contains("hunter22") && !bridge.stderr().contains("hunter22"));
}
