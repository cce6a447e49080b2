//! The fake server, seen by a client that writes its HTTP by hand.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::{Bridge, Conn, Flow, Message, Port, Request, Server};

const ALL: &str =
    "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n";

/// Sends a request and returns the connection for reading.
fn send(
    server: &Server,
    method: &str,
    path: &str,
    headers: &str,
    body: &str,
) -> BufReader<TcpStream> {
    let mut socket = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    socket.set_read_timeout(Some(crate::LIMIT)).unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: x\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    );
    socket.write_all((head + body).as_bytes()).unwrap();
    BufReader::new(socket)
}

/// Reads a response: head, and the body up to its end or to the end of the connection.
fn receive(mut from: BufReader<TcpStream>) -> (String, String) {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(
            from.read_line(&mut head).unwrap(),
            0,
            "closed after {head:?}"
        );
    }
    let mut body = Vec::new();
    if let Some(length) = head.to_lowercase().split("content-length: ").nth(1) {
        let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
        body.resize(length, 0);
        from.read_exact(&mut body).unwrap();
    } else {
        loop {
            let mut size = String::new();
            from.read_line(&mut size).unwrap_or_default();
            let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
            let mut chunk = vec![0; size + 2];
            if size == 0 || from.read_exact(&mut chunk).is_err() {
                break;
            }
            body.extend_from_slice(&chunk[..size]);
        }
    }
    (head, String::from_utf8(body).unwrap())
}

fn post(server: &Server, headers: &str, body: &str) -> (String, String) {
    receive(send(
        server,
        "POST",
        "/mcp",
        &format!("{ALL}{headers}"),
        body,
    ))
}

fn call(id: u32, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments},"_meta":{{"progressToken":"t"}}}}}}"#
    )
}

/// Does the handshake and returns the session header.
fn shake_hands(server: &Server) -> String {
    let (head, body) = post(
        server,
        "",
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#,
    );
    assert!(body.contains("2025-11-25"), "{head}{body}");
    let session = head
        .split("Mcp-Session-Id: ")
        .nth(1)
        .unwrap()
        .split("\r\n")
        .next()
        .unwrap();
    format!("Mcp-Session-Id: {session}\r\n")
}

#[test]
fn a_legacy_session_is_issued_needed_and_forgotten() {
    let server = Server::legacy().start();
    let session = shake_hands(&server);
    let echo = call(1, "echo", r#"{"n":0.10}"#);
    let (_, body) = post(&server, &session, &echo);
    assert!(
        body.starts_with("event: message\ndata: {")
            && body.contains(r#""structuredContent":{"n":0.10}"#),
        "{body}"
    );
    assert!(post(&server, "", &echo).0.starts_with("HTTP/1.1 400"));
    server.forget_sessions();
    assert!(post(&server, &session, &echo).0.starts_with("HTTP/1.1 404"));
    assert_eq!(
        (server.calls("echo").len(), server.posts("initialize").len()),
        (3, 1)
    );
}

#[test]
fn a_json_server_answers_json_and_sends_other_messages_on_the_get_stream() {
    let server = Server::legacy().json().start();
    let session = shake_hands(&server);
    let mut listening = send(&server, "GET", "/mcp", &session, "");
    server.wait_for_listener();
    let (head, body) = post(&server, &session, &call(2, "log", "{}"));
    assert!(head.contains("application/json"));
    assert!(Message::parse(&body).unwrap().result.is_some());
    let mut text = String::new();
    while !text.contains("all is well") {
        listening.read_line(&mut text).unwrap();
    }
}

#[test]
fn a_question_is_answered_by_another_post() {
    let server = Server::legacy().start();
    let session = shake_hands(&server);
    let mut asking = send(&server, "POST", "/mcp", &session, &call(3, "ask", "{}"));
    let mut line = String::new();
    while !line.starts_with("data: ") {
        line.clear();
        asking.read_line(&mut line).unwrap();
    }
    let id = Message::parse(line[6..].trim()).unwrap().id.unwrap();
    let (head, _) = post(
        &server,
        &session,
        &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"action":"accept"}}}}"#),
    );
    assert!(head.starts_with("HTTP/1.1 202"));
    let mut rest = String::new();
    while !rest.contains("structuredContent") {
        asking.read_line(&mut rest).unwrap();
    }
    assert!(
        rest.contains(r#""structuredContent":{"action":"accept"}"#),
        "{rest}"
    );
}

