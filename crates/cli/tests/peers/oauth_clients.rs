//! The ways to register a client with a real authorization server, and the ways to a grant.

use std::fs;
use std::process::Command;

use linkspan_testkit::Bridge;
use serde_json::json;
use tempfile::TempDir;

use crate::machine::{Machine, until};
use crate::oauth::{Realm, assert_echoes};
use crate::script::Script;
use crate::server::free_address;
use crate::{installed, once};

const SECRET: &str = "STATIC_CLIENT_SECRET";

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_client_that_was_registered_by_hand_is_used() {
    let realm = Realm::start(&["--no-registration"]);
    let machine = Machine::new().env(SECRET, "static-secret");
    let flags = [
        "--client-id",
        "static-client",
        "--client-secret-env",
        SECRET,
    ];
    assert_echoes(&machine.connect(realm.url(), &flags), "static");
    realm.assert_logins(&machine, 1);
    assert_eq!(realm.issuer.count("registrations"), 0);
    let opened = machine.opened();
    assert!(opened[0].contains("client_id=static-client"), "{opened:?}");
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_client_that_describes_itself_in_a_document_is_not_registered() {
    let folder = TempDir::new().expect("a temporary folder can be made");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (certificate, key) = (path("certificate.pem"), path("key.pem"));
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]);
    let made = made.expect("a certificate can be made");
    fs::write(&certificate, made.cert.pem()).expect("it can be written");
    fs::write(&key, made.signing_key.serialize_pem()).expect("it can be written");

    let port = free_address().port().to_string();
    let document = Script::node("document.mjs", &[&certificate, &key, &port], &[]);
    let realm = Realm::start_with(
        &["--no-registration"],
        &[("NODE_EXTRA_CA_CERTS", &certificate)],
    );
    let machine = Machine::new();
    let flags = [
        "--client-metadata-url",
        &document.url,
        "--callback-port",
        &port,
    ];
    assert_echoes(&machine.connect(realm.url(), &flags), "documented");
    realm.assert_logins(&machine, 1);
    let opened = machine.opened();
    assert!(
        opened[0].contains("client_id=https%3A%2F%2Flocalhost%3A"),
        "{opened:?}"
    );
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_person_on_another_device_enters_the_code() {
    let realm = Realm::start(&[]);
    let machine = Machine::new();
    let bridge = machine.start(realm.url(), &["--grant", "device", "--no-browser"]);
    say_hello(&bridge);
    let place = format!("{}/device", realm.issuer.url);
    let code = until("code for another device", || code_in(&bridge.stderr()));
    assert!(bridge.stderr().contains(&place), "{}", bridge.stderr());
    assert_eq!(machine.opened().len(), 0);
    let mut browser = Command::new(installed::node());
    browser
        .arg(installed::npm_script("login.mjs"))
        .arg(format!("{place}?user_code={code}"));
    once::run("login", &mut browser);
    let hello = bridge.answer("\"hello\"");
    assert!(hello.result.is_some(), "{}", hello.text);
    bridge.notify("notifications/initialized", &json!({}));
    assert_echoes(&bridge, "from afar");
    assert_eq!(realm.issuer.count("logins"), 1);
}

/// `WDJB-MJHT`, as this server makes them.
fn code_in(text: &str) -> Option<String> {
    let is_code = |word: &&str| {
        let halves = word.split_once('-');
        halves.is_some_and(|(one, two)| {
            one.len() == 4
                && two.len() == 4
                && word.chars().all(|c| c.is_ascii_uppercase() || c == '-')
        })
    };
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .find(is_code)
        .map(str::to_owned)
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_token_is_bound_to_a_key_and_every_request_proves_it() {
    for flag in ["--dpop", "--dpop-nonce"] {
        let realm = Realm::start(&[flag, "--ttl", "3"]);
        let machine = Machine::new();
        let bridge = machine.connect(realm.url(), &["--dpop", "on"]);
        for message in ["one", "two"] {
            assert_echoes(&bridge, message);
        }
        // Refreshed by another process, which needs the same key.
        drop(bridge);
        until("refresh", || {
            let bridge = machine.connect(realm.url(), &["--dpop", "on"]);
            assert_echoes(&bridge, "later");
            (realm.issuer.count("refreshes") > 0).then_some(())
        });
        realm.assert_logins(&machine, 1);
        let counters = realm.server.counters();
        assert_eq!(counters["proven"], counters["calls"], "{counters}");
    }
}

/// Sends the first request and does not wait for its answer.
fn say_hello(bridge: &Bridge) {
    let client = json!({"name": "test", "version": "1"});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    bridge.request("\"hello\"", "initialize", &hello);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_user_of_mcp_remote_stays_signed_in() {
    stays_signed_in(|_| Vec::new());
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_user_of_mcp_remote_with_a_resource_stays_signed_in() {
    // What the server publishes, so that the authorization server accepts it.
    stays_signed_in(|realm| vec!["--resource".to_owned(), realm.url().to_owned()]);
}

/// Signs in through mcp-remote with these flags, and goes on through linkspan.
fn stays_signed_in(flags: impl Fn(&Realm) -> Vec<String>) {
    let realm = Realm::start(&["--ttl", "3"]);
    let flags = flags(&realm);
    let machine = Machine::new();
    let proxy = installed::npm_script("node_modules/mcp-remote/dist/proxy.js");
    let words = [&installed::node(), &proxy].map(|path| path.to_string_lossy().into_owned());
    let [node, proxy] = words;
    let mut command = vec![node, proxy, realm.url().to_owned()];
    command.extend(flags.iter().cloned());
    let old = machine.launch(&command);
    old.initialize("2025-11-25");
    assert_echoes(&old, "through mcp-remote");
    drop(old);
    realm.assert_logins(&machine, 1);
    let mut import = vec!["auth", "import", "mcp-remote", realm.url()];
    import.extend(flags.iter().map(String::as_str));
    let told = machine.run(&import);
    assert!(told.contains("took over the sign-in"), "{told}");
    let bridge = machine.connect(realm.url(), &[]);
    assert_echoes(&bridge, "through linkspan");
    // Its client and its refresh token are good for more than the token that was there.
    let refreshes = realm.issuer.count("refreshes");
    until("a refresh", || {
        assert_echoes(&bridge, "again");
        (realm.issuer.count("refreshes") > refreshes).then_some(())
    });
    realm.assert_logins(&machine, 1);
}
