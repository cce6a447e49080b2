//! Children that crash, write to stderr, print non-JSON or stay silent.

use linkspan_testkit::Message;
use serde_json::json;

use crate::setup::{
    LATEST, assert_error, assert_works, assert_works_for, expose, legacy, modern, modern_pid, pid,
};

/// Asserts that a call failed with an error about the exit of the child.
#[track_caller]
fn assert_lost(answer: &Message, id: &str, word: &str) {
    assert_eq!(answer.id.as_deref(), Some(id), "{}", answer.text);
    assert_eq!(answer.code(), Some(-32000), "{}", answer.text);
    assert!(answer.text.contains(word), "no {word:?} in {}", answer.text);
    assert!(
        answer.hint().is_some(),
        "a hint is missing: {}",
        answer.text
    );
}

#[test]
fn a_crash_answers_everything_that_is_pending_with_the_exit_status() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    let mut pending: Vec<_> = (0..5)
        .map(|id| session.call(&id.to_string(), "gate", &json!({"name": "never"})))
        .collect();
    exposed.children.wait_for_tools("gate", 5);
    let last = session
        .call("\"last\"", "crash", &json!({"code": 7}))
        .answer();
    assert_lost(&last, "\"last\"", "7");
    for (id, call) in pending.iter_mut().enumerate() {
        assert_lost(&call.answer(), &id.to_string(), "7");
    }
}

#[test]
fn a_client_whose_children_crash_does_not_delay_another() {
    let exposed = legacy();
    let client = exposed.client();
    for _ in 0..8 {
        let session = client.session(LATEST);
        session.call("1", "crash", &json!({"code": 1})).answer();
    }
    let modern = client.modern();
    for _ in 0..8 {
        modern.call("1", "crash", &json!({"code": 1})).answer();
    }
    assert_works(&client.session(LATEST));
    assert_works_for(&client.modern());
    let said = exposed.bridge.stderr();
    assert!(!said.contains("the next start is in"), "{said}");
}

#[test]
fn a_child_that_does_not_start_is_not_started_all_the_time() {
    let exposed = expose(&[], &["--bad-start"]);
    let client = exposed.client();
    for _ in 0..3 {
        let answer = client.initialize(LATEST, &json!({})).answer();
        assert_eq!(answer.code(), Some(-32000), "{}", answer.text);
    }
    exposed.bridge.wait_for_stderr("the next start is in");
}

#[test]
fn after_a_crash_the_same_address_works_again() {
    let exposed = legacy();
    let client = exposed.client();
    let session = client.session(LATEST);
    session.call("1", "crash", &json!({"code": 1})).answer();
    assert_works(&client.session(LATEST));
    // The session either goes on with a new child or has ended; it does not hang.
    let mut call = session.call("2", "echo", &json!({}));
    match call.status() {
        200 => assert!(call.answer().is_response()),
        _ => drop(assert_error(&mut call, 404)),
    }
}

#[test]
fn a_killed_child_is_replaced_for_modern_clients() {
    for exposed in [legacy(), modern()] {
        let client = exposed.client().modern();
        for _ in 0..3 {
            let pid = modern_pid(&client);
            let mut call = client.call("\"lost\"", "gate", &json!({"name": "never"}));
            exposed.children.wait_for("the call", |s| {
                s.pid == pid && s.tool().as_deref() == Some("gate")
            });
            exposed.children.kill(pid);
            let lost = call.answer();
            assert_eq!(lost.id.as_deref(), Some("\"lost\""));
            assert_eq!(lost.code(), Some(-32000), "{}", lost.text);
            assert_ne!(modern_pid(&client), pid);
        }
        assert_works_for(&client);
    }
}

#[test]
fn a_killed_child_ends_the_streams_of_its_calls() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    let pid = pid(&session);
    let mut call = session.call_with_token(
        "1",
        &json!("t"),
        "progress",
        &json!({"n": 2, "gate": "never"}),
    );
    call.heard("notifications/progress");
    exposed.children.kill(pid);
    let answer = call.answer();
    assert_eq!(answer.code(), Some(-32000), "{}", answer.text);
    assert!(call.message().is_none());
}

#[test]
fn one_crash_does_not_touch_another_session() {
    let exposed = legacy();
    let client = exposed.client();
    let (one, two) = (client.session(LATEST), client.session(LATEST));
    let mut running = two.call("1", "gate", &json!({"name": "open"}));
    exposed.children.wait_for_tool("gate");
    one.call("1", "crash", &json!({"code": 1})).answer();
    exposed.children.open("open");
    assert!(running.answer().result.is_some());
    assert_works(&two);
}

#[test]
fn a_child_that_dies_between_calls_is_noticed() {
    let exposed = legacy();
    let client = exposed.client();
    let session = client.session(LATEST);
    let pid = pid(&session);
    session.tool("1", "later", &json!({"gate": "now", "what": "crash"}));
    exposed.children.open("now");
    exposed.children.wait_until_gone(pid);
    let mut call = session.call("2", "echo", &json!({}));
    match call.status() {
        200 => assert!(call.answer().is_response()),
        _ => drop(assert_error(&mut call, 404)),
    }
    assert_works(&client.session(LATEST));
}

