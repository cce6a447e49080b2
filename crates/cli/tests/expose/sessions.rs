//! Legacy sessions: how they are opened, which principal they belong to, and how they end.

use linkspan_testkit::Exposed;
use linkspan_testkit::mcp_client::{everything, initialize, request};
use serde_json::json;

use crate::setup::{
    LATEST, assert_error, assert_refused, assert_works, content, expose, legacy, pid,
    wait_for_sessions,
};

#[test]
fn session_ids_cannot_be_guessed() {
    let exposed = legacy();
    let ids: Vec<_> = (0..8)
        .map(|_| exposed.client().session(LATEST).id)
        .collect();
    for id in &ids {
        assert!(
            id.len() >= 32 && id.bytes().all(|b| b.is_ascii_hexdigit()),
            "{id}"
        );
        assert_eq!(ids.iter().filter(|other| *other == id).count(), 1);
    }
    let starts: std::collections::HashSet<_> = ids.iter().map(|id| &id[..8]).collect();
    assert_eq!(starts.len(), ids.len(), "no common beginning: {ids:?}");
}

#[test]
fn an_unknown_session_is_not_found() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    for id in [
        "00000000000000000000000000000000",
        "x",
        &session.id[1..],
        &session.id.repeat(2),
    ] {
        let mut stranger = session.clone();
        id.clone_into(&mut stranger.id);
        assert_error(&mut stranger.call("1", "echo", &json!({})), 404);
        assert_error(
            &mut stranger.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
            404,
        );
    }
    assert_works(&session);
}

#[test]
fn a_request_without_a_session_is_refused() {
    let exposed = legacy();
    let client = exposed.client();
    for body in [
        request("1", "tools/list", &json!({})),
        request("1", "ping", &json!({})),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.into(),
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.into(),
    ] {
        assert_error(&mut client.post(&body), 400);
    }
    assert_eq!(
        exposed.children.started(),
        0,
        "nothing was started for them"
    );
}

#[test]
fn a_second_handshake_in_a_session_is_refused_and_does_not_reach_the_child() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    let mut again = session.post(&initialize(LATEST, &everything()));
    assert!((400..500).contains(&again.status()));
    assert_works(&session);
    let heard = exposed
        .children
        .seen(|seen| seen.method() == Some("initialize"));
    assert_eq!(heard.len(), 1);
}

#[test]
fn goodbye_ends_the_session_and_its_child() {
    let exposed = legacy();
    let client = exposed.client();
    let (session, other) = (client.session(LATEST), client.session(LATEST));
    let pid = pid(&session);
    assert_eq!(session.end(), 204);
    exposed.children.wait_until_gone(pid);
    assert_error(&mut session.call("1", "echo", &json!({})), 404);
    assert_error(&mut session.listen(), 404);
    assert_eq!(session.end(), 404);
    assert_works(&other);
}

#[test]
fn goodbye_ends_streams_and_calls() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    let mut listening = session.listen();
    assert_eq!(listening.status(), 200);
    let mut call = session.call("1", "gate", &json!({"name": "never"}));
    exposed.children.wait_for_tool("gate");
    assert_eq!(session.end(), 204);
    assert!(call.rest().iter().all(|m| m.result.is_none()));
    assert!(listening.rest().is_empty());
}

#[test]
fn a_version_that_does_not_exist_is_refused() {
    let exposed = legacy();
    let client = exposed.client();
    let session = client.session(LATEST);
    for version in ["1999-01-01", "banana", "", "2025-11-25x"] {
        let body = request("1", "ping", &json!({}));
        let ask = session
            .ask("POST")
            .header("Content-Type", "application/json")
            .with("MCP-Protocol-Version", version);
        assert_error(&mut client.send(&ask.body(body)), 400);
    }
    assert_works(&session);
}

#[test]
fn an_old_client_need_not_say_its_version() {
    let exposed = legacy();
    let client = exposed.client();
    let session = client.session("2025-03-26");
    let body = request("1", "ping", &json!({}));
    let ask = session
        .ask("POST")
        .header("Content-Type", "application/json")
        .without("MCP-Protocol-Version");
    assert_eq!(
        client.send(&ask.body(body)).answer().result.as_deref(),
        Some("{}")
    );
}

