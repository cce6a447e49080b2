//! Providers on official crates, with an agent that the test controls and that supports stdio servers only, as all of
//! them do. Between them is only `linkspan conduct`.

use linkspan_testkit::{Bridge, LATEST, Player, Stage};
use serde_json::{Value, json};

use crate::acp_chain::{sacp11, v2, v5};
use crate::installed;

/// A chain with a session.
struct Session {
    editor: Bridge,
    stage: Stage,
    /// The MCP servers that the agent got.
    servers: Vec<Value>,
}

fn session(components: &[String]) -> Session {
    let stage = Stage::new();
    let editor = Bridge::launch(installed::linkspan())
        // The test waits for lines of the trace.
        .args(["conduct", "--trace", "/dev/stderr"])
        .args(components)
        .arg(stage.played("agent"))
        .start();
    let hello = json!({"protocolVersion": 1, "clientCapabilities": {}});
    editor.request("1", "initialize", &hello);
    let agent = stage.player("agent");
    answer(&agent, "initialize", r#"{"protocolVersion":1}"#);
    assert!(editor.answer("1").result.is_some());
    let new = json!({"cwd": "/", "mcpServers": []});
    editor.request("2", "session/new", &new);
    let told = answer(&agent, "session/new", r#"{"sessionId":"s"}"#);
    assert!(editor.answer("2").result.is_some());
    let servers = told["params"]["mcpServers"].as_array();
    Session {
        editor,
        stage,
        servers: servers.expect("a list").clone(),
    }
}

/// The agent answers its next request of that method; returns that request.
fn answer(agent: &Player, method: &str, result: &str) -> Value {
    let asked = agent.heard(method);
    let id = asked.id.as_deref().expect("it wants an answer");
    agent.say(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
    ));
    asked.json()
}

/// Starts a stdio server as an agent does, and shakes hands.
fn connect(server: &Value) -> Bridge {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let args = server["args"].as_array().expect("arguments").iter();
    let mut launch = Bridge::launch(text(&server["command"])).args(args.map(text));
    for one in server["env"].as_array().expect("an environment") {
        launch = launch.env(&text(&one["name"]), &text(&one["value"]));
    }
    let client = launch.start();
    client.initialize(LATEST);
    client
}

#[track_caller]
fn assert_echoes(client: &Bridge, id: &str) {
    let said = client.ask(id, "echo", &json!({"message": id})).json();
    let content = said["result"]["content"].to_string();
    assert!(content.contains(&format!("Echo: {id}")), "{said}");
}

impl Session {
    /// Waits until a request of that method has been sent to the provider.
    fn wait_for(&self, method: &str) {
        self.editor
            .wait_for_stderr(&format!(r#""method":"{method}""#));
    }

    fn end(mut self) {
        self.editor.close_stdin();
        assert_eq!(self.editor.exit_code(), Some(0), "{}", self.editor.stderr());
        self.stage.wait_until_empty();
        assert!(!self.editor.stderr().contains("$/cancel_request"));
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn a_server_that_has_connections_is_a_stdio_server_for_the_agent() {
    let session = session(&[v2("tool")]);
    assert_eq!(session.servers.len(), 1, "{:?}", session.servers);
    assert_eq!(session.servers[0]["name"], "sparkle");
    let mut client = connect(&session.servers[0]);
    session.wait_for("mcp/connect");

    client.request("1", "tools/list", &json!({}));
    let list = client.answer("1").json();
    let tool = &list["result"]["tools"][0];
    assert_eq!(tool["name"], "echo", "{list}");
    assert_eq!(tool["description"], "Says a message again");
    assert_echoes(&client, "2");
    let refused = client.ask("3", "nope", &json!({}));
    assert_eq!(refused.code(), Some(-32602), "{}", refused.text);

    client.close_stdin();
    assert_eq!(client.exit_code(), Some(0), "{}", client.stderr());
    session.wait_for("mcp/disconnect");
    session.end();
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn the_end_of_one_connection_is_not_that_of_another() {
    let session = session(&[v5("pass"), v2("tool"), sacp11("pass")]);
    let first = connect(&session.servers[0]);
    let mut second = connect(&session.servers[0]);
    assert_echoes(&first, "1");
    assert_echoes(&second, "2");
    second.close_stdin();
    session.wait_for("mcp/disconnect");
    assert_echoes(&first, "3");
    assert_echoes(&connect(&session.servers[0]), "4");
    session.end();
}

#[test]
#[ignore = "needs the peers that `cargo xtask acp` installs"]
fn servers_of_several_generations_are_reached_in_one_session() {
    for provider in [v5("tool"), sacp11("tool")] {
        let session = session(&[
            v2("tool first"),
            provider,
            sacp11("pass"),
            v2("tool third"),
            v5("pass"),
        ]);
        assert_eq!(session.servers.len(), 3, "{:?}", session.servers);
        let clients: Vec<Bridge> = session.servers.iter().map(connect).collect();
        for (number, client) in clients.iter().enumerate() {
            assert_echoes(client, &number.to_string());
        }
        session.end();
    }
}
