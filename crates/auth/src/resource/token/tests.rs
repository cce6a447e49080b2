//! Every way to be refused, and what is accepted.

use aws_lc_rs::hmac;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::base64url;
use crate::resource::testing::{ISSUER, NOW, RESOURCE, TestKey, claims, key_set, key_sets, policy};

fn judged(key: &TestKey, token: &str) -> Result<Verified, TokenError> {
    check(token, &policy(), &key_sets(&[key]), NOW)
}

fn with(changes: &Value) -> Result<Verified, TokenError> {
    let key = TestKey::new("k");
    judged(&key, &key.token(changes))
}

/// A token of the old type, which may also be an ID token.
fn plain(changes: &Value, policy: &Policy) -> Result<Verified, TokenError> {
    let key = TestKey::new("k");
    let token = key.sign(&json!({"typ": "JWT"}), &claims(changes));
    check(&token, policy, &key_sets(&[&key]), NOW)
}

#[test]
fn a_good_token_tells_who_sends_it() {
    let verified = with(&json!({"preferred_username": "Ada"})).unwrap();
    let identity = &verified.identity;
    assert_eq!((&*identity.issuer, &*identity.subject), (ISSUER, "ada"));
    assert_eq!(identity.client_id.as_deref(), Some("editor"));
    assert_eq!(identity.name.as_deref(), Some("Ada"));
    assert_eq!(identity.scopes, ["read", "write"]);
    assert_eq!(verified.expires, Timestamp(NOW.0 + 600));
    assert_eq!(verified.bound_to, None);
}

#[test]
fn scopes_and_clients_are_read_in_the_spellings_of_issuers() {
    for changes in [
        json!({"scope": null, "scp": "read write"}),
        json!({"scope": null, "scp": ["read", "write"]}),
        json!({"scope": ["read", "write"]}),
        json!({"scope": "read  write read"}),
    ] {
        let verified = with(&changes).unwrap();
        assert_eq!(verified.identity.scopes, ["read", "write"], "{changes}");
    }
    for name in ["azp", "cid", "appid"] {
        let verified = with(&json!({"client_id": null, name: "x"})).unwrap();
        assert_eq!(verified.identity.client_id.as_deref(), Some("x"));
    }
}

#[test]
fn a_token_for_another_resource_is_refused_with_both_audiences() {
    for aud in [
        json!("https://h.example/mcp/"),
        json!("https://h.example"),
        json!("HTTPS://h.example/mcp"),
        json!(["https://other.example/mcp"]),
        json!([]),
        json!(null),
        json!({"x": RESOURCE}),
    ] {
        let refused = with(&json!({"aud": aud})).unwrap_err();
        let TokenError::Audience { want, .. } = &refused else {
            panic!("{aud}: {refused:?}");
        };
        assert_eq!(want, &[RESOURCE]);
    }
    let refused = with(&json!({"aud": ["a", "b"]})).unwrap_err();
    let told = "the audience is `a`, `b`, and `https://h.example/mcp` is accepted";
    assert_eq!(refused.to_string(), told);
    assert!(with(&json!({"aud": ["a", RESOURCE]})).is_ok());
}

#[test]
fn times_count_with_a_minute_of_tolerance() {
    let at = |name: &str, time: u64| with(&json!({name: time}));
    assert!(at("exp", NOW.0 - 59).is_ok());
    assert_eq!(at("exp", NOW.0 - 60), Err(TokenError::Expired { ago: 60 }));
    assert!(at("nbf", NOW.0 + 60).is_ok());
    let early = TokenError::NotYetValid { later: 61 };
    assert_eq!(at("nbf", NOW.0 + 61), Err(early));
    assert!(with(&json!({"exp": NOW.0 as f64 + 0.5})).is_ok());
    assert_eq!(with(&json!({"exp": null})), Err(TokenError::Missing("exp")));
    for bad in [json!("tomorrow"), json!(-1), json!([]), json!(1e300)] {
        let refused = with(&json!({"exp": bad}));
        assert_eq!(refused, Err(TokenError::Malformed("exp")), "{bad}");
    }
}

#[test]
fn the_issuer_is_compared_as_a_text() {
    for iss in [
        "https://as.example/",
        "https://AS.example",
        "https://evil.example",
        "",
    ] {
        let refused = with(&json!({"iss": iss})).unwrap_err();
        assert!(matches!(refused, TokenError::Issuer { .. }), "{iss}");
    }
    assert_eq!(with(&json!({"iss": null})), Err(TokenError::Missing("iss")));
}

#[test]
fn keys_of_one_issuer_do_not_sign_for_another() {
    let (mine, other) = (TestKey::new("k"), TestKey::new("k"));
    let mut policy = policy();
    policy.issuers.push("https://other.example".to_owned());
    let mut keys = key_sets(&[&mine]);
    keys.insert("https://other.example".to_owned(), key_set(&[&other]));
    let token = other.token(&json!({}));
    assert_eq!(
        check(&token, &policy, &keys, NOW),
        Err(TokenError::Signature)
    );
    let token = other.token(&json!({"iss": "https://other.example"}));
    assert!(check(&token, &policy, &keys, NOW).is_ok());
}