#[test]
fn a_child_that_shouts_is_not_held_up_and_blocks_no_other() {
    let exposed = legacy();
    // Our stderr is not read, as with many a supervisor.
    exposed.bridge.pause_stderr();
    let session = exposed.client().session(LATEST);
    let size = 20_000_000;
    assert!(
        session
            .tool("1", "shout", &json!({"size": size}))
            .result
            .is_some()
    );
    assert_works(&session);
    if let Some(peak) = exposed.bridge.peak_memory() {
        assert!(peak < 60_000_000, "{} MB at the peak", peak / 1_000_000);
    }
}

#[test]
fn what_a_child_says_on_stderr_is_in_our_log_under_its_name() {
    let exposed = expose(&["--debug"], &[]);
    let session = exposed.client().session(LATEST);
    session.tool("1", "shout", &json!({"size": 1024}));
    let said = exposed.log_line("!!!!");
    assert!(said.contains("linkspan-child"), "{said}");
}

#[test]
fn the_last_words_of_a_child_are_in_our_log() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    session.call("1", "crash", &json!({"code": 1})).answer();
    exposed.log_line("the quay is on fire");
}

#[test]
fn a_child_that_babbles_on_stdout_serves_both_eras() {
    let exposed = expose(&[], &["--noisy"]);
    let session = exposed.client().session(LATEST);
    assert!(session.tool("1", "noise", &json!({})).result.is_some());
    let client = exposed.client().modern();
    assert!(client.tool("1", "noise", &json!({})).result.is_some());
}

#[test]
fn a_child_that_never_answers_is_given_up() {
    let exposed = expose(&["--timeout", "1"], &[]);
    let session = exposed.client().session(LATEST);
    let mut call = session.call("1", "gate", &json!({"name": "never"}));
    let answer = call.answer();
    assert_eq!(answer.code(), Some(-32000), "{}", answer.text);
    assert_eq!(answer.kind().as_deref(), Some("timeout"), "{}", answer.text);
    exposed.children.wait_for_method("notifications/cancelled");
    let client = exposed.client().modern();
    let answer = client.call("1", "gate", &json!({"name": "never"})).answer();
    assert_eq!(answer.code(), Some(-32000), "{}", answer.text);
    assert_works(&session);
}

#[test]
fn a_child_that_never_shakes_hands_is_given_up() {
    let exposed = expose(&["--timeout", "1"], &["--mute"]);
    let mut call = exposed.client().initialize(LATEST, &json!({}));
    let answer = call.answer();
    assert_eq!(answer.id.as_deref(), Some("\"init\""), "{}", answer.text);
    assert_eq!(answer.code(), Some(-32000), "{}", answer.text);
    let answer = exposed
        .client()
        .modern()
        .call("1", "echo", &json!({}))
        .answer();
    assert_eq!(answer.code(), Some(-32000), "{}", answer.text);
}

#[test]
fn a_child_that_cannot_start_is_reported_to_every_request() {
    let exposed = expose(&[], &["--bad-start"]);
    for _ in 0..2 {
        let answer = exposed.client().initialize(LATEST, &json!({})).answer();
        assert_eq!(answer.code(), Some(-32000), "{}", answer.text);
        let answer = exposed
            .client()
            .modern()
            .call("1", "echo", &json!({}))
            .answer();
        assert_eq!(answer.code(), Some(-32000), "{}", answer.text);
    }
}

#[test]
fn a_child_that_always_dies_is_not_started_in_a_tight_loop() {
    let exposed = expose(&[], &["--bad-start"]);
    for _ in 0..8 {
        exposed
            .client()
            .modern()
            .call("1", "echo", &json!({}))
            .answer();
    }
    let started = exposed.children.started();
    // One per request would be the maximum; more would be a restart loop of the bridge.
    assert!(started <= 20, "{started} processes for 8 requests");
}

#[test]
fn an_answer_that_cannot_be_read_fails_its_call_in_every_era() {
    let damaged = json!({"lines": [r#"{"jsonrpc":"2.0","id":$ID,"result":{"x":NaN}}"#]});
    let nameless = json!({"lines": [r#"{"jsonrpc":"2.0","result":{"x":NaN}}"#]});
    for exposed in [legacy(), modern()] {
        let session = exposed.client().session(LATEST);
        let client = exposed.client().modern();
        for lines in [&damaged, &nameless] {
            for answer in [
                session.tool("1", "raw", lines),
                client.tool("1", "raw", lines),
            ] {
                assert_eq!(
                    answer.kind().as_deref(),
                    Some("bad_answer"),
                    "{}",
                    answer.text
                );
            }
        }
        assert_works(&session);
        assert_works_for(&client);
    }
}
