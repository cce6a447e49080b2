//! When keys are fetched, and from where.

use serde_json::{Value, json};

use super::*;
use crate::HttpResponse;
use crate::resource::key_fetch::{Progress, Unanswered};
use crate::resource::testing::{ISSUER, NOW, TestKey, jwks};

fn later(seconds: u64) -> Timestamp {
    Timestamp(NOW.0 + seconds)
}

fn answer(body: &Value, cache_control: Option<&str>) -> HttpResponse {
    HttpResponse {
        status: 200,
        body: body.to_string().into(),
        cache_control: cache_control.map(str::to_owned),
        ..HttpResponse::default()
    }
}

/// Runs a fetch against a table of documents; gives the URLs that were asked.
fn fetch(keys: &mut IssuerKeys, now: Timestamp, documents: &[(&str, HttpResponse)]) -> Vec<String> {
    let mut asked = Vec::new();
    let mut fetch = keys.fetch(now).unwrap();
    loop {
        let url = fetch.request().unwrap().url.to_string();
        let found = documents.iter().find(|(at, _)| *at == url);
        let response = found.map(|(_, response)| response.clone());
        asked.push(url);
        match fetch.on(response.ok_or_else(|| Unanswered("unreachable".to_owned()))) {
            Progress::Next(next) => fetch = next,
            Progress::Done(fetched) => {
                keys.fetched(fetched, now);
                return asked;
            }
            Progress::Failed(_) => {
                keys.failed();
                return asked;
            }
        }
    }
}

const METADATA: &str = "https://as.example/.well-known/oauth-authorization-server";
const OIDC: &str = "https://as.example/.well-known/openid-configuration";
const JWKS: &str = "https://keys.example/jwks";

fn metadata() -> HttpResponse {
    answer(&json!({"issuer": ISSUER, "jwks_uri": JWKS}), None)
}

#[test]
fn keys_are_found_through_the_metadata_and_kept_as_long_as_the_issuer_says() {
    let key = TestKey::new("1");
    let set = answer(&jwks(&[&key]), Some("max-age=1000"));
    let mut keys = IssuerKeys::discovered(ISSUER).unwrap();
    assert!(keys.is_due(NOW));
    let asked = fetch(
        &mut keys,
        NOW,
        &[(METADATA, metadata()), (JWKS, set.clone())],
    );
    assert_eq!(asked, [METADATA, JWKS]);
    assert!(!keys.is_due(later(999)));
    assert!(keys.is_due(later(1000)));
    let asked = fetch(&mut keys, later(1000), &[(JWKS, set.clone())]);
    assert_eq!(asked, [JWKS], "the place is known for a day");
    let asked = fetch(&mut keys, later(86_400), &[(OIDC, metadata()), (JWKS, set)]);
    assert_eq!(asked, [METADATA, OIDC, JWKS]);
}

#[test]
fn unknown_keys_cause_two_fetches_a_minute() {
    let key = TestKey::new("1");
    let set = answer(&jwks(&[&key]), None);
    let mut keys = IssuerKeys::at(ISSUER, Url::parse(JWKS).unwrap());
    assert!(keys.may_fetch(NOW));
    fetch(&mut keys, NOW, &[(JWKS, set.clone())]);
    assert!(!keys.may_fetch(later(1)), "old keys are fetched less often");
    assert!(
        keys.may_fetch_newer(later(1)),
        "a key may be changed at any time"
    );
    fetch(&mut keys, later(1), &[(JWKS, set.clone())]);
    assert!(!keys.may_fetch_newer(later(59)));
    assert!(keys.may_fetch_newer(later(60)));
    fetch(&mut keys, later(60), &[(JWKS, set)]);
    assert!(!keys.may_fetch_newer(later(60)));
    assert!(keys.may_fetch_newer(later(61)));
    assert!(
        keys.may_fetch_newer(Timestamp(NOW.0 - 5)),
        "the clock was set back"
    );
}

#[test]
fn a_token_from_before_the_fetch_has_no_newer_key() {
    let key = TestKey::new("1");
    let mut keys = IssuerKeys::at(ISSUER, Url::parse(JWKS).unwrap());
    fetch(&mut keys, NOW, &[(JWKS, answer(&jwks(&[&key]), None))]);
    assert!(!keys.may_be_newer(Some(NOW)));
    assert!(keys.may_be_newer(Some(later(1))));
    assert!(!keys.may_be_newer(None));
    let fixed = IssuerKeys::fixed(ISSUER, JwkSet::default());
    assert!(!fixed.may_be_newer(Some(later(1))));
}

#[test]
fn old_keys_stay_while_the_issuer_is_down() {
    let key = TestKey::new("1");
    let mut keys = IssuerKeys::discovered(ISSUER).unwrap();
    let set = answer(&jwks(&[&key]), Some("max-age=300"));
    fetch(&mut keys, NOW, &[(METADATA, metadata()), (JWKS, set)]);
    let before = Arc::clone(keys.keys().unwrap());
    assert_eq!(fetch(&mut keys, later(300), &[]), [JWKS]);
    assert_eq!(keys.keys(), Some(&before));
    assert!(!keys.is_due(later(359)), "no fetch for each request");
    assert!(keys.is_due(later(360)));
    let asked = fetch(&mut keys, later(360), &[]);
    assert_eq!(asked, [METADATA, OIDC], "the keys may be elsewhere now");
    assert_eq!(keys.keys(), Some(&before));
}

#[test]
fn without_any_keys_the_issuer_is_asked_every_few_seconds() {
    let mut keys = IssuerKeys::discovered(ISSUER).unwrap();
    fetch(&mut keys, NOW, &[]);
    assert!(!keys.is_due(later(4)));
    assert!(keys.is_due(later(5)));
}

#[test]
fn a_set_without_usable_keys_replaces_nothing() {
    let key = TestKey::new("1");
    let mut keys = IssuerKeys::at(ISSUER, Url::parse(JWKS).unwrap());
    fetch(&mut keys, NOW, &[(JWKS, answer(&jwks(&[&key]), None))]);
    for bad in [
        json!({"keys": []}),
        json!([]),
        json!({"keys": [{"kty": "oct", "k": "AA"}]}),
    ] {
        fetch(&mut keys, later(60), &[(JWKS, answer(&bad, None))]);
        assert_eq!(keys.keys().unwrap().keys.len(), 1);
    }
}

#[test]
fn fixed_keys_are_never_fetched() {
    let mut keys = IssuerKeys::fixed(ISSUER, JwkSet::default());
    assert!(!keys.is_due(NOW) && !keys.may_fetch(NOW) && !keys.may_fetch_newer(NOW));
    assert!(keys.fetch(NOW).is_none());
}
