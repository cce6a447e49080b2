//! Refusals and their statuses; every refusal is readable by a client.

use linkspan_testkit::Http;
use linkspan_testkit::mcp_client::{everything, initialize, request};
use serde_json::json;

use crate::setup::{
    LATEST, MODERN, assert_error, assert_refused, assert_works, content, expose, legacy,
    wait_for_sessions,
};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[test]
fn malformed_json_is_a_parse_error() {
    let exposed = legacy();
    let client = exposed.client();
    for body in [
        "{",
        "this is not JSON",
        r#"{"jsonrpc":"2.0","id":1,"method":"ping""#,
        "\u{feff}",
    ] {
        let error = assert_refused(&mut client.post(body), 400, -32700);
        assert_eq!(error.id.as_deref(), Some("null"), "{body}");
    }
    let session = client.session(LATEST);
    assert_refused(&mut session.post("[1,"), 400, -32700);
    assert_works(&session);
}

#[test]
fn json_that_is_no_message_is_an_invalid_request() {
    let exposed = legacy();
    let client = exposed.client();
    for body in [
        "{}",
        "5",
        "null",
        r#""ping""#,
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"id":1,"method":"ping"}"#,
    ] {
        assert_refused(&mut client.post(body), 400, -32600);
    }
}

#[test]
fn a_request_with_a_null_id_is_an_invalid_request() {
    let exposed = legacy();
    let client = exposed.client();
    let body = r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#;
    let error = assert_refused(&mut client.post(body), 400, -32600);
    assert_eq!(error.id.as_deref(), Some("null"));
    let session = client.session(LATEST);
    assert_refused(&mut session.post(body), 400, -32600);
    assert_works(&session);
}

#[test]
fn an_empty_body_is_refused() {
    let exposed = legacy();
    let client = exposed.client();
    let ask = client
        .ask("POST")
        .header("Content-Type", "application/json");
    assert_refused(
        &mut client.send(&ask.header("Content-Length", "0")),
        400,
        -32700,
    );
}

#[test]
fn invalid_utf8_is_a_parse_error() {
    let exposed = legacy();
    let client = exposed.client();
    let body = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}";
    let ask = client.posting("").body(&body[..]);
    assert_refused(&mut client.send(&ask), 400, -32700);
}

#[test]
fn another_content_type_is_unsupported() {
    let exposed = legacy();
    let client = exposed.client();
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json-seq",
    ] {
        let ask = client.posting(PING).with("Content-Type", kind);
        assert_error(&mut client.send(&ask), 415);
    }
    assert_error(
        &mut client.send(&client.posting(PING).without("Content-Type")),
        415,
    );
    let body = initialize(LATEST, &everything());
    let ask = client
        .posting(&body)
        .with("Content-Type", "Application/JSON; charset=utf-8");
    assert!(client.send(&ask).answer().result.is_some());
}

#[test]
fn a_client_that_accepts_no_content_type_of_ours_gets_a_406() {
    let exposed = legacy();
    let client = exposed.client();
    let session = client.session(LATEST);
    let ask = client.posting(PING).with("Accept", "text/html");
    assert_error(&mut client.send(&ask), 406);
    let ask = session.ask("GET").with("Accept", "application/json");
    assert_error(&mut client.send(&ask), 406);
    let body = initialize(LATEST, &everything());
    let ask = client
        .posting(&body)
        .with("Accept", "text/event-stream;q=0.5, Application/Json");
    assert!(client.send(&ask).answer().result.is_some());
}

#[test]
fn a_message_over_the_limit_is_refused_and_the_next_one_is_not() {
    let exposed = expose(&["--max-message", "64KiB"], &[]);
    let client = exposed.client();
    let session = client.session(LATEST);
    let long = request(
        "1",
        "tools/call",
        &json!({"name": "echo", "arguments": {"x": "x".repeat(70_000)}}),
    );
    assert_error(&mut session.post(&long), 413);
    assert_works(&session);
}

#[test]
fn a_length_over_the_limit_is_refused_before_the_body_comes() {
    let exposed = expose(&["--max-message", "64KiB"], &[]);
    let client = exposed.client();
    let ask = client
        .ask("POST")
        .header("Content-Type", "application/json")
        .header("Content-Length", "70000");
    assert_error(&mut client.send(&ask), 413);
}

