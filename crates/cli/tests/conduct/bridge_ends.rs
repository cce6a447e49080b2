//! The declarations for the agent are valid as long as their session.

use linkspan_testkit::Bridge;
use serde_json::json;

use crate::bridged::{
    Bridged, HTTP, PLAIN, bridged, connect, content, http, servers, start, tools,
};

const DIALECTS: [&str; 4] = ["D1", "D2", "D3", "D5"];

fn with(dialect: &str) -> Bridged {
    bridged(&[], &[tools(dialect, "sparkle")], PLAIN)
}

#[track_caller]
fn assert_works(client: &Bridge) {
    let heard = content(client, "\"works\"", "echo", &json!({"still": "here"}));
    assert_eq!(heard, r#"{"still":"here"}"#);
}

/// A connection with a secret that is no longer valid.
#[track_caller]
fn assert_stale(client: &Bridge) {
    client.request("\"stale\"", "initialize", &json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}));
    let refused = client.answer("\"stale\"");
    assert_eq!(refused.code(), Some(-32001), "{}", refused.text);
}

#[test]
fn load_resume_and_fork_are_rewritten_too_and_their_servers_work() {
    for dialect in DIALECTS {
        for method in ["session/load", "session/resume", "session/fork"] {
            let chain = with(dialect);
            let asked = chain.ask_for_session(method, Some("old"));
            assert_eq!(
                asked.string_at(&["params", "sessionId"]).as_deref(),
                Some("old")
            );
            let server = &servers(&asked)[0];
            let client = connect(server);
            assert_works(&client);
            let name = if method == "session/fork" {
                "forked"
            } else {
                "old"
            };
            match method {
                // Only the answer to a fork has a new session id.
                "session/fork" => chain.give_session(&asked, name),
                _ => {
                    crate::setup::answer(&chain.agent, &asked, "{}");
                    chain.editor.answer(&format!("\"{method}\""));
                }
            }
            let place = content(&client, "1", "where", &json!({}));
            assert_eq!(
                place,
                format!(r#"{{"session":"{name}"}}"#),
                "{dialect} {method}"
            );
        }
    }
}

#[test]
fn closing_a_session_ends_its_servers_and_no_others() {
    for dialect in DIALECTS {
        let chain = with(dialect);
        let (gone, stays) = (chain.session("gone"), chain.session("stays"));
        let (first, second) = (connect(&gone[0]), connect(&stays[0]));
        first.call("1", "slow", &json!({}));
        chain.saw("slow");
        chain.close("gone");
        let answer = first.answer("1");
        assert_eq!(answer.code(), Some(-32001), "{dialect}: {}", answer.text);
        assert_stale(&start(&gone[0]));
        assert_works(&second);
        assert_works(&connect(&stays[0]));
    }
}

#[test]
fn a_session_that_the_agent_refuses_revokes_its_declarations() {
    let chain = with("D5");
    let asked = chain.ask_for_session("session/new", None);
    let server = servers(&asked).remove(0);
    let id = crate::setup::id(&asked);
    chain.agent.say(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32000,"message":"no"}}}}"#
    ));
    assert_eq!(chain.editor.answer("\"session/new\"").code(), Some(-32000));
    assert_stale(&start(&server));
}

#[test]
fn a_reloaded_session_has_new_secrets_and_the_old_ones_are_invalid() {
    let chain = with("D5");
    let old = chain.session("s");
    let client = connect(&old[0]);
    assert_works(&client);
    let asked = chain.ask_for_session("session/load", Some("s"));
    let new = servers(&asked);
    assert_ne!(old[0]["env"], new[0]["env"]);
    crate::setup::answer(&chain.agent, &asked, "{}");
    chain.editor.answer("\"session/load\"");
    assert_works(&connect(&new[0]));
    assert_stale(&start(&old[0]));
}

