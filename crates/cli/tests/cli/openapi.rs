//! `linkspan serve --openapi`: flags, exit codes, and calls of an HTTP API through both commands.

use linkspan_testkit::{Conn, Flow, Request, Server};
use serde_json::json;

use crate::setup::{Ran, Run, Scratch, linkspan};

/// An API that answers with the method, the target and two headers of a request; `/openapi.json` is its document.
fn api() -> Server {
    let hook = |request: &Request, conn: &mut Conn| {
        let header = |name| request.header(name).unwrap_or_default();
        let body = match request.path() {
            "/openapi.json" => document("/v1"),
            _ => json!({
                "asked": format!("{} {}", request.method, request.target),
                "authorization": header("authorization"),
                "key": header("x-key"),
            })
            .to_string(),
        };
        Flow::written(conn.json(200, &body))
    };
    Server::legacy().intercept(hook).start()
}

fn document(server: &str) -> String {
    let get = |name: &str| json!({"get": {"operationId": name, "tags": [name], "summary": format!("Gets {name}")}});
    let schemes = json!({"key": {"type": "apiKey", "in": "header", "name": "X-Key"}});
    json!({"openapi": "3.1.0", "servers": [{"url": server}], "security": [{"key": []}],
        "components": {"securitySchemes": schemes}, "paths": {"/pets/{id}": get("pet"), "/ships": get("ships")}})
    .to_string()
}

/// Runs a command of a client against `linkspan serve --openapi`.
fn through(command: &[&str], serve: &[&str]) -> Run {
    let server = [env!("CARGO_BIN_EXE_linkspan"), "serve", "--openapi"];
    let words: Vec<&str> = [command, &["--"], &server, serve].concat();
    Run::new(&words).env("TOK", "tok").env("KEY", "k1")
}

fn serve(args: &[&str]) -> Ran {
    linkspan(&[&["serve"], args].concat())
}

fn origin(server: &Server) -> String {
    format!("http://127.0.0.1:{}", server.port())
}

#[test]
fn a_call_is_a_request_with_the_credentials_of_the_command_line() {
    let server = api();
    let url = format!("{}/openapi.json", origin(&server));
    let flags = [
        url.as_str(),
        "--bearer-env",
        "TOK",
        "--credential-env",
        "key=KEY",
    ];
    let ran = through(&["call", "pet", "id=a b"], &flags).end();
    assert_eq!(ran.code, Some(0), "{ran}");
    let seen: serde_json::Value = serde_json::from_str(&ran.stdout).expect("the result is JSON");
    assert_eq!(
        seen,
        json!({"asked": "GET /v1/pets/a%20b", "authorization": "Bearer tok", "key": "k1"})
    );
    // The document was fetched without them.
    let fetched = server.requests();
    assert_eq!(fetched[0].header("authorization"), None);
    assert_eq!(fetched[0].header("x-key"), None);
}

#[test]
fn a_file_may_name_its_server_or_the_command_line_does() {
    let (server, scratch) = (api(), Scratch::new("openapi-file"));
    let origin = origin(&server);
    let named = scratch.write("named.json", &document(&origin));
    let ran = through(&["call", "ships"], &[&named]).end();
    assert!(ran.stdout.contains("GET /ships"), "{ran}");
    let relative = scratch.write(
        "relative.yaml",
        "openapi: 3.0.0\npaths:\n  /x:\n    get: {operationId: x}\n",
    );
    let ran = through(
        &["call", "x"],
        &[&relative, "--base-url", &format!("{origin}/api/")],
    )
    .end();
    assert!(ran.stdout.contains("GET /api/x"), "{ran}");
    let ran = serve(&["--openapi", &relative]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.contains("hint: name the server with --base-url"),
        "{ran}"
    );
}

#[test]
fn filters_select_operations() {
    let scratch = Scratch::new("openapi-filter");
    let file = scratch.write("api.json", &document("http://127.0.0.1:1"));
    let ran = through(&["tools"], &[&file, "--include", "ships"]).end();
    assert_eq!(ran.stdout, "ships\n    Gets ships\n", "{ran}");
    let ran = serve(&["--openapi", &file, "--exclude", "*"]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.contains("select none of the 2 operations"),
        "{ran}"
    );
}

#[test]
fn a_server_that_is_not_there_is_an_error_of_the_call() {
    let scratch = Scratch::new("openapi-gone");
    let file = scratch.write("api.json", &document("http://127.0.0.1:1"));
    let ran = through(&["call", "ships"], &[&file]).end();
    assert_eq!(ran.code, Some(5), "{ran}");
    assert!(ran.stdout.contains("the request failed: "), "{ran}");
}

#[test]
fn a_folder_and_a_document_exclude_each_other() {
    for line in [
        &[".", "--openapi", "api.json"][..],
        &["--openapi", "api.json", "--sandbox", "1"],
        &["--openapi", "api.json", "--no-watch"],
        &["--openapi", "api.json", "--health"],
        &["--include", "x"],
        &["--base-url", "https://example.com"],
        &["--openapi", "api.json", "--credential-env", "TOK"], // not SCHEME=VAR
    ] {
        let ran = serve(line);
        assert_eq!(ran.code, Some(2), "{line:?} {ran}");
        assert!(
            ran.stderr.contains("--openapi") || ran.stderr.contains("--credential-env"),
            "{ran}"
        );
    }
}

#[test]
fn errors_of_documents_have_their_exit_codes() {
    let (server, scratch) = (api(), Scratch::new("openapi-errors"));
    let file = |text: &str| scratch.write("wrong.json", text);
    assert_eq!(serve(&["--openapi", "/nowhere/api.json"]).code, Some(2));
    assert_eq!(serve(&["--openapi", &file("{")]).code, Some(1));
    assert_eq!(serve(&["--openapi", "http://127.0.0.1:1/x"]).code, Some(3));
    let elsewhere = file(&document("https://example.com"));
    let ran = serve(&["--openapi", &elsewhere, "--credential-env", "nope=PATH"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("hint: it has key"), "{ran}");
    let plain = file(&document("http://example.com"));
    let ran = serve(&["--openapi", &plain]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("plain http:// to `example.com`"),
        "{ran}"
    );
    let token = serve(&[
        "--openapi",
        &elsewhere,
        "--bearer-env",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    ]);
    assert_eq!(token.code, Some(2));
    assert!(!token.stderr.contains("ghp_"), "{token}");
    drop(server);
}
