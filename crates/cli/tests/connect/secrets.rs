//! Headers from flags and the environment, and where they must never show up.

use std::path::PathBuf;

use linkspan_testkit::{Bridge, Server};
use serde_json::{Value, json};

use crate::setup::{LATEST, assert_works, launch};

/// A file for this test alone, removed afterwards.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let file = format!("{name}-{}.ndjson", std::process::id());
        Self(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(file))
    }

    fn read(&self) -> String {
        std::fs::read_to_string(&self.0).expect("the bridge has written it")
    }

    fn as_str(&self) -> &str {
        self.0.to_str().expect("our own name is UTF-8")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn use_and_end(mut bridge: Bridge) -> Bridge {
    bridge.initialize(LATEST);
    bridge.call("1", "die", &json!({}));
    bridge.answer("1");
    assert_works(&bridge);
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
    bridge
}

#[test]
fn secrets_reach_the_server_only() {
    let server = Server::legacy().start();
    let record = Scratch::new("secrets-record");
    let log = Scratch::new("secrets-log");
    let flags = [
        "--debug",
        "-v",
        "--record",
        record.as_str(),
        "--log-file",
        log.as_str(),
        "-H",
        "X-Api-Key: plain-5ecret",
        "--header",
        "X-From-Env: key ${QUAY_KEY}",
        "--bearer-env",
        "QUAY_TOKEN",
    ];
    let launch = launch(&server.url(), &flags)
        .env("QUAY_KEY", "env-5ecret")
        .env("QUAY_TOKEN", "bearer-5ecret");
    let bridge = use_and_end(launch.start());
    for request in server.requests() {
        assert_eq!(
            request.header("x-api-key"),
            Some("plain-5ecret"),
            "{}",
            request.method
        );
        assert_eq!(
            request.header("x-from-env"),
            Some("key env-5ecret"),
            "{}",
            request.method
        );
        assert_eq!(
            request.header("authorization"),
            Some("Bearer bearer-5ecret"),
            "{}",
            request.method
        );
    }
    for text in [bridge.stderr(), record.read(), log.read()] {
        assert!(!text.contains("5ecret"), "{text}");
    }
}

#[test]
fn a_failed_connection_does_not_tell_secrets_either() {
    let port = linkspan_testkit::Port::reserve();
    let launch = launch(
        &port.url(),
        &[
            "--debug",
            "-v",
            "--retries",
            "0",
            "-H",
            "Authorization: Bearer plain-5ecret",
        ],
    );
    let bridge = launch.start();
    bridge.request("1", "initialize", &json!({"protocolVersion": LATEST, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}));
    let answer = bridge.answer("1");
    assert!(!answer.text.contains("5ecret") && !bridge.stderr().contains("5ecret"));
}

#[test]
fn a_missing_variable_is_a_usage_error() {
    for flags in [
        &["--bearer-env", "LINKSPAN_TEST_IS_NOT_SET"][..],
        &["-H", "X-Key: ${LINKSPAN_TEST_IS_NOT_SET}"],
    ] {
        let mut bridge = launch("http://127.0.0.1:9/mcp", flags).start();
        bridge.close_stdin();
        assert_eq!(bridge.exit_code(), Some(2), "{flags:?}");
        assert!(
            bridge.stderr().contains("LINKSPAN_TEST_IS_NOT_SET"),
            "{}",
            bridge.stderr()
        );
        assert!(bridge.unread().is_empty());
    }
}

#[test]
fn a_record_holds_both_directions() {
    let server = Server::legacy().start();
    let record = Scratch::new("both-directions");
    use_and_end(launch(&server.url(), &["--record", record.as_str()]).start());
    let text = record.read();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(lines.len() >= 5, "{text}");
    assert!(lines.iter().all(Value::is_object), "{text}");
    assert!(
        text.contains("testkit-client"),
        "what the client said: {text}"
    );
    assert!(
        text.contains("structuredContent"),
        "what the server said: {text}"
    );
}

#[test]
fn plain_http_leaves_this_machine_only_when_asked_to() {
    for url in ["http://192.0.2.1/mcp", "http://example.invalid/mcp"] {
        let mut bridge = launch(url, &[]).start();
        bridge.close_stdin();
        assert_eq!(bridge.exit_code(), Some(2), "{url}");
        assert!(
            bridge.stderr().contains("--insecure-http"),
            "{}",
            bridge.stderr()
        );
        assert!(bridge.unread().is_empty());
        let mut bridge = launch(url, &["--insecure-http"]).start();
        bridge.close_stdin();
        assert_eq!(bridge.exit_code(), Some(0), "{url}: {}", bridge.stderr());
    }
}

#[test]
fn plain_http_to_this_machine_needs_no_flag() {
    let server = Server::legacy().start();
    let bridge = launch(&format!("http://localhost:{}/mcp", server.port()), &[]).start();
    bridge.initialize(LATEST);
    assert_works(&bridge);
}
