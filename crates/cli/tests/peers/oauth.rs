//! Sign-in of `linkspan connect` at a real authorization server, `oidc-provider`, for a server on the official
//! TypeScript SDK that checks its tokens.

use std::fs;
use std::path::Path;
use std::process::Command;

use linkspan_testkit::Bridge;
use serde_json::json;

use crate::machine::{Machine, text, until};
use crate::script::Script;
use crate::sdk::{Era, Language, Sdk};
use crate::{installed, once};

/// An authorization server, and an MCP server that requires its tokens.
pub struct Realm {
    pub issuer: Script,
    pub server: Script,
}

impl Realm {
    pub fn start(flags: &[&str]) -> Self {
        Self::start_with(flags, &[])
    }

    /// The same, with variables for the authorization server.
    pub fn start_with(flags: &[&str], env: &[(&str, &str)]) -> Self {
        let issuer = Script::node("as.mjs", flags, env);
        let server = Script::node("protected.mjs", &[&issuer.url], &[]);
        Self { issuer, server }
    }

    pub fn url(&self) -> &str {
        &self.server.url
    }

    /// How often a user granted access, and how often a browser was opened for it.
    pub fn assert_logins(&self, machine: &Machine, logins: u64) {
        let counters = self.issuer.counters();
        assert_eq!(counters["logins"], logins, "{counters}");
        assert_eq!(counters["reuses"], 0, "{counters}");
        let opened = machine.opened();
        assert_eq!(opened.len() as u64, logins, "{opened:?}");
    }
}

