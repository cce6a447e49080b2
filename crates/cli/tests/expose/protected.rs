//! `--auth-issuer`: only requests with an access token for this resource are served.

use linkspan_auth::challenges;
use linkspan_testkit::mcp_client::{everything, initialize, request};
use linkspan_testkit::{Ask, Call, Exposed};
use serde_json::{Value, json};

use crate::authority::{Authority, ISSUER, RESOURCE, with_token};
use crate::setup::{LATEST, assert_error, assert_works, assert_works_for};

/// A parameter of the challenge.
fn told(call: &mut Call, name: &str) -> Option<String> {
    let value = call.header("www-authenticate").unwrap_or_default();
    challenges(&value).first()?.param(name).map(str::to_owned)
}

#[test]
fn without_a_token_clients_learn_where_to_sign_in() {
    let exposed = Authority::new().expose(&["--sse", "--auth-scope", "read"]);
    let client = exposed.client();
    let asks = [
        client.posting(&initialize(LATEST, &everything())),
        client.posting("nonsense"),
        client.ask("GET").header("Mcp-Session-Id", "unknown"),
        client.ask("DELETE").header("Mcp-Session-Id", "unknown"),
        Ask::new("GET", "/sse").header("Host", "localhost"),
        Ask::new("POST", "/messages?sessionId=1")
            .header("Host", "localhost")
            .body("{}"),
        client.ask("POST").header("Authorization", "Basic YTpi"),
    ];
    for ask in asks {
        let mut call = client.send(&ask);
        assert_error(&mut call, 401);
        assert_eq!(
            call.header("www-authenticate").as_deref(),
            Some(
                r#"Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp", scope="read""#
            ),
            "{ask:?}"
        );
    }
    assert_eq!(exposed.children.started(), 0);
    let mut health = client.send(&Ask::new("GET", "/healthz").header("Host", "localhost"));
    assert_eq!(health.status(), 200);
}

#[test]
fn the_metadata_is_public_at_both_places() {
    let exposed = Authority::new().expose(&["--auth-scope", "read offline_access"]);
    let client = exposed.client();
    for path in ["/mcp", ""] {
        let path = format!("/.well-known/oauth-protected-resource{path}");
        let ask = Ask::new("GET", &path)
            .header("Host", "localhost")
            .header("Origin", "http://localhost:6274");
        let mut call = client.send(&ask);
        assert_eq!(call.status(), 200, "{path}");
        let origin = call.header("access-control-allow-origin");
        assert_eq!(origin.as_deref(), Some("http://localhost:6274"));
        let document: Value = serde_json::from_str(&call.body()).unwrap();
        assert_eq!(document["resource"], RESOURCE);
        assert_eq!(document["authorization_servers"], json!([ISSUER]));
        assert_eq!(document["scopes_supported"], json!(["read"]));
        assert_eq!(document["bearer_methods_supported"], json!(["header"]));
        assert_eq!(document["resource_name"], "mcp.example");
    }
    let foreign =
        Ask::new("GET", "/.well-known/oauth-protected-resource").header("Host", "evil.example");
    assert_eq!(client.send(&foreign).status(), 403);
    let public =
        Ask::new("GET", "/.well-known/oauth-protected-resource/mcp").header("Host", "mcp.example");
    assert_eq!(
        client.send(&public).status(),
        200,
        "the name of --public-url"
    );
}

#[test]
fn a_good_token_is_served_in_both_eras() {
    let authority = Authority::new();
    for child in [&[][..], &["--modern"]] {
        let exposed = authority.expose_child(&[], child);
        let client = with_token(&exposed, &authority.token(&json!({})));
        assert_works(&client.session(LATEST));
        assert_works_for(&client.modern());
    }
}

#[test]
fn every_other_token_is_refused_with_the_reason() {
    let authority = Authority::new();
    let exposed = authority.expose(&[]);
    let long_ago = 1_000_000;
    let far_ahead = 100_000_000_000u64;
    let good = authority.token(&json!({}));
    let (head, signature) = good.rsplit_once('.').unwrap();
    let (_, claims) = head.split_once('.').unwrap();
    let unsigned = format!("eyJhbGciOiJub25lIn0.{claims}.");
    let symmetric = format!("eyJhbGciOiJIUzI1NiIsImtpZCI6IjEifQ.{claims}.{signature}");
    let cases = [
        (
            authority.token(&json!({"aud": "https://mcp.example/mcp/"})),
            "the audience is",
        ),
        (
            authority.token(&json!({"aud": null})),
            "the audience is missing",
        ),
        (authority.token(&json!({"exp": long_ago})), "expired"),
        (authority.token(&json!({"nbf": far_ahead})), "valid only in"),
        (
            authority.token(&json!({"iss": "https://as.example/"})),
            "the issuer is",
        ),
        (authority.token(&json!({"sub": null})), "no 'sub'"),
        (
            authority.token_of_type("JWT", &json!({"nonce": "n"})),
            "ID token",
        ),
        (Authority::new().token(&json!({})), "signature"),
        (unsigned, "algorithm 'none'"),
        (symmetric, "algorithm 'HS256'"),
        ("opaque".to_owned(), "not a signed JWT"),
    ];
    let body = initialize(LATEST, &everything());
    for (token, why) in cases {
        let client = with_token(&exposed, &token);
        let mut call = client.post(&body);
        assert_error(&mut call, 401);
        let error = told(&mut call, "error");
        assert_eq!(error.as_deref(), Some("invalid_token"), "{why}");
        let description = told(&mut call, "error_description").unwrap();
        assert!(description.contains(why), "{why}: {description}");
        assert!(!call.body().contains(&token), "the token is not repeated");
    }
    assert_eq!(exposed.children.started(), 0);
    assert_works(&with_token(&exposed, &good).session(LATEST));
}

