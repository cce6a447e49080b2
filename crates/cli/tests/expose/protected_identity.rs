//! What the server behind a protected resource gets to know about its callers, and what it does not.

use linkspan_auth::jose::{JwkSet, Jwt, SigningKey};
use linkspan_auth::resource::digest;
use linkspan_testkit::{Ask, Client, Expose, Message, Server, Session};
use serde_json::{Map, Value, json};

use crate::authority::{Authority, ISSUER, RESOURCE, with_token};
use crate::setup::{LATEST, assert_error, assert_works, assert_works_for, program, value};

const VARIABLES: [&str; 3] = ["LINKSPAN_SUBJECT", "LINKSPAN_ISSUER", "LINKSPAN_SCOPE"];

/// The variables of a child, by a function that calls its tool `env`.
fn variables(env: impl Fn(&Value) -> Message) -> [Value; 3] {
    VARIABLES.map(|name| value(&env(&json!({"name": name})))["value"].clone())
}

fn of_session(session: &Session) -> [Value; 3] {
    variables(|arguments| session.tool("1", "env", arguments))
}

fn of_client(client: &Client) -> [Value; 3] {
    let modern = client.modern();
    variables(|arguments| modern.tool("1", "env", arguments))
}

#[test]
fn a_child_of_one_caller_knows_who_that_is() {
    let authority = Authority::new();
    let exposed = authority.expose(&[]);
    for (subject, scope) in [("ada", "read"), ("bob", "read write")] {
        let token = authority.token(&json!({"sub": subject, "scope": scope}));
        let client = with_token(&exposed, &token);
        let expected = [json!(subject), json!(ISSUER), json!(scope)];
        assert_eq!(of_session(&client.session(LATEST)), expected);
        assert_eq!(of_client(&client), expected);
    }
    let more = authority.token(&json!({"scope": "read write admin"}));
    let told = of_client(&with_token(&exposed, &more));
    assert_eq!(told[2], "read write admin", "not that of an older token");
}

#[test]
fn a_shared_child_is_told_about_no_caller() {
    let authority = Authority::new();
    let flags = authority.flags();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let exposed = Expose::child(program(), &[])
        .flags(&flags)
        .flags(&["--share"])
        .env("LINKSPAN_SUBJECT", "inherited")
        .start();
    let client = with_token(&exposed, &authority.token(&json!({})));
    let nothing = [json!(null), json!(null), json!(null)];
    assert_eq!(of_session(&client.session(LATEST)), nothing);
    assert_eq!(of_client(&client), nothing);
}

#[test]
fn the_token_reaches_neither_the_child_nor_the_log() {
    let authority = Authority::new();
    let exposed = authority.expose(&["--debug"]);
    let token = authority.token(&json!({}));
    let client = with_token(&exposed, &token);
    assert_works(&client.session(LATEST));
    assert_works_for(&client.modern());
    let (_, signature) = token.rsplit_once('.').unwrap();
    let bad = format!("{}AAAA", &token[..token.len() - 4]);
    assert_error(&mut with_token(&exposed, &bad).post("{}"), 401);
    let heard = exposed.children.seen(|seen| seen.text.contains(signature));
    assert!(heard.is_empty(), "{heard:?}");
    let log = exposed.bridge.stderr();
    let (head, _) = token.split_once('.').unwrap();
    assert!(!log.contains(signature) && !log.contains(head), "{log}");
    #[cfg(target_os = "linux")]
    for pid in exposed.children.alive() {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
        let environment = String::from_utf8_lossy(&environment);
        assert!(!environment.contains(signature), "the child has the token");
    }
}

/// Exposes a server at a URL, with more flags.
fn in_front_of(
    server: &Server,
    authority: &Authority,
    flags: &[&str],
) -> linkspan_testkit::Exposed {
    let own = authority.flags();
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    let expose = Expose::url(program(), &server.url());
    expose.flags(&own).flags(flags).start()
}

#[test]
fn an_upstream_server_sees_neither_the_token_nor_the_identity() {
    let authority = Authority::new();
    let server = Server::legacy().start();
    let exposed = in_front_of(&server, &authority, &[]);
    let client = with_token(&exposed, &authority.token(&json!({})));
    assert_works(&client.session(LATEST));
    for request in server.requests() {
        assert_eq!(request.header("authorization"), None);
        assert_eq!(request.header("linkspan-identity"), None);
    }
}

