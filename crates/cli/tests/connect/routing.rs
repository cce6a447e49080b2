//! Between a client and its server: redirects, sticky cookies, refusals with a reason.

use linkspan_testkit::{Conn, Flow, Request, Server};
use serde_json::json;

use crate::setup::{LATEST, assert_kind, assert_works, launch, ready, started};

/// A server that has moved from `/old` to `/mcp`.
fn moved(status: u16) -> Server {
    let hook = move |request: &Request, conn: &mut Conn| {
        if request.path() == "/old" {
            return Flow::written(conn.reply(status, &[("Location", "/mcp")], ""));
        }
        Flow::Pass
    };
    Server::legacy().intercept(hook).start()
}

#[test]
fn a_redirect_on_the_same_server_is_followed_with_the_body_and_remembered() {
    for status in [307, 308] {
        let server = moved(status);
        let bridge = launch(&server.url().replace("/mcp", "/old"), &[]).start();
        bridge.initialize(LATEST);
        assert_works(&bridge);
        let asked: Vec<_> = server
            .with_method("POST")
            .iter()
            .map(|request| request.path().to_owned())
            .collect();
        assert_eq!(asked[..2], ["/old", "/mcp"]);
        assert!(asked[2..].iter().all(|path| path == "/mcp"), "{asked:?}");
    }
}

#[test]
fn a_redirect_to_another_server_is_not_followed() {
    let stranger = Server::legacy().start();
    let elsewhere = stranger.url();
    let hook = move |_: &Request, conn: &mut Conn| {
        Flow::written(conn.reply(307, &[("Location", &elsewhere)], ""))
    };
    let server = Server::legacy().intercept(hook).start();
    let bridge = started(&server, &["-H", "X-Key: secret"]);
    bridge.request("1", "ping", &json!({}));
    assert_kind(&bridge.answer("1"), "http_status");
    assert!(stranger.requests().is_empty());
}

#[test]
fn redirects_in_a_circle_end() {
    let hook = |request: &Request, conn: &mut Conn| {
        let next = format!("{}x", request.path());
        Flow::written(conn.reply(307, &[("Location", &next)], ""))
    };
    let server = Server::legacy().intercept(hook).start();
    let bridge = started(&server, &[]);
    bridge.request("1", "ping", &json!({}));
    assert_kind(&bridge.answer("1"), "bad_answer");
}

#[test]
fn the_cookie_of_a_load_balancer_is_given_back() {
    let hook = |request: &Request, conn: &mut Conn| match request.rpc() {
        Some("initialize") => {
            let cookies = [
                ("Set-Cookie", "node=a7; Path=/; HttpOnly"),
                ("Set-Cookie", "old=1; Max-Age=0"),
                ("Content-Type", "application/json"),
            ];
            let id = request
                .message
                .as_ref()
                .and_then(|m| m.id.clone())
                .unwrap_or_default();
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":"{LATEST}","capabilities":{{}},"serverInfo":{{"name":"s","version":"1"}}}}}}"#
            );
            Flow::written(conn.reply(200, &cookies, &body))
        }
        _ => Flow::Pass,
    };
    let server = Server::legacy().without_sessions().intercept(hook).start();
    let bridge = launch(&server.url(), &["-H", "Cookie: mine=1"]).start();
    bridge.initialize(LATEST);
    bridge.ask("1", "echo", &json!({}));
    let call = server.wait_for_calls("echo", 1).remove(0);
    assert_eq!(call.header("cookie"), Some("mine=1; node=a7"));
}

#[test]
fn the_servers_own_error_in_a_refusal_is_passed_on_as_it_is() {
    let error = r#"{"code":-32050,"message":"not today","data":{"n":18446744073709551616}}"#;
    let body = format!(r#"{{"jsonrpc":"2.0","id":null,"error":{error}}}"#);
    let hook = move |request: &Request, conn: &mut Conn| match request.tool().as_deref() {
        Some("echo") => Flow::written(conn.json(400, &body)),
        _ => Flow::Pass,
    };
    let server = Server::legacy().intercept(hook).start();
    let bridge = ready(&server);
    let answer = bridge.ask("\"q\"", "echo", &json!({}));
    assert_eq!(answer.error.as_deref(), Some(error));
}
