//! `linkspan gateway` in front of fourteen servers at once.

use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use linkspan_testkit::{Bridge, LATEST, Message, wait_until};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::client::Client;
use crate::filesystem::Quay;
use crate::server::Server;
use crate::{direct, installed, stdio, words};

/// A server of the configuration, and a request whose result is always the same and needs no network.
struct Peer {
    alias: &'static str,
    at: At,
    tool: &'static str,
    arguments: String,
}

enum At {
    Command(Vec<String>),
    Http(SocketAddr),
    Sse(SocketAddr),
}

impl Peer {
    fn new(alias: &'static str, at: At, tool: &'static str, arguments: &str) -> Self {
        Self {
            alias,
            at,
            tool,
            arguments: arguments.to_owned(),
        }
    }

    /// A script of an npm package.
    fn npm(alias: &'static str, script: &str, tool: &'static str, arguments: &str) -> Self {
        let words = [installed::node(), installed::server(script)];
        let words = words.map(|word| word.to_str().expect("paths are text").to_owned());
        Self::new(alias, At::Command(words.into()), tool, arguments)
    }

    fn entry(&self) -> Value {
        match &self.at {
            At::Command(words) => json!({"command": words[0], "args": words[1..], "env": ENV
                .iter()
                .map(|(name, value)| ((*name).to_owned(), json!(value)))
                .collect::<serde_json::Map<_, _>>()}),
            At::Http(address) => json!({"type": "http", "url": format!("http://{address}/mcp")}),
            At::Sse(address) => json!({"type": "sse", "url": format!("http://{address}/sse")}),
        }
    }

    /// Whether these are equal: by their bytes, but for the server of both eras, which orders members by the era.
    fn is_same(&self, one: &str, other: &str) -> bool {
        let value = |text| serde_json::from_str::<Value>(text).expect("it is JSON");
        one == other || self.alias == "python" && value(one) == value(other)
    }

    /// A client without the gateway.
    fn direct(&self) -> Client {
        let (client, _) = match &self.at {
            At::Command(words) => {
                let mut all = vec!["env".to_owned()];
                all.extend(ENV.iter().map(|(name, value)| format!("{name}={value}")));
                all.extend_from_slice(words);
                stdio::start(&all)
            }
            At::Http(address) => direct::streamable_http(*address),
            At::Sse(address) => direct::http_sse(*address),
        };
        client
    }
}

/// Keys that the servers want to see; none of them is used.
const ENV: [(&str, &str); 5] = [
    ("BRAVE_API_KEY", "x"),
    ("GITHUB_PERSONAL_ACCESS_TOKEN", "x"),
    ("MEMORY_FILE_PATH", "/nonexistent/memory.json"),
    ("NOTION_TOKEN", "ntn_x"),
    ("TAVILY_API_KEY", "tvly-x"),
];

/// Fourteen servers, of both eras and over three transports.
struct Fleet {
    peers: Vec<Peer>,
    folder: tempfile::TempDir,
    _quay: Quay,
    _remote: [Server; 2],
}

