//! Chains with MCP servers, and an agent that uses its declarations.

pub use linkspan_testkit::LATEST;
use linkspan_testkit::{Bridge, Client, Message, Player, Stage, part};
use serde_json::{Value, json};

use crate::setup::{INITIALIZE, answer, conduct, id};

/// A proxy of that dialect with an MCP server of that name.
pub fn tools(dialect: &str, name: &str) -> String {
    part(&["tools", dialect, name])
}

/// A chain with an agent played by the test.
pub struct Bridged {
    pub editor: Bridge,
    pub agent: Player,
}

/// The answer to `initialize` of an agent with stdio servers only.
pub const PLAIN: &str = r#"{"protocolVersion":1,"agentCapabilities":{}}"#;
/// Of an agent that supports HTTP servers too.
pub const HTTP: &str =
    r#"{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"http":true}}}"#;
/// Of an agent that supports servers of the chain.
pub const NATIVE: &str =
    r#"{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"acp":true}}}"#;

/// A started chain whose agent has answered `initialize` with `welcome`.
pub fn bridged(flags: &[&str], proxies: &[String], welcome: &str) -> Bridged {
    let stage = Stage::new();
    let components = [proxies, &[stage.played("agent")]].concat();
    let editor = conduct(flags, &components);
    editor.send(INITIALIZE);
    let agent = stage.player("agent");
    answer(&agent, &agent.heard("initialize"), welcome);
    assert!(editor.answer("\"begin\"").result.is_some());
    Bridged { editor, agent }
}

impl Bridged {
    /// The editor requests a session with that method; returns the agent's copy of the request.
    pub fn ask_for_session(&self, method: &str, session: Option<&str>) -> Message {
        let session = session.map_or_else(String::new, |s| format!(r#""sessionId":"{s}","#));
        self.editor.send(&format!(
            r#"{{"jsonrpc":"2.0","id":"{method}","method":"{method}","params":{{{session}"cwd":"/w","mcpServers":[]}}}}"#
        ));
        self.agent.heard(method)
    }

    /// The agent answers the request; waits until the editor has the answer.
    pub fn give_session(&self, asked: &Message, session: &str) {
        answer(
            &self.agent,
            asked,
            &format!(r#"{{"sessionId":"{session}"}}"#),
        );
        let method = asked.method.as_deref().expect("it was asked for");
        let made = self.editor.answer(&format!("\"{method}\""));
        assert!(made.result.is_some(), "{}", made.text);
    }

    /// Creates a session; returns the servers declared to the agent.
    pub fn session(&self, name: &str) -> Vec<Value> {
        let asked = self.ask_for_session("session/new", None);
        self.give_session(&asked, name);
        servers(&asked)
    }

    /// Ends a session.
    pub fn close(&self, session: &str) {
        self.editor.send(&format!(
            r#"{{"jsonrpc":"2.0","id":"close","method":"session/close","params":{{"sessionId":"{session}"}}}}"#
        ));
        answer(&self.agent, &self.agent.heard("session/close"), "{}");
        self.editor.answer("\"close\"");
    }

    /// Waits for this report of a provider.
    #[track_caller]
    pub fn saw(&self, what: &str) {
        self.editor
            .find(&format!("that a provider saw {what}"), |message| {
                message.method.as_deref() == Some("_saw")
                    && message.string_at(&["params", "what"]).as_deref() == Some(what)
            });
    }
}

/// The servers declared in a request to the agent.
pub fn servers(asked: &Message) -> Vec<Value> {
    let list = asked
        .at(&["params", "mcpServers"])
        .expect("a list of servers");
    serde_json::from_str(&list).expect("it is JSON")
}

/// Starts a stdio server like an agent does.
pub fn start(server: &Value) -> Bridge {
    let command = server["command"].as_str();
    let command = command.unwrap_or_else(|| panic!("no stdio server: {server}"));
    assert!(std::path::Path::new(command).is_absolute(), "{command}");
    let args = server["args"].as_array().expect("arguments").iter();
    let mut launch = Bridge::launch(command).args(args.map(|arg| arg.as_str().expect("text")));
    for pair in server["env"].as_array().expect("an environment") {
        launch = launch.env(
            pair["name"].as_str().expect("a name"),
            pair["value"].as_str().expect("a value"),
        );
    }
    launch.start()
}

/// Starts a stdio server and performs the handshake.
pub fn connect(server: &Value) -> Bridge {
    let client = start(server);
    client.initialize(LATEST);
    client
}

/// Calls a tool; returns the structured content of its answer in its original spelling.
#[track_caller]
pub fn content(client: &Bridge, id: &str, tool: &str, arguments: &Value) -> String {
    let answer = client.ask(id, tool, arguments);
    let content = answer.at(&["result", "structuredContent"]);
    content.unwrap_or_else(|| panic!("{tool}: {}", answer.text))
}

/// A request of a client of the stateless revision.
pub fn modern(id: &str, method: &str, params: &Value) -> String {
    let mut params = params.clone();
    let prefix = "io.modelcontextprotocol/";
    params["_meta"][format!("{prefix}protocolVersion")] = json!("2026-07-28");
    params["_meta"][format!("{prefix}clientCapabilities")] = json!({"sampling": {}});
    params["_meta"][format!("{prefix}clientInfo")] = json!({"name": "m", "version": "1"});
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

/// Answers a request of a server.
pub fn reply(client: &Bridge, request: &Message, result: &str) {
    let id = id(request);
    client.send(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
    ));
}

/// A client for an HTTP server declared to the agent.
pub fn http(server: &Value) -> Client {
    let url = server["url"].as_str().expect("a URL");
    let (address, path) = url["http://".len()..].split_once('/').expect("a path");
    let header = &server["headers"][0];
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    Client {
        address: address.parse().expect("an address of this machine"),
        path: format!("/{path}"),
        headers: vec![(text(&header["name"]), text(&header["value"]))],
    }
}
