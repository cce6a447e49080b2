//! A client of one era, a server of the other.

use linkspan_testkit::{Conn, Flow, Request, Server};
use serde_json::json;

use crate::setup::{LATEST, started};

const META: &str = "io.modelcontextprotocol/";

/// A modern server whose only tool is `greet`, which asks for a name first.
fn greeter(request: &Request, conn: &mut Conn) -> Flow {
    let Some(message) = &request.message else {
        return Flow::Pass;
    };
    let id = message.id.clone().unwrap_or_default();
    let answer = |result: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    match (
        request.tool().as_deref(),
        message.at(&["params", "inputResponses"]),
    ) {
        (Some("greet"), None) => {
            let asks = r#"{"resultType":"input_required","inputRequests":{"who":{"method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","properties":{}}}}},"requestState":"\u0041 \"b\""}"#;
            Flow::written(conn.json(200, &answer(asks)))
        }
        (Some("greet"), Some(responses)) => {
            let state = message.at(&["params", "requestState"]).unwrap_or_default();
            let text = json!(format!("{responses} {state}"));
            let result = format!(
                r#"{{"resultType":"complete","content":[{{"type":"text","text":{text}}}]}}"#
            );
            Flow::written(conn.json(200, &answer(&result)))
        }
        _ => Flow::Pass,
    }
}

#[test]
fn a_legacy_client_uses_a_modern_server() {
    let server = Server::modern().start();
    let mut bridge = started(&server, &[]);
    let opened = bridge.initialize(LATEST);
    assert_eq!(
        opened.at(&["result", "protocolVersion"]).as_deref(),
        Some(r#""2025-11-25""#)
    );
    let answer = bridge.ask("1", "echo", &json!({"x": 1}));
    assert_eq!(
        answer.at(&["result", "structuredContent"]).as_deref(),
        Some(r#"{"x":1}"#)
    );
    assert_eq!(
        answer.at(&["result", "resultType"]),
        None,
        "it does not know that word"
    );
    bridge.request("2", "ping", &json!({}));
    assert_eq!(bridge.answer("2").result.as_deref(), Some("{}"));
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
}

#[test]
fn the_input_requests_of_a_modern_server_become_questions() {
    let server = Server::modern().intercept(greeter).start();
    let bridge = started(&server, &[]);
    bridge.request(
        "0",
        "initialize",
        &json!({"protocolVersion": LATEST, "capabilities": {"elicitation": {}}, "clientInfo": {"name": "c", "version": "1"}}),
    );
    bridge.answer("0");
    bridge.notify("notifications/initialized", &json!({}));
    bridge.call("1", "greet", &json!({}));
    let question = bridge.heard("elicitation/create");
    assert_eq!(
        question.at(&["params", "message"]).as_deref(),
        Some("\"Who?\"")
    );
    let id = question.id.unwrap();
    bridge.send(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"action":"accept","content":{{"n":1.0}}}}}}"#
    ));
    let said = bridge.answer("1").json()["result"]["content"][0]["text"].clone();
    assert_eq!(
        said, r#"{"who":{"action":"accept","content":{"n":1.0}}} "\u0041 \"b\"""#,
        "the answer as it was given, and the state byte for byte"
    );
}

#[test]
fn a_modern_client_uses_a_legacy_server() {
    let server = Server::legacy().start();
    let bridge = started(&server, &[]);
    let mut meta = json!({});
    meta[format!("{META}protocolVersion")] = json!("2026-07-28");
    meta[format!("{META}clientCapabilities")] = json!({});
    bridge.request("1", "server/discover", &json!({"_meta": meta}));
    let found = bridge.answer("1");
    assert_eq!(
        found.at(&["result", "supportedVersions"]).as_deref(),
        Some(r#"["2026-07-28"]"#)
    );
    let echo = json!({"name": "echo", "arguments": {"x": 1}, "_meta": meta});
    bridge.request("2", "tools/call", &echo);
    let answer = bridge.answer("2");
    assert_eq!(
        answer.at(&["result", "resultType"]).as_deref(),
        Some("\"complete\"")
    );
    assert_eq!(
        answer.at(&["result", "structuredContent"]).as_deref(),
        Some(r#"{"x":1}"#)
    );
    assert_eq!(server.posts("initialize").len(), 1, "once for all requests");
}

#[test]
fn a_forced_era_is_not_probed() {
    let server = Server::modern().start();
    let bridge = started(&server, &["--server-era", "modern"]);
    bridge.initialize(LATEST);
    assert!(bridge.ask("1", "echo", &json!({})).result.is_some());
    assert!(
        server.posts("initialize").is_empty(),
        "it would be refused anyway"
    );
}

#[test]
fn a_client_that_leaves_while_a_silent_server_is_asked_is_not_kept() {
    let mut bridge = linkspan_testkit::Bridge::launch(crate::setup::program())
        .args(["connect", "--", "sleep", "600"])
        .start();
    bridge.request("1", "server/discover", &json!({}));
    bridge.close_stdin();
    assert!(bridge.answer("1").error.is_some());
    assert_eq!(bridge.exit_code(), Some(0));
}
