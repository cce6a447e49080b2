//! Response streams that break off, and streams full of rubbish.

use std::sync::{Mutex, mpsc};
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
fn resuming_without_events_ends_after_some_attempts() {
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
fn an_answer_with_an_unknown_id_is_not_passed_on() {
    let answer = echo_streamed_as(
        "data: {\"jsonrpc\":\"2.0\",\"id\":\"unknown\",\"result\":{\"wrong\":true}}\n\n\
         data: {\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"right\":true}}\n\n",
    );
    assert_eq!(answer.result.as_deref(), Some(r#"{"right":true}"#));
}

#[test]
fn a_call_whose_stream_has_only_an_answer_with_another_id_fails() {
    let result = r#""id":7777,"result":{}"#;
    let error = r#""id":"unknown","error":{"code":1,"message":"m"}"#;
    for (answer, ends) in [(result, true), (result, false), (error, true)] {
        // With event ids the stream could be resumed.
        let text = format!("id: 1\ndata: {{\"jsonrpc\":\"2.0\",{answer}}}\n\n");
        let stream = move |request: &Request, conn: &mut Conn| {
            if request.tool().as_deref() != Some("echo") {
                return Flow::Pass;
            }
            let sent = conn.start_sse(&[]).and_then(|()| conn.chunk(&text));
            if ends {
                return Flow::written(sent.and_then(|()| conn.end()));
            }
            conn.wait_until_gone();
            Flow::Close
        };
        let server = Server::legacy().intercept(stream).start();
        let bridge = ready(&server);
        assert_kind(&bridge.ask("1", "echo", &json!({})), "bad_answer");
        assert!(resumptions(&server).is_empty(), "{answer}");
    }
}

#[test]
fn an_answer_on_the_stream_of_another_call_reaches_its_own_and_fails_neither() {
    let (came, waiting) = mpsc::sync_channel(1);
    let waiting = Mutex::new(waiting);
    let stream = move |request: &Request, conn: &mut Conn| {
        let Some(id) = request.message.as_ref().and_then(|m| m.id.clone()) else {
            return Flow::Pass;
        };
        match request.tool().as_deref() {
            Some("first") => {
                came.send(id).expect("the test waits for it");
                let _ = conn.start_sse(&[]);
                conn.wait_until_gone();
                Flow::Close
            }
            Some("second") => {
                let first = waiting.lock().unwrap().recv().expect("it came first");
                let answer = |id: &str| {
                    format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n\n")
                };
                let sent = conn
                    .start_sse(&[])
                    .and_then(|()| conn.chunk(&answer(&first)));
                conn.wait_for_gate("later");
                let sent = sent.and_then(|()| conn.chunk(&answer(&id)));
                Flow::written(sent.and_then(|()| conn.end()))
            }
            _ => Flow::Pass,
        }
    };
    let server = Server::legacy().intercept(stream).start();
    let bridge = ready(&server);
    bridge.call("1", "first", &json!({}));
    server.wait_for_calls("first", 1);
    bridge.call("2", "second", &json!({}));
    assert!(bridge.answer("1").result.is_some());
    server.open("later");
    assert!(bridge.answer("2").result.is_some());
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
