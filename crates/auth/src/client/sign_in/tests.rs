//! Whole sign-ins against a world of documents and endpoints.

mod hostile;
mod named;
mod world;

use serde_json::json;

use self::world::{ISSUER, SERVER, World, demand, given};
use super::*;
use crate::client::options::Grant;
use crate::client::scope;
use crate::store::ClientAuth;

#[test]
fn a_server_with_metadata_and_registration_leads_to_tokens() {
    let mut world = World::modern();
    let granted = world.sign_in(ClientOptions::default(), demand("")).unwrap();
    assert_eq!(granted.issuer, ISSUER);
    assert_eq!(granted.resource.as_deref(), Some(SERVER));
    assert_eq!(granted.tokens.access.expose(), "access");
    assert_eq!(
        world.asked(),
        [
            "/.well-known/oauth-protected-resource/mcp",
            "/.well-known/oauth-authorization-server",
            "/register",
            "/token",
        ]
    );
    let form = world.form("/token");
    assert_eq!(form["grant_type"], "authorization_code");
    assert_eq!(form["resource"], SERVER);
    assert_eq!(form["client_id"], "registered");
    assert!(form.contains_key("code_verifier"));
}

#[test]
fn the_place_that_the_server_names_is_asked_first() {
    let mut world = World::modern();
    world.move_document("/.well-known/oauth-protected-resource/mcp", "/custom");
    let challenge = r#"resource_metadata="https://server.example/custom""#;
    world
        .sign_in(ClientOptions::default(), demand(challenge))
        .unwrap();
    assert_eq!(world.asked()[0], "/custom");
    assert_eq!(world.asked()[1], "/.well-known/oauth-authorization-server");
}

#[test]
fn a_server_without_any_metadata_has_the_endpoints_of_2025_03_26() {
    let mut world = World::bare();
    let granted = world.sign_in(ClientOptions::default(), demand("")).unwrap();
    assert_eq!(granted.issuer, "https://server.example");
    assert_eq!(granted.resource, None);
    assert!(!world.form("/token").contains_key("resource"));
    assert_eq!(world.page().path(), "/authorize");
}

#[test]
fn a_server_that_has_no_endpoints_either_wants_something_other_than_oauth() {
    let mut world = World::bare();
    world.answer("/register", 404, "");
    let refused = world.sign_in(ClientOptions::default(), demand(""));
    assert_eq!(
        refused.unwrap_err(),
        SignInError::NotOffered(SERVER.to_owned())
    );
}

#[test]
fn metadata_for_another_resource_ends_the_sign_in_before_the_browser() {
    let mut world = World::modern();
    world.resource(|it| it["resource"] = "https://evil.example/mcp".into());
    let refused = world.sign_in(ClientOptions::default(), demand(""));
    assert!(matches!(refused, Err(SignInError::ResourceMismatch { .. })));
    assert_eq!(world.asked().len(), 1);
}

#[test]
fn no_endpoint_of_another_issuer_is_used() {
    let mut world = World::modern();
    world.server(|it| it["issuer"] = "https://evil.example".into());
    let refused = world.sign_in(ClientOptions::default(), demand(""));
    assert!(matches!(refused, Err(SignInError::IssuerMismatch { .. })));
    assert_eq!(world.asked().len(), 2);
}

#[test]
fn no_client_is_registered_for_a_sign_in_that_cannot_work() {
    type Change = fn(&mut Value);
    let changes: [(&str, Change); 6] = [
        ("no PKCE", |it| {
            it["code_challenge_methods_supported"] = json!(null)
        }),
        ("only plain PKCE", |it| {
            it["code_challenge_methods_supported"] = json!(["plain"])
        }),
        ("no page", |it| it["authorization_endpoint"] = json!(null)),
        ("an unsafe page", |it| {
            it["authorization_endpoint"] = json!("http://as.example/a")
        }),
        ("no tokens", |it| it["token_endpoint"] = json!(null)),
        ("no codes", |it| {
            it["grant_types_supported"] = json!(["client_credentials"])
        }),
    ];
    for (name, change) in changes {
        let mut world = World::modern();
        world.server(change);
        assert!(
            world.sign_in(ClientOptions::default(), demand("")).is_err(),
            "{name}"
        );
        assert_eq!(world.count("/register"), 0, "{name}");
    }
    // A device code needs neither a page nor PKCE, but an endpoint of its own.
    let device = || ClientOptions {
        grant: Grant::Device,
        ..ClientOptions::default()
    };
    let mut world = World::modern();
    assert!(world.sign_in(device(), demand("")).is_err());
    assert_eq!(world.count("/register"), 0);
    world.with_device(&[]);
    world.server(|it| it["code_challenge_methods_supported"] = json!(null));
    world.sign_in(device(), demand("")).unwrap();
}

