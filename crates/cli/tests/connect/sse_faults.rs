//! HTTP+SSE has one stream for all messages; these faults must not end all of it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use linkspan_testkit::{Conn, Flow, Request, Server};
use serde_json::json;

use crate::servers::{answer_to, assert_answers};
use crate::setup::{assert_kind, assert_works, ready_with, started};

const SSE: &[&str] = &["--transport", "sse"];

fn is_get(request: &Request) -> bool {
    request.method == "GET"
}

#[test]
fn an_old_server_that_refuses_a_probe_is_spoken_to_in_its_own_era() {
    let hook = |request: &Request, conn: &mut Conn| {
        if request.rpc() != Some("server/discover") || request.path() != "/messages" {
            return Flow::Pass;
        }
        conn.push(&answer_to(
            request,
            r#""error":{"code":-32601,"message":"Method not found"}"#,
        ));
        Flow::written(conn.reply(202, &[], ""))
    };
    let server = Server::sse().intercept(hook).start();
    let bridge = started(&server, &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    bridge.request("1", "server/discover", &json!({"_meta": meta}));
    assert!(bridge.answer("1").result.is_some());
    let echo = json!({"name": "echo", "arguments": {"x": 1}, "_meta": meta});
    bridge.request("2", "tools/call", &echo);
    assert_eq!(
        bridge.answer("2").at(&["result", "resultType"]).as_deref(),
        Some("\"complete\"")
    );
}

#[test]
fn an_old_server_can_be_initialized_twice() {
    let server = Server::sse().start();
    let bridge = ready_with(&server, SSE);
    assert_works(&bridge);
    bridge.initialize(crate::setup::LATEST);
    assert_works(&bridge);
}

#[test]
fn notifications_before_the_stream_is_open_do_not_stop_later_ones() {
    let server = Server::sse().start();
    let bridge = started(&server, SSE);
    bridge.notify("notifications/vendor/first", &json!({}));
    server.wait_for("the stream", is_get);
    bridge.initialize(crate::setup::LATEST);
    bridge.call("1", "gate", &json!({"name": "never"}));
    server.wait_for_calls("gate", 1);
    bridge.notify("notifications/cancelled", &json!({"requestId": 1}));
    server.wait_for_post("notifications/cancelled");
    bridge.notify("notifications/vendor/second", &json!({}));
    server.wait_for_post("notifications/vendor/second");
}

#[test]
fn notifications_while_the_stream_is_down_do_not_stop_later_ones() {
    let gets = AtomicUsize::new(0);
    let hook = move |request: &Request, conn: &mut Conn| {
        if is_get(request) && gets.fetch_add(1, Ordering::SeqCst) == 1 {
            conn.wait_for_gate("up again");
        }
        Flow::Pass
    };
    let server = Server::sse().intercept(hook).start();
    let bridge = ready_with(&server, SSE);
    assert_works(&bridge);
    server.drop_streams();
    server.wait_for_count("a new stream", 2, is_get);
    bridge.notify("notifications/vendor/meanwhile", &json!({}));
    // The answer proves that the notification has been read.
    bridge.send("not json");
    assert_eq!(bridge.answer("null").code(), Some(-32700));
    server.open("up again");
    bridge.call("1", "gate", &json!({"name": "never"}));
    server.wait_for_calls("gate", 1);
    bridge.notify("notifications/cancelled", &json!({"requestId": 1}));
    server.wait_for_post("notifications/cancelled");
    bridge.notify("notifications/vendor/afterwards", &json!({}));
    server.wait_for_post("notifications/vendor/afterwards");
    assert_eq!(server.posts("notifications/vendor/meanwhile").len(), 1);
}

#[test]
fn an_event_above_the_limit_fails_only_the_call_that_it_answers() {
    let server = Server::sse().start();
    let flags = ["--transport", "sse", "--max-message", "100000"];
    let bridge = ready_with(&server, &flags);
    bridge.call("1", "gate", &json!({"name": "slow"}));
    server.wait_for_calls("gate", 1);
    let large = bridge.ask("2", "blob", &json!({"size": 300_000}));
    assert_kind(&large, "too_large");
    server.open("slow");
    let slow = bridge.answer("1");
    assert!(slow.result.is_some(), "{}", slow.text);
    assert_works(&bridge);
    assert_eq!(server.with_method("GET").len(), 1, "the stream goes on");
}

#[test]
fn an_answer_that_is_no_message_is_reported_to_the_caller_at_once() {
    let server = Server::sse().start();
    let bridge = ready_with(&server, SSE);
    for (id, envelope) in [
        (
            "1",
            r#"{"jsonrpc":"2.0","id":$ID,"result":{},"error":null}"#,
        ),
        ("2", r#"{"jsonrpc":"2.0","id":$ID}"#),
        ("3", r#"{"jsonrpc":"1.0","id":$ID,"result":{}}"#),
    ] {
        let answer = bridge.ask(id, "raw", &json!({"envelope": envelope}));
        assert_kind(&answer, "bad_answer");
    }
    assert_works(&bridge);
    assert_eq!(server.with_method("GET").len(), 1, "the stream goes on");
}

#[test]
fn a_session_that_is_forgotten_while_its_stream_is_open_is_renewed() {
    let server = Server::sse().start();
    let bridge = ready_with(&server, SSE);
    assert_works(&bridge);
    server.forget_sessions();
    assert_works(&bridge);
    assert_eq!(server.with_method("GET").len(), 2);
    assert_eq!(server.posts("initialize").len(), 2);
    let sessions: Vec<_> = server
        .calls("echo")
        .iter()
        .map(|r| r.query("sessionId").unwrap_or_default().to_owned())
        .collect();
    assert_eq!(sessions.len(), 3, "once, refused, and again: {sessions:?}");
    assert!(
        sessions[0] == sessions[1] && sessions[1] != sessions[2],
        "{sessions:?}"
    );
    assert_works(&bridge);
}

#[test]
fn eight_calls_to_a_dead_server_fail_as_fast_as_one() {
    let server = Server::sse().start();
    let bridge = ready_with(&server, SSE);
    assert_works(&bridge);
    server.kill();
    // The first request may use a dead connection that was not detected yet.
    let first = bridge.ask("0", "echo", &json!({}));
    assert_eq!(first.code(), Some(-32000), "{}", first.text);
    let start = Instant::now();
    assert_kind(&bridge.ask("1", "echo", &json!({})), "connect_failed");
    let alone = start.elapsed();
    let start = Instant::now();
    for id in 10..18 {
        bridge.call(&id.to_string(), "echo", &json!({}));
    }
    for id in 10..18 {
        assert_kind(&bridge.answer(&id.to_string()), "connect_failed");
    }
    let together = start.elapsed();
    let slack = Duration::from_millis(500);
    assert!(
        together < alone * 3 + slack,
        "{together:?} against {alone:?}"
    );
}

#[test]
fn a_post_that_is_accepted_only_after_the_work_does_not_hold_its_answer() {
    let hook = |request: &Request, conn: &mut Conn| {
        if request.tool().as_deref() != Some("slow to accept") {
            return Flow::Pass;
        }
        conn.push(&answer_to(request, r#""result":{"done":true}"#));
        conn.wait_for_gate("accepted");
        Flow::written(conn.reply(202, &[], ""))
    };
    let server = Server::sse().intercept(hook).start();
    let bridge = ready_with(&server, SSE);
    let answer = bridge.ask("1", "slow to accept", &json!({}));
    assert_eq!(answer.result.as_deref(), Some(r#"{"done":true}"#));
    assert_works(&bridge);
    server.open("accepted");
    assert_works(&bridge);
    assert!(bridge.unread().is_empty(), "{:?}", bridge.unread());
}

#[test]
fn a_post_that_dies_after_its_answer_came_is_no_second_answer() {
    let hook = |request: &Request, conn: &mut Conn| {
        if request.tool().as_deref() != Some("never accepted") {
            return Flow::Pass;
        }
        conn.push(&answer_to(request, r#""result":{"done":true}"#));
        conn.wait_for_gate("died");
        Flow::Close
    };
    let server = Server::sse().intercept(hook).start();
    let bridge = ready_with(&server, SSE);
    let answer = bridge.ask("1", "never accepted", &json!({}));
    assert_eq!(answer.result.as_deref(), Some(r#"{"done":true}"#));
    server.open("died");
    assert_works(&bridge);
    assert!(bridge.unread().is_empty(), "{:?}", bridge.unread());
}

#[test]
fn a_stream_that_ends_after_every_handshake_is_not_reopened_at_once_for_ever() {
    let server = Server::sse().start();
    let bridge = ready_with(&server, SSE);
    for opened in 1..=2 {
        server.wait_for_count("a handshake", opened, |request| {
            request.rpc() == Some("notifications/initialized")
        });
        server.drop_streams();
        server.wait_for_count("a new stream", opened + 1, is_get);
    }
    let gets = server.with_method("GET");
    let pause = gets[2].at - gets[1].at;
    assert!(pause >= Duration::from_secs(1), "{pause:?}");
    assert_answers(&bridge);
}
