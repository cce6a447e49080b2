//! What a message has to wait for, and what must not delay it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use linkspan_testkit::{Bridge, Conn, Flow, Port, Request, Server};
use serde_json::{Value, json};

use crate::servers::{answer_to, assert_answers, hello, plain, welcome};
use crate::setup::{LATEST, assert_kind, assert_works, launch, ready, ready_with, started};

#[test]
fn a_handshake_that_hangs_does_not_hold_the_next_one() {
    let shakes = AtomicUsize::new(0);
    let hook = move |request: &Request, conn: &mut Conn| match request.rpc() {
        Some("initialize") if shakes.fetch_add(1, Ordering::SeqCst) == 0 => {
            conn.wait_until_gone();
            Flow::Close
        }
        _ => Flow::Pass,
    };
    let server = Server::legacy().intercept(hook).start();
    let bridge = started(&server, &["--timeout", "1"]);
    bridge.request("1", "initialize", &hello());
    assert_kind(&bridge.answer("1"), "timeout");
    bridge.notify("notifications/cancelled", &json!({"requestId": 1}));
    bridge.initialize(LATEST);
    assert_answers(&bridge);
}

/// Slow: a GET that never answers is given a few seconds.
#[test]
fn a_refusal_is_reported_although_the_other_transport_stays_silent() {
    let hook = |request: &Request, conn: &mut Conn| match request.method.as_str() {
        "POST" => Flow::written(conn.reply(400, &[("Content-Type", "text/plain")], "no, thanks")),
        _ => {
            conn.wait_until_gone();
            Flow::Close
        }
    };
    let server = Server::legacy().intercept(hook).start();
    let bridge = started(&server, &["--timeout", "25"]);
    bridge.request("1", "initialize", &hello());
    let answer = bridge.answer("1");
    assert_kind(&answer, "http_status");
    assert!(answer.text.contains("no, thanks"), "{}", answer.text);
    assert_eq!(server.posts("initialize").len(), 1);
}