impl Fleet {
    fn new() -> Self {
        let quay = Quay::new();
        let remote = [
            Server::everything("streamableHttp"),
            Server::everything("sse"),
        ];
        let notice = json!({"path": quay.path("notice.txt")}).to_string();
        let sum = r#"{"a":0.1,"b":1e21}"#;
        let thought =
            r#"{"thought":"ø","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}"#;
        let official = |name: &str| format!("@modelcontextprotocol/server-{name}/dist/index.js");
        let devtools = "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js";
        let peers = vec![
            Peer::new(
                "everything",
                At::Command(words::everything()),
                "get-sum",
                sum,
            ),
            Peer::new("http", At::Http(remote[0].address), "get-sum", sum),
            Peer::new("sse", At::Sse(remote[1].address), "get-sum", sum),
            Peer::new(
                "files",
                At::Command(quay.words()),
                "read_text_file",
                &notice,
            ),
            Peer::new(
                "python",
                At::Command(words::python(&[])),
                "tide",
                r#"{"hour":3}"#,
            ),
            Peer::npm("memory", &official("memory"), "read_graph", "{}"),
            Peer::npm(
                "thinking",
                &official("sequential-thinking"),
                "sequentialthinking",
                thought,
            ),
            Peer::npm("brave", &official("brave-search"), "brave_web_search", "{}"),
            Peer::npm("github", &official("github"), "get_file_contents", "{}"),
            Peer::npm(
                "notion",
                "@notionhq/notion-mcp-server/bin/cli.mjs",
                "no-such-tool",
                "{}",
            ),
            Peer::npm("playwright", "@playwright/mcp/cli.js", "no_such_tool", "{}"),
            Peer::npm(
                "context7",
                "@upstash/context7-mcp/dist/index.js",
                "resolve-library-id",
                "{}",
            ),
            Peer::npm("devtools", devtools, "click", "{}"),
            Peer::npm("tavily", "tavily-mcp/build/index.js", "no_such_tool", "{}"),
        ];
        Self {
            peers,
            folder: tempfile::tempdir().expect("a temporary folder"),
            _quay: quay,
            _remote: remote,
        }
    }

    fn config(&self) -> PathBuf {
        let servers = self
            .peers
            .iter()
            .map(|peer| (peer.alias.to_owned(), peer.entry()));
        let servers: serde_json::Map<_, _> = servers.collect();
        let path = self.folder.path().join("mcp.json");
        // All definitions together are above the budget of `auto`.
        let full = json!({"tools": "full"});
        let text = json!({"mcpServers": servers, "linkspan": full}).to_string();
        std::fs::write(&path, text).expect("the folder can be written");
        path
    }

    /// The gateway on stdio, when every server is listed; says how long that took.
    fn started(&self) -> Bridge {
        let began = Instant::now();
        let mut gateway = Bridge::launch(installed::linkspan())
            .env("LINKSPAN_STATE", text(&self.folder.path().join("state")))
            .args(["gateway", "-c"])
            .arg(self.config())
            .start();
        gateway.set_limit(Duration::from_secs(120));
        gateway.initialize(LATEST);
        let first = began.elapsed();
        let listed = wait_until("the tools of all servers", || {
            let listed = tools(&gateway);
            let has = |peer: &Peer| listed.contains(&format!(r#""name":"{}__"#, peer.alias));
            self.peers.iter().all(has).then_some(listed)
        });
        let megabytes = gateway.resident_memory().unwrap_or_default() as f64 / 1e6;
        say(&format!(
            "{} servers, {} tools: handshake {first:.1?}, all listed {:.1?}, {megabytes:.1} MB resident",
            self.peers.len(),
            items(&listed).len(),
            began.elapsed(),
        ));
        gateway
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the paths of tests are text")
}

/// Prints a figure, whatever the harness captures.
fn say(figure: &str) {
    let _ = writeln!(std::io::stderr(), "    {figure}");
}

/// The bytes of a list of tools.
fn tools(gateway: &Bridge) -> String {
    gateway.request("\"tools\"", "tools/list", &json!({}));
    let answer = answer(gateway, "\"tools\"");
    let tools = answer.at(&["result", "tools"]);
    tools.unwrap_or_else(|| panic!("no tools: {}", answer.text))
}

/// Waits for an answer; answers the questions of servers meanwhile.
fn answer(gateway: &Bridge, id: &str) -> Message {
    loop {
        let said = gateway.find(id, |said| {
            said.is_request() || said.is_response() && said.id.as_deref() == Some(id)
        });
        let Some(question) = said.id.as_ref().filter(|_| said.is_request()) else {
            return said;
        };
        assert_eq!(said.method.as_deref(), Some("roots/list"), "{}", said.text);
        let roots = r#"{"roots":[{"uri":"file:///harbour","name":"Høybro"}]}"#;
        gateway.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{question},"result":{roots}}}"#
        ));
    }
}

