//! Limits of the HTTP front, lost answers and credentials.

use std::time::{Duration, Instant};

use linkspan_testkit::mcp_client::{initialize, request};
use linkspan_testkit::{Ask, Call, Client, Exposed, Http};
use serde_json::json;

use crate::setup::{
    LATEST, assert_error, assert_refused, assert_works, clip, content, expose, exposing, legacy,
    wait_for_health,
};

/// Waits until the health check counts that many requests in flight.
#[track_caller]
fn wait_for_calls(exposed: &Exposed, count: usize) {
    wait_for_health(exposed, "inFlight", count);
}

/// An old client's stream, and where it POSTs to.
fn old(exposed: &Exposed) -> (Call, Client) {
    let mut client = exposed.client();
    client.path = "/sse".into();
    let mut stream = client.send(&client.ask("GET"));
    let endpoint = stream.event().and_then(|event| event.data);
    client.path = endpoint.expect("the stream begins with an event");
    (stream, client)
}

fn cancel(id: u32) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
    )
}

#[test]
fn a_call_that_is_cancelled_in_a_batch_is_over() {
    let exposed = legacy();
    let session = exposed.client().session("2025-03-26");
    let mut call = session.call("5", "gate", &json!({"name": "never"}));
    exposed.children.wait_for_tool("gate");
    session.deliver(&format!("[{}]", cancel(5)));
    assert!(
        call.message().is_none(),
        "its stream ends without an answer"
    );
    wait_for_calls(&exposed, 0);
    // First with requests beside it, then with a request that the same batch cancels.
    let mut call = session.call("6", "gate", &json!({"name": "never"}));
    exposed.children.wait_for_tools("gate", 2);
    let ping = request("7", "ping", &json!({}));
    let own = request(
        "8",
        "tools/call",
        &json!({"name": "gate", "arguments": {"name": "never"}}),
    );
    let batch = format!("[{},{ping},{own},{}]", cancel(6), cancel(8));
    let mut answers = session.post(&batch);
    assert!(answers.body().contains(r#""id":7"#));
    assert!(call.message().is_none());
    wait_for_calls(&exposed, 0);
    assert_works(&session);
}

#[test]
fn a_large_answer_that_was_cut_on_its_way_is_sent_again() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    let arguments = json!({"name": "slow", "pad": "x".repeat(1_000_000)});
    let mut call = session.call("1", "gate", &arguments);
    let first = call.event().unwrap().id.unwrap();
    exposed.children.open("slow");
    // Then the front has written all of it to the connection, which the client does not read.
    wait_for_calls(&exposed, 0);
    call.into_connection().reset();
    let mut rest = session.resume(&first);
    assert_eq!(rest.status(), 200);
    assert_eq!(content(&rest.answer()).len(), arguments.to_string().len());
}

#[test]
fn an_answer_that_could_not_be_kept_is_told_to_be_lost() {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    let arguments = json!({"name": "slow", "pad": "x".repeat(6_000_000)});
    let mut call = session.call("1", "gate", &arguments);
    let first = call.event().unwrap().id.unwrap();
    drop(call);
    exposed.children.open("slow");
    wait_for_calls(&exposed, 0);
    for _ in 0..2 {
        let mut rest = session.resume(&first);
        assert_eq!(rest.status(), 200);
        let answer = rest.answer();
        let kind = answer.string_at(&["error", "data", "kind"]);
        assert_eq!(
            kind.as_deref(),
            Some("answer_lost"),
            "{}",
            clip(&answer.text)
        );
        assert_eq!(answer.id.as_deref(), Some("1"));
    }
}

#[test]
fn a_call_counts_until_it_is_answered_even_if_its_client_has_gone() {
    let exposed = expose(&["--max-in-flight", "1"], &[]);
    let session = exposed.client().session(LATEST);
    let call = session.call("1", "gate", &json!({"name": "slow"}));
    exposed.children.wait_for_tool("gate");
    drop(call);
    let mut refused = session.call("2", "echo", &json!({}));
    assert_error(&mut refused, 503);
    exposed.children.open("slow");
    wait_for_calls(&exposed, 0);
    assert_works(&session);
}

#[test]
fn calls_of_old_clients_count_as_well() {
    let exposed = expose(&["--sse", "--max-in-flight", "1"], &[]);
    let (mut stream, client) = old(&exposed);
    assert_eq!(
        client.post(&initialize("2024-11-05", &json!({}))).status(),
        202
    );
    stream.answer();
    let gate = json!({"name": "gate", "arguments": {"name": "slow"}});
    assert_eq!(
        client.post(&request("1", "tools/call", &gate)).status(),
        202
    );
    assert_error(&mut client.post(&request("2", "ping", &json!({}))), 503);
    assert_eq!(client.post(&cancel(1)).status(), 202);
    wait_for_calls(&exposed, 0);
    assert_eq!(client.post(&request("2", "ping", &json!({}))).status(), 202);
    assert_eq!(stream.answer().id.as_deref(), Some("2"));
}

#[test]
fn an_id_of_kilobytes_is_refused() {
    let exposed = expose(&["--sse"], &[]);
    let session = exposed.client().session(LATEST);
    let long = format!("\"{}\"", "i".repeat(2000));
    let refused = &mut session.request(&long, "ping", &json!({}));
    let error = assert_refused(refused, 400, -32600);
    assert_eq!(error.id.as_deref(), Some(&*long));
    let (_stream, client) = old(&exposed);
    assert_refused(
        &mut client.post(&request(&long, "ping", &json!({}))),
        400,
        -32600,
    );
    assert_works(&session);
}

#[test]
fn what_is_announced_and_does_not_come_blocks_no_other() {
    let exposed = legacy();
    let client = exposed.client();
    let session = client.session(LATEST);
    let ask = client
        .ask("POST")
        .header("Content-Type", "application/json")
        .header("Content-Length", "268435456");
    let slow: Vec<Http> = (0..8)
        .map(|_| {
            let mut http = Http::connect(client.address);
            http.send(&ask);
            http.bytes(b"{");
            http
        })
        .collect();
    let began = Instant::now();
    for id in ["1", "2"] {
        session.tool(id, "echo", &json!({"pad": "x".repeat(100_000)}));
    }
    assert!(began.elapsed() < Duration::from_secs(10));
    drop(slow);
}

#[test]
fn a_path_that_is_served_already_is_refused() {
    for flags in [&["--path", "/healthz"][..], &["--sse", "--path", "/sse"]] {
        let mut bridge = exposing(flags, &[]).launch().start();
        assert!(
            bridge.exit_code().is_some_and(|code| code != 0),
            "{flags:?}"
        );
        assert!(
            bridge.stderr().contains(flags[flags.len() - 1]),
            "{flags:?}"
        );
    }
}

#[test]
fn the_key_of_one_transport_opens_no_session_of_the_other() {
    let exposed = expose(&["--sse"], &[]);
    let session = exposed.client().session(LATEST);
    let (mut stream, mut client) = old(&exposed);
    // A connection that closes before its 202 may lose the message.
    let initialize = initialize("2024-11-05", &json!({}));
    assert_eq!(client.post(&initialize).status(), 202);
    stream.answer();
    let (_, key) = client.path.split_once('=').unwrap();
    let ping = request("1", "ping", &json!({}));
    let crossed = exposed.client().with("Mcp-Session-Id", key);
    assert_error(&mut crossed.post(&ping), 404);
    client.path = format!("/messages?sessionId={}", session.id);
    assert_error(&mut client.post(&ping), 404);
    assert_works(&session);
}

#[test]
fn credentials_are_compared_to_the_last_byte() {
    let exposed = legacy();
    let address = exposed.address();
    let post = |who: u8, session: Option<&str>, body: &str| {
        let mut ask = Ask::new("POST", "/mcp")
            .header("Host", "localhost")
            .header("Content-Type", "application/json")
            .header("Accept", "*/*")
            .header("X-Who", "@");
        if let Some(session) = session {
            ask = ask.header("Mcp-Session-Id", session);
        }
        let head = ask.body(body).head();
        let at = head.windows(8).position(|w| w == b"X-Who: @").unwrap();
        let mut http = Http::connect(address);
        http.bytes(&head[..at]);
        http.bytes(b"Authorization: Basic ");
        http.bytes(&[who]);
        http.bytes(&head[at + 8..]);
        http.bytes(body.as_bytes());
        Call::on(http)
    };
    let mut opening = post(0xff, None, &initialize(LATEST, &json!({})));
    let key = opening.header("mcp-session-id").expect("a session");
    let ping = request("1", "ping", &json!({}));
    assert_eq!(post(0xff, Some(&key), &ping).status(), 200);
    assert_eq!(post(0xfe, Some(&key), &ping).status(), 404);
}
