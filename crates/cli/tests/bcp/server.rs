//! `linkspan bcp mcp` as an MCP server on stdin and stdout.

use std::path::{Path, PathBuf};

pub use linkspan_testkit::LATEST;
use linkspan_testkit::mcp_client::META;
use linkspan_testkit::{Bridge, Launch, Message};
use serde_json::{Value, json};

/// The server with these flags, and without settings of the environment.
pub fn launch<S: AsRef<std::ffi::OsStr>>(flags: impl IntoIterator<Item = S>) -> Launch {
    ["BCP_RENDER_MODE", "BCP_CLI_TIMEOUT_MS", "BCP_LOG_LEVEL"]
        .into_iter()
        .fold(
            Bridge::launch(env!("CARGO_BIN_EXE_linkspan")),
            |launch, name| launch.env(name, ""),
        )
        .args(["bcp", "mcp"])
        .args(flags)
}

/// A server for one folder, after the handshake of a client.
pub fn ready(root: &Path) -> Bridge {
    let server = launch([Path::new("--root"), root]).start();
    server.initialize(LATEST);
    server
}

/// A folder for one test, removed after it.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        let name = format!("bcp-server-{name}-{}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).expect("the folder can be made");
        Self(std::fs::canonicalize(path).expect("it is there"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        let folder = path.parent().expect("a file is in a folder");
        std::fs::create_dir_all(folder).expect("the folder can be made");
        std::fs::write(&path, text).expect("the file can be written");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The texts of a tool's result, and whether it is an error.
#[track_caller]
pub fn texts(answer: &Message) -> (Vec<String>, bool) {
    let result = &answer.json()["result"];
    let content = result["content"].as_array().expect("there is a content");
    let text = |part: &Value| {
        assert_eq!(part["type"], "text", "{}", answer.text);
        part["text"].as_str().expect("a text").to_owned()
    };
    let is_error = result["isError"].as_bool().expect("isError is there");
    (content.iter().map(text).collect(), is_error)
}

/// The only text of a tool's result, and whether it is an error.
#[track_caller]
pub fn text(answer: &Message) -> (String, bool) {
    let (texts, is_error) = texts(answer);
    let [text] = texts.as_slice() else {
        panic!("{texts:?}");
    };
    (text.clone(), is_error)
}

/// Asserts that a tool failed with this text.
#[track_caller]
pub fn assert_error(answer: &Message, word: &str) {
    let (text, is_error) = text(answer);
    assert!(is_error, "{text}");
    assert!(text.contains(word), "{text}");
}

/// Asserts that a call has opened the file, which contains "no BCP".
#[track_caller]
pub fn assert_reached(answer: &Message) {
    assert_error(answer, "not a BCP file");
}

/// `params` in the envelope of a client without a handshake.
pub fn modern(mut params: Value) -> Value {
    params["_meta"] = json!({
        format!("{META}protocolVersion"): "2026-07-28",
        format!("{META}clientCapabilities"): {"roots": {}},
        format!("{META}clientInfo"): {"name": "testkit-modern", "version": "1"},
    });
    params
}

/// The array of the specification, byte for byte.
fn tools() -> Value {
    let path = json!({"type": "string", "description": "Absolute path to the .bcp file"});
    json!([
        {
            "name": "read_bcp_file",
            "description": "Read and decode a .bcp (Bit Context Protocol) file, returning the rendered content as model-ready text. Supports XML, Markdown, and Minimal output modes.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "path": path,
                    "mode": {
                        "type": "string",
                        "description": "Output render mode",
                        "enum": ["xml", "markdown", "minimal"],
                        "default": "xml"
                    },
                    "budget": {
                        "type": "number",
                        "description": "Optional token budget. When set, low-priority blocks are summarized to fit within the budget."
                    }
                },
                "required": ["path"]
            }
        },
        {
            "name": "inspect_bcp_file",
            "description": "Inspect a .bcp file and return a summary of its blocks, sizes, and structure without rendering the full content.",
            "inputSchema": {
                "type": "object",
                "properties": {"path": path},
                "required": ["path"]
            }
        },
        {
            "name": "encode_bcp_file",
            "description": "Encode a JSON manifest into a .bcp file. The manifest describes blocks to include (code, conversation, tool results, etc.).",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "manifest_path": {
                        "type": "string",
                        "description": "Absolute path to the JSON manifest file"
                    },
                    "output_path": {
                        "type": "string",
                        "description": "Absolute path for the output .bcp file"
                    },
                    "compress": {
                        "type": "boolean",
                        "description": "Enable per-block zstd compression",
                        "default": false
                    }
                },
                "required": ["manifest_path", "output_path"]
            }
        }
    ])
}