#[test]
fn closing_a_session_closes_its_http_server() {
    for dialect in ["D2", "D5"] {
        let chain = bridged(
            &["--mcp-bridge", "http"],
            &[tools(dialect, "sparkle")],
            HTTP,
        );
        let server = chain.session("s").remove(0);
        let session = http(&server).session("2025-11-25");
        let answer = session.tool("1", "echo", &json!({"a": 1}));
        assert!(
            answer.text.contains(r#"{"a":1}"#),
            "{dialect}: {}",
            answer.text
        );
        let modern = http(&server).modern().tool("2", "echo", &json!({"b": 1}));
        assert!(
            modern.text.contains(r#"{"b":1}"#),
            "{dialect}: {}",
            modern.text
        );
        chain.close("s");
        // The port is closed, or belongs to a server that does not know the session.
        let address = http(&server).address;
        if let Ok(mut stream) = std::net::TcpStream::connect(address) {
            use std::io::{Read, Write};
            let path = http(&server).path;
            let token = server["headers"][0]["value"].as_str().unwrap();
            let body = r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#;
            let _ = write!(
                stream,
                "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: {token}\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
            let mut said = String::new();
            let _ = stream.read_to_string(&mut said);
            assert!(!said.contains("\"echo\""), "{dialect}: {said}");
        }
    }
}

#[test]
fn when_the_provider_crashes_its_calls_are_answered_and_every_process_ends() {
    for dialect in DIALECTS {
        let mut chain = with(dialect);
        let mut client = connect(&chain.session("s")[0]);
        chain
            .editor
            .send(r#"{"jsonrpc":"2.0","id":"p","method":"session/prompt"}"#);
        chain.agent.heard("session/prompt");
        client.call("1", "slow", &json!({}));
        chain.saw("slow");
        client.call("2", "die", &json!({}));
        for id in ["1", "2"] {
            let answer = client.answer(id);
            assert!(answer.error.is_some(), "{dialect}: {}", answer.text);
        }
        let answer = chain.editor.answer("\"p\"");
        assert_eq!(answer.code(), Some(-32603), "{dialect}: {}", answer.text);
        let tail = answer.string_at(&["error", "data", "stderrTail"]);
        assert_eq!(tail.as_deref(), Some("the provider is gone"), "{dialect}");
        assert_eq!(chain.editor.exit_code(), Some(4), "{dialect}");
        assert_eq!(
            client.exit_code(),
            Some(0),
            "{dialect}: {}",
            client.stderr()
        );
    }
}

#[test]
fn a_disconnected_client_cancels_its_calls() {
    for dialect in DIALECTS {
        let chain = with(dialect);
        let server = chain.session("s").remove(0);
        let mut client = connect(&server);
        client.call("1", "slow", &json!({}));
        chain.saw("slow");
        client.close_stdin();
        chain.saw("cancelled");
        if dialect != "D5" {
            chain.saw("disconnect");
        }
        assert_eq!(
            client.exit_code(),
            Some(0),
            "{dialect}: {}",
            client.stderr()
        );
        assert_works(&connect(&server));
    }
}

#[test]
fn a_line_in_two_pieces_with_a_message_the_other_way_between_stays_whole() {
    for (flags, dialect) in [(&[][..], "D2"), (&["--bridge-transport", "tcp"], "D5")] {
        let chain = bridged(flags, &[tools(dialect, "sparkle")], PLAIN);
        let client = connect(&chain.session("s")[0]);
        let blob = "x".repeat(60_000);
        let call = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":\"long\",\"method\":\"tools/call\",\"params\":{{\"name\":\"echo\",\"arguments\":{{\"blob\":\"{blob}\"}}}}}}\n"
        );
        let (first, second) = call.split_at(30_000);
        // A call whose progress arrives after half of the long line.
        client.request(
            "\"slow\"",
            "tools/call",
            &json!({"name": "slow", "arguments": {}, "_meta": {"progressToken": 1}}),
        );
        client.send_bytes(first.as_bytes());
        for _ in 0..3 {
            client.heard("notifications/progress");
        }
        client.send_bytes(second.as_bytes());
        let answer = client.answer("\"long\"");
        let heard = answer.string_at(&["result", "structuredContent", "blob"]);
        assert!(
            heard.as_deref() == Some(&*blob),
            "{dialect}: it has changed"
        );
    }
}

#[test]
fn many_connections_of_one_server_do_not_mix_their_ids() {
    let chain = with("D5");
    let server = chain.session("s").remove(0);
    let clients: Vec<Bridge> = (0..6).map(|_| connect(&server)).collect();
    for (number, client) in clients.iter().enumerate() {
        client.call("1", "echo", &json!({"number": number}));
    }
    for (number, client) in clients.iter().enumerate() {
        let answer = client.answer("1");
        let heard = answer.at(&["result", "structuredContent", "number"]);
        assert_eq!(heard, Some(number.to_string()));
    }
}