#[test]
fn a_client_of_an_earlier_sign_in_is_used_where_its_port_does_not_matter() {
    let mut world = World::modern();
    world.with_device(&[]);
    let device = || ClientOptions {
        grant: Grant::Device,
        ..ClientOptions::default()
    };
    let first = world.sign_in(device(), demand("")).unwrap();
    world.kept = Some(first.client.clone());
    world.port = 9999;
    world.sign_in(device(), demand("")).unwrap();
    world.has_browser = false;
    world.sign_in(ClientOptions::default(), demand("")).unwrap();
    assert_eq!(world.count("/register"), 1);
    // If it comes to a page after all, the port matters.
    world.answer("/device", 400, r#"{"error":"unauthorized_client"}"#);
    world.sign_in(ClientOptions::default(), demand("")).unwrap();
    assert_eq!(world.count("/register"), 2);
    let uri = world.page_param("redirect_uri").unwrap();
    assert!(uri.contains(":9999/"), "{uri}");
}

#[test]
fn the_resource_is_compared_also_if_another_member_is_flawed() {
    for (name, flaw) in [
        ("scopes_supported", json!("a b")),
        ("dpop_bound_access_tokens_required", json!("yes")),
        ("authorization_servers", json!(7)),
    ] {
        let mut world = World::modern();
        world.resource(|it| {
            it["resource"] = "https://evil.example/mcp".into();
            it[name] = flaw.clone();
        });
        let refused = world.sign_in(ClientOptions::default(), demand(""));
        assert!(
            matches!(refused, Err(SignInError::ResourceMismatch { .. })),
            "{name}: {refused:?}"
        );
        assert_eq!(world.asked().len(), 1, "{name}");
    }
}

#[test]
fn a_flawed_member_that_is_needed_ends_the_sign_in_and_is_named() {
    for (name, flaw) in [
        ("resource", json!(["https://server.example/mcp"])),
        ("resource", json!(1)),
        ("authorization_servers", json!({"0": ISSUER})),
        ("authorization_servers", json!([1, null])),
    ] {
        let mut world = World::modern();
        world.resource(|it| it[name] = flaw.clone());
        let refused = world.sign_in(ClientOptions::default(), demand(""));
        let told = refused.unwrap_err().to_string();
        assert!(told.contains(&format!("`{name}`")), "{told}");
        assert_eq!(world.asked().len(), 1, "{name}");
    }
    for (name, flaw) in [
        ("issuer", json!(1)),
        ("authorization_endpoint", json!(["x"])),
        ("token_endpoint", json!({})),
    ] {
        let mut world = World::modern();
        world.server(|it| it[name] = flaw.clone());
        let refused = world.sign_in(ClientOptions::default(), demand(""));
        let told = refused.unwrap_err().to_string();
        assert!(told.contains(&format!("`{name}`")), "{told}");
        assert_eq!(world.count("/register"), 0, "{name}");
        assert!(world.pages.is_empty(), "{name}");
    }
}

#[test]
fn a_flawed_member_that_is_not_needed_is_ignored() {
    let mut world = World::modern();
    world.resource(|it| {
        it["scopes_supported"] = json!({"a": 1});
        it["dpop_bound_access_tokens_required"] = json!([]);
        it["authorization_servers"] = json!([ISSUER, 5]);
    });
    world.server(|it| {
        it["scopes_supported"] = json!("a");
        it["device_authorization_endpoint"] = json!(1);
        it["revocation_endpoint"] = json!(false);
        it["token_endpoint_auth_methods_supported"] = json!("none");
        it["client_id_metadata_document_supported"] = json!("maybe");
        it["authorization_response_iss_parameter_supported"] = json!(0);
        it["code_challenge_methods_supported"] = json!([null, "S256"]);
    });
    let granted = world.sign_in(ClientOptions::default(), demand("")).unwrap();
    assert_eq!(granted.resource.as_deref(), Some(SERVER));
    assert_eq!(world.page_param("scope"), None);
    // Without a browser there is no device code either.
    world.has_browser = false;
    world.sign_in(ClientOptions::default(), demand("")).unwrap();
    assert_eq!(world.pages.len(), 2);
}

#[test]
fn a_client_without_a_page_needs_no_page_of_the_server() {
    let mut world = World::modern();
    world.server(|it| it["authorization_endpoint"] = json!(1));
    let options = ClientOptions {
        grant: Grant::ClientCredentials,
        ..given("mine", Some("secret"))
    };
    assert!(world.sign_in(options, demand("")).is_ok());
}

#[test]
fn a_server_that_registers_fewer_scopes_is_not_asked_again() {
    let mut world = World::modern();
    world.answer(
        "/register",
        201,
        r#"{"client_id": "registered", "scope": "a"}"#,
    );
    let challenge = r#"scope="a b""#;
    let first = world
        .sign_in(ClientOptions::default(), demand(challenge))
        .unwrap();
    world.kept = Some(first.client.clone());
    world
        .sign_in(ClientOptions::default(), demand(challenge))
        .unwrap();
    assert_eq!(world.count("/register"), 1);
}

#[test]
fn a_registration_that_is_refused_for_now_can_be_tried_again() {
    for (status, body) in [
        (429, ""),
        (500, "<html>"),
        (503, r#"{"error": "server_error"}"#),
    ] {
        let mut world = World::modern();
        world.answer("/register", status, body);
        let failed = world
            .sign_in(ClientOptions::default(), demand(""))
            .unwrap_err();
        assert!(failed.is_transient(), "{status}: {failed}");
    }
    // If it says when, and that is soon, the sign-in waits for it, once.
    let mut world = World::modern();
    world.answer("/register", 429, "");
    world.retry_after = Some(7);
    let failed = world
        .sign_in(ClientOptions::default(), demand(""))
        .unwrap_err();
    assert!(
        failed
            .to_string()
            .ends_with("wants to be asked again in 7 s"),
        "{failed}"
    );
    assert_eq!(world.count("/register"), 2);
    assert_eq!(world.waits, [Duration::from_secs(7)]);
    world.retry_after = Some(3600);
    assert!(world.sign_in(ClientOptions::default(), demand("")).is_err());
    assert_eq!(world.count("/register"), 3);
    let mut world = World::bare();
    world.answer("/register", 429, "");
    let failed = world
        .sign_in(ClientOptions::default(), demand(""))
        .unwrap_err();
    assert!(failed.is_transient(), "{failed}");
}

#[test]
fn an_issuer_that_cannot_be_repeated_is_not_asked() {
    for issuer in [
        "https://as.example/\u{1b}[31mred",
        "https://as.example/a\nb",
        " https://as.example",
        &format!("https://as.example/{}", "x".repeat(3000)),
    ] {
        let mut world = World::modern();
        world.resource(|it| it["authorization_servers"] = json!([issuer]));
        let refused = world.sign_in(ClientOptions::default(), demand(""));
        let refused = refused.unwrap_err();
        assert!(matches!(refused, SignInError::Endpoint { .. }), "{refused}");
        let told = refused.to_string();
        assert!(
            !told.contains(char::is_control) && told.len() < 500,
            "{told}"
        );
        assert_eq!(world.asked().len(), 1);
    }
}

#[test]
fn an_exchange_for_another_kind_of_token_is_refused() {
    for kind in [json!("urn:other"), json!(["x"]), json!(1), json!("")] {
        let mut world = World::modern();
        let options = ClientOptions {
            idp: Some(crate::client::Idp {
                issuer: None,
                token_endpoint: Url::parse("https://idp.example/exchange").unwrap(),
                client_id: "at-idp".to_owned(),
                client_secret: None,
                id_token: Secret::new("id"),
            }),
            ..given("mine", Some("secret"))
        };
        let answer = json!({"access_token": "jag", "issued_token_type": kind});
        world.answer("/exchange", 200, &answer.to_string());
        let refused = world.sign_in(options, demand("")).unwrap_err();
        assert!(matches!(refused, SignInError::BadAnswer { .. }), "{kind}");
        assert_eq!(world.count("/token"), 0);
    }
}

#[test]
fn a_page_in_place_of_a_document_is_not_a_document() {
    let mut world = World::modern();
    world.answer(
        "/.well-known/oauth-protected-resource/mcp",
        200,
        "<html>app</html>",
    );
    let root = "/.well-known/oauth-protected-resource";
    let document = json!({"resource": "https://server.example", "authorization_servers": [ISSUER]});
    world.answer(root, 200, &document.to_string());
    let granted = world.sign_in(ClientOptions::default(), demand("")).unwrap();
    assert_eq!(granted.resource.as_deref(), Some("https://server.example"));
}

#[test]
fn the_second_authorization_server_is_used_while_the_first_cannot_be_reached() {
    let first = "https://first.example";
    let mut world = World::modern();
    world.resource(|it| it["authorization_servers"] = json!([first, ISSUER]));
    world.down = vec!["first.example"];
    let granted = world.sign_in(ClientOptions::default(), demand("")).unwrap();
    assert_eq!(granted.issuer, ISSUER);
    world.down.push("as.example");
    let refused = world.sign_in(ClientOptions::default(), demand(""));
    assert!(matches!(refused, Err(SignInError::Unreachable(_))));
    // Metadata that names another issuer is no reason to look elsewhere.
    world.down.clear();
    world.server(|it| it["issuer"] = "https://evil.example".into());
    let refused = world.sign_in(ClientOptions::default(), demand(""));
    assert!(matches!(refused, Err(SignInError::IssuerMismatch { .. })));
}

#[test]
fn scopes_come_from_the_challenge_then_the_resource_and_else_not_at_all() {
    let asked = |challenge: &str, supported: Value| {
        let mut world = World::modern();
        world.resource(|it| it["scopes_supported"] = supported.clone());
        world
            .sign_in(ClientOptions::default(), demand(challenge))
            .unwrap();
        world.page_param("scope")
    };
    assert_eq!(
        asked(r#"scope="a""#, json!(["b", "c"])).as_deref(),
        Some("a")
    );
    assert_eq!(asked("", json!(["b", "c"])).as_deref(), Some("b c"));
    assert_eq!(asked("", json!(null)), None);
}

#[test]
fn a_step_up_asks_for_the_union_even_if_the_user_chose_scopes() {
    let mut world = World::modern();
    let options = ClientOptions {
        scope: Some(vec!["mine".to_owned()]),
        ..ClientOptions::default()
    };
    let first = world
        .sign_in(options.clone(), demand(r#"scope="a""#))
        .unwrap();
    assert_eq!(first.requested, ["mine"]);
    let record = world.record(*first);
    let more = demand(r#"error="insufficient_scope", scope="b""#);
    let second = world.sign_in_again(options, more, &record).unwrap();
    assert_eq!(second.requested, ["mine", "b"]);
    assert_eq!(world.page_param("scope").as_deref(), Some("mine b"));
}

#[test]
fn refresh_tokens_are_asked_for_where_the_server_knows_how() {
    let mut world = World::modern();
    world.server(|it| it["scopes_supported"] = json!(["a", "offline_access"]));
    world
        .sign_in(ClientOptions::default(), demand(r#"scope="a""#))
        .unwrap();
    assert_eq!(
        world.page_param("scope").as_deref(),
        Some("a offline_access")
    );
    assert_eq!(world.page_param("prompt").as_deref(), Some("consent"));
}

#[test]
fn a_kept_registration_is_used_again_and_made_anew_for_another_port() {
    let mut world = World::modern();
    let first = world.sign_in(ClientOptions::default(), demand("")).unwrap();
    world.kept = Some(first.client.clone());
    world.sign_in(ClientOptions::default(), demand("")).unwrap();
    assert_eq!(world.count("/register"), 1);
    assert_eq!(world.offered_ports, [World::PORT]);
    world.port = 9999;
    world.sign_in(ClientOptions::default(), demand("")).unwrap();
    assert_eq!(world.count("/register"), 2);
}

#[test]
fn a_server_that_knows_only_localhost_gets_it() {
    let mut world = World::modern();
    world.refuse_registrations_with("127.0.0.1");
    let granted = world.sign_in(ClientOptions::default(), demand("")).unwrap();
    assert_eq!(
        granted.client.redirect_uris,
        ["http://localhost:4711/callback"]
    );
    let redirect = world.page_param("redirect_uri");
    assert_eq!(redirect.as_deref(), Some("http://localhost:4711/callback"));
}

#[test]
fn a_given_client_is_not_registered_and_not_shown_to_another_issuer() {
    let mut world = World::modern();
    let options = given("mine", Some("secret"));
    let granted = world.sign_in(options.clone(), demand("")).unwrap();
    assert_eq!(world.count("/register"), 0);
    assert_eq!(granted.client.auth, ClientAuth::ClientSecretBasic);
    let record = world.record(*granted);
    world.move_issuer("https://other.example");
    let refused = world.sign_in_again(options, demand(""), &record);
    assert!(matches!(refused, Err(SignInError::IssuerChanged { .. })));
}

#[test]
fn another_authorization_server_gets_a_registration_of_its_own() {
    let mut world = World::modern();
    let first = world.sign_in(ClientOptions::default(), demand("")).unwrap();
    let record = world.record(*first);
    world.move_issuer("https://other.example");
    let second = world
        .sign_in_again(ClientOptions::default(), demand(""), &record)
        .unwrap();
    assert_eq!(second.issuer, "https://other.example");
    assert_eq!(world.count("/register"), 2);
}

#[test]
fn a_client_metadata_document_is_used_where_the_server_takes_it() {
    let mut world = World::modern();
    let options = ClientOptions {
        metadata_url: Some(Url::parse("https://me.example/client.json").unwrap()),
        ..ClientOptions::default()
    };
    let granted = world.sign_in(options.clone(), demand("")).unwrap();
    assert_eq!(granted.client.client_id, "registered");
    world.server(|it| it["client_id_metadata_document_supported"] = true.into());
    let granted = world.sign_in(options, demand("")).unwrap();
    assert_eq!(granted.client.client_id, "https://me.example/client.json");
    assert_eq!(
        world.page_param("client_id").as_deref(),
        Some("https://me.example/client.json")
    );
}

#[test]
fn without_registration_the_user_is_asked_for_a_client() {
    let mut world = World::modern();
    world.server(|it| it["registration_endpoint"] = json!(null));
    let refused = world
        .sign_in(ClientOptions::default(), demand(""))
        .unwrap_err();
    assert_eq!(refused, SignInError::NoRegistration(ISSUER.to_owned()));
    assert!(refused.hint().contains("--client-id"));
}

#[test]
fn a_device_code_is_polled_for_as_the_server_says() {
    let mut world = World::modern();
    world.with_device(&[
        "authorization_pending",
        "slow_down",
        "authorization_pending",
    ]);
    let options = ClientOptions {
        grant: Grant::Device,
        ..ClientOptions::default()
    };
    world.sign_in(options, demand(r#"scope="a""#)).unwrap();
    assert_eq!(world.shown.as_ref().unwrap().user_code, "WDJB-MJHT");
    let waits: Vec<u64> = world.waits.iter().map(Duration::as_secs).collect();
    assert_eq!(waits, [2, 7, 7]);
    assert_eq!(world.form("/device")["scope"], "a");
    assert!(world.pages.is_empty());
}

#[test]
fn a_device_code_that_is_not_entered_expires() {
    let mut world = World::modern();
    world.with_device(&["authorization_pending"; 1000]);
    let options = ClientOptions {
        grant: Grant::Device,
        ..ClientOptions::default()
    };
    let refused = world.sign_in(options, demand("")).unwrap_err();
    assert_eq!(refused, SignInError::Expired(Duration::from_secs(300)));
}

#[test]
fn without_a_browser_a_device_code_is_preferred_where_there_is_one() {
    let mut world = World::modern();
    world.has_browser = false;
    world.sign_in(ClientOptions::default(), demand("")).unwrap();
    assert_eq!(world.pages.len(), 1);
    world.with_device(&[]);
    world.sign_in(ClientOptions::default(), demand("")).unwrap();
    assert_eq!(world.pages.len(), 1);
}

#[test]
fn tokens_are_bound_to_a_key_if_the_resource_asks_for_that() {
    let mut world = World::modern();
    world.token_type = "DPoP";
    let bound = Demand {
        dpop: true,
        ..Demand::default()
    };
    let granted = world
        .sign_in(ClientOptions::default(), bound.clone())
        .unwrap();
    assert!(granted.tokens.dpop);
    let key = granted.dpop_key.clone().unwrap();
    let record = world.record(*granted);
    // The key stays, so that a refresh token that is bound to it goes on working.
    let again = world
        .sign_in_again(ClientOptions::default(), bound, &record)
        .unwrap();
    assert_eq!(again.dpop_key, Some(key));
}

#[test]
fn a_client_without_a_user_sends_its_own_credentials() {
    let mut world = World::modern();
    let options = ClientOptions {
        grant: Grant::ClientCredentials,
        ..given("robot", Some("secret"))
    };
    let granted = world.sign_in(options, demand(r#"scope="a""#)).unwrap();
    assert_eq!(world.form("/token")["grant_type"], "client_credentials");
    assert_eq!(world.form("/token")["scope"], "a");
    assert!(world.pages.is_empty() && granted.client.auth == ClientAuth::ClientSecretBasic);
    let public = ClientOptions {
        grant: Grant::ClientCredentials,
        ..given("robot", None)
    };
    assert!(matches!(
        world.sign_in(public, demand("")),
        Err(SignInError::Options(_))
    ));
}

#[test]
fn a_refused_workload_tries_no_other_grant() {
    let mut world = World::modern();
    world.answer(
        "/token",
        400,
        &json!({"error": "invalid_grant"}).to_string(),
    );
    let options = ClientOptions {
        assertion: Some(Secret::new("jwt")),
        ..given("workload", None)
    };
    let refused = world.sign_in(options, demand("")).unwrap_err();
    assert!(matches!(refused, SignInError::Token { code, .. } if code == "invalid_grant"));
    assert_eq!(world.count("/token"), 1);
    assert!(world.pages.is_empty());
    assert_eq!(world.form("/token")["assertion"], "jwt");
}

#[test]
fn an_id_token_is_exchanged_at_the_identity_provider_first() {
    let mut world = World::modern();
    let options = ClientOptions {
        idp: Some(crate::client::Idp {
            issuer: None,
            token_endpoint: Url::parse("https://idp.example/exchange").unwrap(),
            client_id: "at-idp".to_owned(),
            client_secret: None,
            id_token: Secret::new("id"),
        }),
        ..given("mine", Some("secret"))
    };
    let jag = json!({
        "access_token": "jag",
        "issued_token_type": "urn:ietf:params:oauth:token-type:id-jag",
        "token_type": "N_A",
    });
    world.answer("/exchange", 200, &jag.to_string());
    world.sign_in(options, demand("")).unwrap();
    let exchange = world.form("/exchange");
    assert_eq!(exchange["audience"], ISSUER);
    assert_eq!(exchange["resource"], SERVER);
    assert_eq!(exchange["subject_token"], "id");
    assert_eq!(world.form("/token")["assertion"], "jag");
    assert!(world.pages.is_empty());
}

#[test]
fn plain_http_to_another_machine_is_not_asked() {
    for (member, value) in [
        ("token_endpoint", "http://as.example/token"),
        ("registration_endpoint", "http://as.example/register"),
        ("authorization_endpoint", "http://as.example/authorize"),
    ] {
        let mut world = World::modern();
        world.server(|it| it[member] = value.into());
        let refused = world.sign_in(ClientOptions::default(), demand(""));
        assert!(
            matches!(refused, Err(SignInError::Endpoint { .. })),
            "{member}"
        );
    }
}

#[test]
fn an_input_that_was_not_asked_for_ends_the_sign_in() {
    let server = Url::parse(SERVER).unwrap();
    let options = Arc::new(ClientOptions::default());
    let mut sign_in = SignIn::new(options, &server, Demand::default(), None);
    assert!(sign_in.on(Input::Listening(1), Timestamp(0)).is_err());
    assert!(sign_in.on(Input::Continue, Timestamp(0)).is_err());
    assert_eq!(scope::union(&[], &[]), [] as [String; 0]);
}

#[test]
fn metadata_that_cannot_be_had_now_is_not_missing() {
    const RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";
    const METADATA: &str = "/.well-known/oauth-authorization-server";
    for (path, status) in [(RESOURCE, 503), (RESOURCE, 429), (METADATA, 500)] {
        let mut world = World::modern();
        world.answer(path, status, "");
        let failed = world.sign_in(ClientOptions::default(), demand(""));
        assert!(failed.unwrap_err().is_transient(), "{path} {status}");
        assert_eq!(world.count("/register"), 0, "{path} {status}");
    }
    // A place that is busy does not matter if the next one has the document.
    let mut world = World::modern();
    world.move_document(RESOURCE, "/.well-known/oauth-protected-resource");
    world.resource_at_root();
    world.answer(RESOURCE, 503, "");
    let granted = world.sign_in(ClientOptions::default(), demand("")).unwrap();
    assert_eq!(granted.issuer, ISSUER);
}

#[test]
fn scopes_stay_with_their_authorization_server() {
    let mut world = World::modern();
    world.server(|it| it["scopes_supported"] = json!(["offline_access"]));
    let old = world
        .sign_in(ClientOptions::default(), demand(r#"scope="a""#))
        .unwrap();
    assert_eq!(old.requested, ["a", "offline_access"]);
    let old = world.record(*old);
    world.move_issuer("https://as2.example");
    world.server(|it| it["scopes_supported"] = json!(["b"]));
    let new = world.sign_in_again(ClientOptions::default(), demand(r#"scope="b""#), &old);
    assert_eq!(new.unwrap().requested, ["b"]);
}

#[test]
fn a_user_can_ask_for_fewer_scopes_than_before() {
    let mut world = World::modern();
    let ask = |scope: &str| ClientOptions {
        scope: Some(scope::parse(scope)),
        ..ClientOptions::default()
    };
    let first = world.sign_in(ask("read write"), demand("")).unwrap();
    let first = world.record(*first);
    let again = world
        .sign_in_again(ask("read"), demand(""), &first)
        .unwrap();
    assert_eq!(again.requested, ["read"]);
    let more = demand(r#"error="insufficient_scope", scope="admin""#);
    let more = world.sign_in_again(ask("read"), more, &first).unwrap();
    assert_eq!(more.requested, ["read", "write", "admin"]);
}

#[test]
fn a_page_is_shown_if_there_is_no_device_code_for_us() {
    let mut world = World::modern();
    world.has_browser = false;
    world.with_device(&[]);
    world.answer("/device", 400, r#"{"error":"unauthorized_client"}"#);
    world.sign_in(ClientOptions::default(), demand("")).unwrap();
    assert_eq!(world.pages.len(), 1);
    let only = ClientOptions {
        grant: Grant::Device,
        ..ClientOptions::default()
    };
    let refused = world.sign_in(only, demand("")).unwrap_err();
    assert!(
        matches!(&refused, SignInError::Token { code, .. } if code == "unauthorized_client"),
        "{refused:?}"
    );
}