/// A token whose header is written by hand, with a signature made by `sign`.
fn by_hand(header: &Value, sign: impl Fn(&[u8]) -> Vec<u8>) -> String {
    let signed = format!(
        "{}.{}",
        base64url::encode(header.to_string().as_bytes()),
        base64url::encode(claims(&json!({})).to_string().as_bytes())
    );
    let signature = sign(signed.as_bytes());
    format!("{signed}.{}", base64url::encode(&signature))
}

#[test]
fn a_token_without_a_signature_is_refused() {
    let key = TestKey::new("k");
    for alg in ["none", "None", "NONE", ""] {
        let token = by_hand(&json!({"alg": alg, "kid": "k"}), |_| Vec::new());
        let refused = judged(&key, &token);
        assert_eq!(refused, Err(TokenError::Algorithm(alg.to_owned())));
    }
    let token = by_hand(&json!({"kid": "k"}), |_| Vec::new());
    assert_eq!(
        judged(&key, &token),
        Err(TokenError::Algorithm(String::new()))
    );
    let token = by_hand(&json!({"alg": "ES256", "kid": "k"}), |_| Vec::new());
    assert_eq!(judged(&key, &token), Err(TokenError::Signature));
}

#[test]
fn the_public_key_is_no_secret_for_hmac() {
    let key = TestKey::new("k");
    for secret in [key.jwk().to_string(), key.jwk()["x"].to_string()] {
        let secret = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        let header = json!({"alg": "HS256", "kid": "k", "typ": "at+jwt"});
        let token = by_hand(&header, |text| hmac::sign(&secret, text).as_ref().to_vec());
        let refused = judged(&key, &token);
        assert_eq!(refused, Err(TokenError::Algorithm("HS256".to_owned())));
    }
}

#[test]
fn an_algorithm_that_is_not_on_the_list_is_refused() {
    let key = TestKey::new("k");
    let mut policy = policy();
    policy.algorithms = vec![Algorithm::Rs256];
    let refused = check(&key.token(&json!({})), &policy, &key_sets(&[&key]), NOW);
    assert_eq!(refused, Err(TokenError::Algorithm("ES256".to_owned())));
}

#[test]
fn an_unknown_key_is_told_apart_from_a_wrong_signature() {
    let (known, new) = (TestKey::new("k"), TestKey::new("new"));
    let refused = judged(&known, &new.token(&json!({})));
    let unknown = TokenError::UnknownKey {
        issuer: ISSUER.to_owned(),
        kid: Some("new".to_owned()),
    };
    assert_eq!(refused, Err(unknown));
    let forged = TestKey::new("k");
    let refused = judged(&known, &forged.token(&json!({})));
    assert_eq!(refused, Err(TokenError::Signature));
    let token = known.token(&json!({}));
    assert!(check(&token, &policy(), &key_sets(&[&new, &known]), NOW).is_ok());
}

#[test]
fn a_token_that_names_no_key_is_tried_with_all() {
    let (one, two) = (TestKey::new("1"), TestKey::new("2"));
    let token = two.sign(&json!({"kid": null}), &claims(&json!({})));
    assert!(check(&token, &policy(), &key_sets(&[&one, &two]), NOW).is_ok());
    let refused = check(&token, &policy(), &key_sets(&[&one]), NOW);
    assert!(matches!(
        refused,
        Err(TokenError::UnknownKey { kid: None, .. })
    ));
}

#[test]
fn a_key_in_the_header_is_not_looked_at() {
    let (known, own) = (TestKey::new("k"), TestKey::new("k"));
    let header = json!({"typ": "at+jwt", "jwk": own.jwk(), "jku": "https://evil.example/jwks"});
    let token = own.sign(&header, &claims(&json!({})));
    assert_eq!(judged(&known, &token), Err(TokenError::Signature));
}

#[test]
fn types_of_access_tokens_are_accepted_and_others_are_not() {
    let key = TestKey::new("k");
    let of_type = |header: Value| judged(&key, &key.sign(&header, &claims(&json!({}))));
    for good in ["at+jwt", "AT+JWT", "application/at+jwt", "JWT", "jwt"] {
        assert!(of_type(json!({"typ": good})).is_ok(), "{good}");
    }
    assert!(of_type(json!({})).is_ok());
    for bad in ["dpop+jwt", "logout+jwt", "secevent+jwt", "x"] {
        let refused = of_type(json!({"typ": bad}));
        assert_eq!(refused, Err(TokenError::Type(bad.to_owned())), "{bad}");
    }
    assert_eq!(of_type(json!({"crit": ["b64"]})), Err(TokenError::Critical));
}

