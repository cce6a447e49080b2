//! Tokens that only the authorization server can read.

use linkspan_auth::resource::Introspection;
use serde_json::{Value, json};
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
