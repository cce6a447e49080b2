//! Finding out which era a child speaks, without losing those that cannot stand the question.

use serde_json::json;

use crate::setup::{LATEST, assert_works, assert_works_for, expose};

#[test]
fn a_child_that_exits_on_a_probe_serves_both_eras() {
    let exposed = expose(&[], &["--die-on-probe"]);
    assert_works(&exposed.client().session(LATEST));
    assert_works_for(&exposed.client().modern());
    assert_works(&exposed.client().session(LATEST));
}

#[test]
fn a_child_that_exits_on_a_probe_serves_a_modern_client_first() {
    let exposed = expose(&[], &["--die-on-probe"]);
    for _ in 0..3 {
        assert_works_for(&exposed.client().modern());
    }
}

#[test]
fn a_child_that_ignores_a_probe_serves_both_eras() {
    let exposed = expose(&[], &["--ignore-probe"]);
    assert_works_for(&exposed.client().modern());
    assert_works(&exposed.client().session(LATEST));
}

#[test]
fn a_child_that_is_slow_to_start_is_started_once() {
    for child in [
        &["--slow-start", "4000"][..],
        &["--slow-start", "4000", "--ignore-probe"],
        &["--ignore-probe"],
    ] {
        let exposed = expose(&[], child);
        assert_works_for(&exposed.client().modern());
        assert_eq!(exposed.children.started(), 1, "{child:?}");
        assert_works_for(&exposed.client().modern());
        assert_eq!(exposed.children.started(), 1, "{child:?}");
    }
}

#[test]
fn the_handshake_that_a_slow_child_is_asked_for_is_that_of_its_client() {
    let exposed = expose(&[], &["--slow-start", "4000"]);
    let client = exposed.client().modern();
    assert_works_for(&client);
    let handshakes = exposed.children.seen(|s| s.method() == Some("initialize"));
    assert_eq!(handshakes.len(), 1, "{handshakes:?}");
    let done = exposed
        .children
        .seen(|s| s.method() == Some("notifications/initialized"));
    assert_eq!(done.len(), 1, "and it is completed: {done:?}");
}

#[test]
fn a_slow_modern_child_is_started_once() {
    let exposed = expose(&[], &["--slow-start", "4000", "--modern"]);
    assert_works_for(&exposed.client().modern());
    assert_eq!(exposed.children.started(), 1);
}

#[test]
fn what_was_found_out_once_is_not_asked_again() {
    let exposed = expose(&[], &["--die-on-probe"]);
    assert_works_for(&exposed.client().modern());
    for _ in 0..5 {
        assert_works(&exposed.client().session(LATEST));
    }
    let probes = exposed
        .children
        .seen(|s| s.method() == Some("server/discover"));
    assert!(probes.len() <= 1, "{probes:?}");
    let started = exposed.children.started();
    assert!(
        started <= 7,
        "{started}: six, and one that died of the question"
    );
}

#[test]
fn a_legacy_client_of_a_legacy_child_waits_for_no_probe() {
    let exposed = expose(&["--server-era", "legacy"], &["--die-on-probe"]);
    let session = exposed.client().session(LATEST);
    assert_works(&session);
    assert_works_for(&exposed.client().modern());
    let probes = exposed
        .children
        .seen(|s| s.method() == Some("server/discover"));
    assert!(probes.is_empty(), "{probes:?}");
}

#[test]
fn requests_that_come_together_find_out_together() {
    for child in [&[][..], &["--modern"], &["--die-on-probe"]] {
        let exposed = expose(&[], child);
        let client = exposed.client().modern();
        let mut calls: Vec<_> = (0..20)
            .map(|id| client.call(&id.to_string(), "echo", &json!({"id": id})))
            .collect();
        for (id, call) in calls.iter_mut().enumerate() {
            let answer = call.answer();
            assert_eq!(answer.id, Some(id.to_string()));
            assert_eq!(crate::setup::value(&answer)["id"], id);
        }
        let started = exposed.children.started();
        assert!(started <= 3, "{started} children for one client");
    }
}
