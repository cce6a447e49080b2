//! `--share`: one child for all legacy sessions; no session gets messages of another.

use linkspan_testkit::Exposed;
use serde_json::json;

use crate::setup::{LATEST, assert_works, expose, pid, value};

fn shared() -> Exposed {
    expose(&["--share"], &[])
}

#[test]
fn all_sessions_have_the_same_child_and_it_shakes_hands_once() {
    let exposed = shared();
    let client = exposed.client();
    let sessions: Vec<_> = (0..5).map(|_| client.session(LATEST)).collect();
    let first = pid(&sessions[0]);
    for session in &sessions {
        assert_eq!(pid(session), first);
    }
    let shaken = exposed
        .children
        .seen(|s| s.method() == Some("initialize") && s.pid == first);
    assert_eq!(shaken.len(), 1);
}

#[test]
fn progress_reaches_only_its_owner() {
    let exposed = shared();
    let client = exposed.client();
    let sessions = [client.session(LATEST), client.session(LATEST)];
    let mut listening = sessions.each_ref().map(|session| session.listen());
    for stream in &mut listening {
        assert_eq!(stream.status(), 200);
    }
    let mut calls = [0, 1].map(|n: usize| {
        let arguments = json!({"n": n + 2});
        sessions[n].call_with_token("1", &json!("same"), "progress", &arguments)
    });
    for (n, call) in calls.iter_mut().enumerate() {
        call.answer();
        let notes = call.rest();
        assert_eq!(notes.len(), n + 2, "{notes:?}");
        assert!(
            notes
                .iter()
                .all(|m| m.json()["params"]["progressToken"] == "same")
        );
    }
    sessions[0].tool("2", "later", &json!({"gate": "now"}));
    exposed.children.open("now");
    for stream in &mut listening {
        let first = stream.message().expect("a change of a list is for all");
        assert_eq!(
            first.method.as_deref(),
            Some("notifications/tools/list_changed")
        );
    }
}

#[test]
fn a_question_reaches_only_the_session_that_caused_it() {
    let exposed = shared();
    let client = exposed.client();
    let (asked, other) = (client.session(LATEST), client.session(LATEST));
    let mut listening = other.listen();
    assert_eq!(listening.status(), 200);
    let mut call = asked.call("1", "ask", &json!({}));
    let question = call.heard("elicitation/create");
    asked.respond(&question, r#"{"action":"accept"}"#);
    assert_eq!(value(&call.answer())["action"], "accept");
    other.tool("1", "later", &json!({"gate": "now"}));
    exposed.children.open("now");
    let first = listening.message().expect("the stream goes on");
    assert_eq!(
        first.method.as_deref(),
        Some("notifications/tools/list_changed"),
        "{}",
        first.text
    );
}

#[test]
fn a_crash_is_told_to_all_and_a_new_session_works() {
    let exposed = shared();
    let client = exposed.client();
    let (one, two) = (client.session(LATEST), client.session(LATEST));
    let mut running = two.call("1", "gate", &json!({"name": "never"}));
    exposed.children.wait_for_tool("gate");
    assert!(
        one.call("1", "crash", &json!({"code": 1}))
            .answer()
            .error
            .is_some()
    );
    assert_eq!(running.answer().code(), Some(-32000));
    assert_works(&client.session(LATEST));
}