#[test]
fn a_cut_stream_is_resumed_after_the_event_that_was_seen_last() {
    for how in ["end", "half"] {
        let server = Server::legacy().event_ids().retry(5).start();
        let session = shake_hands(&server);
        let (_, body) = post(
            &server,
            &session,
            &call(4, "cut", &format!(r#"{{"how":"{how}"}}"#)),
        );
        assert!(
            body.contains("retry: 5")
                && body.contains("notifications/progress")
                && !body.contains("resumed"),
            "{body}"
        );
        let last = body
            .lines()
            .filter_map(|line| line.strip_prefix("id: "))
            .next_back()
            .unwrap();
        let headers = format!("{session}Last-Event-ID: {last}\r\n");
        let (_, body) = receive(send(&server, "GET", "/mcp", &headers, ""));
        assert!(
            body.contains("resumed") && !body.contains("notifications/progress"),
            "{how}: {body}"
        );
    }
}

#[test]
fn a_reset_stream_never_brings_its_answer() {
    let server = Server::legacy().start();
    let session = shake_hands(&server);
    let mut reading = send(
        &server,
        "POST",
        "/mcp",
        &session,
        &call(4, "cut", r#"{"how":"reset"}"#),
    );
    let mut text = String::new();
    let end = reading.read_to_string(&mut text).unwrap_err();
    assert_eq!(end.kind(), std::io::ErrorKind::ConnectionReset);
    assert!(!text.contains("structuredContent"), "{text}");
}

#[test]
fn a_gate_holds_a_call_until_it_is_opened_or_cancelled() {
    let server = Server::legacy().start();
    let session = shake_hands(&server);
    let held = send(
        &server,
        "POST",
        "/mcp",
        &session,
        &call(5, "gate", r#"{"name":"a"}"#),
    );
    let dropped = send(
        &server,
        "POST",
        "/mcp",
        &session,
        &call(6, "gate", r#"{"name":"b"}"#),
    );
    server.wait_for_calls("gate", 2);
    post(
        &server,
        &session,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}}"#,
    );
    assert_eq!(receive(dropped).1, "");
    server.open("a");
    assert!(receive(held).1.contains(r#""id":5"#));
}

#[test]
fn http_and_sse_answers_only_on_the_stream() {
    let server = Server::sse().start();
    assert!(
        receive(send(&server, "POST", "/sse", "", "{}"))
            .0
            .starts_with("HTTP/1.1 405")
    );
    let mut stream = send(&server, "GET", "/sse", "", "");
    let mut text = String::new();
    while !text.contains("sessionId=") {
        stream.read_line(&mut text).unwrap();
    }
    assert!(
        text.contains("event: endpoint\ndata: /messages?sessionId="),
        "{text}"
    );
    let path = text.split("data: ").nth(1).unwrap().trim();
    let (head, _) = receive(send(&server, "POST", path, "", &call(7, "echo", "{}")));
    assert!(head.starts_with("HTTP/1.1 202"));
    while !text.contains("\"id\":7") {
        stream.read_line(&mut text).unwrap();
    }
}

#[test]
fn a_modern_server_checks_headers_and_notices_a_closed_stream() {
    let server = Server::modern().start();
    let body = r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"gate","arguments":{"name":"g"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
    assert!(post(&server, "", body).1.contains("-32020"));
    assert_eq!(server.violations().len(), 1);
    let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: =?base64?Z2F0ZQ==?=\r\n";
    drop(send(&server, "POST", "/mcp", headers, body));
    server.wait_for("a client that left", Request::client_left);
    server.open("g");
    assert!(post(&server, headers, body).1.contains("resultType"));
}

#[test]
fn a_test_can_answer_by_itself_and_a_killed_server_refuses() {
    let hook = |request: &Request, conn: &mut Conn| match request.method.as_str() {
        "PUT" => Flow::written(conn.reply(500, &[], "<html>")),
        _ => Flow::Pass,
    };
    let server = Server::legacy().intercept(hook).start();
    assert_eq!(receive(send(&server, "PUT", "/mcp", "", "")).1, "<html>");
    assert!(
        receive(send(&server, "PATCH", "/mcp", "", ""))
            .0
            .starts_with("HTTP/1.1 405")
    );
    server.kill();
    assert!(TcpStream::connect(("127.0.0.1", server.port())).is_err());
    let again = Server::legacy().start_on(Port::again(server.port()));
    shake_hands(&again);
}

#[test]
fn a_flood_waits_for_its_reader() {
    let server = Server::legacy().start();
    let session = shake_hands(&server);
    let reading = send(
        &server,
        "POST",
        "/mcp",
        &session,
        &call(9, "flood", r#"{"n":3000,"size":8000}"#),
    );
    assert!(server.wait_until_stalled(Duration::from_millis(300)) < 3000);
    let (_, body) = receive(reading);
    assert!(body.contains(r#""number":2999"#) && body.contains("structuredContent"));
}

#[cfg(unix)]
#[test]
fn a_bridge_gives_lines_and_its_end() {
    let mut bridge = Bridge::launch("cat").start();
    bridge.notify("one", &serde_json::json!({}));
    bridge.send(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert_eq!(bridge.answer("1").result.as_deref(), Some("{}"));
    assert_eq!(bridge.heard("one").params.as_deref(), Some("{}"));
    if cfg!(target_os = "linux") {
        assert!(bridge.peak_memory().unwrap() >= bridge.resident_memory().unwrap());
    }
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_signal_reaches_the_bridge() {
    let mut bridge = Bridge::launch("cat").start();
    bridge.signal(crate::Signal::Terminate);
    assert_eq!(bridge.exit_code(), None);
}

#[test]
fn a_hook_can_write_to_the_stream() {
    let hook = |request: &Request, conn: &mut Conn| {
        if request.tool().is_none() {
            return Flow::Pass;
        }
        conn.push(r#"{"jsonrpc":"2.0","method":"notifications/pushed"}"#);
        Flow::written(conn.reply(202, &[], ""))
    };
    let server = Server::sse().intercept(hook).start();
    let mut stream = send(&server, "GET", "/sse", "", "");
    let mut text = String::new();
    while !text.contains("sessionId=") {
        stream.read_line(&mut text).unwrap();
    }
    let path = text.split("data: ").nth(1).unwrap().trim().to_owned();
    for _ in 0..2 {
        receive(send(&server, "POST", &path, "", &call(7, "any", "{}")));
    }
    let posts = server.wait_for_count("two calls", 2, |request| request.method == "POST");
    assert_eq!(posts.len(), 2);
    while !text.contains("notifications/pushed") {
        stream.read_line(&mut text).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_bridge_may_have_another_stdin_and_an_unread_stderr() {
    use std::io::Write;
    let (stdin, mut pipe) = std::io::pipe().unwrap();
    let script = r#"echo 1 >&2; read -r line; echo "$line"; read -r line; exec echo 2 >&2"#;
    let mut bridge = Bridge::launch("sh")
        .args(["-c", script])
        .stdin(stdin)
        .start();
    bridge.pause_stderr();
    pipe.write_all(b"first\n").unwrap();
    assert_eq!(bridge.line(), "first");
    drop(pipe);
    assert_eq!(bridge.exit_code(), Some(0));
    assert_eq!(bridge.stderr(), "1\n2");
}
