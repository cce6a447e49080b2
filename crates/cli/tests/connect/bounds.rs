//! Limits of what a peer can make the bridge hold.

use std::time::Duration;

use linkspan_testkit::{Bridge, Conn, Flow, Message, Request, Server, wait_until_still};
use serde_json::json;

use crate::servers::{assert_answers, plain};
use crate::setup::{LATEST, assert_kind, assert_works, ready, ready_with, started};

const MB: usize = 1_000_000;

#[track_caller]
fn assert_peak_below(bridge: &Bridge, limit: usize) {
    if let Some(peak) = bridge.peak_memory() {
        assert!(peak < limit, "{} MB at the peak", peak / MB);
    }
}

/// Ten million zeros in brackets, 20 MB.
fn zeros() -> String {
    format!("[{}0]", "0,".repeat(10 * MB))
}

#[test]
fn bad_lines_of_a_client_that_does_not_read_fill_no_memory() {
    let server = Server::legacy().intercept(plain).start();
    let mut bridge = started(&server, &[]);
    bridge.initialize(LATEST);
    bridge.pause();
    // A request without a method is refused under its own id, however long that is.
    let id = "x".repeat(1000);
    let lines = format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{id}\"}}\n").repeat(1000);
    for _ in 0..60 {
        bridge.send_bytes(lines.as_bytes());
    }
    wait_until_steady(&bridge);
    assert_peak_below(&bridge, 100 * MB);
    // The bridge still runs, and has dropped none of the messages that it read.
    bridge.resume();
    for _ in 0..5000 {
        let refused = bridge.find("a refusal", Message::is_response);
        assert_eq!(refused.code(), Some(-32600), "{}", refused.text);
    }
    bridge.close_stdin();
}

/// Waits until the bridge has stopped taking more memory.
fn wait_until_steady(bridge: &Bridge) {
    let still = Duration::from_millis(500);
    wait_until_still("a steady size", still, || bridge.resident_memory());
}

#[test]
fn a_line_of_ten_million_zeros_is_refused_in_bounded_memory() {
    let server = Server::legacy().start();
    for version in [LATEST, "2025-03-26"] {
        let bridge = started(&server, &[]);
        bridge.initialize(version);
        bridge.send(&zeros());
        let refused = bridge.find("a refusal", Message::is_response);
        assert!(refused.error.is_some(), "{}", refused.text);
        assert_peak_below(&bridge, 200 * MB);
        assert_works(&bridge);
    }
}

#[test]
fn an_answer_of_ten_million_zeros_is_refused_in_bounded_memory() {
    let body = zeros();
    let hook = move |request: &Request, conn: &mut Conn| match request.tool().as_deref() {
        Some("zeros") => Flow::written(conn.json(200, &body)),
        _ => Flow::Pass,
    };
    let server = Server::legacy().intercept(hook).start();
    let bridge = ready(&server);
    assert_kind(&bridge.ask("1", "zeros", &json!({})), "bad_answer");
    assert_peak_below(&bridge, 200 * MB);
    assert_works(&bridge);
}

#[test]
fn a_time_that_no_clock_can_hold_is_as_good_as_for_ever() {
    let server = Server::legacy().start();
    let time = "1e19";
    let flags = [
        "--timeout",
        time,
        "--connect-timeout",
        time,
        "--drain",
        time,
    ];
    let mut bridge = ready_with(&server, &flags);
    assert_works(&bridge);
    assert_answers(&bridge);
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0), "{}", bridge.stderr());
}

#[test]
fn a_time_that_no_clock_can_hold_does_not_break_a_command() {
    let server = Server::legacy().start();
    let mut command = Bridge::launch(crate::setup::program())
        .args(["ping", "--timeout", "1e19", &server.url()])
        .start();
    assert_eq!(command.exit_code(), Some(0), "{}", command.stderr());
}
