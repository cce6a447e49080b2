//! Starts the binary; helpers of many tests.

use std::ffi::OsString;

use linkspan_testkit::{Call, Expose, Exposed, Message, Modern, Session, wait_for};
pub use linkspan_testkit::{LATEST, MODERN, clip};
use serde_json::{Value, json};

/// The binary under test. `LINKSPAN_BIN` names another build to be tested.
pub fn program() -> OsString {
    linkspan_testkit::program_under_test(env!("CARGO_BIN_EXE_linkspan"))
}

/// A legacy child, exposed.
pub fn legacy() -> Exposed {
    expose(&[], &[])
}

/// A child of the stateless revision, exposed.
pub fn modern() -> Exposed {
    expose(&[], &["--modern"])
}

/// A child with flags of its own, exposed with flags.
pub fn expose(flags: &[&str], child: &[&str]) -> Exposed {
    exposing(flags, child).start()
}

/// The same, not yet started.
pub fn exposing(flags: &[&str], child: &[&str]) -> Expose {
    Expose::child(program(), child).flags(flags)
}

/// The structured content of a tool's result, as written.
#[track_caller]
pub fn content(answer: &Message) -> String {
    answer
        .at(&["result", "structuredContent"])
        .unwrap_or_else(|| panic!("no structured content: {}", clip(&answer.text)))
}

/// The structured content of a tool's result.
#[track_caller]
pub fn value(answer: &Message) -> Value {
    serde_json::from_str(&content(answer)).expect("it was JSON on its way")
}

/// The child that serves this session.
#[track_caller]
pub fn pid(session: &Session) -> u32 {
    pid_in(&session.tool("\"who\"", "whoami", &json!({})))
}

/// The child that serves this client.
#[track_caller]
pub fn modern_pid(client: &Modern) -> u32 {
    pid_in(&client.tool("\"who\"", "whoami", &json!({})))
}

#[track_caller]
fn pid_in(answer: &Message) -> u32 {
    let pid = value(answer)["pid"].as_u64();
    let pid = pid.and_then(|pid| u32::try_from(pid).ok());
    pid.expect("`whoami` says its number")
}

/// Asserts that calls of this session work.
#[track_caller]
pub fn assert_works(session: &Session) {
    let answer = session.tool("\"works\"", "echo", &json!({"still": "here"}));
    assert_eq!(content(&answer), r#"{"still":"here"}"#);
}

/// Asserts that calls of this client work.
#[track_caller]
pub fn assert_works_for(client: &Modern) {
    let answer = client.tool("\"works\"", "echo", &json!({"still": "here"}));
    assert_eq!(content(&answer), r#"{"still":"here"}"#);
}

/// Asserts that a request was refused with that status and a JSON-RPC error of that code.
#[track_caller]
pub fn assert_refused(call: &mut Call, status: u16, code: i64) -> Message {
    let error = assert_error(call, status);
    assert_eq!(error.code(), Some(code), "{}", error.text);
    error
}

/// Asserts that a request was refused with that status and any JSON-RPC error.
#[track_caller]
pub fn assert_error(call: &mut Call, status: u16) -> Message {
    let reply = call.reply().clone();
    let body = call.body();
    assert_eq!(reply.status, status, "{body}");
    assert!(reply.is_json(), "{:?}: {body}", reply.headers);
    let error = Message::parse(&body).unwrap_or_else(|| panic!("not JSON-RPC: {body:?}"));
    assert!(error.error.is_some() && error.id.is_some(), "{body}");
    error
}

/// Waits until the health check counts that many sessions: one that has ended is forgotten a little later.
#[track_caller]
pub fn wait_for_sessions(exposed: &Exposed, count: usize) {
    wait_for_health(exposed, "sessions", count);
}

/// Waits until a figure of the health check has that value.
#[track_caller]
pub fn wait_for_health(exposed: &Exposed, figure: &str, value: usize) {
    let mut client = exposed.client();
    client.path = "/healthz".into();
    wait_for(&format!("{value} {figure}"), || {
        let mut call = client.send(&client.ask("GET").with("Accept", "*/*"));
        assert_eq!(call.status(), 200);
        let health: Value = serde_json::from_str(&call.body()).expect("the health check is JSON");
        assert_eq!(health["status"], "ok", "{health}");
        health[figure] == value
    });
}
