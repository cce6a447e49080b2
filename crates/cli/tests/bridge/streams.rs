//! Response streams that break off, and streams full of rubbish.

use std::time::Duration;

use linkspan_testkit::{Conn, Flow, Message, Request, Server};
use serde_json::json;

use crate::setup::{assert_kind, assert_kind_in, assert_works, ready};

fn resumptions(server: &Server) -> Vec<std::sync::Arc<Request>> {
    let gets = server.with_method("GET");
    gets.into_iter()
        .filter(|request| request.header("last-event-id").is_some())
        .collect()
}

#[test]
fn a_broken_stream_with_event_ids_is_resumed_where_it_broke() {
    for how in ["end", "half"] {
        let server = Server::legacy().event_ids().retry(300).start();
        let bridge = ready(&server);
        let params =
            json!({"name": "cut", "arguments": {"how": how}, "_meta": {"progressToken": "t"}});
        bridge.request("1", "tools/call", &params);
        let answer = bridge.answer("1");
        assert_eq!(
            answer.at(&["result", "structuredContent"]).as_deref(),
            Some(r#"{"resumed":true}"#),
            "{how}: {}",
            answer.text
        );
        bridge.heard("notifications/progress");
        assert!(
            bridge.unread().is_empty(),
            "{how}: nothing twice: {:?}",
            bridge.unread()
        );

        let calls = server.calls("cut");
        assert_eq!(calls.len(), 1, "{how}: a call is never repeated");
        let resumed = resumptions(&server);
        assert_eq!(resumed.len(), 1, "{how}");
        assert!(
            resumed[0]
                .header("last-event-id")
                .is_some_and(|id| id.ends_with("-1")),
            "{how}: the progress was seen"
        );
        assert_eq!(
            resumed[0].header("mcp-session-id"),
            calls[0].header("mcp-session-id"),
            "{how}"
        );
        assert!(
            resumed[0].at - calls[0].at >= Duration::from_millis(300),
            "{how}: `retry` is respected"
        );
    }
}

#[test]
fn a_broken_stream_without_event_ids_loses_its_answer() {
    for how in ["end", "half", "reset"] {
        let server = Server::legacy().start();
        let bridge = ready(&server);
        let answer = bridge.ask("1", "cut", &json!({"how": how}));
        assert_kind(&answer, "answer_lost");
        assert_eq!(
            server.calls("cut").len(),
            1,
            "{how}: it may have run, so it is never repeated"
        );
        assert!(
            resumptions(&server).is_empty(),
            "{how}: there is nothing to resume from"
        );
        assert_works(&bridge);
    }
}

#[test]
fn resuming_into_nothing_ends_at_some_time() {
    let server = Server::legacy().event_ids().retry(1).resume_empty().start();
    let bridge = ready(&server);
    assert_kind(&bridge.ask("1", "cut", &json!({})), "answer_lost");
    let tries = resumptions(&server).len();
    assert!((1..100).contains(&tries), "{tries}");
    assert_works(&bridge);
    assert_eq!(
        resumptions(&server).len(),
        tries,
        "no more tries after the error"
    );
}

#[test]
fn a_server_that_cannot_resume_loses_the_answer() {
    let server = Server::legacy().event_ids().retry(1).without_get().start();
    let bridge = ready(&server);
    assert_kind(&bridge.ask("1", "cut", &json!({})), "answer_lost");
    assert_works(&bridge);
}

#[test]
fn a_listening_stream_that_ends_is_opened_again() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    server.wait_for_listener();
    server.drop_streams();
    server.push(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    bridge.heard("notifications/tools/list_changed");
    assert!(server.with_method("GET").len() >= 2);
}

#[test]
fn a_server_without_a_listening_stream_is_asked_once() {
    let server = Server::legacy().without_get().start();
    let bridge = ready(&server);
    server.wait_for("a GET", |request| request.method == "GET");
    for _ in 0..5 {
        assert_works(&bridge);
    }
    assert_eq!(server.with_method("GET").len(), 1);
}

/// Answers calls of `echo` with a stream of that text, `$ID` replaced.
fn streams(text: &'static str) -> impl Fn(&Request, &mut Conn) -> Flow {
    move |request, conn| {
        if request.tool().as_deref() != Some("echo") {
            return Flow::Pass;
        }
        let id = request
            .message
            .as_ref()
            .and_then(|m| m.id.clone())
            .unwrap_or_default();
        let sent = conn
            .start_sse(&[])
            .and_then(|()| conn.chunk(&text.replace("$ID", &id)))
            .and_then(|()| conn.end());
        Flow::written(sent)
    }
}

fn echo_streamed_as(text: &'static str) -> Message {
    let server = Server::legacy().intercept(streams(text)).start();
    let bridge = ready(&server);
    let answer = bridge.ask("1", "echo", &json!({}));
    assert!(bridge.unread().is_empty(), "{:?}", bridge.unread());
    assert!(bridge.ask("2", "log", &json!({})).result.is_some());
    answer
}

#[test]
fn rubbish_before_an_answer_does_not_spoil_it() {
    let answer = echo_streamed_as(
        "data: {not json\n\n\
         data: <html>\n\n\
         nonsense\n\n\
         data: [1,2\n\n\
         data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"ok\":true}}\n\n",
    );
    assert_eq!(answer.result.as_deref(), Some(r#"{"ok":true}"#));
}

#[test]
fn a_stream_of_rubbish_alone_ends_in_an_error() {
    let answer = echo_streamed_as("data: {not json\n\nwhat is this\n\ndata: \"text\"\n\n");
    assert_kind_in(&answer, &["answer_lost", "bad_answer"]);
}

#[test]
fn every_legal_spelling_of_a_stream_is_understood() {
    let answer = echo_streamed_as(
        ": a comment\r\n\r\n\
         event: ping\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"ignored\"}\n\n\
         data:\n\n\
         id: 7\r\rretry: nonsense\n\
         event: message\r\ndata: {\"jsonrpc\":\"2.0\",\r\ndata:\"id\":$ID,\rdata: \"result\":{}}\n\n",
    );
    assert_eq!(answer.result.as_deref(), Some("{}"));
}

#[test]
fn an_answer_to_somebody_else_is_not_passed_on() {
    let answer = echo_streamed_as(
        "data: {\"jsonrpc\":\"2.0\",\"id\":\"nobody\",\"result\":{\"wrong\":true}}\n\n\
         data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"right\":true}}\n\n",
    );
    assert_eq!(answer.result.as_deref(), Some(r#"{"right":true}"#));
}

#[test]
fn a_second_answer_to_the_same_call_is_dropped() {
    let answer = echo_streamed_as(
        "data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"first\":true}}\n\n\
         data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"second\":true}}\n\n",
    );
    assert_eq!(answer.result.as_deref(), Some(r#"{"first":true}"#));
}

#[test]
fn characters_torn_across_chunks_are_whole_again() {
    let server = Server::legacy().dribble(1).start();
    let bridge = ready(&server);
    let answer = bridge.ask("1", "blob", &json!({"size": 2000}));
    assert_eq!(
        answer.result,
        Some(format!(
            r#"{{"content":[{{"type":"text","text":"{}"}}]}}"#,
            Server::blob(2000)
        ))
    );
}
