//! `--token-env`: only clients with the secret are served.

use linkspan_testkit::mcp_client::{everything, initialize};
use linkspan_testkit::{Ask, Exposed};
use serde_json::json;

use crate::setup::{LATEST, assert_error, assert_works, assert_works_for, exposing, program};

const SECRET: &str = "correct-horse-battery-staple";

fn guarded(flags: &[&str]) -> Exposed {
    exposing(&["--token-env", "QUAY_TOKEN"], &[])
        .flags(flags)
        .env("QUAY_TOKEN", SECRET)
        .start()
}

#[test]
fn a_client_with_the_token_is_served() {
    let exposed = guarded(&[]);
    for scheme in ["Bearer", "bearer"] {
        let client = exposed
            .client()
            .with("Authorization", &format!("{scheme} {SECRET}"));
        assert_works(&client.session(LATEST));
        assert_works_for(&client.modern());
    }
}

#[test]
fn a_client_without_the_token_is_refused_with_401() {
    let exposed = guarded(&[]);
    let client = exposed.client();
    let body = initialize(LATEST, &everything());
    for value in [
        None,
        Some("Bearer"),
        Some("Bearer "),
        Some("Bearer wrong"),
        Some(SECRET),
        Some("Basic Y29ycmVjdDpob3JzZQ=="),
        Some("Bearer correct-horse-battery-stapl"),
        Some("Bearer correct-horse-battery-staple2"),
        Some("Bearer Correct-horse-battery-staple"),
    ] {
        let ask = client.posting(&body);
        let ask = match value {
            Some(value) => ask.header("Authorization", value),
            None => ask,
        };
        let mut call = client.send(&ask);
        let challenge = call.header("www-authenticate").unwrap_or_default();
        assert!(challenge.starts_with("Bearer"), "{value:?}: {challenge:?}");
        assert_error(&mut call, 401);
    }
    assert_eq!(
        exposed.children.started(),
        0,
        "nothing was started for them"
    );
}

#[test]
fn a_session_id_is_no_token() {
    let exposed = guarded(&[]);
    let known = exposed
        .client()
        .with("Authorization", &format!("Bearer {SECRET}"));
    let mut session = known.session(LATEST);
    session.client.headers.clear();
    assert_error(&mut session.call("1", "echo", &json!({})), 401);
    assert_error(&mut session.listen(), 401);
    assert_eq!(session.end(), 401);
    session.client = known;
    assert_works(&session);
}

#[test]
fn the_token_is_checked_before_everything_else() {
    let exposed = guarded(&["--sse", "--max-message", "64KiB"]);
    let client = exposed.client();
    let asks = [
        client.posting("nonsense"),
        client.posting("{}").with("Content-Type", "text/html"),
        client.posting("{}").with("Accept", "text/html"),
        client.posting(&"x".repeat(100_000)),
        client.ask("PUT"),
        client.ask("GET"),
        client.ask("GET").header("Mcp-Session-Id", "unknown"),
        Ask::new("GET", "/sse").header("Host", "localhost"),
        Ask::new("POST", "/messages?sessionId=1")
            .header("Host", "localhost")
            .body("{}"),
    ];
    for ask in asks {
        assert_eq!(client.send(&ask).status(), 401, "{ask:?}");
    }
}

#[test]
fn the_token_reaches_neither_the_child_nor_the_log() {
    let exposed = exposing(&["--token-env", "QUAY_TOKEN", "--debug"], &[])
        .env("QUAY_TOKEN", SECRET)
        .start();
    let client = exposed
        .client()
        .with("Authorization", &format!("Bearer {SECRET}"));
    assert_works(&client.session(LATEST));
    assert_works_for(&client.modern());
    let heard = exposed.children.seen(|seen| seen.text.contains(SECRET));
    assert!(heard.is_empty(), "{heard:?}");
    assert!(!exposed.bridge.stderr().contains(SECRET));
    #[cfg(target_os = "linux")]
    for pid in exposed.children.alive() {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
        let environment = String::from_utf8_lossy(&environment);
        assert!(!environment.contains(SECRET), "the child has our secret");
    }
}

#[test]
fn a_variable_that_is_not_set_is_a_mistake() {
    for value in [None, Some("")] {
        let expose = exposing(&["--token-env", "QUAY_TOKEN"], &[]);
        let expose = match value {
            Some(value) => expose.env("QUAY_TOKEN", value),
            None => expose,
        };
        let mut bridge = expose.launch().start();
        assert_eq!(bridge.exit_code(), Some(2), "{value:?}");
        assert!(bridge.unread().is_empty(), "{:?}", bridge.unread());
        assert!(
            bridge.stderr().contains("QUAY_TOKEN"),
            "{}",
            bridge.stderr()
        );
    }
}

#[test]
fn other_machines_are_served_only_with_a_token() {
    let open = || exposing(&["--host", "0.0.0.0"], &[]);
    let mut bridge = open().launch().start();
    assert_eq!(bridge.exit_code(), Some(2));
    assert!(
        bridge.stderr().contains("--token-env"),
        "{}",
        bridge.stderr()
    );

    let exposed = open()
        .flags(&["--token-env", "QUAY_TOKEN"])
        .env("QUAY_TOKEN", SECRET)
        .start();
    let mut client = exposed
        .client()
        .with("Authorization", &format!("Bearer {SECRET}"));
    client.address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    assert_works(&client.session(LATEST));
    exposed.end();

    open().flags(&["--insecure-no-token"]).start().end();
    assert!(!program().is_empty());
}
