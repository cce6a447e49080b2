//! `linkspan serve --openapi` with FastAPI behind it, which makes its document itself.

use std::process::Command;

use serde_json::{Value, json};

use crate::client::Client;
use crate::server::Server;
use crate::{installed, stdio};

fn quay() -> Server {
    Server::start("fastapi", |port| {
        let mut command = Command::new(installed::python());
        command
            .arg(installed::script("fastapi_server.py"))
            .arg(port);
        command
    })
}

/// A client of the API, with its tools.
fn client(server: &Server, flags: &[&str]) -> (Client, Vec<Value>) {
    let url = server.url("/openapi.json");
    let words = [&[installed::linkspan(), "serve", "--openapi", &url], flags].concat();
    let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    let (mut client, hello) = stdio::start(&words);
    assert!(hello.contains("Ships at a quay."), "{hello}");
    let list: Value = serde_json::from_str(&client.call("tools/list", "{}")).expect("it is JSON");
    let tools = list["tools"].as_array().expect("a list of tools").clone();
    (client, tools)
}

/// The name of the tool whose name begins with that.
fn named<'t>(tools: &'t [Value], prefix: &str) -> &'t str {
    let mut names = tools.iter().filter_map(|tool| tool["name"].as_str());
    names
        .find(|name| name.starts_with(prefix))
        .expect("there is such a tool")
}

/// The text of a result as JSON, and whether it is an error.
fn call(client: &mut Client, tool: &str, arguments: &Value) -> (Value, bool) {
    let result = client.tool(tool, &arguments.to_string());
    let result: Value = serde_json::from_str(&result).expect("it is JSON");
    let content = result["content"].as_array().expect("content");
    let text = content
        .last()
        .and_then(|item| item["text"].as_str())
        .expect("text");
    let value = serde_json::from_str(text).unwrap_or_else(|_| json!(text));
    (value, result["isError"] == true)
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn every_operation_is_a_tool_that_says_what_it_takes() {
    let server = quay();
    let (_client, tools) = client(&server, &[]);
    assert_eq!(tools.len(), 9);
    let put = tools
        .iter()
        .find(|tool| tool["name"] == named(&tools, "put_ship"))
        .expect("put");
    let schema = &put["inputSchema"];
    assert_eq!(schema["required"], json!(["id", "name"]));
    let names: Vec<_> = schema["properties"]
        .as_object()
        .expect("properties")
        .keys()
        .collect();
    assert_eq!(
        names,
        ["id", "dry", "x-note", "name", "length", "tags", "captain"]
    );
    assert_eq!(put["annotations"]["idempotentHint"], true);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn arguments_arrive_where_the_api_expects_them() {
    let server = quay();
    let (mut client, tools) = client(&server, &[]);
    let put = named(&tools, "put_ship");
    let ship = json!({"id": "a b&c", "name": "Æolus", "length": 3.5, "tags": ["x", "y"], "dry": true, "x-note": "hi",
        "captain": {"name": "Ada", "mentor": {"name": "Bo"}}});
    let (found, _) = call(&mut client, put, &ship);
    assert_eq!(
        (&found["id"], &found["dry"], &found["note"]),
        (&json!("a b&c"), &json!(true), &json!("hi"))
    );
    assert_eq!(found["ship"]["captain"]["mentor"]["name"], "Bo");
    let (found, _) = call(
        &mut client,
        named(&tools, "get_ship"),
        &json!({"id": "a b&c"}),
    );
    assert_eq!(
        (&found["name"], &found["tags"]),
        (&json!("Æolus"), &json!(["x", "y"]))
    );
    let search = json!({"tag": ["a b", "c,d"], "kind": "steam", "session": "s1"});
    assert_eq!(
        call(&mut client, named(&tools, "search"), &search),
        (search, false)
    );
    let form = json!({"text": "x&y=z", "numbers": [1, 2]});
    assert_eq!(
        call(&mut client, named(&tools, "form"), &form),
        (form, false)
    );
    let file = json!({"file": "data:text/csv;name=x.csv;base64,YSxi", "note": "n"});
    assert_eq!(
        call(&mut client, named(&tools, "upload"), &file).0,
        json!({"name": "x.csv", "type": "text/csv", "text": "a,b", "note": "n"})
    );
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn errors_redirects_images_and_empty_responses_are_results() {
    let server = quay();
    let (mut client, tools) = client(&server, &[]);
    let (why, is_error) = call(
        &mut client,
        named(&tools, "get_ship"),
        &json!({"id": "nope"}),
    );
    assert_eq!((why, is_error), (json!({"detail": "no such ship"}), true));
    let (why, is_error) = call(
        &mut client,
        named(&tools, "search"),
        &json!({"kind": "oars"}),
    );
    assert!(is_error && why["detail"].is_array(), "{why}");
    let (gone, _) = call(
        &mut client,
        named(&tools, "remove_ship"),
        &json!({"id": "nope"}),
    );
    assert!(
        gone.as_str()
            .is_some_and(|text| text.starts_with("HTTP 204")),
        "{gone}"
    );
    assert_eq!(
        call(&mut client, named(&tools, "listing"), &json!({})),
        (json!([]), false)
    );
    let flag = client.tool(named(&tools, "flag"), "{}");
    assert!(
        flag.contains(r#"{"type":"image","data":"iVBORw==","mimeType":"image/png"}"#),
        "{flag}"
    );
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_key_of_the_command_line_opens_what_needs_one() {
    let server = quay();
    let (mut with, tools) = client(&server, &["-H", "X-Key: sesame"]);
    let secret = named(&tools, "secret");
    assert_eq!(
        call(&mut with, secret, &json!({})),
        (json!({"open": true}), false)
    );
    let (mut without, _) = client(&server, &[]);
    let (_, is_error) = call(&mut without, secret, &json!({}));
    assert!(is_error);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn results_fit_the_schemas_of_the_document() {
    let server = quay();
    let (mut client, tools) = client(&server, &["--output-schemas"]);
    call(
        &mut client,
        named(&tools, "put_ship"),
        &json!({"id": "1", "name": "Argo"}),
    );
    let get = named(&tools, "get_ship");
    let schema = tools
        .iter()
        .find(|tool| tool["name"] == get)
        .map(|tool| &tool["outputSchema"]);
    let schema = linkspan_schema::Schema::new(schema.expect("a schema")).expect("it is valid");
    let result: Value =
        serde_json::from_str(&client.tool(get, r#"{"id":"1"}"#)).expect("it is JSON");
    assert_eq!(
        schema.check(&result["structuredContent"]),
        [] as [String; 0]
    );
    assert_eq!(result["structuredContent"]["name"], "Argo");
}