/// The bytes of the elements of a list.
fn items(list: &str) -> Vec<String> {
    let items: Vec<&RawValue> = serde_json::from_str(list).expect("it is a list");
    items.iter().map(|item| item.get().to_owned()).collect()
}

/// The bytes of all tools of a server.
fn tools_of(client: &mut Client) -> Vec<String> {
    let listed = client.call("tools/list", "{}");
    let listed = Message::parse(&format!(r#"{{"jsonrpc":"2.0","id":1,"result":{listed}}}"#));
    let listed = listed.expect("it is an answer");
    assert_eq!(listed.at(&["result", "nextCursor"]), None);
    items(&listed.at(&["result", "tools"]).expect("a list of tools"))
}

/// The name of a tool, by its bytes.
fn name_of(tool: &str) -> String {
    let tool: Value = serde_json::from_str(tool).expect("a tool is an object");
    tool["name"].as_str().expect("a tool has a name").to_owned()
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn every_tool_of_fourteen_servers_is_listed_and_one_of_each_called_as_without_the_gateway() {
    let fleet = Fleet::new();
    let gateway = fleet.started();
    let listed = items(&tools(&gateway));
    let mut count = 0;
    for peer in &fleet.peers {
        let mut direct = peer.direct();
        for tool in tools_of(&mut direct) {
            let own = format!(r#""name":"{}""#, name_of(&tool));
            let named = format!(r#""name":"{}__{}""#, peer.alias, name_of(&tool));
            let expected = tool.replacen(&own, &named, 1);
            let is_listed = listed.iter().any(|tool| peer.is_same(tool, &expected));
            assert!(is_listed, "{}: {expected}", peer.alias);
            count += 1;
        }
        let call = |name: &str| format!(r#"{{"name":"{name}","arguments":{}}}"#, peer.arguments);
        let own = direct.outcome("tools/call", &call(peer.tool));
        let id = format!("\"{}\"", peer.alias);
        let named = call(&format!("{}__{}", peer.alias, peer.tool));
        gateway.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{named}}}"#
        ));
        let answer = answer(&gateway, &id);
        let outcome = answer.result.or(answer.error).expect("an answer");
        assert!(peer.is_same(&outcome, &own), "{}: {outcome}", peer.alias);
    }
    assert_eq!(listed.len(), count);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_hundred_clients_of_the_gateway_get_the_same_bytes() {
    let fleet = Fleet::new();
    // So that all lists are known.
    drop(fleet.started());
    let gateway = Bridge::launch(installed::linkspan())
        .env("LINKSPAN_STATE", text(&fleet.folder.path().join("state")))
        .args(["gateway", "--http", "--port", "0", "-c"])
        .arg(fleet.config())
        .start();
    let url = gateway.line();
    let rest = url.strip_prefix("http://").expect("it prints its URL");
    let (address, path) = rest.split_once('/').expect("a URL has a path");
    let client = linkspan_testkit::Client {
        address: address.parse().expect("an address"),
        path: format!("/{path}"),
        headers: Vec::new(),
    };
    let list = || {
        let session = client.session(LATEST);
        let answer = session.request("1", "tools/list", &json!({})).answer();
        session.end();
        answer.at(&["result", "tools"]).expect("a list of tools")
    };
    let has_all = |listed: &String| {
        let has = |peer: &Peer| listed.contains(&format!(r#""name":"{}__"#, peer.alias));
        fleet.peers.iter().all(has)
    };
    let first = wait_until("the tools of all servers", || Some(list()).filter(has_all));
    for _ in 0..100 {
        assert_eq!(list(), first);
    }
    let megabytes = gateway.resident_memory().unwrap_or_default() as f64 / 1e6;
    say(&format!("100 reconnects: {megabytes:.1} MB resident"));
}
