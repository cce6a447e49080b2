//! The user's settings on the command line.

use std::time::Instant;

use linkspan_testkit::{Bridge, LIMIT};
use serde_json::{Value, json};

use crate::setup::{ready, trouble};

const PROGRAM: &str = env!("CARGO_BIN_EXE_linkspan");

fn refused(words: &[&str], said: &str) {
    let mut bridge = Bridge::launch(PROGRAM).args(words).start();
    let code = bridge.exit_code();
    assert!(matches!(code, Some(2 | 3)), "{words:?}: {code:?}");
    assert!(bridge.stderr().contains(said), "{}", bridge.stderr());
}

#[test]
fn invalid_settings_are_refused_at_the_start() {
    refused(&["agent", "--", "/no/such/agent"], "no such program");
    refused(&["agent"], "COMMAND");
    refused(
        &["agent", "--cwd", "/no/such/folder", "--", "true"],
        "no such folder",
    );
    refused(&["agent", "--port", "9", "--", "true"], "--http");
    refused(&["agent", "--permission", "maybe", "--", "true"], "ask");
    refused(&["tools", "--permission", "allow", "."], "--acp");
    refused(
        &["agent", "--mcp-servers", "/no/such/file", "--", "true"],
        "--mcp-servers",
    );
}

#[test]
fn sessions_use_the_folder_of_the_flag() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().canonicalize().unwrap();
    let agent = ready(&["--cwd", folder.to_str().unwrap()], &[]);
    let started = agent.call("1", "start_session", &json!({}));
    assert_eq!(started["structuredContent"]["cwd"], json!(folder));
}

#[test]
fn the_agent_gets_the_servers_that_the_user_allows_and_no_others() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("servers.json");
    let servers = json!({"mcpServers": {
        "local": {"command": "/bin/local", "args": ["-x"], "env": {"K": "V"}},
        "remote": {"url": "https://example.com/mcp", "headers": {"A": "B"}},
        "old": {"type": "sse", "url": "https://example.com/sse"},
    }});
    std::fs::write(&file, servers.to_string()).unwrap();
    let agent = ready(&["--mcp-servers", file.to_str().unwrap()], &[]);
    let local = json!({"name": "local", "command": "/bin/local", "args": ["-x"], "env": [{"name": "K", "value": "V"}]});
    let remote = json!({"type": "http", "name": "remote", "url": "https://example.com/mcp", "headers": [{"name": "A", "value": "B"}]});

    agent.call("1", "start_session", &json!({}));
    agent.call("2", "start_session", &json!({"mcpServers": ["local"]}));
    agent.call("3", "start_session", &json!({"mcpServers": []}));
    let begun = agent.children.seen(|s| s.method() == Some("session/new"));
    let given: Vec<Value> = begun
        .iter()
        .map(|seen| {
            serde_json::from_str::<Value>(&seen.text).unwrap()["params"]["mcpServers"].clone()
        })
        .collect();
    // The agent does not support HTTP+SSE, so that server is left out of the full list.
    assert_eq!(given, [json!([local, remote]), json!([local]), json!([])]);

    let old = agent.call("4", "start_session", &json!({"mcpServers": ["old"]}));
    assert!(trouble(&old).contains("`old`"), "{old}");
    let other = agent.call("5", "start_session", &json!({"mcpServers": ["other"]}));
    assert!(trouble(&other).contains("local, remote, old"), "{other}");
    let smuggled =
        json!({"mcpServers": [{"name": "x", "command": "/bin/sh", "args": [], "env": []}]});
    let smuggled = agent.call("6", "start_session", &smuggled);
    assert!(trouble(&smuggled).contains("list of strings"), "{smuggled}");
}

#[test]
fn without_the_flag_a_client_can_give_the_agent_no_servers() {
    let agent = ready(&[], &[]);
    let refused = agent.call("1", "start_session", &json!({"mcpServers": ["x"]}));
    assert!(trouble(&refused).contains("--mcp-servers"), "{refused}");
}

#[test]
fn a_prompt_may_be_limited() {
    let agent = ready(&["--timeout", "1"], &[]);
    // The limit applies to every call, and on a busy machine an agent may need longer to start.
    let end = Instant::now() + LIMIT;
    let session = loop {
        let started = agent.bridge.ask("\"start\"", "start_session", &json!({}));
        match started.string_at(&["result", "structuredContent", "sessionId"]) {
            Some(session) => break session,
            None => assert!(Instant::now() < end, "{}", started.text),
        }
    };
    let arguments = json!({"sessionId": session, "text": "gate never"});
    let late = agent.bridge.ask("1", "prompt", &arguments);
    assert_eq!(late.kind().as_deref(), Some("timeout"), "{}", late.text);
    agent.children.wait_for_method("session/cancel");
}