#[test]
fn a_refreshed_token_keeps_the_session_and_another_subject_does_not_get_it() {
    let authority = Authority::new();
    let exposed = authority.expose(&[]);
    let client = |changes: Value| with_token(&exposed, &authority.token(&changes));
    let mut session = client(json!({"jti": "1"})).session(LATEST);
    for (changes, status) in [
        (json!({"jti": "2"}), 200),
        (json!({"jti": "3", "scope": "read more"}), 200),
        (json!({"sub": "bob"}), 404),
        (json!({"client_id": "other"}), 404),
        (json!({"jti": "4"}), 200),
    ] {
        session.client = client(changes.clone());
        let mut call = session.call("1", "echo", &json!({}));
        assert_eq!(call.status(), status, "{changes}");
    }
    session.client = client(json!({"sub": "bob"}));
    assert_error(&mut session.listen(), 404);
    assert_eq!(session.end(), 404);
    session.client = client(json!({"jti": "5"}));
    assert_works(&session);
    assert_eq!(session.end(), 204);
    assert_eq!(exposed.children.started(), 1);
}

#[test]
fn requests_of_one_subject_share_a_warm_server_and_others_do_not() {
    let authority = Authority::new();
    let exposed = authority.expose_child(&[], &["--modern"]);
    let pid = |changes: Value| {
        let client = with_token(&exposed, &authority.token(&changes)).modern();
        crate::setup::modern_pid(&client)
    };
    let first = pid(json!({"jti": "1"}));
    assert_eq!(pid(json!({"jti": "2"})), first);
    assert_ne!(pid(json!({"sub": "bob"})), first);
}

/// Calls a tool in a session; the error is the scope that a refusal asks for.
fn scope_for(exposed: &Exposed, token: &str, tool: &str) -> Result<(), String> {
    let session = with_token(exposed, token).session(LATEST);
    let mut call = session.call("1", tool, &json!({}));
    if call.status() == 200 {
        return Ok(());
    }
    assert_error(&mut call, 403);
    let error = told(&mut call, "error");
    assert_eq!(error.as_deref(), Some("insufficient_scope"));
    Err(told(&mut call, "scope").expect("the scopes that are needed"))
}

#[test]
fn a_tool_may_need_more_scopes() {
    let authority = Authority::new();
    let rules = ["--tool-scope", "ec*=echo", "--tool-scope", "*o=loud louder"];
    let exposed = authority.expose(&[&["--auth-scope", "read"][..], &rules].concat());
    let plain = authority.token(&json!({}));
    assert_eq!(scope_for(&exposed, &plain, "whoami"), Ok(()));
    let all = Err("read echo loud louder".to_owned());
    assert_eq!(scope_for(&exposed, &plain, "echo"), all);
    let some = authority.token(&json!({"scope": "read echo"}));
    assert_eq!(scope_for(&exposed, &some, "echo"), all);
    let enough = authority.token(&json!({"scope": "louder echo loud read"}));
    assert_eq!(scope_for(&exposed, &enough, "echo"), Ok(()));

    let modern = with_token(&exposed, &plain).modern();
    assert_error(&mut modern.call("1", "echo", &json!({})), 403);
    let listed = modern.request("2", "tools/list", &json!({})).answer();
    assert!(listed.text.contains(r#""echo""#), "all tools are listed");

    let without = authority.token(&json!({"scope": "other"}));
    let mut call = with_token(&exposed, &without).initialize(LATEST, &everything());
    assert_error(&mut call, 403);
    assert_eq!(told(&mut call, "scope").as_deref(), Some("read"));
}

#[test]
fn a_call_that_can_be_read_in_two_ways_does_not_reach_the_tool() {
    let authority = Authority::new();
    let exposed = authority.expose(&["--tool-scope", "echo=admin"]);
    let session = with_token(&exposed, &authority.token(&json!({}))).session(LATEST);
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","Name":"echo"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","name":"echo"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":"echo"}}"#,
    ] {
        assert_error(&mut session.post(body), 400);
    }
    let whole = request("1", "tools/call", &json!({"name": "echo", "arguments": {}}));
    assert_error(&mut session.post(&whole), 403);
    assert!(
        exposed
            .children
            .seen(|seen| seen.tool().as_deref() == Some("echo"))
            .is_empty()
    );
}

#[test]
fn http_with_sse_is_protected_the_same_way() {
    let authority = Authority::new();
    let exposed = authority.expose(&["--sse", "--tool-scope", "echo=admin"]);
    let mut client = with_token(&exposed, &authority.token(&json!({"jti": "1"})));
    client.path = "/sse".into();
    let mut stream = client.send(&client.ask("GET"));
    assert_eq!(stream.status(), 200);
    let endpoint = stream.event().and_then(|event| event.data).unwrap();
    let post = |changes: Value, body: &str| {
        let mut client = with_token(&exposed, &authority.token(&changes));
        client.path.clone_from(&endpoint);
        client.post(body).status()
    };
    let hello = initialize("2024-11-05", &everything());
    assert_eq!(post(json!({"sub": "bob"}), &hello), 404);
    assert_eq!(post(json!({"jti": "2"}), &hello), 202);
    assert!(stream.answer().text.contains("2024-11-05"));
    let call = request(
        "1",
        "tools/call",
        &json!({"name": "echo", "arguments": {"a": 1}}),
    );
    assert_eq!(post(json!({"jti": "3"}), &call), 403);
    assert_eq!(post(json!({"scope": "read admin"}), &call), 202);
    assert!(stream.answer().text.contains(r#""a":1"#));
}
