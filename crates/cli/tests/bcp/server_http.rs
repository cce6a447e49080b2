//! `linkspan bcp mcp --http`.

use std::path::Path;

use linkspan_testkit::mcp_client::Client;
use linkspan_testkit::{Bridge, Signal};
use serde_json::json;

use crate::server::{LATEST, Scratch, assert_error, assert_reached, launch};

/// A server over HTTP that prints its address. It has to end without an error.
struct Listening {
    bridge: Bridge,
    url: String,
}

impl Listening {
    fn start(root: &Path, flags: &[&str]) -> Self {
        let bridge = launch(["--http", "--port", "0"])
            .args(flags)
            .arg("--root")
            .arg(root)
            .start();
        let url = bridge.line();
        assert!(url.starts_with("http://127.0.0.1:"), "{url}");
        Self { bridge, url }
    }

    fn client(&self) -> Client {
        let rest = self.url.trim_start_matches("http://");
        let (address, path) = rest.split_once('/').expect("a path");
        Client {
            address: address.parse().expect("an address"),
            path: format!("/{path}"),
            headers: Vec::new(),
        }
    }

    fn end(mut self) {
        self.bridge.signal(Signal::Terminate);
        assert_eq!(self.bridge.exit_code(), Some(143));
        assert_eq!(self.bridge.unread(), Vec::<String>::new());
    }
}

#[test]
fn both_eras_are_served_at_one_address() {
    let scratch = Scratch::new("http");
    let path = scratch.write("a.bcp", "no BCP");
    let server = Listening::start(&scratch.path(""), &[]);
    let arguments = json!({"path": path});
    for version in ["2025-03-26", "2025-06-18", LATEST] {
        let session = server.client().session(version);
        assert_eq!(session.version, version);
        assert_reached(&session.tool("1", "read_bcp_file", &arguments));
        assert_eq!(session.end(), 204);
    }
    let modern = server.client().modern();
    assert_reached(&modern.tool("1", "read_bcp_file", &arguments));
    let list = modern.request("2", "tools/list", &json!({})).answer();
    let tools = list.json()["result"]["tools"].as_array().map(Vec::len);
    assert_eq!(tools, Some(3), "{}", list.text);
    server.end();
}

#[test]
fn roots_of_a_client_over_http_open_nothing() {
    let scratch = Scratch::new("http-roots");
    std::fs::create_dir_all(scratch.path("in")).expect("a folder");
    let path = scratch.write("out/b.bcp", "no BCP");
    let server = Listening::start(&scratch.path("in"), &[]);
    let arguments = json!({"path": path});
    // Both clients declare roots, and neither is asked for them.
    let session = server.client().session(LATEST);
    let answer = session.tool("1", "read_bcp_file", &arguments);
    assert_error(&answer, "outside the folders");
    let answer = server
        .client()
        .modern()
        .tool("1", "read_bcp_file", &arguments);
    assert_error(&answer, "outside the folders");
    server.end();
}

#[test]
fn the_http_checks_are_those_of_expose() {
    let scratch = Scratch::new("http-guard");
    let mut open = launch(["--http", "--host", "0.0.0.0", "--port", "0"]).start();
    assert_eq!(open.exit_code(), Some(2));
    assert!(open.stderr().contains("--token-env"), "{}", open.stderr());

    let bridge = launch([
        "--http",
        "--port",
        "0",
        "--token-env",
        "SECRET",
        "--path",
        "/bcp",
    ])
    .arg("--root")
    .arg(scratch.path(""))
    .env("SECRET", "open-sesame")
    .start();
    let url = bridge.line();
    let server = Listening { bridge, url };
    assert!(server.url.ends_with("/bcp"), "{}", server.url);
    let mut refused = server.client().initialize(LATEST, &json!({}));
    assert_eq!(refused.status(), 401);
    let known = server.client().with("Authorization", "Bearer open-sesame");
    known.session(LATEST);
    server.end();
}

#[test]
fn flags_of_the_http_front_need_it() {
    let mut server = launch(["--port", "9000"]).start();
    assert_eq!(server.exit_code(), Some(2));
    assert!(server.stderr().contains("--http"), "{}", server.stderr());
}
