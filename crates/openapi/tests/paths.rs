//! URLs, whose parts a caller cannot leave.

use linkspan_openapi::RequestError;
use linkspan_wire::quote;
use proptest::prelude::*;
use serde_json::json;

use crate::setup::{call, operation, url};

#[test]
fn values_are_encoded_in_path_and_query() {
    let api = operation(
        "get",
        "/pets/{id}/toys/{toy}",
        json!({"parameters": [{"name": "q", "in": "query"}]}),
    );
    let found = url(&api, r#"{"id":"a/b ?#","toy":7,"q":"x&y=z+ü"}"#);
    assert_eq!(found, "/v1/pets/a%2Fb%20%3F%23/toys/7?q=x%26y%3Dz%2B%C3%BC");
}

#[test]
fn a_value_cannot_lead_to_another_path() {
    let api = operation("delete", "/pets/{id}/x", json!({}));
    for id in [
        "..",
        ".",
        "../admin",
        "a/../b",
        "..\\x",
        "%2e%2e",
        "%2E%2E%2Fx",
        "..;a",
        "%252e%252e",
    ] {
        let call = call(&api, &json!({"id": id}).to_string());
        assert_eq!(
            call.unwrap_err(),
            RequestError::Path("id".to_owned()),
            "{id}"
        );
    }
}

#[test]
fn a_part_of_the_path_is_never_empty() {
    let api = operation("delete", "/pets/{id}", json!({}));
    for arguments in [
        "{}",
        r#"{"id":""}"#,
        r#"{"id":null}"#,
        r#"{"id":[]}"#,
        r#"{"id":{}}"#,
    ] {
        let refused = call(&api, arguments).unwrap_err();
        assert_eq!(
            refused,
            RequestError::Missing("id".to_owned()),
            "{arguments}"
        );
    }
}

#[test]
fn dots_of_the_document_do_not_join_with_those_of_a_value() {
    let api = operation("get", "/files/.{name}", json!({}));
    assert_eq!(url(&api, r#"{"name":"profile"}"#), "/v1/files/.profile");
    assert!(call(&api, r#"{"name":"."}"#).is_err());
}

#[test]
fn an_unknown_argument_is_refused_with_the_one_that_may_be_meant() {
    let api = operation(
        "get",
        "/x",
        json!({"parameters": [{"name": "limit", "in": "query"}]}),
    );
    let refused = call(&api, r#"{"limt":1}"#).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "there is no argument `limt`; did you mean `limit`?"
    );
}

#[test]
fn a_header_cannot_smuggle_another_one() {
    let header =
        json!({"parameters": [{"name": "X-Note", "in": "header"}, {"name": "c", "in": "cookie"}]});
    let api = operation("get", "/x", header);
    for value in ["a\r\nEvil: b", "a\nb", "\u{0}"] {
        let refused = call(&api, &json!({"X-Note": value}).to_string()).unwrap_err();
        assert_eq!(refused, RequestError::Header("X-Note".to_owned()));
    }
    let sent = call(&api, r#"{"X-Note":"fine","c":"a; b=c\r\n"}"#).unwrap();
    assert_eq!(sent.headers["x-note"], "fine");
    assert_eq!(sent.headers["cookie"], "c=a%3B%20b%3Dc%0D%0A");
}

#[test]
fn headers_of_the_connection_are_no_arguments() {
    let names = [
        "Host",
        "content-length",
        "Cookie",
        "Authorization",
        "Accept",
        "bad name",
        "X-Fine",
    ];
    let parameter = |name: &&str| json!({"name": name, "in": "header"});
    let all: Vec<_> = names.iter().map(parameter).collect();
    let api = operation("get", "/x", json!({ "parameters": all }));
    let schema = crate::setup::input(&api);
    let known: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(known, ["X-Fine"]);
}

proptest! {
    #[test]
    fn a_value_stays_inside_its_segment(value in "\\PC{1,12}|[./\\\\%2eEfF;?#]{1,8}") {
        let api = operation("get", "/a/{id}/b", json!({}));
        let Ok(request) = call(&api, &format!("{{\"id\":{}}}", quote(&value))) else {
            return Ok(());
        };
        prop_assert_eq!(request.url.origin().ascii_serialization(), "https://example.com");
        let segments: Vec<_> = request.url.path_segments().unwrap().collect();
        prop_assert_eq!(segments.len(), 4);
        prop_assert_eq!(segments[3], "b");
        let decoded = percent_encoding::percent_decode_str(segments[2]).decode_utf8().unwrap();
        prop_assert_eq!(decoded, value);
        prop_assert_eq!((request.url.query(), request.url.fragment()), (None, None));
    }

    #[test]
    fn any_arguments_are_a_request_to_the_server_or_an_error(
        names in prop::collection::vec("id|q|h|c|m|[a-z]{1,3}", 0..6),
        values in prop::collection::vec("\"\\PC{0,8}\"|\\[\"\\.\\.\",1\\]|\\{\"a\":\\[\\]\\}|null|1e400|true", 6),
    ) {
        let parameters = json!([{"name": "id", "in": "path"}, {"name": "q", "in": "query", "style": "deepObject"},
            {"name": "h", "in": "header"}, {"name": "c", "in": "cookie"}]);
        let api = operation("post", "/a/{id}", json!({"parameters": parameters, "requestBody": {"content":
            {"multipart/form-data": {"schema": {"properties": {"m": {"type": "string", "format": "binary"}}}}}}}));
        let members: Vec<_> = names.iter().zip(&values).map(|(n, v)| format!("\"{n}\":{v}")).collect();
        let arguments = format!("{{{}}}", members.join(","));
        if linkspan_wire::Json::parse(&arguments).is_ok() && let Ok(request) = call(&api, &arguments) {
            prop_assert_eq!(request.url.origin().ascii_serialization(), "https://example.com");
            prop_assert!(request.url.path().starts_with("/v1/a/"));
        }
    }
}
