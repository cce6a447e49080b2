//! A gateway with scripted servers; helpers of many tests.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use linkspan_testkit::mcp_client::META;
use linkspan_testkit::{
    Bridge, Children, Client, Launch, Message, Server, child_program, run, wait_for,
};
pub use linkspan_testkit::{LATEST, MODERN};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The binary under test. `LINKSPAN_BIN` names another build to be tested.
pub fn program() -> OsString {
    linkspan_testkit::program_under_test(env!("CARGO_BIN_EXE_linkspan"))
}

/// A folder with a configuration, and the state of the gateway.
pub struct Setting {
    folder: TempDir,
    servers: Vec<(String, Value)>,
    settings: Value,
}

impl Setting {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
            servers: Vec::new(),
            settings: json!({}),
        }
    }

    /// Adds a scripted child with these flags; returns what reports to the test.
    pub fn child(&mut self, key: &str, flags: &[&str]) -> Children {
        let children = Children::listen();
        self.put(key, child(&children, flags));
        children
    }

    /// Adds a server at a URL.
    pub fn url(&mut self, key: &str, server: &Server) {
        self.put(key, json!({"url": server.url()}));
    }

    /// Sets the entry of a server.
    pub fn put(&mut self, key: &str, entry: Value) {
        let known = self.servers.iter_mut().find(|(one, _)| one == key);
        match known {
            Some((_, known)) => *known = entry,
            None => self.servers.push((key.to_owned(), entry)),
        }
    }

    /// Removes a server.
    pub fn remove(&mut self, key: &str) {
        self.servers.retain(|(one, _)| one != key);
    }

    /// Sets the members of `linkspan`.
    pub fn set(&mut self, settings: Value) {
        self.settings = settings;
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes the configuration, with a comment, as people have it.
    pub fn write(&self) -> PathBuf {
        let servers: Vec<String> = self
            .servers
            .iter()
            .map(|(key, entry)| format!("    {}: {entry}", json!(key)))
            .collect();
        let text = format!(
            "{{\n  // servers\n  \"mcpServers\": {{\n{}\n  }},\n  \"linkspan\": {}\n}}\n",
            servers.join(",\n"),
            self.settings
        );
        self.write_text(&text)
    }

    /// Writes any text as the configuration.
    pub fn write_text(&self, text: &str) -> PathBuf {
        let path = self.file("mcp.json");
        std::fs::write(&path, text).expect("the folder can be written");
        path
    }

    /// The gateway, not started yet.
    pub fn launch(&self, flags: &[&str]) -> Launch {
        let config = self.write();
        Bridge::launch(program())
            .env("LINKSPAN_STATE", &self.file("state").display().to_string())
            .args(["gateway", "-c"])
            .arg(config)
            .args(flags)
    }

    /// The gateway on stdio.
    pub fn start(&self, flags: &[&str]) -> Bridge {
        self.launch(flags).start()
    }

    /// The gateway over HTTP, and a client of it.
    pub fn http(&self, flags: &[&str]) -> (Bridge, Client) {
        let flags = [&["--http", "--port", "0"], flags].concat();
        let bridge = self.launch(&flags).start();
        let url = bridge.line();
        let rest = url.strip_prefix("http://").expect("it prints its URL");
        let (address, path) = rest.split_once('/').expect("a URL has a path");
        let client = Client {
            address: address.parse().expect("an address"),
            path: format!("/{path}"),
            headers: Vec::new(),
        };
        (bridge, client)
    }

    /// Runs another command of the binary with the same state; returns its output and exit code.
    pub fn run(&self, args: &[&str]) -> (String, Option<i32>) {
        let mut command = Command::new(program());
        command.env("LINKSPAN_STATE", self.file("state")).args(args);
        let output = run(&mut command, String::new());
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).expect("output is UTF-8");
        (text, output.status.code())
    }
}

/// The entry of a scripted child that reports to the test.
pub fn child(children: &Children, flags: &[&str]) -> Value {
    let mut args: Vec<String> = flags.iter().map(ToString::to_string).collect();
    args.extend(["--watch".to_owned(), children.address()]);
    json!({"command": child_program(), "args": args})
}

/// Sends a request of a modern client.
pub fn ask_modern(bridge: &Bridge, id: &str, method: &str, params: Value) -> Message {
    send_modern(bridge, id, method, params);
    bridge.answer(id)
}

/// The same without waiting for the answer.
pub fn send_modern(bridge: &Bridge, id: &str, method: &str, mut params: Value) {
    params["_meta"][format!("{META}protocolVersion")] = json!(MODERN);
    params["_meta"][format!("{META}clientCapabilities")] =
        json!({"elicitation": {"form": {}}, "sampling": {}, "roots": {}});
    params["_meta"][format!("{META}clientInfo")] = json!({"name": "modern", "version": "1"});
    bridge.request(id, method, &params);
}

/// The names in a list.
#[track_caller]
pub fn names(answer: &Message, list: &str) -> Vec<String> {
    let result = answer.json()["result"][list].clone();
    let items = result
        .as_array()
        .unwrap_or_else(|| panic!("{}", answer.text));
    let name = |item: &Value| item["name"].as_str().unwrap_or_default().to_owned();
    items.iter().map(name).collect()
}

/// Waits until these tools are listed: on a busy machine a server may start later than the first list.
#[track_caller]
pub fn until_listed(expected: &[&str], list: impl Fn() -> Message) {
    let what = format!("the tools {expected:?}");
    wait_for(&what, || names(&list(), "tools") == expected);
}

/// The list of tools that a legacy client gets.
pub fn list(gateway: &Bridge) -> Message {
    gateway.request("\"list\"", "tools/list", &json!({}));
    gateway.answer("\"list\"")
}

/// The structured content of a tool's result, as written.
#[track_caller]
pub fn content(answer: &Message) -> String {
    let content = answer.at(&["result", "structuredContent"]);
    content.unwrap_or_else(|| panic!("no structured content: {}", answer.text))
}

/// The process that has answered `whoami`.
#[track_caller]
pub fn pid(answer: &Message) -> u64 {
    let content: Value = serde_json::from_str(&content(answer)).expect("it is JSON");
    content["pid"].as_u64().expect("`whoami` says its number")
}
