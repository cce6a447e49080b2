//! The styles of parameters, with the examples of the specification.

use serde_json::{Value, json};

use crate::setup::{call, operation, url};

const COLOR: [&str; 3] = [
    r#"{"color":"blue"}"#,
    r#"{"color":["blue","black","brown"]}"#,
    r#"{"color":{"R":100,"G":200,"B":150}}"#,
];

fn parameter(place: &str, style: &str, explode: bool) -> Value {
    json!({"parameters": [{"name": "color", "in": place, "style": style, "explode": explode}]})
}

fn in_path(style: &str, explode: bool) -> [String; 3] {
    let api = operation("get", "/{color}", parameter("path", style, explode));
    COLOR.map(|arguments| url(&api, arguments).split_off("/v1/".len()))
}

fn in_query(style: &str, explode: bool, value: usize) -> String {
    let api = operation("get", "/", parameter("query", style, explode));
    url(&api, COLOR[value]).split_off("/v1/?".len())
}

#[test]
fn parts_of_the_path() {
    assert_eq!(
        in_path("simple", false),
        ["blue", "blue,black,brown", "R,100,G,200,B,150"]
    );
    assert_eq!(
        in_path("simple", true),
        ["blue", "blue,black,brown", "R=100,G=200,B=150"]
    );
    assert_eq!(
        in_path("label", false),
        [".blue", ".blue,black,brown", ".R,100,G,200,B,150"]
    );
    assert_eq!(
        in_path("label", true),
        [".blue", ".blue.black.brown", ".R=100.G=200.B=150"]
    );
    assert_eq!(
        in_path("matrix", false),
        [
            ";color=blue",
            ";color=blue,black,brown",
            ";color=R,100,G,200,B,150"
        ]
    );
    assert_eq!(
        in_path("matrix", true),
        [
            ";color=blue",
            ";color=blue;color=black;color=brown",
            ";R=100;G=200;B=150"
        ]
    );
}

#[test]
fn parameters_of_the_query() {
    let lists = "color=blue&color=black&color=brown";
    assert_eq!(in_query("form", true, 0), "color=blue");
    assert_eq!(in_query("form", true, 1), lists);
    assert_eq!(in_query("form", true, 2), "R=100&G=200&B=150");
    assert_eq!(in_query("form", false, 1), "color=blue,black,brown");
    assert_eq!(in_query("form", false, 2), "color=R,100,G,200,B,150");
    assert_eq!(
        in_query("spaceDelimited", false, 1),
        "color=blue%20black%20brown"
    );
    assert_eq!(
        in_query("pipeDelimited", false, 1),
        "color=blue%7Cblack%7Cbrown"
    );
    assert_eq!(in_query("pipeDelimited", true, 1), lists);
    assert_eq!(
        in_query("deepObject", true, 2),
        "color[R]=100&color[G]=200&color[B]=150"
    );
}

#[test]
fn a_list_is_repeated_by_default() {
    let api = operation(
        "get",
        "/",
        json!({"parameters": [{"name": "a[]", "in": "query"}]}),
    );
    assert_eq!(url(&api, r#"{"a":[1,"2"]}"#), "/v1/?a%5B%5D=1&a%5B%5D=2");
    assert_eq!(url(&api, r#"{"a":[]}"#), "/v1/");
    assert_eq!(url(&api, r#"{"a":null}"#), "/v1/");
}

#[test]
fn numbers_keep_their_spelling() {
    let api = operation(
        "get",
        "/{n}",
        json!({"parameters": [{"name": "q", "in": "query"}]}),
    );
    let found = url(&api, r#"{"n":18446744073709551616,"q":[0.10,1e3]}"#);
    assert_eq!(found, "/v1/18446744073709551616?q=0.10&q=1e3");
}

#[test]
fn a_parameter_with_content_is_json() {
    let content = json!({"application/json": {"schema": {"type": "object"}}});
    let api = operation(
        "get",
        "/",
        json!({"parameters": [{"name": "f", "in": "query", "content": content}]}),
    );
    assert_eq!(
        url(&api, r#"{"f":{"a": [1]}}"#),
        "/v1/?f=%7B%22a%22%3A%20%5B1%5D%7D"
    );
}

#[test]
fn reserved_characters_may_be_allowed_but_end_no_value() {
    let parameter = json!({"name": "q", "in": "query", "allowReserved": true});
    let api = operation("get", "/", json!({ "parameters": [parameter] }));
    assert_eq!(url(&api, r#"{"q":"a/b:c?&d#e"}"#), "/v1/?q=a/b:c?%26d%23e");
}

#[test]
fn headers_and_cookies_have_lists_and_objects_too() {
    let parameters = json!([{"name": "X-A", "in": "header"}, {"name": "X-B", "in": "header", "explode": true},
        {"name": "c", "in": "cookie"}]);
    let api = operation("get", "/", json!({ "parameters": parameters }));
    let sent = call(&api, r#"{"X-A":[1,2],"X-B":{"k":"v w"},"c":["x","y"]}"#).unwrap();
    assert_eq!(sent.headers["x-a"], "1,2");
    assert_eq!(sent.headers["x-b"], "k=v w");
    assert_eq!(sent.headers["cookie"], "c=x; c=y");
}

#[test]
fn swagger_has_collection_formats() {
    let parameters: Vec<_> = ["csv", "ssv", "tsv", "pipes", "multi"]
        .iter()
        .map(|format| json!({"name": format, "in": "query", "type": "array", "collectionFormat": format}))
        .chain([json!({"name": "none", "in": "query", "type": "array", "items": {"type": "string"}})])
        .collect();
    let document = json!({"swagger": "2.0", "host": "example.com", "basePath": "/v1",
        "paths": {"/": {"get": {"operationId": "x", "parameters": parameters}}}});
    let options = linkspan_openapi::ReadOptions::default();
    let api = linkspan_openapi::Api::read(&document.to_string(), &options).unwrap();
    let arguments =
        r#"{"csv":[1,2],"ssv":[1,2],"tsv":[1,2],"pipes":[1,2],"multi":[1,2],"none":[1,2]}"#;
    assert_eq!(
        url(&api, arguments),
        "/v1/?csv=1,2&ssv=1%202&tsv=1%092&pipes=1%7C2&multi=1&multi=2&none=1,2"
    );
}
