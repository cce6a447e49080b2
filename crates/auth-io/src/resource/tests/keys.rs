//! When keys are fetched: once for all, and not for every token that a stranger makes up.

use std::sync::Arc;
use std::time::Duration;

use linkspan_auth::Timestamp;
use linkspan_auth::resource::Introspection;
use parking_lot::Mutex;
use serde_json::json;
use tokio::time::timeout;
use url::Url;

use super::super::{KeySource, ResourceOptions, TrustedIssuer, Verifier};
use super::{ISSUER, RESOURCE, START};
use super::{Issuer, JWKS, METADATA, Setup, error_of};

#[tokio::test]
async fn many_requests_at_once_cause_one_fetch() {
    let setup = Setup::new(|_| ());
    let key = Issuer::new("1");
    setup.publish(&[&key]);
    let tokens: Vec<String> = (0..50)
        .map(|number| key.token(&json!({"sub": format!("user{number}")})))
        .collect();
    let all: Vec<_> = tokens
        .iter()
        .map(|token| {
            let (setup, token) = (setup.verifier.clone(), token.clone());
            tokio::spawn(async move {
                let request = linkspan_ports::GuardedRequest {
                    method: "POST",
                    path: "/mcp",
                    presented: linkspan_auth::resource::Presented::Bearer(&token),
                };
                linkspan_ports::Guard::admit(&*setup, request).await.is_ok()
            })
        })
        .collect();
    for one in all {
        assert!(one.await.unwrap());
    }
    assert_eq!(
        (setup.server.count(METADATA), setup.server.count(JWKS)),
        (1, 1)
    );
}

#[tokio::test]
async fn a_request_that_is_given_up_does_not_end_the_fetch() {
    let setup = Setup::new(|_| ());
    let key = Issuer::new("1");
    setup.publish(&[&key]);
    let open = setup.server.gate.forget_permits(1000);
    let token = key.token(&json!({}));
    {
        let given_up = setup.bearer(&token);
        tokio::pin!(given_up);
        let waits = futures_poll(given_up.as_mut()).await;
        assert!(waits, "the server does not answer yet");
    }
    setup.server.gate.add_permits(open);
    assert!(setup.bearer(&token).await.is_ok());
    assert_eq!(setup.server.count(JWKS), 1);
}

/// Polls a future once, after which it is still pending.
async fn futures_poll(future: std::pin::Pin<&mut impl Future>) -> bool {
    let mut future = future;
    let once = std::future::poll_fn(|context| {
        std::task::Poll::Ready(future.as_mut().poll(context).is_pending())
    });
    let pending = once.await;
    tokio::task::yield_now().await;
    pending
}

#[tokio::test]
async fn made_up_keys_cause_two_fetches_a_minute() {
    let setup = Setup::new(|_| ());
    let key = Issuer::new("1");
    setup.publish(&[&key]);
    assert!(setup.bearer(&key.token(&json!({}))).await.is_ok());
    setup.pass(61);
    for number in 0..100 {
        let stranger = Issuer::new(&format!("made-up-{number}"));
        let denied = setup.bearer(&stranger.token(&json!({}))).await.unwrap_err();
        assert_eq!(error_of(&denied).as_deref(), Some("invalid_token"));
    }
    assert_eq!(setup.server.count(JWKS), 3);
    setup.pass(60);
    let stranger = Issuer::new("made-up");
    assert!(setup.bearer(&stranger.token(&json!({}))).await.is_err());
    assert_eq!(setup.server.count(JWKS), 4);
}

#[tokio::test]
async fn a_token_that_is_refused_anyway_causes_no_fetch() {
    let setup = Setup::new(|_| ());
    let key = Issuer::new("1");
    for changes in [
        json!({"iss": "https://evil.example"}),
        json!({"aud": "https://other.example"}),
        json!({"exp": 1}),
    ] {
        assert!(setup.bearer(&key.token(&changes)).await.is_err());
    }
    assert!(setup.server.asked.lock().is_empty());
}

#[tokio::test]
async fn a_new_key_of_the_issuer_is_found_and_an_old_one_is_forgotten() {
    let setup = Setup::new(|_| ());
    let (old, new) = (Issuer::new("old"), Issuer::new("new"));
    setup.publish(&[&old]);
    let first = old.token(&json!({}));
    assert!(setup.bearer(&first).await.is_ok());
    setup.publish(&[&new]);
    setup.pass(60);
    assert!(
        setup.bearer(&new.token(&json!({}))).await.is_ok(),
        "rotated"
    );
    assert!(setup.bearer(&first).await.is_ok(), "verified a minute ago");
    setup.pass(300);
    let denied = setup.bearer(&first).await.unwrap_err();
    assert_eq!(error_of(&denied).as_deref(), Some("invalid_token"));
}

