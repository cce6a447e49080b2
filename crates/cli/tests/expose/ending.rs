//! The exit: it does not hang and leaves no processes.

use linkspan_testkit::{Expose, Http, Signal};
use serde_json::json;

use crate::setup::{LATEST, assert_works, assert_works_for, legacy, modern, program};

#[test]
fn a_signal_ends_it_with_the_usual_code() {
    for (signal, code) in [(Signal::Terminate, 143), (Signal::Interrupt, 130)] {
        let mut exposed = legacy();
        assert_works(&exposed.client().session(LATEST));
        assert_works_for(&exposed.client().modern());
        let address = exposed.address();
        exposed.bridge.signal(signal);
        assert_eq!(exposed.bridge.exit_code(), Some(code));
        assert!(
            std::net::TcpStream::connect(address).is_err(),
            "the port is closed"
        );
        exposed.children.wait_until_none();
        exposed.has_ended();
    }
}

#[test]
fn calls_in_flight_are_answered_before_the_end() {
    for exposed in [legacy(), modern()] {
        let session = exposed.client().session(LATEST);
        let mut call = session.call("\"mine\"", "gate", &json!({"name": "never"}));
        let mut other = exposed
            .client()
            .modern()
            .call("1", "gate", &json!({"name": "never"}));
        exposed.children.wait_for_tools("gate", 2);
        let mut listening = session.listen();
        assert_eq!(listening.status(), 200);
        exposed.end();
        let answer = call.answer();
        assert_eq!(answer.id.as_deref(), Some("\"mine\""));
        assert_eq!(answer.code(), Some(-32000), "{}", answer.text);
        assert_eq!(other.answer().code(), Some(-32000));
        assert!(listening.rest().is_empty());
    }
}

#[test]
fn grandchildren_end_with_us() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    session.tool("1", "grandchild", &json!({}));
    exposed
        .client()
        .modern()
        .tool("1", "grandchild", &json!({}));
    exposed.children.wait_for_alive(4);
    exposed.end();
}

#[test]
fn grandchildren_end_with_their_session() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    session.tool("1", "grandchild", &json!({}));
    exposed.children.wait_for_alive(2);
    assert_eq!(session.end(), 204);
    exposed.children.wait_until_none();
}

#[cfg(target_os = "linux")]
#[test]
fn grandchildren_in_a_session_of_their_own_end_with_that_of_their_client() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    let other = exposed.client().session(LATEST);
    session.tool("1", "grandchild", &json!({"through": "setsid"}));
    other.tool("1", "grandchild", &json!({"through": "setsid"}));
    exposed.children.wait_for_alive(4);
    assert_eq!(session.end(), 204);
    exposed.children.wait_for_alive(2);
    assert_works(&other);
    exposed.end();
}

#[cfg(target_os = "linux")]
#[test]
fn grandchildren_without_an_environment_end_with_the_last_session() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    let other = exposed.client().session(LATEST);
    let through = json!({"through": "env -i setsid"});
    session.tool("1", "grandchild", &through);
    exposed.children.wait_for_alive(3);
    assert_eq!(session.end(), 204);
    assert_works(&other);
    assert_eq!(other.end(), 204);
    exposed.children.wait_until_none();
}

#[cfg(target_os = "linux")]
#[test]
fn grandchildren_in_a_session_of_their_own_end_even_if_we_are_killed() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    session.tool("1", "grandchild", &json!({"through": "setsid"}));
    exposed.children.wait_for_alive(2);
    exposed.bridge.signal(Signal::Kill);
    exposed.children.wait_until_none();
    exposed.has_ended();
}

#[test]
fn grandchildren_of_a_killed_child_end_as_well() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    session.tool("1", "grandchild", &json!({}));
    exposed.children.wait_for_alive(2);
    let pid = exposed.children.wait_for_tool("grandchild").pid;
    exposed.children.kill(pid);
    exposed.children.wait_until_none();
}

#[test]
fn a_server_behind_a_shell_ends_with_us() {
    let exposed = Expose::wrapped_child(program()).start();
    let session = exposed.client().session(LATEST);
    session.tool("1", "grandchild", &json!({}));
    exposed.children.wait_for_alive(2);
    exposed.end();
}

#[test]
fn a_child_that_does_not_want_to_end_is_made_to() {
    let exposed = Expose::stubborn_child(program()).start();
    let session = exposed.client().session(LATEST);
    assert_works(&session);
    exposed.children.wait_for_alive(1);
    assert_eq!(session.end(), 204);
    exposed.children.wait_until_none();
    assert_works(&exposed.client().session(LATEST));
    exposed.end();
}

#[test]
fn a_child_that_does_not_want_to_end_is_made_to_even_if_we_are_killed() {
    let exposed = Expose::stubborn_child(program()).start();
    assert_works(&exposed.client().session(LATEST));
    exposed.children.wait_for_alive(1);
    exposed.bridge.signal(Signal::Kill);
    exposed.children.wait_until_none();
    exposed.has_ended();
}

#[test]
fn a_child_is_asked_to_end_by_the_end_of_its_stdin_first() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    assert_works(&session);
    assert_eq!(session.end(), 204);
    exposed
        .children
        .wait_for("the end of stdin", |s| s.text == "stdin ended");
}

#[test]
fn open_connections_do_not_hold_up_the_end() {
    let exposed = legacy();
    let idle: Vec<_> = (0..5).map(|_| Http::connect(exposed.address())).collect();
    let session = exposed.client().session(LATEST);
    let mut half = Http::connect(exposed.address());
    half.bytes(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{");
    let unread = session.call("1", "blob", &json!({"size": 30_000_000}));
    exposed.children.wait_for_tool("blob");
    exposed.end();
    drop((idle, half, unread));
}
