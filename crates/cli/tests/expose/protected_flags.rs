//! `--keys`, and mistakes in the flags of a protected resource.

use serde_json::{Value, json};

use crate::authority::{Authority, ISSUER, with_token};
use crate::setup::{LATEST, assert_error, assert_works, exposing, value};
use linkspan_auth::resource::digest;

/// A file with two keys.
fn keys(authority: &Authority) -> String {
    let hash = |key: &str| {
        let hash = digest(key.as_bytes());
        data_encoding::HEXLOWER.encode(&hash)
    };
    let file = json!({
        "ci": {"hash": format!("sha256:{}", hash("key-of-ci")), "scopes": ["read"]},
        "ops": {"hash": hash("key-of-ops"), "scopes": ["read", "admin"]},
    });
    authority.write("keys.json", &file.to_string())
}

#[test]
fn api_keys_are_accepted_and_told_apart() {
    let authority = Authority::new();
    let keys = keys(&authority);
    let flags = ["--keys", &keys, "--tool-scope", "echo=admin"];
    let exposed = exposing(&flags, &[]).start();
    let mut session = with_token(&exposed, "key-of-ci").session(LATEST);
    assert_error(&mut session.call("1", "echo", &json!({})), 403);
    let name = json!({"name": "LINKSPAN_SUBJECT"});
    assert_eq!(value(&session.tool("2", "env", &name))["value"], "ci");
    session.client = with_token(&exposed, "key-of-ops");
    assert_error(&mut session.call("3", "echo", &json!({})), 404);
    assert_works(&session.client.session(LATEST));
    for wrong in ["key-of-nothing", "Key-of-ci", "ci"] {
        let mut call = with_token(&exposed, wrong).post("{}");
        assert_error(&mut call, 401);
        let challenge = call.header("www-authenticate").unwrap();
        assert!(
            challenge.starts_with(r#"Bearer error="invalid_token""#),
            "{challenge}"
        );
        assert!(
            !challenge.contains("resource_metadata"),
            "there is no issuer"
        );
    }
}

#[test]
fn keys_tokens_and_the_fixed_token_work_beside_each_other() {
    let authority = Authority::new();
    let keys = keys(&authority);
    let own = authority.flags();
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    let exposed = exposing(&own, &[])
        .flags(&["--keys", &keys, "--token-env", "QUAY_TOKEN"])
        .env("QUAY_TOKEN", "fixed-token")
        .start();
    for token in ["key-of-ci", "fixed-token", &authority.token(&json!({}))] {
        assert_works(&with_token(&exposed, token).session(LATEST));
    }
    assert_error(&mut with_token(&exposed, "other").post("{}"), 401);
}

#[test]
fn other_machines_are_served_with_keys_or_an_issuer() {
    let authority = Authority::new();
    let keys = keys(&authority);
    let exposed = exposing(&["--host", "0.0.0.0", "--keys", &keys], &[]).start();
    let mut client = with_token(&exposed, "key-of-ci");
    client.address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    assert_works(&client.session(LATEST));
    exposed.end();
    authority.expose(&["--host", "0.0.0.0"]).end();
}

#[test]
fn mistakes_are_told_with_a_hint() {
    let authority = Authority::new();
    let not_keys = authority.write("not-keys.json", "{}");
    let issuer = ["--auth-issuer", ISSUER];
    let cases: [(&[&str], &str, &str); 13] = [
        (
            &["--auth-audience", "x"],
            "an audience is set",
            "--auth-issuer",
        ),
        (
            &["--auth-jwks", "https://as.example/jwks"],
            "a set of keys",
            "--auth-issuer",
        ),
        (
            &["--auth-introspect", "https://as.example/i"],
            "introspection",
            "--auth-issuer",
        ),
        (&["--auth-dpop", "required"], "DPoP is set", "--auth-issuer"),
        (&["--tool-scope", "a=b"], "a scope is set", "--keys FILE"),
        (
            &["--forward-identity"],
            "forwarding of identities",
            "--keys FILE",
        ),
        (
            &["--auth-issuer", "as.example"],
            "`as.example`",
            "https://login",
        ),
        (
            &["--auth-issuer", "http://as.example"],
            "neither https",
            "https://login",
        ),
        (&["--keys", &not_keys], "it has no keys", "sha256"),
        (
            &["--keys", "/no/such/file"],
            "--keys /no/such/file",
            "you can read",
        ),
        (
            &["--auth-jwks", &not_keys],
            "a set of keys",
            "--auth-issuer",
        ),
        (
            &["--public-url", "https://h/mcp"],
            "a public URL is set",
            "--auth-issuer",
        ),
        (&["--auth-scope", "ä"], "a scope is set", "--keys FILE"),
    ];
    for (flags, error, hint) in cases {
        mistake(flags, error, hint);
    }
    let with_issuer = |flags: &[&'static str], error: &str, hint: &str| {
        mistake(&[&issuer[..], flags].concat(), error, hint);
    };
    with_issuer(
        &["--host", "0.0.0.0"],
        "URL that clients use",
        "--public-url",
    );
    with_issuer(
        &["--public-url", "mcp.example"],
        "`mcp.example`",
        "--public-url",
    );
    with_issuer(&["--tool-scope", "x"], "GLOB=SCOPE", "delete_*");
    with_issuer(&["--auth-scope", "ä"], "not a scope", "--auth-scope");
    with_issuer(&["--share", "--forward-identity"], "--share", "leave one");
    let two = [
        "--auth-issuer",
        "https://other.example",
        "--auth-introspect",
        "https://as/i",
    ];
    with_issuer(&two, "belongs to one", "one --auth-issuer");
    mistake(
        &[&issuer[..], &["--auth-jwks", &not_keys]].concat(),
        "JWKS",
        "--auth-jwks",
    );
}

#[track_caller]
fn mistake(flags: &[&str], error: &str, hint: &str) {
    let mut bridge = exposing(flags, &[]).launch().start();
    assert_eq!(
        bridge.exit_code(),
        Some(2),
        "{flags:?}: {}",
        bridge.stderr()
    );
    let told = bridge.stderr();
    assert!(told.contains(error), "{flags:?}: {told}");
    let hinted = told
        .split_once("hint")
        .map(|(_, hint)| hint)
        .unwrap_or_default();
    assert!(hinted.contains(hint), "{flags:?}: {told}");
}

#[test]
fn the_secret_of_introspection_is_not_for_the_server() {
    let authority = Authority::new();
    let own = authority.flags();
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    let exposed = exposing(&own, &[])
        .flags(&["--auth-introspect", "https://as.example/introspect"])
        .flags(&["--auth-introspect-client-id", "linkspan"])
        .flags(&["--auth-introspect-secret-env", "QUAY_SECRET"])
        .env("QUAY_SECRET", "s3cret-of-introspection")
        .start();
    let session = with_token(&exposed, &authority.token(&json!({}))).session(LATEST);
    let seen = session.tool("1", "env", &json!({"name": "QUAY_SECRET"}));
    assert_eq!(value(&seen)["value"], Value::Null);
}