#[tokio::test]
async fn a_key_that_is_changed_right_after_a_fetch_is_found() {
    let setup = Setup::new(|_| ());
    let keys: Vec<Issuer> = ["1", "2", "3"].map(Issuer::new).into();
    let token = |number: usize, at: u64| keys[number].token(&json!({"iat": START + at}));
    setup.publish(&[&keys[0]]);
    assert!(setup.bearer(&token(0, 0)).await.is_ok());
    setup.publish(&[&keys[1]]);
    setup.pass(1);
    assert!(setup.bearer(&token(1, 1)).await.is_ok());
    // The third one within a minute: nothing is known about its key yet, and the client comes back.
    setup.publish(&[&keys[2]]);
    setup.pass(1);
    let denied = setup.bearer(&token(2, 2)).await.unwrap_err();
    assert_eq!(
        denied.status, 503,
        "a client must not sign in again for this"
    );
    // A token from before the fetch is refused for good.
    let denied = setup.bearer(&token(2, 0)).await.unwrap_err();
    assert_eq!(error_of(&denied).as_deref(), Some("invalid_token"));
    assert_eq!(setup.server.count(JWKS), 2);
    setup.pass(58);
    assert!(setup.bearer(&token(2, 2)).await.is_ok());
}

#[tokio::test]
async fn old_keys_are_used_while_the_issuer_is_down() {
    let setup = Setup::new(|_| ());
    let key = Issuer::new("1");
    setup.publish(&[&key]);
    assert!(setup.bearer(&key.token(&json!({}))).await.is_ok());
    setup.server.remove(JWKS);
    setup.server.remove(METADATA);
    setup.pass(86_400);
    for number in 0..20 {
        let token = key.token(&json!({"sub": format!("user{number}")}));
        assert!(setup.bearer(&token).await.is_ok());
    }
    let asked = setup.server.asked.lock().len();
    assert!(
        asked <= 6,
        "one round a minute, not one for each request: {asked}"
    );
}

#[tokio::test]
async fn without_any_keys_the_client_is_told_to_come_back() {
    let setup = Setup::new(|_| ());
    let key = Issuer::new("1");
    let token = key.token(&json!({}));
    let denied = setup.bearer(&token).await.unwrap_err();
    assert_eq!(
        denied.status, 503,
        "a client must not sign in again for this"
    );
    assert_eq!(setup.bearer(&token).await.unwrap_err().status, 503);
    assert_eq!(setup.server.count(METADATA), 1);
    setup.publish(&[&key]);
    setup.pass(5);
    assert!(setup.bearer(&token).await.is_ok());
}

#[tokio::test]
async fn old_keys_are_used_while_the_issuer_does_not_answer() {
    let setup = Setup::new(|_| ());
    let key = Issuer::new("1");
    setup.publish(&[&key]);
    assert!(setup.bearer(&key.token(&json!({}))).await.is_ok());
    setup.server.gate.forget_permits(1000);
    setup.pass(86_400);
    let before = setup.server.asked.lock().len();
    let token = key.token(&json!({"sub": "bob"}));
    let judged = timeout(Duration::from_secs(1), setup.bearer(&token)).await;
    assert!(judged.expect("it does not wait for the issuer").is_ok());
    tokio::task::yield_now().await;
    let asked = setup.server.asked.lock().len();
    assert_eq!(asked, before + 1, "newer ones are on their way");
}

#[test]
fn the_url_that_the_operator_names_decides_about_the_network() {
    let jwks = "https://keycloak.internal/jwks";
    let introspect = "http://127.0.0.1:9/introspect";
    let options = ResourceOptions {
        issuers: vec![
            TrustedIssuer {
                name: ISSUER.to_owned(),
                keys: KeySource::At(Url::parse(jwks).unwrap()),
            },
            TrustedIssuer {
                name: "https://other.example".to_owned(),
                keys: KeySource::Discovered,
            },
        ],
        introspection: Some(Introspection {
            url: Url::parse(introspect).unwrap(),
            issuer: ISSUER.to_owned(),
            client_id: None,
            client_secret: None,
        }),
        path: "/mcp".to_owned(),
        ..ResourceOptions::default()
    };
    let asked = Mutex::new(Vec::new());
    let transport = |url: &str| {
        asked.lock().push(url.to_owned());
        Arc::new(crate::Offline) as Arc<dyn crate::Transport>
    };
    Verifier::new(
        &options,
        RESOURCE,
        &transport,
        Arc::new(|| Timestamp(START)),
    )
    .unwrap();
    assert_eq!(*asked.lock(), [jwks, "https://other.example", introspect]);
}
