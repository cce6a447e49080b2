//! Clients that are slow, do not read, or have disconnected.

use std::time::{Duration, Instant};

use linkspan_testkit::{Call, Exposed, Http, LIMIT};
use serde_json::json;

use crate::setup::{LATEST, assert_works, expose, legacy, pid};

fn impatient() -> Exposed {
    expose(&["--header-timeout", "1"], &[])
}

/// Sends single bytes until the peer closes the connection; `false`: it never did.
fn dribble(http: &mut Http, bytes: impl Iterator<Item = u8>) -> bool {
    let end = Instant::now() + LIMIT;
    for byte in bytes {
        if !http.try_bytes(&[byte]) {
            return true;
        }
        if Instant::now() > end {
            return false;
        }
        // The pace of a slow peer, not a wait for a condition.
        std::thread::sleep(Duration::from_millis(100));
    }
    false
}

#[test]
fn a_connection_that_says_nothing_is_closed() {
    let exposed = impatient();
    let mut http = Http::connect(exposed.address());
    http.wait_until_closed();
}

#[test]
fn half_a_head_is_not_waited_for() {
    let exposed = impatient();
    let mut http = Http::connect(exposed.address());
    http.bytes(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
    let said = http.wait_until_closed();
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 4"), "{said}");
    assert_works(&exposed.client().session(LATEST));
}

#[test]
fn a_head_that_drips_is_not_waited_for() {
    let exposed = impatient();
    let mut http = Http::connect(exposed.address());
    http.bytes(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
    assert!(
        dribble(&mut http, std::iter::repeat(b'x')),
        "the connection stayed open"
    );
}

#[test]
fn half_a_body_is_not_waited_for() {
    let exposed = impatient();
    let client = exposed.client();
    let ask = client
        .ask("POST")
        .header("Content-Type", "application/json")
        .header("Content-Length", "1000");
    let mut http = Http::connect(client.address);
    http.send(&ask);
    http.bytes(b"{\"jsonrpc\":");
    let said = http.wait_until_closed();
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 4"), "{said}");
}

#[test]
fn a_body_that_drips_is_not_waited_for() {
    let exposed = impatient();
    let client = exposed.client();
    let ask = client
        .ask("POST")
        .header("Content-Type", "application/json")
        .header("Content-Length", "1000000");
    let mut http = Http::connect(client.address);
    http.send(&ask);
    assert!(
        dribble(&mut http, std::iter::repeat(b' ')),
        "the connection stayed open"
    );
}

#[test]
fn a_head_without_end_is_refused() {
    let exposed = legacy();
    let mut http = Http::connect(exposed.address());
    http.bytes(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\n");
    let line = format!("X-Long: {}\r\n", "x".repeat(1000));
    for _ in 0..5000 {
        if !http.try_bytes(line.as_bytes()) {
            break;
        }
    }
    let said = http.wait_until_closed();
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 4"), "{said}");
    if let Some(peak) = exposed.bridge.peak_memory() {
        assert!(peak < 50_000_000, "{} MB at the peak", peak / 1_000_000);
    }
}

#[test]
fn many_silent_connections_shut_no_other_out() {
    let exposed = legacy();
    let silent: Vec<_> = (0..200).map(|_| Http::connect(exposed.address())).collect();
    assert_works(&exposed.client().session(LATEST));
    drop(silent);
}

#[test]
fn a_request_in_small_pieces_is_a_request() {
    let exposed = legacy();
    let client = exposed.client();
    let session = client.session(LATEST);
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping","x":"⛴"}"#;
    let ask = session
        .ask("POST")
        .header("Content-Type", "application/json")
        .body(body);
    let mut http = Http::connect(client.address);
    for byte in ask.head().iter().chain(body.as_bytes()) {
        http.bytes(&[*byte]);
    }
    assert!(Call::on(http).answer().result.is_some());
}

#[test]
fn a_listener_that_takes_nothing_does_not_keep_its_session_for_ever() {
    let exposed = expose(&["--idle-timeout", "1"], &[]);
    let session = exposed.client().session(LATEST);
    let pid = pid(&session);
    let mut listening = session.listen();
    assert_eq!(listening.status(), 200);
    let flood = json!({"gate": "now", "what": "flood", "n": 2000});
    session.tool("1", "later", &flood);
    exposed.children.open("now");
    // More than any socket holds; the client does not read it.
    exposed.children.wait_until_gone_within(pid, 3 * LIMIT);
    if let Some(peak) = exposed.bridge.peak_memory() {
        assert!(peak < 100_000_000, "{} MB at the peak", peak / 1_000_000);
    }
    drop(listening);
}

#[test]
fn a_client_that_stops_reading_blocks_no_other() {
    let exposed = legacy();
    let client = exposed.client();
    let (slow, quick) = (client.session(LATEST), client.session(LATEST));
    let mut unread = slow.call("1", "blob", &json!({"size": 30_000_000}));
    exposed.children.wait_for_tool("blob");
    for _ in 0..20 {
        assert_works(&quick);
    }
    assert_works(&slow);
    assert!(unread.answer().result.is_some());
}