#[test]
fn a_client_of_the_batch_revision_may_send_batches() {
    let exposed = legacy();
    let session = exposed.client().session("2025-03-26");
    let echo = |id: &str| {
        request(
            id,
            "tools/call",
            &json!({"name": "echo", "arguments": {"id": id}}),
        )
    };
    let note = r#"{"jsonrpc":"2.0","method":"notifications/vendor/tide"}"#;
    let batch = format!("[{},{note},{}]", echo("1"), echo("\"two\""));
    let mut answers = session.post(&batch).rest();
    answers.sort_by_key(|answer| answer.id.clone());
    let ids: Vec<_> = answers.iter().map(|m| m.id.as_deref().unwrap()).collect();
    assert_eq!(ids, ["\"two\"", "1"]);
    assert_eq!(content(&answers[1]), r#"{"id":"1"}"#);
    exposed
        .children
        .wait_for_method("notifications/vendor/tide");
    session.deliver(&format!("[{note},{note}]"));
}

#[test]
fn other_clients_may_not() {
    let exposed = legacy();
    let client = exposed.client();
    let batch = format!("[{}]", request("1", "ping", &json!({})));
    for version in ["2025-06-18", LATEST] {
        assert_refused(&mut client.session(version).post(&batch), 400, -32600);
    }
    let handshake = format!("[{}]", initialize("2025-03-26", &everything()));
    assert_error(&mut client.post(&handshake), 400);
    let old = client.session("2025-03-26");
    assert_refused(&mut old.post("[]"), 400, -32600);
}

fn short() -> Exposed {
    expose(&["--idle-timeout", "1"], &[])
}

#[test]
fn an_idle_session_ends() {
    let exposed = short();
    let session = exposed.client().session(LATEST);
    let pid = pid(&session);
    exposed.children.wait_until_gone(pid);
    assert_error(&mut session.call("1", "echo", &json!({})), 404);
}

#[test]
fn a_session_with_a_call_in_flight_is_not_idle() {
    let exposed = short();
    let client = exposed.client();
    let busy = client.session(LATEST);
    let mut call = busy.call("1", "gate", &json!({"name": "slow"}));
    exposed.children.wait_for_tool("gate");
    // Two later sessions that expire by themselves show that the time has passed.
    for _ in 0..2 {
        exposed
            .children
            .wait_until_gone(pid(&client.session(LATEST)));
    }
    exposed.children.open("slow");
    assert!(call.answer().result.is_some());
}

#[test]
fn a_session_whose_client_listens_is_not_idle() {
    let exposed = short();
    let client = exposed.client();
    let listener = client.session(LATEST);
    let mut listening = listener.listen();
    assert_eq!(listening.status(), 200);
    for _ in 0..2 {
        exposed
            .children
            .wait_until_gone(pid(&client.session(LATEST)));
    }
    assert_works(&listener);
    drop(listening);
    exposed.children.wait_until_none();
}

#[test]
fn there_are_only_so_many_sessions() {
    let exposed = expose(&["--max-sessions", "2"], &[]);
    let client = exposed.client();
    let (one, two) = (client.session(LATEST), client.session(LATEST));
    let mut third = client.initialize(LATEST, &everything());
    let wait = third.header("retry-after").unwrap_or_default();
    assert!(wait.parse::<u32>().is_ok(), "Retry-After: {wait:?}");
    let error = assert_error(&mut third, 503);
    assert_eq!(error.id.as_deref(), Some("\"init\""), "{}", error.text);
    assert_works(&one);
    assert_eq!(two.end(), 204);
    wait_for_sessions(&exposed, 1);
    exposed.children.wait_for_alive(1);
    assert_works(&client.session(LATEST));
}

#[test]
fn there_are_only_so_many_calls_at_once() {
    let exposed = expose(&["--max-in-flight", "3"], &[]);
    let client = exposed.client();
    let session = client.session(LATEST);
    let mut calls: Vec<_> = (0..3)
        .map(|id| session.call(&id.to_string(), "gate", &json!({"name": "open"})))
        .collect();
    exposed.children.wait_for_tools("gate", 3);
    assert_error(&mut session.call("4", "echo", &json!({})), 503);
    assert_error(&mut client.modern().call("4", "echo", &json!({})), 503);
    session.notify("notifications/vendor/tide", &json!({}));
    exposed.children.open("open");
    for call in &mut calls {
        assert!(call.answer().result.is_some());
        call.rest();
    }
    assert_works(&session);
}