#[test]
fn a_chunked_body_over_the_limit_is_refused_although_its_length_is_not_announced() {
    let exposed = expose(&["--max-message", "64KiB"], &[]);
    let client = exposed.client();
    let session = client.session(LATEST);
    let chunked = |size: usize| {
        let long = request(
            "1",
            "tools/call",
            &json!({"name": "echo", "arguments": {"x": "x".repeat(size)}}),
        );
        let ask = session
            .ask("POST")
            .header("Content-Type", "application/json")
            .header("Transfer-Encoding", "chunked");
        let mut http = Http::connect(client.address);
        http.send(&ask);
        for chunk in long.as_bytes().chunks(1000) {
            http.bytes(format!("{:x}\r\n", chunk.len()).as_bytes());
            http.bytes(chunk);
            http.bytes(b"\r\n");
        }
        http.bytes(b"0\r\n\r\n");
        linkspan_testkit::Call::on(http)
    };
    assert!(chunked(10_000).answer().result.is_some());
    assert_error(&mut chunked(100_000), 413);
}

#[test]
fn an_unknown_path_is_not_found() {
    let exposed = legacy();
    let mut client = exposed.client();
    for path in [
        "/",
        "/mcp2",
        "/mcp/more",
        "/sse",
        "/messages",
        "/mcp/../etc/passwd",
    ] {
        client.path = path.to_owned();
        assert_error(&mut client.post(PING), 404);
    }
}

#[test]
fn another_path_can_be_chosen() {
    let exposed = expose(&["--path", "/tools/quay"], &[]);
    assert!(exposed.url().ends_with("/tools/quay"), "{}", exposed.url());
    assert_works(&exposed.client().session(LATEST));
    let mut client = exposed.client();
    client.path = "/mcp".into();
    assert_error(&mut client.post(PING), 404);
}

#[test]
fn other_methods_are_not_allowed() {
    let exposed = legacy();
    let client = exposed.client();
    for method in ["PUT", "PATCH", "HEAD"] {
        let ask = client.ask(method).header("Connection", "close");
        let mut http = Http::connect(client.address);
        http.send(&ask);
        let reply = http.reply();
        assert_eq!(reply.status, 405, "{method}");
        let allow = reply.header("allow").unwrap_or_default().to_owned();
        assert!(allow.contains("POST"), "{method}: {allow:?}");
    }
}

#[test]
fn streams_and_goodbyes_need_a_session() {
    let exposed = legacy();
    let client = exposed.client();
    for method in ["GET", "DELETE"] {
        assert_error(&mut client.send(&client.ask(method)), 405);
        let modern = client.ask(method).header("MCP-Protocol-Version", MODERN);
        assert_error(&mut client.send(&modern), 405);
        let unknown = client
            .ask(method)
            .header("Mcp-Session-Id", "00000000000000000000000000000000");
        assert_error(&mut client.send(&unknown), 404);
    }
}

#[test]
fn one_connection_carries_many_requests() {
    let exposed = legacy();
    let client = exposed.client();
    let session = client.session(LATEST);
    let mut http = Http::connect(client.address);
    for id in 0..20 {
        let body = request(
            &id.to_string(),
            "tools/call",
            &json!({"name": "echo", "arguments": {"n": id}}),
        );
        let ask = session
            .ask("POST")
            .header("Content-Type", "application/json")
            .body(body);
        http.send(&ask);
        let mut call = linkspan_testkit::Call::on(http);
        assert_eq!(content(&call.answer()), format!(r#"{{"n":{id}}}"#));
        assert!(call.rest().is_empty());
        http = call.into_connection();
    }
}

#[test]
fn a_refusal_leaves_the_connection_usable() {
    let exposed = legacy();
    let client = exposed.client();
    let mut http = Http::connect(client.address);
    for _ in 0..3 {
        http.send(&client.posting("nonsense"));
        let mut call = linkspan_testkit::Call::on(http);
        assert_refused(&mut call, 400, -32700);
        http = call.into_connection();
    }
    http.send(&client.posting(&initialize(LATEST, &everything())));
    assert_eq!(http.reply().status, 200);
}

#[test]
fn text_that_is_not_http_is_harmless() {
    let exposed = legacy();
    let client = exposed.client();
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"GET\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"\0\0\0\0\r\n\r\n",
    ] {
        let mut http = Http::connect(client.address);
        http.bytes(bytes);
        http.end_sending();
        let said = http.wait_until_closed();
        assert!(!said.starts_with("HTTP/1.1 2"), "{said}");
    }
    assert_works(&client.session(LATEST));
}

#[test]
fn a_health_check_counts_the_sessions() {
    let exposed = legacy();
    wait_for_sessions(&exposed, 0);
    let session = exposed.client().session(LATEST);
    wait_for_sessions(&exposed, 1);
    assert_eq!(session.end(), 204);
    wait_for_sessions(&exposed, 0);
}