#[test]
fn a_server_may_ping_before_it_answers_the_handshake() {
    let hook = |request: &Request, conn: &mut Conn| {
        if request.rpc() != Some("initialize") {
            return plain(request, conn);
        }
        let ping = r#"{"jsonrpc":"2.0","id":"are you there?","method":"ping"}"#;
        let mut shake = || {
            conn.start_sse(&[])?;
            conn.chunk(&format!("data: {ping}\n\n"))?;
            conn.wait_for_gate("pong");
            conn.chunk(&format!(
                "data: {}\n\n",
                answer_to(request, &welcome(LATEST))
            ))?;
            conn.end()
        };
        Flow::written(shake())
    };
    let server = Server::legacy().intercept(hook).start();
    let bridge = started(&server, &[]);
    bridge.request("1", "initialize", &hello());
    let ping = bridge.heard("ping").id.expect("a ping has an id");
    bridge.send(&format!(r#"{{"jsonrpc":"2.0","id":{ping},"result":{{}}}}"#));
    server.wait_for("the answer to the ping", |request| {
        let message = request.message.as_ref();
        message.is_some_and(|m| m.is_response() && m.id.as_deref() == Some("\"are you there?\""))
    });
    server.open("pong");
    assert!(bridge.answer("1").result.is_some());
    bridge.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_answers(&bridge);
}

#[test]
fn a_notification_that_is_answered_with_an_open_stream_does_not_hold_the_next_call() {
    let hook = |request: &Request, conn: &mut Conn| match request.rpc() {
        Some("notifications/initialized") => {
            let _ = conn.start_sse(&[]);
            conn.wait_until_gone();
            Flow::Close
        }
        _ => Flow::Pass,
    };
    let server = Server::legacy().intercept(hook).start();
    let bridge = ready(&server);
    let start = Instant::now();
    assert_works(&bridge);
    assert!(
        start.elapsed() < Duration::from_secs(4),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn a_call_that_is_cancelled_before_it_could_be_sent_is_never_sent() {
    // No connection is kept, so that every message has to find the server anew.
    let hook = |request: &Request, conn: &mut Conn| {
        let close = ("Connection", "close");
        let json = ("Content-Type", "application/json");
        let message = request.message.as_ref();
        let _ = match request.rpc() {
            Some("initialize") => {
                conn.reply(200, &[close, json], &answer_to(request, &welcome(LATEST)))
            }
            _ if message.is_some_and(|m| m.is_request()) => {
                conn.reply(200, &[close, json], &answer_to(request, r#""result":{}"#))
            }
            Some(_) => conn.reply(202, &[close], ""),
            None => conn.reply(405, &[close], ""),
        };
        Flow::Close
    };
    let server = Server::legacy().intercept(hook).start();
    let mut bridge = launch(&server.url(), &["--retry-delay", "400"]).start();
    bridge.initialize(LATEST);
    assert_answers(&bridge);
    server.kill();
    let port = Port::again(server.port());
    bridge.call("1", "pay", &json!({}));
    bridge.notify("notifications/cancelled", &json!({"requestId": 1}));
    bridge.call("2", "look", &json!({}));
    for _ in 0..2 {
        // The answer proves that all messages above have been read and tried in vain.
        bridge.send("not json");
        assert_eq!(bridge.answer("null").code(), Some(-32700));
    }
    let server = Server::legacy().intercept(hook).start_on(port);
    // The cancelled call would have been sent before this one.
    assert!(bridge.answer("2").result.is_some());
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
    assert_eq!(server.calls("look").len(), 1);
    assert!(server.calls("pay").is_empty(), "it was cancelled in time");
    assert!(server.posts("notifications/cancelled").is_empty());
}

#[test]
fn a_subscription_is_not_ended_by_the_limit_of_a_call() {
    let server = Server::modern().start();
    let bridge = started(&server, &["--timeout", "1"]);
    let request = |id: &str, method: &str, mut params: Value| {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        bridge.request(id, method, &params);
    };
    let wanted = json!({"notifications": {"toolsListChanged": true}});
    request("\"listen\"", "subscriptions/listen", wanted);
    bridge.heard("notifications/subscriptions/acknowledged");
    // A later call shows when the limit has passed.
    let never = json!({"name": "gate", "arguments": {"name": "never"}});
    request("1", "tools/call", never);
    assert_kind(&bridge.answer("1"), "timeout");
    server.open("changed");
    bridge.heard("notifications/tools/list_changed");
    server.open("over");
    let end = bridge.answer("\"listen\"");
    assert!(end.result.is_some(), "{}", end.text);
}

#[test]
fn a_refusal_that_mentions_a_session_is_not_a_forgotten_one() {
    let error = r#""error":{"code":-32602,"message":"parameter `sessionName` is required"}"#;
    let hook = move |request: &Request, conn: &mut Conn| match request.tool().as_deref() {
        Some("picky") => Flow::written(conn.json(400, &answer_to(request, error))),
        _ => Flow::Pass,
    };
    let server = Server::legacy().intercept(hook).start();
    let bridge = ready(&server);
    let answer = bridge.ask("1", "picky", &json!({}));
    assert_eq!(
        answer.text,
        format!(r#"{{"jsonrpc":"2.0","id":1,{error}}}"#)
    );
    assert_works(&bridge);
    assert_eq!(server.posts("initialize").len(), 1);
    assert_eq!(server.calls("picky").len(), 1);
}

/// A bridge to a server of the revision that has batches, with two calls of one batch at a gate.
fn batch_at_a_gate(server: &Server) -> Bridge {
    let bridge = started(server, &[]);
    bridge.initialize("2025-03-26");
    let call = |id: u8| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"gate","arguments":{{"name":"g"}}}}}}"#
        )
    };
    bridge.send(&format!("[{},{}]", call(5), call(6)));
    server.wait_for_calls("gate", 2);
    bridge
}

#[track_caller]
fn assert_both_answered(line: &str) {
    let Ok(Value::Array(mut answers)) = serde_json::from_str(line) else {
        panic!("not an array: {line}")
    };
    answers.sort_by_key(|answer| answer["id"].as_i64());
    let ids: Vec<_> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [5, 6], "{line}");
    assert!(
        answers.iter().all(|answer| answer["result"].is_object()),
        "{line}"
    );
}