#[test]
fn an_upstream_server_is_told_who_the_caller_is_if_that_is_wanted() {
    let authority = Authority::new();
    let server = Server::legacy().start();
    let exposed = in_front_of(&server, &authority, &["--forward-identity"]);
    let client = with_token(&exposed, &authority.token(&json!({})));
    assert_works(&client.session(LATEST));
    let ask = Ask::new("GET", "/.well-known/jwks.json").header("Host", "localhost");
    let mut call = exposed.client().send(&ask);
    assert_eq!(call.status(), 200);
    let keys = JwkSet::parse(call.body().as_bytes()).unwrap();
    let calls = server.calls("echo");
    let statement = calls[0].header("linkspan-identity").unwrap();
    let jwt = Jwt::parse(statement).unwrap();
    assert!(jwt.is_signed_by(&keys.keys[0]));
    let claims = jwt.claims();
    assert_eq!(claims["sub"], "ada");
    assert_eq!(claims["sub_iss"], ISSUER);
    assert_eq!(claims["iss"], RESOURCE);
    assert_eq!(claims["aud"], server.url());
    assert_eq!(calls[0].header("authorization"), None);
}

#[test]
fn scripts_of_a_folder_know_who_calls_them() {
    use std::os::unix::fs::PermissionsExt;
    let authority = Authority::new();
    let folder = tempfile::tempdir().unwrap();
    let tools = folder.path().join("tools");
    std::fs::create_dir(&tools).unwrap();
    let script = "#!/bin/sh\necho \"$LINKSPAN_SUBJECT $LINKSPAN_ISSUER $LINKSPAN_SCOPE\"\n";
    std::fs::write(tools.join("caller"), script).unwrap();
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(tools.join("caller"), mode).unwrap();
    let own = authority.flags();
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    let exposed = Expose::url(program(), folder.path().to_str().unwrap())
        .by(&["serve", "--http"])
        .flags(&own)
        .start();
    assert_error(&mut exposed.client().post("{}"), 401);
    for subject in ["ada", "bob"] {
        let token = authority.token(&json!({"sub": subject}));
        let client = with_token(&exposed, &token);
        let expected = format!("{subject} {ISSUER} read");
        let legacy = client.session(LATEST).tool("1", "caller", &json!({}));
        let modern = client.modern().tool("1", "caller", &json!({}));
        for answer in [legacy, modern] {
            assert!(answer.text.contains(&expected), "{}", answer.text);
        }
    }
}

#[test]
fn bound_tokens_need_a_proof_for_each_request() {
    let authority = Authority::new();
    let exposed = authority.expose(&["--auth-dpop", "required"]);
    let (key, _) = SigningKey::generate();
    let public = key.public().unwrap();
    let token = authority.token(&json!({"cnf": {"jkt": public.thumbprint()}}));
    let proof = |name: &str| {
        let mut header = Map::new();
        header.insert("typ".to_owned(), "dpop+jwt".into());
        header.insert("jwk".to_owned(), public.to_json());
        let hash = digest(token.as_bytes());
        let claims = json!({
            "htm": "POST", "htu": RESOURCE, "jti": name,
            "iat": linkspan_auth::Timestamp::now().0,
            "ath": data_encoding::BASE64URL_NOPAD.encode(&hash),
        });
        key.sign(header, &claims)
    };
    let hello = linkspan_testkit::mcp_client::initialize(LATEST, &json!({}));
    let send = |proof: &str| {
        let client = exposed
            .client()
            .with("Authorization", &format!("DPoP {token}"))
            .with("DPoP", proof);
        client.post(&hello)
    };
    let first = proof("1");
    assert_eq!(send(&first).status(), 200);
    let mut replayed = send(&first);
    let challenge = replayed.header("www-authenticate").unwrap();
    assert!(
        challenge.starts_with(r#"DPoP error="invalid_dpop_proof""#),
        "{challenge}"
    );
    assert_error(&mut replayed, 401);
    assert_eq!(send(&proof("2")).status(), 200);
    for token in [&token, &authority.token(&json!({}))] {
        assert_error(&mut with_token(&exposed, token).post(&hello), 401);
    }
}
