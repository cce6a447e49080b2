//! Clients that sign in at a real authorization server for a server behind `linkspan expose --auth-issuer`.

use std::fs;

use serde_json::{Value, json};

use crate::exposed::Exposed;
use crate::inspector::inspector_with;
use crate::machine::{Machine, text, until};
use crate::oauth::assert_echoes;
use crate::script::Script;
use crate::sdk::{Era, Language, Sdk};
use crate::server::free_address;
use crate::{http, words};

const SCOPE: &str = "mcp:basic";

/// An authorization server, and `server-everything` behind `linkspan expose`, which requires its tokens.
struct Protected {
    issuer: Script,
    exposed: Exposed,
}

impl Protected {
    fn start(ttl: &str, flags: &[&str]) -> Self {
        let issuer = Script::node("as.mjs", &["--ttl", ttl], &[]);
        let mut words: Vec<String> = ["--auth-issuer", &issuer.url, "--auth-scope", SCOPE]
            .iter()
            .chain(flags)
            .map(|word| (*word).to_owned())
            .collect();
        words.push("--".to_owned());
        words.extend(words::everything());
        let exposed = Exposed::target(&words);
        Self { issuer, exposed }
    }

    fn url(&self) -> String {
        self.exposed.url("/mcp")
    }
}

const ECHO: (&str, &str) = (
    "tools/call",
    r#"{"name":"echo","arguments":{"message":"ahoy"}}"#,
);

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_request_without_a_token_is_told_where_to_sign_in() {
    let protected = Protected::start("300", &[]);
    let address = protected.exposed.address();
    let refused = http::request(address, "POST /mcp", &[], Some("{}"));
    assert_eq!(refused.status, 401);
    let challenge = refused
        .header("www-authenticate")
        .expect("a challenge")
        .to_owned();
    let metadata = protected
        .exposed
        .url("/.well-known/oauth-protected-resource/mcp");
    assert!(challenge.starts_with("Bearer "), "{challenge}");
    for part in [
        format!("resource_metadata=\"{metadata}\""),
        format!("scope=\"{SCOPE}\""),
    ] {
        assert!(challenge.contains(&part), "{challenge}");
    }
    for path in [
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-protected-resource",
    ] {
        let document = http::request(address, &format!("GET {path}"), &[], None);
        assert_eq!(document.status, 200, "{path}");
        let document: Value = serde_json::from_reader(document.into_body()).expect("it is JSON");
        assert_eq!(document["resource"], json!(protected.url()), "{path}");
        assert_eq!(
            document["authorization_servers"],
            json!([protected.issuer.url])
        );
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn python_clients_of_both_eras_sign_in() {
    let protected = Protected::start("300", &[]);
    for (logins, era) in [(1, Era::Legacy), (2, Era::Modern)] {
        let sdk = Sdk {
            language: Language::Python,
            era,
        };
        let machine = Machine::new().env("CLIENT_SIGNS_IN", "1");
        let environment = machine.environment();
        let environment: Vec<(&str, &str)> = environment
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let told = sdk.run_with(&environment, &[ECHO], &[protected.url()]);
        assert_eq!(told.results[0]["content"][0]["text"], "Echo: ahoy");
        assert_eq!(protected.issuer.count("logins"), logins, "{era:?}");
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn inspector_signs_in_in_both_eras() {
    let protected = Protected::start("300", &[]);
    for (logins, era) in [(1, "legacy"), (2, "modern")] {
        let machine = Machine::new().env("MCP_AUTO_OPEN_ENABLED", "true");
        let home = machine.state();
        fs::create_dir_all(&home).expect("a folder can be made");
        let callback = format!("http://{}/oauth/callback", free_address());
        let method = [
            "tools/call",
            "--tool-name",
            "echo",
            "--tool-arg",
            "message=ahoy",
            "--protocol-era",
            era,
            "--callback-url",
            &callback,
        ];
        let environment = machine.environment();
        let printed = inspector_with(&home, &environment, &[protected.url()], &method);
        let printed: Value = serde_json::from_str(&printed).expect("it prints JSON");
        assert_eq!(printed["result"]["content"][0]["text"], "Echo: ahoy");
        assert_eq!(protected.issuer.count("logins"), logins, "{era}");
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn connect_signs_in_and_the_server_learns_who_it_is_but_not_the_token() {
    let protected = Protected::start("300", &[]);
    let machine = Machine::new();
    let bridge = machine.connect(&protected.url(), &[]);
    assert_echoes(&bridge, "both ends");
    let environment = text(&bridge.ask("\"env\"", "get-env", &json!({})));
    let environment: Value = serde_json::from_str(&environment).expect("it prints JSON");
    assert_eq!(environment["LINKSPAN_SUBJECT"], "ada");
    assert_eq!(environment["LINKSPAN_ISSUER"], json!(protected.issuer.url));
    // The prefix of every JWT.
    assert!(!environment.to_string().contains("eyJ"));
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_session_survives_the_refresh_of_its_token() {
    let protected = Protected::start("3", &[]);
    let machine = Machine::new();
    let bridge = machine.connect(&protected.url(), &[]);
    assert_echoes(&bridge, "before");
    // Each legacy session has a process of its own.
    let before = protected.exposed.children();
    assert!(!before.is_empty());
    until("second refresh", || {
        assert_echoes(&bridge, "meanwhile");
        (protected.issuer.count("refreshes") >= 2).then_some(())
    });
    assert_echoes(&bridge, "after");
    assert_eq!(protected.exposed.children(), before);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_tool_with_a_scope_of_its_own_is_authorized_when_it_is_called() {
    let protected = Protected::start("300", &["--tool-scope", "get-sum=mcp:write"]);
    let machine = Machine::new();
    let bridge = machine.connect(&protected.url(), &[]);
    assert_echoes(&bridge, "before");
    assert_eq!(protected.issuer.count("logins"), 1);
    let sum = bridge.ask("\"sum\"", "get-sum", &json!({"a": 2, "b": 3}));
    assert!(text(&sum).contains('5'), "{}", sum.text);
    assert_eq!(protected.issuer.count("logins"), 2);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_token_for_another_audience_is_refused_without_a_loop_of_sign_ins() {
    let protected = Protected::start("300", &["--auth-audience", "https://other.example/mcp"]);
    let machine = Machine::new();
    let bridge = machine.start(&protected.url(), &[]);
    let client = json!({"name": "test", "version": "1"});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    bridge.request("1", "initialize", &hello);
    let answer = bridge.answer("1");
    assert!(answer.code().is_some(), "{}", answer.text);
    assert!(machine.opened().len() <= 3, "{:?}", machine.opened());
}