#[test]
fn a_batch_that_uses_an_id_in_flight_again_takes_no_answer_from_the_first() {
    let server = Server::legacy().start();
    let bridge = batch_at_a_gate(&server);
    bridge.send(r#"[{"jsonrpc":"2.0","id":5,"method":"ping"}]"#);
    let line = bridge.line();
    let refused: Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(refused[0]["id"], 5, "{line}");
    assert_eq!(refused[0]["error"]["code"], -32600, "{line}");
    assert_eq!(refused.as_array().map(Vec::len), Some(1), "{line}");
    server.open("g");
    assert_both_answered(&bridge.line());
    assert_works(&bridge);
    assert!(bridge.unread().is_empty(), "{:?}", bridge.unread());
}

#[test]
fn a_call_that_uses_an_id_of_an_open_batch_takes_no_answer_from_it() {
    let server = Server::legacy().start();
    let bridge = batch_at_a_gate(&server);
    bridge.request("5", "ping", &json!({}));
    assert_eq!(bridge.answer("5").code(), Some(-32600));
    server.open("g");
    assert_both_answered(&bridge.line());
    assert_works(&bridge);
    assert!(bridge.unread().is_empty(), "{:?}", bridge.unread());
}

#[test]
fn a_batch_that_names_an_id_twice_answers_both() {
    let server = Server::legacy().start();
    let bridge = started(&server, &[]);
    bridge.initialize("2025-03-26");
    let ping = r#"{"jsonrpc":"2.0","id":5,"method":"ping"}"#;
    bridge.send(&format!("[{ping},{ping}]"));
    let line = bridge.line();
    let Ok(Value::Array(answers)) = serde_json::from_str(&line) else {
        panic!("not an array: {line}")
    };
    assert_eq!(answers.len(), 2, "{line}");
    let refused = answers.iter().filter(|a| a["error"]["code"] == -32600);
    assert_eq!(refused.count(), 1, "{line}");
    assert!(answers.iter().any(|a| a["result"].is_object()), "{line}");
    assert_works(&bridge);
}

/// A 409 for the GET of that number, counted from one; only those that `is` accepts are counted.
fn conflict(number: usize, is: fn(&Request) -> bool) -> impl Fn(&Request, &mut Conn) -> Flow {
    let gets = AtomicUsize::new(0);
    move |request, conn| {
        if request.method != "GET" || !is(request) {
            return Flow::Pass;
        }
        if gets.fetch_add(1, Ordering::SeqCst) + 1 == number {
            Flow::written(conn.json(409, "{}"))
        } else {
            Flow::Pass
        }
    }
}

#[test]
fn a_listening_stream_that_is_refused_once_is_asked_for_again() {
    let server = Server::legacy()
        .retry(50)
        .intercept(conflict(2, |_| true))
        .start();
    let bridge = ready(&server);
    server.wait_for_listener();
    server.drop_streams();
    // The server still counts the old stream when the new one is requested.
    server.wait_for_count("a third GET", 3, |request| request.method == "GET");
    server.wait_for_listener();
    server.push(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    bridge.heard("notifications/tools/list_changed");
}

#[test]
fn a_call_whose_resumption_is_refused_once_gets_its_answer() {
    let resumes = |request: &Request| request.header("last-event-id").is_some();
    let server = Server::legacy()
        .event_ids()
        .retry(50)
        .intercept(conflict(1, resumes))
        .start();
    let bridge = ready(&server);
    let answer = bridge.ask("1", "cut", &json!({"how": "end"}));
    assert_eq!(
        answer.at(&["result", "structuredContent"]).as_deref(),
        Some(r#"{"resumed":true}"#),
        "{}",
        answer.text
    );
    assert_eq!(server.calls("cut").len(), 1);
}

#[test]
fn a_session_that_only_the_listening_stream_misses_is_renewed_without_a_call() {
    let server = Server::legacy().retry(50).start();
    let bridge = ready(&server);
    server.wait_for_listener();
    server.forget_sessions();
    server.drop_streams();
    server.wait_for_count("a new handshake", 2, |request| {
        request.rpc() == Some("notifications/initialized")
    });
    server.wait_for_listener();
    server.push(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    bridge.heard("notifications/tools/list_changed");
    assert_eq!(server.posts("initialize").len(), 2);
}

#[test]
fn a_stream_that_says_retry_at_once_and_ends_is_not_a_hot_loop() {
    let hook = |request: &Request, conn: &mut Conn| {
        let resumes = request.header("last-event-id").is_some();
        if !resumes && request.tool().is_none() {
            return plain(request, conn);
        }
        let mut nothing = || {
            conn.start_sse(&[])?;
            conn.chunk("id: 1\nretry: 0\ndata:\n\n")?;
            conn.end()
        };
        Flow::written(nothing())
    };
    let server = Server::legacy().intercept(hook).start();
    let bridge = ready_with(&server, &[]);
    bridge.call("1", "never done", &json!({}));
    let resumed = server.wait_for_count("resumptions", 5, |request| {
        request.header("last-event-id").is_some()
    });
    let span = resumed[4].at - resumed[0].at;
    // Each is at least 50 ms after the previous one, by the server's clock.
    assert!(span >= Duration::from_millis(180), "four more in {span:?}");
}
