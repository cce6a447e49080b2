//! Tokens that only the authorization server can read.

use std::time::Duration;

use linkspan_auth::resource::{Introspection, Presented};
use linkspan_ports::{Guard, GuardedRequest};
use serde_json::{Value, json};
use tokio::time::timeout;
use url::Url;

use super::{ISSUER, RESOURCE, START, Setup, error_of};

const INTROSPECT: &str = "https://as.example/introspect";

fn setup() -> Setup {
    Setup::new(|options| {
        options.introspection = Some(Introspection {
            url: Url::parse(INTROSPECT).unwrap(),
            issuer: ISSUER.to_owned(),
            client_id: Some("linkspan".to_owned()),
            client_secret: None,
        });
    })
}

fn active(expires: u64) -> Value {
    json!({"active": true, "sub": "ada", "aud": RESOURCE, "scope": "base", "exp": expires})
}

#[tokio::test]
async fn an_answer_is_believed_for_a_minute() {
    let setup = setup();
    setup.server.put(INTROSPECT, &active(START + 1000));
    for _ in 0..10 {
        assert_eq!(setup.bearer("opaque").await.unwrap().subject, "ada");
    }
    assert_eq!(setup.server.count(INTROSPECT), 1);
    setup.server.put(INTROSPECT, &json!({"active": false}));
    setup.pass(60);
    let denied = setup.bearer("opaque").await.unwrap_err();
    assert_eq!(error_of(&denied).as_deref(), Some("invalid_token"));
    assert!(setup.bearer("opaque").await.is_err());
    assert_eq!(
        setup.server.count(INTROSPECT),
        2,
        "a refusal is remembered too"
    );
}

#[tokio::test]
async fn an_endpoint_that_fails_is_no_verdict() {
    let setup = setup();
    assert_eq!(setup.bearer("opaque").await.unwrap_err().status, 503);
    setup.server.put(INTROSPECT, &active(START + 10));
    assert!(setup.bearer("opaque").await.is_ok());
}

#[tokio::test]
async fn a_jwt_of_another_issuer_is_not_sent_there() {
    let setup = setup();
    let key = super::Issuer::new("1");
    let token = key.token(&json!({"iss": "https://evil.example"}));
    assert!(setup.bearer(&token).await.is_err());
    assert_eq!(setup.server.count(INTROSPECT), 0);
}

#[tokio::test]
async fn tokens_that_are_made_up_do_not_displace_answers_about_good_ones() {
    let setup = setup();
    setup.server.gate.add_permits(10_000);
    setup.server.put(INTROSPECT, &active(START + 1000));
    assert!(setup.bearer("opaque").await.is_ok());
    setup.server.put(INTROSPECT, &json!({"active": false}));
    for number in 0..5000 {
        assert!(setup.bearer(&format!("junk-{number}")).await.is_err());
    }
    let asked = setup.server.count(INTROSPECT);
    assert!(setup.bearer("opaque").await.is_ok());
    assert_eq!(setup.server.count(INTROSPECT), asked);
}

#[tokio::test]
async fn more_questions_than_the_endpoint_answers_are_refused_at_once() {
    let setup = setup();
    setup.server.gate.forget_permits(1000);
    let waiting: Vec<_> = (0..200)
        .map(|number| {
            let verifier = setup.verifier.clone();
            tokio::spawn(async move {
                let token = format!("junk-{number}");
                let request = GuardedRequest {
                    method: "POST",
                    path: "/mcp",
                    presented: Presented::Bearer(&token),
                };
                verifier.admit(request).await.map(drop)
            })
        })
        .collect();
    for _ in 0..waiting.len() {
        tokio::task::yield_now().await;
    }
    let refused = timeout(Duration::from_secs(1), setup.bearer("one more")).await;
    let refused = refused.expect("it does not queue").unwrap_err();
    assert_eq!(refused.status, 503);
    for one in waiting {
        one.abort();
        let _ = one.await;
    }
    setup.server.gate.add_permits(1000);
    setup.server.put(INTROSPECT, &active(START + 1000));
    assert!(setup.bearer("opaque").await.is_ok());
}