/// Calls a tool, and checks its text.
pub fn assert_echoes(bridge: &Bridge, message: &str) {
    let answer = bridge.ask(
        &format!("{message:?}"),
        "echo",
        &json!({"message": message}),
    );
    assert_eq!(text(&answer), format!("Echo: {message}"));
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_person_signs_in_once_and_every_call_has_the_token() {
    let realm = Realm::start(&[]);
    let machine = Machine::new();
    let bridge = machine.connect(realm.url(), &[]);
    for message in ["one", "two", "three"] {
        assert_echoes(&bridge, message);
    }
    let who = bridge.ask("\"who\"", "whoami", &json!({}));
    assert_eq!(text(&who), "ada");
    realm.assert_logins(&machine, 1);
    assert_eq!(realm.issuer.count("registrations"), 1);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn clients_of_both_eras_are_signed_in() {
    let realm = Realm::start(&[]);
    let machine = Machine::new();
    let echo = (
        "tools/call",
        r#"{"name":"echo","arguments":{"message":"ahoy"}}"#,
    );
    for era in [Era::Modern, Era::Legacy] {
        let sdk = Sdk {
            language: Language::TypeScript,
            era,
        };
        let environment = machine.environment();
        let environment: Vec<(&str, &str)> = environment
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let told = sdk.run_with(&environment, &[echo], &Machine::words(realm.url(), &[]));
        assert_eq!(told.results[0]["content"][0]["text"], "Echo: ahoy");
    }
    realm.assert_logins(&machine, 1);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn an_expired_token_is_refreshed_and_no_call_fails() {
    let realm = Realm::start(&["--ttl", "3"]);
    let machine = Machine::new();
    let bridge = machine.connect(realm.url(), &[]);
    let mut calls = 0;
    until("third refresh", || {
        calls += 1;
        let answer = bridge.ask(&calls.to_string(), "add_one", &json!({}));
        assert_eq!(text(&answer), calls.to_string());
        (realm.issuer.count("refreshes") >= 3).then_some(())
    });
    realm.assert_logins(&machine, 1);
    assert_eq!(realm.issuer.count("revokedGrants"), 0);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn an_operation_that_needs_more_scope_is_authorized_and_keeps_the_old_one() {
    let realm = Realm::start(&[]);
    let machine = Machine::new();
    let bridge = machine.connect(realm.url(), &[]);
    assert_echoes(&bridge, "before");
    let note = bridge.ask("\"note\"", "write_note", &json!({"message": "more"}));
    assert_eq!(text(&note), "Noted: more");
    assert_echoes(&bridge, "after");
    realm.assert_logins(&machine, 2);
    // The grant is stored, so other processes use it too.
    let other = machine.connect(realm.url(), &[]);
    let note = other.ask("\"note\"", "write_note", &json!({"message": "again"}));
    assert_eq!(text(&note), "Noted: again");
    realm.assert_logins(&machine, 2);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_later_process_uses_the_sign_in_of_an_earlier_one() {
    let realm = Realm::start(&["--ttl", "3"]);
    let machine = Machine::new();
    drop(machine.connect(realm.url(), &[]));
    let before = realm.issuer.count("refreshes");
    // Also when the token has expired between the two.
    until("refresh", || {
        let bridge = machine.connect(realm.url(), &[]);
        assert_echoes(&bridge, "here again");
        (realm.issuer.count("refreshes") > before).then_some(())
    });
    realm.assert_logins(&machine, 1);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn processes_that_start_together_share_one_sign_in() {
    let realm = Realm::start(&[]);
    let machine = Machine::new();
    std::thread::scope(|scope| {
        for number in 0..4 {
            let (machine, realm) = (&machine, &realm);
            scope.spawn(move || {
                let bridge = machine.connect(realm.url(), &[]);
                assert_echoes(&bridge, &format!("process {number}"));
            });
        }
    });
    realm.assert_logins(&machine, 1);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn login_signs_in_before_a_client_is_there_and_logout_forgets_it() {
    let realm = Realm::start(&[]);
    let machine = Machine::new();
    machine.run(&["login", realm.url()]);
    realm.assert_logins(&machine, 1);
    assert_echoes(&machine.connect(realm.url(), &[]), "signed in");
    realm.assert_logins(&machine, 1);
    machine.run(&["logout", realm.url()]);
    assert_echoes(&machine.connect(realm.url(), &[]), "signed in again");
    realm.assert_logins(&machine, 2);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_client_that_shows_pages_is_asked_in_mid_session() {
    let issuer = Script::node("as.mjs", &[], &[]);
    let server = Script::node("protected.mjs", &["--open-handshake", &issuer.url], &[]);
    let machine = Machine::new();
    let bridge = machine.start(&server.url, &["--no-browser"]);
    let client = json!({"name": "test", "version": "1"});
    let pages = json!({"elicitation": {"url": {}}});
    let hello =
        json!({"protocolVersion": "2025-11-25", "capabilities": pages, "clientInfo": client});
    bridge.request("\"hello\"", "initialize", &hello);
    let answer = bridge.answer("\"hello\"");
    assert!(
        answer.text.contains("linkspan-protected-peer"),
        "{}",
        answer.text
    );
    bridge.notify("notifications/initialized", &json!({}));
    bridge.request("\"list\"", "tools/list", &json!({}));
    let question = bridge.heard("elicitation/create");
    let id = question.id.clone().expect("it is a request");
    let params = question.json()["params"].clone();
    assert_eq!(params["mode"], "url", "{params}");
    bridge.send(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"action":"accept"}}}}"#
    ));
    let mut browser = Command::new(installed::node());
    browser
        .arg(installed::npm_script("login.mjs"))
        .arg(params["url"].as_str().expect("it has a page"));
    once::run("login", &mut browser);
    // The request that waited goes on, once, and the client need not repeat it.
    let list = bridge.answer("\"list\"");
    assert!(list.text.contains("write_note"), "{}", list.text);
    let end = bridge.heard("notifications/elicitation/complete");
    assert_eq!(
        end.json()["params"]["elicitationId"],
        params["elicitationId"]
    );
    assert_echoes(&bridge, "signed in");
    assert_eq!(issuer.count("logins"), 1);
    assert_eq!(machine.opened().len(), 0);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_person_who_refuses_gives_the_client_an_error() {
    let realm = Realm::start(&[]);
    let machine = Machine::new().env("LOGIN_REFUSES", "1");
    let bridge = machine.start(realm.url(), &[]);
    let client = json!({"name": "test", "version": "1"});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    bridge.request("1", "initialize", &hello);
    let answer = bridge.answer("1");
    assert!(answer.text.contains("access_denied"), "{}", answer.text);
    assert_eq!(realm.issuer.count("logins"), 0);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn no_token_is_in_a_file_or_a_log_in_the_clear() {
    let realm = Realm::start(&[]);
    let machine = Machine::new();
    let bridge = machine.connect(realm.url(), &["-vv"]);
    assert_echoes(&bridge, "quiet");
    // The prefix of every JWT.
    let jwt = b"eyJ";
    let has_jwt = |bytes: &[u8]| bytes.windows(jwt.len()).any(|window| window == jwt);
    assert!(!has_jwt(bridge.stderr().as_bytes()), "{}", bridge.stderr());
    let mut files = 0;
    each_file(&machine.state(), &mut |path| {
        files += 1;
        let bytes = fs::read(path).expect("a file of the state can be read");
        assert!(!has_jwt(&bytes), "{}", path.display());
    });
    assert!(files > 0, "nothing is stored");
}

fn each_file(folder: &Path, see: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(folder).expect("the state is a folder") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            each_file(&path, see);
        } else {
            see(&path);
        }
    }
}
