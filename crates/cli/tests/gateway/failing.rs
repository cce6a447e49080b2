//! One server fails in some way; the others keep working.

use linkspan_testkit::{Bridge, wait_for};
use serde_json::json;

use crate::setup::{LATEST, Setting, content, list, until_listed};

#[track_caller]
fn assert_works(gateway: &Bridge, server: &str) {
    for n in 0..20 {
        let id = format!("\"{server} {n}\"");
        let answer = gateway.ask(&id, &format!("{server}__echo"), &json!({"n": n}));
        assert_eq!(content(&answer), format!(r#"{{"n":{n}}}"#));
    }
}

#[test]
fn a_server_that_never_answers_delays_no_call_of_another() {
    let mut setting = Setting::new();
    let hung = setting.child("hung", &["--mute"]);
    let _good = setting.child("good", &[]);
    let gateway = setting.start(&[]);
    gateway.initialize(LATEST);
    until_listed(&["good__echo", "good__routed"], || list(&gateway));
    gateway.call("\"hung\"", "hung__echo", &json!({}));
    hung.wait_for_alive(1);
    assert_works(&gateway, "good");
}

#[test]
fn a_server_that_exits_at_once_has_no_tools_and_its_calls_fail_with_the_reason() {
    let mut setting = Setting::new();
    let dying = setting.child("dying", &["--bad-start"]);
    let _good = setting.child("good", &["--modern"]);
    let gateway = setting.start(&[]);
    gateway.initialize(LATEST);
    until_listed(&["good__echo", "good__routed"], || list(&gateway));
    let failed = gateway.ask("2", "dying__echo", &json!({}));
    assert_eq!(failed.code(), Some(-32000), "{}", failed.text);
    assert_works(&gateway, "good");
    // A model that repeats the call does not start a process for each.
    wait_for("a pause", || {
        let failed = gateway.ask("3", "dying__echo", &json!({}));
        failed.kind().as_deref() == Some("paused")
    });
    let started = dying.started();
    for _ in 0..50 {
        gateway.ask("4", "dying__echo", &json!({}));
    }
    assert!(dying.started() <= started + 2);
}

#[test]
fn a_server_that_crashes_in_a_call_fails_that_call_only_and_starts_again() {
    let mut setting = Setting::new();
    let crashing = setting.child("crashing", &[]);
    let good = setting.child("good", &[]);
    let gateway = setting.start(&[]);
    gateway.initialize(LATEST);
    let all = [
        "crashing__echo",
        "crashing__routed",
        "good__echo",
        "good__routed",
    ];
    until_listed(&all, || list(&gateway));
    gateway.call("1", "good__gate", &json!({"name": "go"}));
    good.wait_for_tool("gate");
    let failed = gateway.ask("2", "crashing__crash", &json!({"code": 3}));
    assert_eq!(
        failed.kind().as_deref(),
        Some("peer_closed"),
        "{}",
        failed.text
    );
    assert!(
        failed.text.contains("the quay is on fire"),
        "{}",
        failed.text
    );
    good.open("go");
    assert_eq!(content(&gateway.answer("1")), r#"{"name":"go"}"#);
    assert_works(&gateway, "crashing");
    assert_eq!(crashing.alive().len(), 1);
    until_listed(&all, || list(&gateway));
}

#[test]
fn a_server_that_floods_its_output_stops_no_other() {
    let mut setting = Setting::new();
    let noisy = setting.child("noisy", &["--noisy"]);
    let _good = setting.child("good", &[]);
    let gateway = setting.start(&[]);
    gateway.initialize(LATEST);
    list(&gateway);
    let flood = json!({"gate": "now", "what": "flood", "n": 3000});
    gateway.ask("1", "noisy__later", &flood);
    noisy.open("now");
    gateway.call("2", "noisy__blob", &json!({"size": 20_000_000}));
    gateway.call("3", "noisy__shout", &json!({"size": 20_000_000}));
    assert_works(&gateway, "good");
    let blob = gateway.answer("2");
    assert!(blob.text.len() > 20_000_000);
    assert_works(&gateway, "good");
}