#[test]
fn every_revision_with_a_handshake_is_supported() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", LATEST] {
        let server = launch::<&str>([]).start();
        let welcome = server.initialize(version).json();
        let result = &welcome["result"];
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(
            result["capabilities"],
            json!({"tools": {"listChanged": false}})
        );
        assert_eq!(result["serverInfo"]["name"], "bcp-mcp-server");
    }
}

#[test]
fn an_unknown_revision_gets_the_last_one_with_a_handshake() {
    let server = launch::<&str>([]).start();
    let welcome = server.initialize("1999-12-31").json();
    assert_eq!(welcome["result"]["protocolVersion"], LATEST);
}

#[test]
fn the_tools_are_those_of_the_specification() {
    let server = launch::<&str>([]).start();
    server.initialize(LATEST);
    server.request("1", "tools/list", &json!({}));
    assert_eq!(
        server.answer("1").json()["result"],
        json!({"tools": tools()})
    );
}

#[test]
fn a_client_without_a_handshake_is_served_as_well() {
    let scratch = Scratch::new("modern");
    let path = scratch.write("a.bcp", "no BCP");
    let server = launch([Path::new("--root"), &scratch.path("")]).start();
    server.request("1", "server/discover", &modern(json!({})));
    let found = server.answer("1").json();
    assert_eq!(found["result"]["supportedVersions"], json!(["2026-07-28"]));
    server.request("2", "tools/list", &modern(json!({})));
    assert_eq!(server.answer("2").json()["result"]["tools"], tools());
    let call = json!({"name": "read_bcp_file", "arguments": {"path": path}});
    server.request("3", "tools/call", &modern(call));
    let answer = server.answer("3");
    assert_reached(&answer);
    assert_eq!(answer.json()["result"]["resultType"], "complete");
}

#[test]
fn a_modern_call_needs_no_handshake() {
    let server = launch::<&str>([]).start();
    let call = json!({"name": "read_bcp_file", "arguments": {"path": "nothing.bcp"}});
    server.request("1", "tools/call", &modern(call));
    assert_error(&server.answer("1"), "does not exist");
}

#[test]
fn unknown_methods_and_tools_are_protocol_errors() {
    let server = launch::<&str>([]).start();
    server.initialize(LATEST);
    server.request("1", "resources/list", &json!({}));
    assert_eq!(server.answer("1").code(), Some(-32601));
    assert_eq!(
        server.ask("2", "format_disk", &json!({})).code(),
        Some(-32602)
    );
    server.request("3", "tools/call", &json!({"arguments": {}}));
    assert_eq!(server.answer("3").code(), Some(-32602));
    server.request("4", "ping", &json!({}));
    assert_eq!(server.answer("4").json()["result"], json!({}));
}

#[test]
fn invalid_json_is_logged_and_the_server_continues() {
    let mut server = launch::<&str>([]).start();
    server.send("{\"jsonrpc\": nonsense");
    assert_eq!(server.answer("null").code(), Some(-32700));
    server.initialize(LATEST);
    server.send("more nonsense");
    assert_eq!(server.answer("null").code(), Some(-32700));
    server.request("1", "ping", &json!({}));
    server.answer("1");
    server.close_stdin();
    assert_eq!(server.exit_code(), Some(0));
    let log = server.stderr();
    assert_eq!(log.matches("sent an invalid message").count(), 2, "{log}");
}

#[test]
fn a_closed_stdin_ends_the_server_without_an_error() {
    let mut silent = launch::<&str>([]).start();
    silent.close_stdin();
    assert_eq!(silent.exit_code(), Some(0));

    let mut server = launch::<&str>([]).start();
    server.initialize(LATEST);
    server.request("1", "tools/list", &json!({}));
    server.close_stdin();
    assert!(
        server.answer("1").result.is_some(),
        "what was asked is answered"
    );
    assert_eq!(server.exit_code(), Some(0));
    assert_eq!(server.stderr(), "");
}

#[test]
fn invalid_settings_are_reported_at_the_start() {
    for (name, value) in [
        ("BCP_RENDER_MODE", "html"),
        ("BCP_CLI_TIMEOUT_MS", "soon"),
        ("BCP_LOG_LEVEL", "loud"),
    ] {
        let mut server = launch::<&str>([]).env(name, value).start();
        assert_eq!(server.exit_code(), Some(2), "{name}");
        assert!(server.stderr().contains(name), "{}", server.stderr());
    }
    let mut server = launch(["--root", "/no/such/folder"]).start();
    assert_eq!(server.exit_code(), Some(2));
    assert!(server.stderr().contains("hint:"), "{}", server.stderr());
}
