//! Starts the binary; helpers of many tests.

use std::ffi::OsString;

pub use linkspan_testkit::LATEST;
use linkspan_testkit::{Bridge, Launch, Message, Server};
use serde_json::json;

/// The binary with `connect`, flags and address. `LINKSPAN_BIN` names another build to be tested.
pub fn launch(url: &str, flags: &[&str]) -> Launch {
    Bridge::launch(program())
        .env("LINKSPAN_STATE", env!("CARGO_TARGET_TMPDIR"))
        .arg("connect")
        .args(flags)
        .arg(url)
}

/// The binary under test.
pub fn program() -> OsString {
    linkspan_testkit::program_under_test(env!("CARGO_BIN_EXE_linkspan"))
}

/// A bridge to that server, started with flags.
pub fn started(server: &Server, flags: &[&str]) -> Bridge {
    launch(&server.url(), flags).start()
}

/// A bridge to that server that has shaken hands.
pub fn ready(server: &Server) -> Bridge {
    ready_with(server, &[])
}

/// A bridge to that server, started with flags, that has shaken hands.
pub fn ready_with(server: &Server, flags: &[&str]) -> Bridge {
    let bridge = started(server, flags);
    bridge.initialize(LATEST);
    bridge
}

/// Asserts that an answer is one of linkspan's own errors, of that kind, with a hint.
#[track_caller]
pub fn assert_kind(answer: &Message, kind: &str) {
    assert_kind_in(answer, &[kind]);
}

/// Asserts that an answer is one of linkspan's own errors, of one of these kinds, with a hint.
#[track_caller]
pub fn assert_kind_in(answer: &Message, kinds: &[&str]) {
    let text: String = answer.text.chars().take(2000).collect();
    assert_eq!(answer.code(), Some(-32000), "{text}");
    let kind = answer.kind().unwrap_or_default();
    assert!(kinds.contains(&kind.as_str()), "expected {kinds:?}: {text}");
    assert!(
        answer.hint().is_some_and(|hint| !hint.is_empty()),
        "a hint is missing: {text}"
    );
}

/// Asserts that calls work.
#[track_caller]
pub fn assert_works(bridge: &Bridge) {
    let answer = bridge.ask("\"works\"", "echo", &json!({"still": "here"}));
    let text = answer
        .at(&["result", "structuredContent"])
        .unwrap_or_else(|| panic!("{}", answer.text));
    assert_eq!(text, r#"{"still":"here"}"#);
}

/// Asserts that calls work again. A connection that was idle when its server died may still cost a
/// call: it is unknown whether the server read it.
#[track_caller]
pub fn assert_recovers(bridge: &Bridge) {
    for attempt in 0..20 {
        let answer = bridge.ask(&format!("\"attempt {attempt}\""), "echo", &json!({}));
        if answer.result.is_some() {
            return assert_works(bridge);
        }
        assert_kind_in(&answer, &["connect_failed", "answer_lost"]);
    }
    panic!("twenty calls failed although the server is there");
}
