//! Calls that wait for a session or a stream were not sent, so they cannot have run.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use linkspan_testkit::{Bridge, Conn, Flow, Request, Server};
use serde_json::json;

use crate::setup::{LATEST, assert_kind, assert_works, ready, ready_with, started};

const SSE: &[&str] = &["--transport", "sse"];

/// Waits until everything that was sent so far has been read.
fn read_by(bridge: &Bridge) {
    bridge.send("not json");
    assert_eq!(bridge.answer("null").code(), Some(-32700));
}

/// Closes the connection of a request without an answer, for the second and further ones, up to `last`.
fn cutting(
    is: fn(&Request) -> bool,
    last: usize,
) -> impl Fn(&Request, &mut Conn) -> Flow + Send + Sync + 'static {
    let seen = AtomicUsize::new(0);
    move |request, conn| {
        if !is(request) {
            return Flow::Pass;
        }
        let number = seen.fetch_add(1, Ordering::SeqCst);
        if number == 1 {
            conn.wait_for_gate("cut");
        }
        if (1..=last).contains(&number) {
            Flow::Close
        } else {
            Flow::Pass
        }
    }
}

fn is_get(request: &Request) -> bool {
    request.method == "GET"
}

fn is_initialize(request: &Request) -> bool {
    request.rpc() == Some("initialize")
}

#[test]
fn a_stream_that_is_cut_while_it_is_reopened_costs_no_call() {
    for is in [is_get, is_initialize] {
        let server = Server::sse().intercept(cutting(is, 2)).start();
        let bridge = ready_with(&server, SSE);
        assert_works(&bridge);
        server.drop_streams();
        server.wait_for_count("the next stream", 2, is);
        bridge.call("1", "echo", &json!({"waiting": 1}));
        read_by(&bridge);
        server.open("cut");
        let answer = bridge.answer("1");
        assert!(answer.result.is_some(), "{}", answer.text);
        assert_eq!(server.calls("echo").len(), 2, "sent once each");
    }
}

#[test]
fn a_session_that_is_cut_while_it_is_renewed_costs_no_call() {
    let server = Server::legacy()
        .intercept(cutting(is_initialize, 2))
        .start();
    let bridge = ready(&server);
    assert_works(&bridge);
    server.wait_for_listener();
    server.forget_sessions();
    bridge.call("1", "echo", &json!({"refused": 1}));
    server.wait_for_count("the next session", 2, is_initialize);
    bridge.call("2", "echo", &json!({"waiting": 1}));
    read_by(&bridge);
    server.open("cut");
    for id in ["1", "2"] {
        let answer = bridge.answer(id);
        assert!(answer.result.is_some(), "{}", answer.text);
    }
}

#[test]
fn calls_that_were_never_sent_are_reported_as_not_run() {
    let old = Server::sse().intercept(cutting(is_get, usize::MAX)).start();
    let bridge = ready_with(&old, SSE);
    old.drop_streams();
    old.wait_for_count("the next stream", 2, is_get);
    bridge.call("1", "echo", &json!({}));
    read_by(&bridge);
    old.open("cut");
    assert_kind(&bridge.answer("1"), "connect_failed");
    assert!(old.calls("echo").is_empty());

    let server = Server::legacy()
        .intercept(cutting(is_initialize, usize::MAX))
        .start();
    let bridge = ready(&server);
    server.open("cut");
    server.wait_for_listener();
    server.forget_sessions();
    assert_kind(&bridge.ask("1", "echo", &json!({})), "connect_failed");
}

#[test]
fn a_stream_that_ends_during_the_handshake_holds_nothing_up() {
    let shakes = AtomicUsize::new(0);
    let hook = move |request: &Request, conn: &mut Conn| {
        if is_initialize(request) && shakes.fetch_add(1, Ordering::SeqCst) == 0 {
            conn.wait_for_gate("never");
        }
        Flow::Pass
    };
    let server = Server::sse().intercept(hook).start();
    let bridge = started(&server, SSE);
    let hello = json!({"protocolVersion": LATEST, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    bridge.request("1", "initialize", &hello);
    server.wait_for_post("initialize");
    server.drop_streams();
    assert_kind(&bridge.answer("1"), "answer_lost");
    bridge.initialize(LATEST);
    assert_works(&bridge);
}

#[test]
fn calls_that_an_old_server_refuses_at_once_are_all_sent_again() {
    let server = Server::sse().start();
    let bridge = ready_with(&server, SSE);
    assert_works(&bridge);
    server.forget_sessions();
    for id in 0..8 {
        bridge.call(&id.to_string(), "echo", &json!({"id": id}));
    }
    for id in 0..8 {
        let answer = bridge.answer(&id.to_string());
        assert!(answer.result.is_some(), "{}", answer.text);
    }
}

#[test]
fn a_session_that_is_named_in_a_later_response_is_taken() {
    let hook = |request: &Request, conn: &mut Conn| match request.rpc() {
        Some("notifications/initialized") => {
            Flow::written(conn.reply(202, &[("Mcp-Session-Id", "late")], ""))
        }
        _ => Flow::Pass,
    };
    let server = Server::legacy().without_sessions().intercept(hook).start();
    let bridge = ready(&server);
    assert_works(&bridge);
    assert_eq!(
        server.calls("echo")[0].header("mcp-session-id"),
        Some("late")
    );
    let first = &server.posts("notifications/initialized")[0];
    assert_eq!(first.header("mcp-session-id"), None);
}

#[test]
fn a_silent_server_with_retry_0_is_polled_with_growing_pauses() {
    let closing = |request: &Request, conn: &mut Conn| {
        if is_get(request) {
            let said = conn
                .start_sse(&[])
                .and_then(|()| conn.chunk("retry: 0\n\n"));
            let _ = said.and_then(|()| conn.end());
            Flow::Close
        } else {
            Flow::Pass
        }
    };
    let server = Server::legacy().intercept(closing).start();
    let bridge = ready(&server);
    server.wait_for_count("streams", 7, is_get);
    let gets = server.with_method("GET");
    let pause = gets[6].at - gets[5].at;
    assert!(pause >= Duration::from_millis(1500), "{pause:?}");
    assert_works(&bridge);
}
