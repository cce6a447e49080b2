//! Servers that are not running, not running yet, or suddenly stopped.

use std::time::{Duration, Instant};

use linkspan_testkit::{Port, Server};
use serde_json::json;

use crate::setup::{
    LATEST, assert_kind, assert_kind_in, assert_recovers, assert_works, launch, ready, ready_with,
};

#[test]
fn a_refused_connection_is_tried_four_times_and_then_reported() {
    let port = Port::reserve();
    let bridge = launch(&port.url(), &[]).start();
    let start = Instant::now();
    bridge.request("1", "initialize", &json!({"protocolVersion": LATEST, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}));
    let answer = bridge.answer("1");
    // 100 + 200 + 400 ms lie between four tries.
    assert!(
        start.elapsed() >= Duration::from_millis(700),
        "{:?}",
        start.elapsed()
    );
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
    assert_kind(&answer, "connect_failed");
}

#[test]
fn the_bridge_outlives_a_refused_connection_and_recovers() {
    let port = Port::reserve();
    let bridge = launch(&port.url(), &["--retry-delay", "1"]).start();
    bridge.request("1", "initialize", &json!({"protocolVersion": LATEST, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}));
    assert_kind(&bridge.answer("1"), "connect_failed");
    let server = Server::legacy().start_on(port);
    bridge.initialize(LATEST);
    assert_works(&bridge);
    assert_eq!(server.posts("initialize").len(), 1);
}

#[test]
fn without_retries_a_refused_connection_is_reported_at_once() {
    let port = Port::reserve();
    let bridge = launch(&port.url(), &["--retries", "0", "--retry-delay", "3600000"]).start();
    bridge.request("1", "initialize", &json!({"protocolVersion": LATEST, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}));
    assert_kind(&bridge.answer("1"), "connect_failed");
}

#[test]
fn a_server_that_comes_up_between_two_tries_is_reached() {
    let port = Port::reserve();
    let bridge = launch(&port.url(), &["--retries", "8", "--retry-delay", "50"]).start();
    bridge.request("1", "initialize", &json!({"protocolVersion": LATEST, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}));
    let server = Server::legacy().start_on(port);
    let answer = bridge.answer("1");
    assert!(answer.result.is_some(), "{}", answer.text);
    assert_eq!(server.posts("initialize").len(), 1);
}

#[test]
fn a_call_that_was_running_when_the_server_died_is_lost_and_not_repeated() {
    let server = Server::legacy().start();
    let bridge = ready_with(&server, &["--retry-delay", "1"]);
    bridge.call("1", "gate", &json!({"name": "never"}));
    server.wait_for_calls("gate", 1);
    server.kill();
    assert_kind(&bridge.answer("1"), "answer_lost");
    let again = Server::legacy().start_on(Port::again(server.port()));
    assert_recovers(&bridge);
    assert_eq!(
        (server.calls("gate").len(), again.calls("gate").len()),
        (1, 0)
    );
}

#[test]
fn a_connection_that_dies_instead_of_an_answer_loses_that_call_only() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    bridge.call("1", "gate", &json!({"name": "later"}));
    server.wait_for_calls("gate", 1);
    assert_kind(&bridge.ask("2", "die", &json!({})), "answer_lost");
    assert_eq!(server.calls("die").len(), 1);
    server.open("later");
    assert!(bridge.answer("1").result.is_some());
    assert_works(&bridge);
}

#[test]
fn a_json_server_that_dies_in_mid_call_loses_that_call_only() {
    let server = Server::legacy().json().start();
    let bridge = ready(&server);
    assert_kind(&bridge.ask("1", "die", &json!({})), "answer_lost");
    assert_eq!(server.calls("die").len(), 1);
    assert_works(&bridge);
}

#[test]
fn a_restarted_server_gets_a_new_session_without_the_client_noticing() {
    let server = Server::legacy().start();
    let bridge = ready_with(&server, &["--retry-delay", "1"]);
    assert_works(&bridge);
    server.kill();
    assert_kind_in(
        &bridge.ask("1", "echo", &json!({})),
        &["connect_failed", "answer_lost"],
    );
    let again = Server::legacy().start_on(Port::again(server.port()));
    assert_recovers(&bridge);
    let (first, second) = (
        server.wait_for_post("initialize"),
        again.wait_for_post("initialize"),
    );
    let params = |request: &linkspan_testkit::Request| {
        request.message.as_ref().and_then(|m| m.params.clone())
    };
    assert_eq!(params(&first), params(&second));
    assert!(bridge.unread().is_empty(), "{:?}", bridge.unread());
}

#[test]
fn a_call_to_a_silent_server_is_cancelled() {
    let server = Server::legacy().start();
    let bridge = ready_with(&server, &["--timeout", "1"]);
    assert_kind(
        &bridge.ask("1", "gate", &json!({"name": "never"})),
        "timeout",
    );
    let known = server.calls("gate")[0]
        .message
        .as_ref()
        .and_then(|m| m.id.clone());
    let cancelled = server.wait_for_post("notifications/cancelled");
    assert_eq!(
        cancelled
            .message
            .as_ref()
            .and_then(|m| m.at(&["params", "requestId"])),
        known
    );
    assert_works(&bridge);
}
