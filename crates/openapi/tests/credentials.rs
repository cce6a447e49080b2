//! Security schemes.

use linkspan_openapi::{Api, Credentials, OpenApiError, ReadOptions};
use serde_json::{Value, json};

use crate::setup::{call, document};

fn read(security: Value, given: &[(&str, &str)]) -> Result<Api, OpenApiError> {
    let schemes = json!({
        "header": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "query": {"type": "apiKey", "in": "query", "name": "api key"},
        "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
        "bearer": {"type": "http", "scheme": "Bearer"},
        "basic": {"type": "http", "scheme": "basic"},
        "oauth": {"type": "oauth2", "flows": {}},
        "tls": {"type": "mutualTLS"},
    });
    let parameters = json!([{"name": "x-key", "in": "header"}, {"name": "q", "in": "query"}]);
    let text = document(
        json!({"components": {"securitySchemes": schemes}, "security": security,
        "paths": {"/": {"get": {"operationId": "x", "parameters": parameters}}}}),
    );
    let mut options = ReadOptions::default();
    let mut credentials = Credentials::default();
    for (scheme, value) in given {
        credentials.add(scheme, value);
    }
    options.credentials = credentials;
    Api::read(&text, &options)
}

#[test]
fn credentials_are_sent_where_their_scheme_says() {
    let all = [
        ("header", "k1"),
        ("query", "k 2"),
        ("cookie", "k;3"),
        ("basic", "me:pw"),
    ];
    let needed = json!([{"header": [], "query": [], "cookie": [], "basic": []}]);
    let sent = call(&read(needed, &all).unwrap(), r#"{"q":1}"#).unwrap();
    assert_eq!(sent.headers["x-key"], "k1");
    assert_eq!(sent.url.query(), Some("q=1&api%20key=k%202"));
    assert_eq!(sent.headers["cookie"], "sid=k%3B3");
    assert_eq!(sent.headers["authorization"], "Basic bWU6cHc=");
    assert!(sent.headers["authorization"].is_sensitive() && sent.headers["x-key"].is_sensitive());
    for scheme in ["bearer", "oauth"] {
        let api = read(json!([{scheme: []}]), &[(scheme, "tok")]).unwrap();
        assert_eq!(
            call(&api, "{}").unwrap().headers["authorization"],
            "Bearer tok"
        );
    }
}

#[test]
fn the_first_alternative_with_credentials_is_used() {
    let needed = json!([{"header": [], "bearer": []}, {"basic": []}, {"bearer": []}]);
    let api = read(needed.clone(), &[("bearer", "tok")]).unwrap();
    let sent = call(&api, "{}").unwrap();
    assert_eq!(sent.headers["authorization"], "Bearer tok");
    assert!(!sent.headers.contains_key("x-key"));
    let none = call(&read(needed, &[]).unwrap(), "{}").unwrap();
    assert!(!none.headers.contains_key("authorization"));
}

#[test]
fn an_operation_without_security_gets_no_credentials() {
    let sent = call(&read(json!([]), &[("bearer", "tok")]).unwrap(), "{}").unwrap();
    assert!(!sent.headers.contains_key("authorization"));
}

#[test]
fn a_parameter_with_the_name_of_given_credentials_is_no_argument() {
    let argument = r#"{"x-key":"mine"}"#;
    let with = read(json!([{"header": []}]), &[("header", "k1")]).unwrap();
    assert!(call(&with, argument).is_err());
    let without = read(json!([{"header": []}]), &[]).unwrap();
    assert_eq!(call(&without, argument).unwrap().headers["x-key"], "mine");
}

#[test]
fn mistakes_in_credentials_are_errors() {
    let error = |given: (&str, &str)| read(json!([]), &[given]).err().unwrap();
    let unknown = error(("heeder", "k"));
    assert!(matches!(&unknown, OpenApiError::UnknownScheme { name, .. } if name == "heeder"));
    assert!(
        unknown.hint().contains("header, query"),
        "{}",
        unknown.hint()
    );
    let damaged = error(("header", "a\r\nb"));
    assert_eq!(damaged, OpenApiError::Credentials("header".to_owned()));
    assert!(!format!("{damaged} {}", damaged.hint()).contains("a\r"));
}

#[test]
fn credentials_are_not_in_debug_output() {
    let mut options = ReadOptions::default();
    options.credentials.add("header", "secret-value");
    let shown = format!("{options:?}");
    assert!(
        shown.contains("header") && !shown.contains("secret-value"),
        "{shown}"
    );
}

#[test]
fn operations_on_other_servers_are_left_out() {
    let elsewhere = json!([{"url": "https://uploads.example.com"}]);
    let text = document(json!({"paths": {
        "/a": {"get": {"operationId": "a"}},
        "/b": {"servers": elsewhere, "get": {"operationId": "b"}},
        "/c": {"get": {"operationId": "c", "servers": [{"url": "https://example.com/v2"}]}},
    }}));
    let api = Api::read(&text, &ReadOptions::default()).unwrap();
    let names: Vec<_> = api.operations().iter().map(|one| one.name()).collect();
    assert_eq!((names, api.elsewhere()), (vec!["a", "c"], 1));
    let here = ReadOptions {
        base_url: Some("http://127.0.0.1:9".parse().unwrap()),
        ..ReadOptions::default()
    };
    let api = Api::read(&text, &here).unwrap();
    assert_eq!((api.operations().len(), api.elsewhere()), (3, 0));
}
