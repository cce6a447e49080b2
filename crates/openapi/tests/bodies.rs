//! Bodies of requests.

use linkspan_openapi::{Api, ReadOptions, RequestError};
use serde_json::{Value, json};

use crate::setup::{body, call, input, operation};

fn with_body(media: &str, schema: Value) -> Api {
    let content = json!({media: {"schema": schema}});
    operation(
        "post",
        "/x",
        json!({"requestBody": {"required": true, "content": content}}),
    )
}

#[test]
fn members_of_an_object_are_arguments_and_keep_their_spelling() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "number"}, "b": {}}, "required": ["a"]});
    let api = with_body("application/json", schema);
    assert_eq!(input(&api)["required"], json!(["a"]));
    let sent = call(&api, r#"{"b":{"x" : [ 1.50 ]},"a":18446744073709551616}"#).unwrap();
    assert_eq!(sent.headers["content-type"], "application/json");
    assert_eq!(
        sent.body,
        r#"{"a":18446744073709551616,"b":{"x" : [ 1.50 ]}}"#
    );
    assert_eq!(body(&api, r#"{"b":null}"#), r#"{"b":null}"#);
    assert_eq!(body(&api, "{}"), "{}");
}

#[test]
fn any_other_body_is_one_argument() {
    for schema in [
        json!({"type": "array", "items": {"type": "integer"}}),
        json!({"type": "object", "additionalProperties": {"type": "string"}}),
        json!({"oneOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}),
        json!({}),
    ] {
        let api = with_body("application/vnd.api+json", schema);
        assert_eq!(input(&api)["required"], json!(["body"]));
        let sent = call(&api, r#"{"body":[1, 2]}"#).unwrap();
        assert_eq!(sent.headers["content-type"], "application/vnd.api+json");
        assert_eq!(sent.body, "[1, 2]");
    }
}

#[test]
fn an_optional_body_is_left_out_without_its_arguments() {
    let schema = json!({"properties": {"a": {}}, "required": ["a"]});
    let content = json!({"application/json": {"schema": schema}});
    let api = operation("post", "/x", json!({"requestBody": {"content": content}}));
    assert_eq!(input(&api).get("required"), None);
    let sent = call(&api, "{}").unwrap();
    assert!(sent.body.is_empty() && !sent.headers.contains_key("content-type"));
    assert_eq!(body(&api, r#"{"a":1}"#), r#"{"a":1}"#);
}

#[test]
fn a_member_with_the_name_of_a_parameter_is_told_apart() {
    let content = json!({"application/json": {"schema": {"properties": {"id": {}, "name": {}}}}});
    let api = operation(
        "put",
        "/x/{id}",
        json!({"requestBody": {"content": content}}),
    );
    let sent = call(&api, r#"{"id":1,"body_id":2,"name":"n"}"#).unwrap();
    assert_eq!(sent.url.path(), "/v1/x/1");
    assert_eq!(sent.body, r#"{"id":2,"name":"n"}"#);
}

#[test]
fn forms_have_their_own_encoding() {
    let schema = json!({"properties": {"a": {}, "list": {}, "map": {}, "deep": {}}});
    let encoding = json!({"deep": {"style": "deepObject", "explode": true}});
    let content =
        json!({"application/x-www-form-urlencoded": {"schema": schema, "encoding": encoding}});
    let api = operation("post", "/x", json!({"requestBody": {"content": content}}));
    let arguments = r#"{"a":"x y&z","list":[1,2],"map":{"k":1},"deep":{"a":{"b":1},"c":["d"]}}"#;
    assert_eq!(
        body(&api, arguments),
        "a=x%20y%26z&list=1&list=2&map=%7B%22k%22%3A1%7D&deep[a][b]=1&deep[c][0]=d"
    );
    let sent = call(&api, r#"{"a":1}"#).unwrap();
    assert_eq!(
        sent.headers["content-type"],
        "application/x-www-form-urlencoded"
    );
}

#[test]
fn files_are_parts_of_a_multipart_body() {
    let schema = json!({"properties": {"note": {"type": "string"}, "meta": {"type": "object"},
        "file": {"type": "string", "format": "binary"}}});
    let api = with_body("multipart/form-data", schema);
    let shown = input(&api)["properties"]["file"]["description"].to_string();
    assert!(shown.contains("data:"), "{shown}");
    let arguments = r#"{"note":"hi","meta":{"k":1},"file":"data:text/csv;name=a.csv;base64,YSxi"}"#;
    let sent = call(&api, arguments).unwrap();
    let media = sent.headers["content-type"].to_str().unwrap().to_owned();
    let boundary = media
        .strip_prefix("multipart/form-data; boundary=")
        .unwrap();
    let text = String::from_utf8(sent.body.to_vec()).unwrap();
    let parts: Vec<_> = text
        .split(&format!("--{boundary}"))
        .map(str::trim)
        .collect();
    assert_eq!(
        parts,
        [
            "",
            "Content-Disposition: form-data; name=\"note\"\r\n\r\nhi",
            "Content-Disposition: form-data; name=\"meta\"\r\nContent-Type: application/json\r\n\r\n{\"k\":1}",
            "Content-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\nContent-Type: text/csv\r\n\r\na,b",
            "--",
        ]
    );
    let damaged = call(&api, r#"{"file":"data:;base64,?"}"#).unwrap_err();
    assert_eq!(damaged, RequestError::File("file".to_owned()));
}

#[test]
fn text_and_bytes_are_sent_as_they_are() {
    let api = with_body("text/plain", json!({"type": "string"}));
    assert_eq!(body(&api, r#"{"body":"a\nb"}"#), "a\nb");
    let api = with_body("image/*", json!({"type": "string", "format": "binary"}));
    let sent = call(&api, r#"{"body":"data:image/png;base64,iVBORw=="}"#).unwrap();
    assert_eq!(sent.headers["content-type"], "image/png");
    assert_eq!(&sent.body[..], b"\x89PNG");
}

#[test]
fn swagger_bodies_and_forms_are_parameters() {
    let read = |operation: Value| {
        let document = json!({"swagger": "2.0", "host": "example.com", "definitions": {"Pet":
            {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}},
            "paths": {"/x": {"post": operation}}});
        Api::read(&document.to_string(), &ReadOptions::default()).unwrap()
    };
    let api = read(json!({"operationId": "x", "parameters":
        [{"in": "body", "name": "pet", "required": true, "schema": {"$ref": "#/definitions/Pet"}}]}));
    assert_eq!(input(&api)["required"], json!(["name"]));
    assert_eq!(body(&api, r#"{"name":"Rex"}"#), r#"{"name":"Rex"}"#);
    let api = read(
        json!({"operationId": "x", "parameters": [{"in": "formData", "name": "a", "type": "string"}]}),
    );
    assert_eq!(body(&api, r#"{"a":"b c"}"#), "a=b%20c");
    let api = read(
        json!({"operationId": "x", "parameters": [{"in": "formData", "name": "f", "type": "file"}]}),
    );
    assert_eq!(input(&api)["properties"]["f"]["type"], "string");
    assert!(body(&api, r#"{"f":"text"}"#).contains("filename=\"f\""));
}
