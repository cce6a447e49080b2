//! Results of tools.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use linkspan_openapi::{Api, ReadOptions, Response};
use linkspan_wire::Json;
use serde_json::{Value, json};

use crate::setup::{document, operation};

fn response(
    status: u16,
    headers: &[(&'static str, &'static str)],
    body: impl Into<Bytes>,
) -> Response {
    let header = |&(name, value)| {
        (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        )
    };
    Response {
        status: StatusCode::from_u16(status).unwrap(),
        headers: headers.iter().map(header).collect::<HeaderMap>(),
        body: body.into(),
    }
}

fn result(api: &Api, response: &Response) -> Value {
    let text = api.operation("x").unwrap().result(response);
    assert!(!text.contains('\n'), "it is on one line: {text}");
    Json::parse(&text).expect("it is JSON");
    serde_json::from_str(&text).unwrap()
}

fn plain(response: &Response) -> Value {
    result(&operation("get", "/", json!({})), response)
}

#[test]
fn json_and_text_are_text_as_they_were_sent() {
    let body = "{ \"n\": 0.10,\n \"big\": 18446744073709551616 }\n";
    for media in [
        "application/json; charset=utf-8",
        "application/problem+json",
        "text/html",
        "application/xml",
    ] {
        let found = plain(&response(200, &[("content-type", media)], body));
        assert_eq!(
            found,
            json!({"content": [{"type": "text", "text": body.trim_end()}], "isError": false})
        );
    }
    let found = plain(&response(200, &[], "no type"));
    assert_eq!(found["content"][0]["text"], "no type");
    let found = plain(&response(
        200,
        &[("content-type", "text/plain")],
        &b"caf\xe9"[..],
    ));
    assert_eq!(found["content"][0]["text"], "caf\u{fffd}");
}

#[test]
fn images_sounds_and_files_are_base64() {
    let content = |media| {
        plain(&response(200, &[("content-type", media)], &b"\x89PNG"[..]))["content"][0].clone()
    };
    assert_eq!(
        content("image/png"),
        json!({"type": "image", "data": "iVBORw==", "mimeType": "image/png"})
    );
    assert_eq!(
        content("audio/wav"),
        json!({"type": "audio", "data": "iVBORw==", "mimeType": "audio/wav"})
    );
    let blob = json!({"uri": "openapi:x", "mimeType": "application/pdf", "blob": "iVBORw=="});
    assert_eq!(
        content("application/pdf"),
        json!({"type": "resource", "resource": blob})
    );
    assert_eq!(content("application/json")["type"], "resource");
}

#[test]
fn an_empty_response_is_its_status() {
    let found = plain(&response(
        201,
        &[("location", "/pets/7"), ("set-cookie", "s=secret")],
        "",
    ));
    assert_eq!(
        found["content"][0]["text"],
        "HTTP 201 Created\nlocation: /pets/7"
    );
    let head = operation("head", "/", json!({}));
    let found = result(&head, &response(200, &[("content-length", "12")], ""));
    assert_eq!(
        found["content"][0]["text"],
        "HTTP 200 OK\ncontent-length: 12"
    );
}

#[test]
fn an_error_is_its_status_and_its_body() {
    let found = plain(&response(
        404,
        &[("content-type", "application/json")],
        r#"{"detail":"no pet"}"#,
    ));
    assert_eq!(found["isError"], true);
    assert_eq!(found["content"][0]["text"], "HTTP 404 Not Found");
    assert_eq!(found["content"][1]["text"], r#"{"detail":"no pet"}"#);
    let found = plain(&response(
        302,
        &[("location", "https://elsewhere.example/")],
        "",
    ));
    assert_eq!(
        found["content"][0]["text"],
        "HTTP 302 Found\nlocation: https://elsewhere.example/"
    );
    assert_eq!(found["isError"], true);
    let found = plain(&response(500, &[], "x".repeat(1 << 20)));
    assert_eq!(
        found["content"][1]["text"].as_str().unwrap().len(),
        64 << 10
    );
}

fn with_output(schema: Value) -> Api {
    let content = json!({"application/json": {"schema": schema}});
    let text = document(
        json!({"paths": {"/": {"get": {"operationId": "x", "responses": {"200": {"content": content}}}}}}),
    );
    let options = ReadOptions {
        output_schemas: true,
        ..ReadOptions::default()
    };
    Api::read(&text, &options).unwrap()
}

#[test]
fn structured_content_keeps_its_spelling() {
    let body = "{\"n\" : 18446744073709551616,\r\n \"a\":[ ]}";
    let api = with_output(json!({"type": "object"}));
    let text = api
        .operation("x")
        .unwrap()
        .result(&response(200, &[], body));
    assert!(
        text.contains(r#""structuredContent":{"n" : 18446744073709551616, "a":[ ]}"#),
        "{text}"
    );
    let found = result(
        &with_output(json!({"type": "array"})),
        &response(200, &[], "[1]"),
    );
    assert_eq!(found["structuredContent"], json!({"result": [1]}));
}

#[test]
fn a_response_that_is_not_what_was_promised_is_an_error_with_its_content() {
    let api = with_output(json!({"type": "object"}));
    for body in ["[1]", "<html>", "", "{"] {
        let found = result(
            &api,
            &response(200, &[("content-type", "application/json")], body),
        );
        assert_eq!(
            (&found["isError"], &found["content"][1]["text"]),
            (&json!(true), &json!(body))
        );
    }
    let found = result(&api, &response(400, &[], "bad"));
    assert_eq!(
        (&found["isError"], &found["content"][1]["text"]),
        (&json!(true), &json!("bad"))
    );
}
