//! `linkspan agent` with an agent, and the client side of its tests.

pub use linkspan_testkit::LATEST;
use linkspan_testkit::mcp_client::META;
use linkspan_testkit::{Bridge, Children, Client, Launch, Message, child_program};
use serde_json::{Value, json};

/// `linkspan agent` and the agents that it starts.
pub struct RunningAgent {
    pub bridge: Bridge,
    pub children: Children,
}

/// `linkspan` with these words, and an agent with these flags.
pub fn launch(words: &[&str], agent: &[&str], children: &Children) -> Launch {
    Bridge::launch(env!("CARGO_BIN_EXE_linkspan"))
        .args(words)
        .arg("--")
        .arg(child_program())
        .arg("--agent")
        .args(agent)
        .args(["--watch", &children.address()])
}

/// `linkspan agent` with these flags, and an agent with its own flags.
pub fn start(flags: &[&str], agent: &[&str]) -> RunningAgent {
    let children = Children::listen();
    let words: Vec<&str> = [&["agent"], flags].concat();
    let bridge = launch(&words, agent, &children).start();
    RunningAgent { bridge, children }
}

/// The same, after the handshake of a client that supports every request except roots.
pub fn ready(flags: &[&str], agent: &[&str]) -> RunningAgent {
    let agent = start(flags, agent);
    agent.greet(&json!({"elicitation": {}}));
    agent
}

/// `linkspan agent --http`, and a client that has sent nothing yet.
pub fn over_http(flags: &[&str]) -> (RunningAgent, Client) {
    let flags: Vec<&str> = [&["--http", "--port", "0"], flags].concat();
    let agent = start(&flags, &[]);
    let client = client_of(&agent.bridge);
    (agent, client)
}

/// A client for the address that the server has printed.
pub fn client_of(bridge: &Bridge) -> Client {
    let url = bridge.line();
    let rest = url.strip_prefix("http://").expect("a URL");
    let (address, path) = rest.split_once('/').expect("a path");
    Client {
        address: address.parse().expect("an address"),
        path: format!("/{path}"),
        headers: Vec::new(),
    }
}

impl RunningAgent {
    /// Performs the handshake as a client with these capabilities.
    pub fn greet(&self, capabilities: &Value) -> Message {
        let client = json!({"name": "testkit-client", "version": "1"});
        let params =
            json!({"protocolVersion": LATEST, "capabilities": capabilities, "clientInfo": client});
        self.bridge.request("\"init\"", "initialize", &params);
        let welcome = self.bridge.answer("\"init\"");
        self.bridge.notify("notifications/initialized", &json!({}));
        welcome
    }

    /// Calls a tool and waits for its result.
    #[track_caller]
    pub fn call(&self, id: &str, tool: &str, arguments: &Value) -> Value {
        result(&self.bridge.ask(id, tool, arguments))
    }

    /// Starts a session.
    #[track_caller]
    pub fn session(&self) -> String {
        let started = self.call("\"start\"", "start_session", &json!({}));
        let id = started["structuredContent"]["sessionId"].as_str();
        id.unwrap_or_else(|| panic!("{started}")).to_owned()
    }

    /// Sends the agent a script as a prompt, and waits for its end.
    #[track_caller]
    pub fn prompt(&self, script: &str) -> Value {
        self.call("\"prompt\"", "prompt", &json!({"text": script}))
    }

    /// Sends the agent a script in a session without waiting.
    pub fn begin_prompt(&self, id: &str, session: &str, script: &str) {
        let arguments = json!({"sessionId": session, "text": script});
        self.bridge.call(id, "prompt", &arguments);
    }

    /// The names of the tools.
    #[track_caller]
    pub fn tools(&self) -> Vec<String> {
        self.bridge.request("\"tools\"", "tools/list", &json!({}));
        let list = self.bridge.answer("\"tools\"").json();
        let tools = list["result"]["tools"].as_array().expect("a list");
        let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
        tools.iter().map(name).collect()
    }

    /// Closes stdin, and waits for the end of all processes.
    pub fn end(mut self) {
        self.bridge.close_stdin();
        assert_eq!(self.bridge.exit_code(), Some(0), "{}", self.bridge.stderr());
        self.children.wait_until_none();
        assert_eq!(self.children.violations(), Vec::<String>::new());
    }
}

/// The result of a tool.
#[track_caller]
pub fn result(answer: &Message) -> Value {
    let result = answer.json()["result"].clone();
    assert!(result["content"].is_array(), "{}", answer.text);
    result
}

/// The first text of a successful result.
#[track_caller]
pub fn text(result: &Value) -> &str {
    assert_eq!(result["isError"], false, "{result}");
    result["content"][0]["text"].as_str().expect("a text")
}

/// The text of an error result.
#[track_caller]
pub fn trouble(result: &Value) -> &str {
    assert_eq!(result["isError"], true, "{result}");
    result["content"][0]["text"].as_str().expect("a text")
}

/// A permission request in a script; the agent prints the answer that it gets.
pub const PERMISSION: &str = r#"ask session/request_permission {"sessionId":"$S","toolCall":{"toolCallId":"c","title":"Delete the quay","rawInput":{"command":"rm quay"}},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"ever","name":"Always","kind":"allow_always"},{"optionId":"no","name":"No","kind":"reject_once"}]}"#;

/// The answer to a permission request with this option.
pub fn selected(choice: &str) -> String {
    format!(r#"{{"outcome":{{"outcome":"selected","optionId":"{choice}"}}}}"#)
}

/// The answer to a cancelled permission request.
pub const CANCELLED: &str = r#"{"outcome":{"outcome":"cancelled"}}"#;

/// `params` in the envelope of a client without a handshake.
pub fn modern(mut params: Value, capabilities: &Value) -> Value {
    let mut meta = json!({
        format!("{META}protocolVersion"): "2026-07-28",
        format!("{META}clientCapabilities"): capabilities,
        format!("{META}clientInfo"): {"name": "testkit-modern", "version": "1"},
    });
    if let Some(token) = params["_meta"].get("progressToken") {
        meta["progressToken"] = token.clone();
    }
    params["_meta"] = meta;
    params
}
