//! `--share`: one child for all legacy sessions, and nobody hears what is another's.

use linkspan_testkit::Exposed;
use serde_json::json;

use crate::setup::{LATEST, assert_error, assert_works, expose, pid, value};

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
fn two_sessions_may_use_the_same_ids() {
    let exposed = shared();
    let client = exposed.client();
    let sessions = [client.session(LATEST), client.session(LATEST)];
    let mut calls =
        [0, 1].map(|n: usize| sessions[n].call("1", "gate", &json!({"name": format!("g{n}")})));
    exposed.children.wait_for_tools("gate", 2);
    for n in [1, 0] {
        exposed.children.open(&format!("g{n}"));
        let answer = calls[n].answer();
        assert_eq!(answer.id.as_deref(), Some("1"));
        assert_eq!(value(&answer)["name"], format!("g{n}"));
    }
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
fn a_question_with_two_possible_owners_is_not_guessed() {
    let exposed = shared();
    let client = exposed.client();
    let (busy, asked) = (client.session(LATEST), client.session(LATEST));
    let mut running = busy.call("1", "gate", &json!({"name": "open"}));
    exposed.children.wait_for_tool("gate");
    let mut call = asked.call("1", "ask", &json!({"label": "mine"}));
    // Asked of who called, or refused: never asked of the other.
    let first = call.message().expect("an answer or a question");
    if first.method.is_some() {
        asked.respond(&first, r#"{"action":"accept"}"#);
        assert_eq!(value(&call.answer())["action"], "accept");
    } else {
        assert!(
            first.error.is_some() || value(&first)["code"].is_i64(),
            "{}",
            first.text
        );
    }
    exposed.children.open("open");
    assert!(running.answer().result.is_some());
    assert!(running.rest().is_empty(), "the other session was not asked");
}

#[test]
fn a_question_with_no_owner_is_answered_by_us() {
    let exposed = shared();
    let client = exposed.client();
    let sessions = [client.session(LATEST), client.session(LATEST)];
    sessions[0].tool(
        "1",
        "later",
        &json!({"gate": "now", "what": "ask", "key": "nobody"}),
    );
    exposed.children.open("now");
    let told = exposed
        .children
        .wait_for("an answer", |s| s.id() == Some("\"nobody\""));
    assert!(told.message.unwrap().error.is_some(), "{}", told.text);
}

#[test]
fn a_cancellation_takes_only_the_call_of_its_session() {
    let exposed = shared();
    let client = exposed.client();
    let sessions = [client.session(LATEST), client.session(LATEST)];
    let mut calls =
        [0, 1].map(|n: usize| sessions[n].call("1", "gate", &json!({"name": "open", "n": n})));
    exposed.children.wait_for_tools("gate", 2);
    sessions[0].notify("notifications/cancelled", &json!({"requestId": 1}));
    let cancelled = exposed
        .children
        .wait_for_method("notifications/cancelled")
        .message
        .unwrap();
    let taken = exposed.children.wait_for("the call", |s| {
        s.tool().is_some() && s.id() == cancelled.at(&["params", "requestId"]).as_deref()
    });
    assert!(taken.text.contains(r#""n":0"#), "{}", taken.text);
    exposed.children.open("open");
    assert_eq!(value(&calls[1].answer())["n"], 1);
}

#[test]
fn a_session_that_ends_leaves_the_child_to_the_others() {
    let exposed = shared();
    let client = exposed.client();
    let (one, two) = (client.session(LATEST), client.session(LATEST));
    let child = pid(&one);
    let _running = one.call("1", "gate", &json!({"name": "never"}));
    exposed.children.wait_for_tool("gate");
    assert_eq!(one.end(), 204);
    exposed.children.wait_for_method("notifications/cancelled");
    assert_error(&mut one.call("2", "echo", &json!({})), 404);
    assert_works(&two);
    assert_eq!(pid(&two), child);
    assert_eq!(pid(&client.session(LATEST)), child);
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

#[test]
fn a_modern_child_can_be_shared_too() {
    let exposed = expose(&["--share"], &["--modern"]);
    let client = exposed.client();
    let sessions = [client.session(LATEST), client.session(LATEST)];
    assert_eq!(pid(&sessions[0]), pid(&sessions[1]));
    let mut calls = sessions
        .each_ref()
        .map(|s| s.call("1", "ask", &json!({"label": s.id})));
    for (session, call) in sessions.iter().zip(&mut calls) {
        let question = call.heard("elicitation/create");
        assert_eq!(
            question.string_at(&["params", "message"]).as_deref(),
            Some(session.id.as_str())
        );
        session.respond(&question, &format!(r#"{{"action":"{}"}}"#, session.id));
        assert_eq!(value(&call.answer())["action"], session.id);
    }
}

#[test]
fn a_client_that_has_named_no_log_level_hears_what_the_child_logs() {
    for child in [&[][..], &["--modern"][..]] {
        let exposed = expose(&["--share"], child);
        let session = exposed.client().session(LATEST);
        let mut call = session.call("1", "log", &json!({"level": "info"}));
        let log = call.heard("notifications/message");
        assert_eq!(log.json()["params"]["data"], "all is well", "{}", log.text);
        assert!(call.answer().result.is_some());
    }
}

#[test]
fn what_the_child_logs_reaches_no_other_client() {
    let exposed = shared();
    let [alice, bob] = ["Bearer alice", "Bearer bob"].map(|token| {
        exposed
            .client()
            .with("Authorization", token)
            .session(LATEST)
    });
    // The other client's call is the newer one, which a guess would take.
    let mut logs = bob.call("1", "log", &json!({"gate": "log"}));
    exposed.children.wait_for_tool("log");
    let mut running = alice.call("1", "gate", &json!({"name": "open"}));
    exposed.children.wait_for_tool("gate");
    exposed.children.open("log");
    assert!(logs.answer().result.is_some());
    exposed.children.open("open");
    assert!(running.answer().result.is_some());
    let heard = running.rest();
    assert!(heard.is_empty(), "{heard:?}");
}

#[test]
fn an_error_of_the_child_reaches_a_client_as_it_was() {
    let exposed = shared();
    let session = exposed.client().session(LATEST);
    for error in [
        r#"{"code":-32042,"message":"sign in","data":{"elicitations":[{"mode":"url","elicitationId":"e","url":"https://x.example","message":"m"}]}}"#,
        r#"{"code":-32002,"message":"no such thing"}"#,
        r#"{"code":-32602,"message":"no","data":{"uri":"a://b"}}"#,
    ] {
        let answer = session.tool("1", "refuse", &json!({"error": error}));
        let told = answer
            .error
            .as_deref()
            .unwrap_or_else(|| panic!("{}", answer.text));
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(told), value(error));
    }
}

#[test]
fn a_call_that_wants_to_be_a_task_is_answered() {
    let exposed = shared();
    let session = exposed.client().session(LATEST);
    let params = json!({"name": "echo", "arguments": {"a": 1}, "task": {"ttl": 60000}});
    let answer = session.request("1", "tools/call", &params).answer();
    assert_eq!(value(&answer), json!({"a": 1}));
    let heard = exposed.children.wait_for_tool("echo");
    assert!(!heard.text.contains("ttl"), "{}", heard.text);
}