#[test]
fn an_id_token_is_refused_unless_it_is_allowed() {
    for changes in [
        json!({"nonce": "n"}),
        json!({"at_hash": "h"}),
        json!({"c_hash": "h"}),
        json!({"token_use": "id"}),
        json!({"typ": "ID"}),
    ] {
        let refused = plain(&changes, &policy()).unwrap_err();
        assert!(matches!(refused, TokenError::IdToken(_)), "{changes}");
        let accepting = Policy {
            accept_id_token: true,
            ..policy()
        };
        assert!(plain(&changes, &accepting).is_ok(), "{changes}");
        assert!(
            with(&changes).is_ok(),
            "`at+jwt` says what it is: {changes}"
        );
    }
}

#[test]
fn a_token_for_a_client_must_look_like_an_access_token() {
    let for_client = Policy {
        audiences: vec!["editor".to_owned()],
        ..policy()
    };
    let changed = |changes: Value| {
        let mut all = json!({"aud": "editor", "scope": null, "client_id": null});
        for (name, value) in changes.as_object().unwrap() {
            all[name] = value.clone();
        }
        plain(&all, &for_client)
    };
    for changes in [json!({}), json!({"azp": "editor"}), json!({"email": "a@b"})] {
        let refused = changed(changes.clone()).unwrap_err();
        assert!(matches!(refused, TokenError::IdToken(_)), "{changes}");
    }
    for changes in [
        json!({"scope": "read"}),
        json!({"scp": "read"}),
        json!({"azp": "other"}),
        json!({"typ": "Bearer"}),
        json!({"token_use": "access"}),
    ] {
        assert!(changed(changes.clone()).is_ok(), "{changes}");
    }
    assert!(plain(&json!({"scope": null, "client_id": null}), &policy()).is_ok());
}

#[test]
fn an_identity_has_a_subject_that_can_be_shown() {
    assert_eq!(with(&json!({"sub": null})), Err(TokenError::Missing("sub")));
    for (name, bad) in [("sub", "a\0b"), ("sub", ""), ("client_id", "a\nb")] {
        assert_eq!(with(&json!({name: bad})), Err(TokenError::Malformed(name)));
    }
}

#[test]
fn another_claim_than_the_subject_can_identify_the_user() {
    let by_email = Policy {
        subject: Some("email".to_owned()),
        ..policy()
    };
    let key = TestKey::new("k");
    let subject = |changes: &Value| {
        let verified = check(&key.token(changes), &by_email, &key_sets(&[&key]), NOW);
        verified.map(|verified| verified.identity.subject)
    };
    assert_eq!(
        subject(&json!({"email": "ada@example"})).unwrap(),
        "ada@example"
    );
    let missing = Err(TokenError::Subject("email".to_owned()));
    for changes in [
        json!({}),
        json!({"email": ["ada@example"]}),
        json!({"email": "a\nb"}),
        json!({"email": "ada@example", "email_verified": false}),
    ] {
        assert_eq!(subject(&changes), missing, "{changes}");
    }
}

#[test]
fn an_address_is_verified_only_if_the_issuer_says_true() {
    let by_email = Policy {
        subject: Some("email".to_owned()),
        ..policy()
    };
    let key = TestKey::new("k");
    let accepts = |verified: &Value| {
        let mut all = claims(&json!({"email": "ada@example"}));
        all["email_verified"] = verified.clone();
        let token = key.sign(&json!({"typ": "at+jwt"}), &all);
        check(&token, &by_email, &key_sets(&[&key]), NOW).is_ok()
    };
    for yes in [json!(true), json!("true")] {
        assert!(accepts(&yes), "{yes}");
    }
    for no in [
        json!("false"),
        json!("False"),
        json!("True"),
        json!(""),
        json!("yes"),
        json!(0),
        json!(1),
        json!(null),
        json!([true]),
        json!({"value": true}),
    ] {
        assert!(!accepts(&no), "{no}");
    }
}

#[test]
fn a_key_that_the_token_is_bound_to_is_noticed() {
    let verified = with(&json!({"cnf": {"jkt": "thumb"}})).unwrap();
    assert_eq!(verified.bound_to.as_deref(), Some("thumb"));
}

#[test]
fn a_token_that_is_bound_in_another_way_is_not_taken_for_one_of_any_bearer() {
    for cnf in [
        json!({"x5t#S256": "certificate"}),
        json!({"jkt": 1}),
        json!({}),
        json!("jkt"),
    ] {
        let refused = with(&json!({"cnf": cnf})).unwrap_err();
        assert_eq!(refused, TokenError::OtherBinding, "{cnf}");
    }
}

proptest! {
    #[test]
    fn any_text_is_judged(text in ".{0,300}") {
        let key = TestKey::new("k");
        prop_assert!(judged(&key, &text).is_err());
    }

    #[test]
    fn a_token_with_any_byte_changed_is_refused(at in any::<prop::sample::Index>(), to in "[A-Za-z0-9_.-]") {
        let key = TestKey::new("k");
        let mut token = key.token(&json!({})).into_bytes();
        let at = at.index(token.len());
        let to = to.as_bytes()[0];
        prop_assume!(token[at] != to);
        token[at] = to;
        let token = String::from_utf8(token).unwrap();
        prop_assert!(judged(&key, &token).is_err());
    }
}
