//! Many messages at once, and large messages.

use std::time::Duration;

use linkspan_testkit::{Builder, Server};
use serde_json::json;

use crate::setup::{assert_works, ready};

const MB: usize = 1_000_000;

fn fifty_megabytes_from(server: Builder) {
    let server = server.start();
    let mut bridge = ready(&server);
    bridge.set_limit(Duration::from_secs(120));
    let answer = bridge.ask("1", "blob", &json!({"size": 50 * MB}));
    let expected = format!(
        r#"{{"content":[{{"type":"text","text":"{}"}}]}}"#,
        Server::blob(50 * MB)
    );
    assert!(
        answer.result.as_deref() == Some(expected.as_str()),
        "the result is not byte for byte the server's"
    );
    if let Some(peak) = bridge.peak_memory() {
        assert!(peak < 4 * answer.text.len(), "{} MB at the peak", peak / MB);
    }
    assert_works(&bridge);
}

#[test]
fn fifty_megabytes_in_a_stream_pass_unchanged_in_bounded_memory() {
    fifty_megabytes_from(Server::legacy());
}

#[test]
fn fifty_megabytes_of_json_pass_unchanged_in_bounded_memory() {
    fifty_megabytes_from(Server::legacy().json());
}

#[test]
fn a_client_that_stops_reading_stops_the_server_and_fills_no_memory() {
    let server = Server::legacy().start();
    let mut bridge = ready(&server);
    bridge.set_limit(Duration::from_secs(120));
    assert_works(&bridge);
    let before = bridge.peak_memory();
    let (count, size) = (2000, 64 * 1024);
    bridge.pause();
    bridge.call("1", "flood", &json!({"n": count, "size": size}));
    server.wait_for_calls("flood", 1);
    let sent = server.wait_until_stalled(Duration::from_secs(1));
    assert!(sent < count, "the server was never slowed down");
    if let (Some(before), Some(now)) = (before, bridge.peak_memory()) {
        assert!(
            now - before < count * size / 3,
            "{} MB more",
            (now - before) / MB
        );
    }
    bridge.resume();
    for number in 0..count {
        let note = bridge.heard("notifications/message");
        assert_eq!(
            note.at(&["params", "data", "number"]),
            Some(number.to_string()),
            "in order"
        );
    }
    assert!(bridge.answer("1").result.is_some());
}

#[test]
fn sixty_four_calls_may_finish_in_reverse_order() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    for id in 0..64 {
        bridge.call(
            &id.to_string(),
            "gate",
            &json!({"name": format!("gate {id}")}),
        );
    }
    server.wait_for_calls("gate", 64);
    for id in (0..64).rev() {
        server.open(&format!("gate {id}"));
        let answer = bridge.find("any answer", |message| message.is_response());
        assert_eq!(answer.id, Some(id.to_string()));
        assert_eq!(
            answer.string_at(&["result", "structuredContent", "name"]),
            Some(format!("gate {id}"))
        );
    }
}

#[test]
fn a_fast_call_overtakes_a_slow_one() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    bridge.call("1", "gate", &json!({"name": "slow"}));
    assert!(bridge.ask("2", "echo", &json!({})).result.is_some());
    server.open("slow");
    assert!(bridge.answer("1").result.is_some());
}

#[test]
fn a_second_call_with_the_id_of_a_running_one_is_refused() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    bridge.call("7", "gate", &json!({"name": "first"}));
    server.wait_for_calls("gate", 1);
    assert_eq!(bridge.ask("7", "echo", &json!({})).code(), Some(-32600));
    bridge.call("\"7\"", "echo", &json!({}));
    assert!(
        bridge.answer("\"7\"").result.is_some(),
        "a string is another id than a number"
    );
    server.open("first");
    let answer = bridge.answer("7");
    assert_eq!(
        answer
            .string_at(&["result", "structuredContent", "name"])
            .as_deref(),
        Some("first")
    );
    assert!(
        bridge.ask("7", "echo", &json!({})).result.is_some(),
        "an answered id is free again"
    );
    assert_eq!(
        server.calls("echo").len(),
        2,
        "the refused call never reached the server"
    );
    assert!(bridge.unread().is_empty(), "{:?}", bridge.unread());
}
