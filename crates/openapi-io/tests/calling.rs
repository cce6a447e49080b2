//! Calls of tools.

use std::time::Duration;

use linkspan_local::testing::LIMIT;
use linkspan_openapi_io::OpenOptions;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::setup::{Server, call, client, file, text};

#[tokio::test]
async fn a_call_is_a_request_with_all_its_parts() {
    let server = Server::start().await;
    let options = file(&server);
    let mut client = client(options).await;
    let arguments = r#"{"id":"a/b","q":"x y","X-Fine":"fine","n":18446744073709551616}"#;
    let result = call(&mut client, "echo", arguments).await;
    assert_eq!(result["isError"], false);
    let seen: Value = serde_json::from_str(text(&result)).unwrap();
    assert_eq!(
        (&seen["method"], &seen["uri"]),
        (&json!("PUT"), &json!("/echo/a%2Fb?q=x%20y&key=secret-key"))
    );
    assert_eq!(seen["body"], r#"{"n":18446744073709551616}"#);
    let headers = &seen["headers"];
    assert_eq!(headers["authorization"], "Bearer tok");
    assert_eq!(
        (&headers["x-fine"], &headers["content-type"]),
        (&json!("fine"), &json!("application/json"))
    );
    assert!(
        headers["user-agent"]
            .as_str()
            .unwrap()
            .starts_with("linkspan/")
    );
}

#[tokio::test]
async fn a_request_without_a_body_says_so_where_it_matters() {
    let server = Server::start().await;
    let mut client = client(file(&server)).await;
    for (tool, length) in [("remove", Value::Null), ("echo", json!("0"))] {
        let result = call(&mut client, tool, r#"{"id":1}"#).await;
        let seen: Value = serde_json::from_str(text(&result)).unwrap();
        assert_eq!(seen["headers"]["content-length"], length, "{tool}");
        assert_eq!(seen["headers"]["content-type"], Value::Null, "{tool}");
    }
}

#[tokio::test]
async fn redirects_are_followed_on_the_origin_only() {
    let server = Server::start().await;
    let mut client = client(file(&server)).await;
    let moved = call(&mut client, "post_moved", r#"{"a":1}"#).await;
    let seen: Value = serde_json::from_str(text(&moved)).unwrap();
    assert_eq!(
        (&seen["method"], &seen["uri"], &seen["body"]),
        (&json!("POST"), &json!("/echo"), &json!("{\"a\":1}"))
    );
    for tool in ["away", "circle"] {
        let result = call(&mut client, tool, "{}").await;
        assert_eq!(result["isError"], true);
        assert!(
            text(&result).starts_with("HTTP 302 Found\nlocation: "),
            "{result}"
        );
    }
}

#[tokio::test]
async fn a_large_response_is_an_error() {
    let server = Server::start().await;
    let mut client = client(file(&server)).await;
    let result = call(&mut client, "large", "{}").await;
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains("more than 50000 bytes"), "{result}");
}

#[tokio::test]
async fn a_silent_server_is_an_error_after_the_time_limit() {
    let server = Server::start().await;
    let options = OpenOptions {
        timeout: Duration::from_millis(100),
        ..file(&server)
    };
    let mut client = client(options).await;
    let result = call(&mut client, "hang", "{}").await;
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains("did not answer"), "{result}");
}

#[tokio::test]
async fn cancelling_a_call_drops_its_request() {
    let server = Server::start().await;
    let mut client = client(file(&server)).await;
    client.request(5, "tools/call", r#"{"name":"hang"}"#).await;
    drop(
        timeout(LIMIT, server.arrived.acquire())
            .await
            .expect("it arrives"),
    );
    client.cancel(5).await;
    let dropped = timeout(LIMIT, server.dropped.acquire()).await;
    assert!(dropped.is_ok(), "the request goes on");
    let answer = client.ask(6, "ping", "{}").await;
    assert!(answer.contains(r#""id":6"#), "{answer}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_an_error_of_the_call() {
    let server = Server::start().await;
    let mut options = file(&server);
    options.base_url = Some("http://127.0.0.1:1/".to_owned());
    let mut client = client(options).await;
    let result = call(&mut client, "large", "{}").await;
    assert_eq!(result["isError"], true);
    assert!(
        text(&result).starts_with("the request failed: "),
        "{result}"
    );
    assert!(!text(&result).contains("secret-key"), "{result}");
}

#[tokio::test]
async fn mistakes_in_arguments_are_results_and_unknown_tools_errors() {
    let server = Server::start().await;
    let mut client = client(file(&server)).await;
    let result = call(&mut client, "echo", r#"{"id":".."}"#).await;
    assert_eq!(result["isError"], true);
    let answer = client.ask(3, "tools/call", r#"{"name":"nope"}"#).await;
    assert!(
        answer.contains(r#""code":-32602"#) && answer.contains("unknown tool: nope"),
        "{answer}"
    );
}
