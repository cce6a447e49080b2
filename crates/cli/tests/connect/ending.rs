//! How a bridge exits, and that it leaves no processes or files.

use linkspan_testkit::{Bridge, Conn, Flow, Message, Request, Server};
use serde_json::json;

use crate::setup::{assert_works, launch, program, ready, ready_with, started};

#[test]
fn when_the_client_closes_the_session_is_deleted() {
    let server = Server::legacy().start();
    let mut bridge = ready(&server);
    assert_works(&bridge);
    let start = std::time::Instant::now();
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    let deleted = server.with_method("DELETE");
    assert_eq!(deleted.len(), 1);
    assert_eq!(
        deleted[0].header("mcp-session-id"),
        server.calls("echo")[0].header("mcp-session-id")
    );
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_bridge_after_the_session_is_deleted() {
    use linkspan_testkit::Signal;
    for (signal, code) in [(Signal::Terminate, 143), (Signal::Interrupt, 130)] {
        let server = Server::legacy().start();
        let mut bridge = ready(&server);
        bridge.call("1", "gate", &json!({"name": "never"}));
        server.wait_for_calls("gate", 1);
        bridge.signal(signal);
        assert_eq!(bridge.exit_code(), Some(code));
        assert_eq!(server.with_method("DELETE").len(), 1);
        assert_eq!(
            server.posts("notifications/cancelled").len(),
            1,
            "the running call is cancelled"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_signal_before_the_first_message_ends_the_bridge() {
    let server = Server::legacy().start();
    let mut bridge = started(&server, &["--debug"]);
    // The answer proves that the bridge has started and its signal handlers are installed.
    bridge.send("not json");
    assert_eq!(bridge.answer("null").code(), Some(-32700));
    bridge.signal(linkspan_testkit::Signal::Terminate);
    assert_eq!(bridge.exit_code(), Some(143));
    assert!(
        server.requests().is_empty(),
        "nothing was begun, so there is nothing to end"
    );
}

#[test]
fn answers_on_their_way_are_still_delivered_when_the_client_stops_writing() {
    let server = Server::legacy().start();
    let mut bridge = ready_with(&server, &["--drain", "25"]);
    bridge.call("1", "gate", &json!({"name": "soon"}));
    server.wait_for_calls("gate", 1);
    bridge.close_stdin();
    server.open("soon");
    assert!(bridge.answer("1").result.is_some());
    assert_eq!(bridge.exit_code(), Some(0));
    assert_eq!(server.with_method("DELETE").len(), 1);
}

#[test]
fn an_unanswered_request_is_cancelled() {
    let server = Server::legacy().start();
    let mut bridge = ready_with(&server, &["--drain", "0"]);
    bridge.call("1", "gate", &json!({"name": "never"}));
    let call = server.wait_for_calls("gate", 1).remove(0);
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
    let cancelled = server.posts("notifications/cancelled");
    assert_eq!(cancelled.len(), 1);
    let id = |request: &Request, path: &[&str]| request.message.as_ref().and_then(|m| m.at(path));
    assert_eq!(
        id(&cancelled[0], &["params", "requestId"]),
        id(&call, &["id"])
    );
    let order: Vec<_> = server.requests().iter().map(|r| r.method.clone()).collect();
    assert_eq!(order.last().map(String::as_str), Some("DELETE"));
}

#[test]
fn a_server_that_does_not_delete_does_not_hold_the_bridge() {
    let server = Server::legacy().without_delete().start();
    let mut bridge = ready(&server);
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
}

#[test]
fn a_server_that_hangs_does_not_hold_the_bridge() {
    let hook = |request: &Request, conn: &mut Conn| {
        if request.method != "DELETE" {
            return Flow::Pass;
        }
        conn.wait_until_gone();
        Flow::Close
    };
    let server = Server::legacy().intercept(hook).start();
    let mut bridge = ready(&server);
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
}

#[test]
fn a_dead_server_does_not_hold_the_bridge() {
    let server = Server::legacy().start();
    let mut bridge = ready(&server);
    server.kill();
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
}

#[test]
fn a_silent_client_causes_no_request() {
    let server = Server::legacy().start();
    let mut bridge = started(&server, &[]);
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
    assert!(server.requests().is_empty());
    assert!(bridge.unread().is_empty());
}

#[test]
fn stdout_carries_nothing_but_json_rpc() {
    let server = Server::legacy().start();
    let mut bridge = launch(&server.url(), &["--debug", "-v"])
        .env("DEBUG", "1")
        .env("RUST_LOG", "trace")
        .start();
    bridge.initialize(crate::setup::LATEST);
    bridge.send("this is not json");
    bridge.call("1", "die", &json!({}));
    bridge.answer("1");
    assert_works(&bridge);
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
    for line in bridge.unread() {
        assert!(Message::parse(&line).is_some(), "{line}");
    }
    assert!(!bridge.stderr().is_empty(), "--debug tells something");
}

#[test]
fn a_wrong_command_line_is_explained_on_stderr_only() {
    for args in [
        &["connect"][..],
        &["connect", "--no-such-flag", "http://127.0.0.1:1/mcp"],
        &["connect", "ftp://127.0.0.1/mcp"],
        &["connect", "not a url"],
    ] {
        let mut bridge = Bridge::launch(program()).args(args).start();
        bridge.close_stdin();
        assert_eq!(bridge.exit_code(), Some(2), "{args:?}");
        assert!(
            bridge.unread().is_empty(),
            "{args:?}: {:?}",
            bridge.unread()
        );
        assert!(!bridge.stderr().is_empty(), "{args:?}");
    }
}
