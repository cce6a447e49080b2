//! A server that forgets its sessions.

use std::sync::atomic::{AtomicUsize, Ordering};

use linkspan_testkit::{Bridge, Conn, Flow, Request, Server};
use serde_json::json;

use crate::setup::{assert_kind, assert_works, ready};

/// A bridge after its handshake with an open GET stream, so that only the test's own call can notice a forgotten
/// session.
fn settled(server: &Server) -> Bridge {
    let bridge = ready(server);
    assert_works(&bridge);
    server.wait_for_listener();
    bridge
}

#[test]
fn a_forgotten_session_is_renewed_and_the_refused_request_sent_again() {
    let server = Server::legacy().start();
    let bridge = settled(&server);
    server.forget_sessions();
    assert_works(&bridge);

    let shakes = server.posts("initialize");
    assert_eq!(shakes.len(), 2);
    let params = |request: &Request| request.message.as_ref().and_then(|m| m.params.clone());
    assert_eq!(
        params(&shakes[0]),
        params(&shakes[1]),
        "the client's own parameters, byte for byte"
    );
    assert_eq!(shakes[1].header("mcp-session-id"), None);
    let sessions: Vec<_> = server
        .calls("echo")
        .iter()
        .map(|r| r.header("mcp-session-id").unwrap_or_default().to_owned())
        .collect();
    assert_eq!(sessions.len(), 3, "once, refused, and again: {sessions:?}");
    assert!(
        sessions[0] == sessions[1] && sessions[1] != sessions[2],
        "{sessions:?}"
    );
    assert!(
        bridge.unread().is_empty(),
        "the client must not notice: {:?}",
        bridge.unread()
    );
}

#[test]
fn a_renewed_session_is_complete_before_it_is_used() {
    let server = Server::legacy().start();
    let bridge = settled(&server);
    server.forget_sessions();
    assert_works(&bridge);
    let rpcs: Vec<_> = server
        .requests()
        .iter()
        .filter(|r| r.method == "POST")
        .filter_map(|r| r.rpc().map(str::to_owned))
        .collect();
    let handshake = ["initialize", "notifications/initialized", "tools/call"];
    let (first, refused, second) = (&rpcs[..3], &rpcs[3], &rpcs[4..]);
    assert_eq!(
        (first, second),
        (
            &handshake.map(str::to_owned)[..],
            &handshake.map(str::to_owned)[..]
        )
    );
    assert_eq!(refused, "tools/call");
}

#[test]
fn many_calls_that_meet_a_forgotten_session_share_one_handshake() {
    let server = Server::legacy().start();
    let bridge = settled(&server);
    server.forget_sessions();
    for id in 0..32 {
        bridge.call(&id.to_string(), "echo", &json!({"id": id}));
    }
    for id in 0..32 {
        let answer = bridge.answer(&id.to_string());
        assert_eq!(
            answer.at(&["result", "structuredContent", "id"]),
            Some(id.to_string()),
            "{}",
            answer.text
        );
    }
    assert_eq!(server.posts("initialize").len(), 2);
    assert_eq!(server.posts("notifications/initialized").len(), 2);
}

#[test]
fn a_server_that_forgets_for_ever_ends_in_an_error_and_not_in_a_loop() {
    let hook = |request: &Request, conn: &mut Conn| match request.tool() {
        Some(_) => Flow::written(conn.reply(404, &[], "no such session")),
        None => Flow::Pass,
    };
    let server = Server::legacy().intercept(hook).start();
    let bridge = ready(&server);
    assert_kind(&bridge.ask("1", "echo", &json!({})), "session_lost");
    assert_eq!(server.posts("initialize").len(), 2);
    assert_eq!(server.calls("echo").len(), 2);
}

#[test]
fn a_handshake_that_fails_is_tried_again_for_the_next_call() {
    let shakes = AtomicUsize::new(0);
    let hook = move |request: &Request, conn: &mut Conn| match request.rpc() {
        Some("initialize") if shakes.fetch_add(1, Ordering::SeqCst) == 1 => {
            Flow::written(conn.reply(403, &[], "not now"))
        }
        _ => Flow::Pass,
    };
    let server = Server::legacy().intercept(hook).start();
    let bridge = settled(&server);
    server.forget_sessions();
    let answer = bridge.ask("1", "echo", &json!({}));
    assert_eq!(answer.code(), Some(-32000), "{}", answer.text);
    assert_works(&bridge);
}

#[test]
fn a_renewed_session_is_listened_to() {
    let server = Server::legacy().start();
    let bridge = settled(&server);
    server.forget_sessions();
    assert_works(&bridge);
    server.wait_for_listener();
    server.push(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    bridge.heard("notifications/tools/list_changed");
}

#[test]
fn a_server_without_sessions_is_served_too() {
    let server = Server::legacy().without_sessions().start();
    let mut bridge = ready(&server);
    assert_works(&bridge);
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
    assert!(
        server.with_method("DELETE").is_empty(),
        "there is nothing to delete"
    );
}

#[test]
fn a_refused_initialized_is_not_sent_twice() {
    let seen = AtomicUsize::new(0);
    let hook = move |request: &Request, conn: &mut Conn| match request.rpc() {
        Some("notifications/initialized") if seen.fetch_add(1, Ordering::SeqCst) == 0 => {
            Flow::written(conn.reply(404, &[], "no such session"))
        }
        _ => Flow::Pass,
    };
    let server = Server::legacy().intercept(hook).start();
    let bridge = ready(&server);
    assert_works(&bridge);
    assert_works(&bridge);
    assert_eq!(server.posts("initialize").len(), 2);
    assert_eq!(server.posts("notifications/initialized").len(), 2);
}
