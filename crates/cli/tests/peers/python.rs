//! A server of both eras on the official Python SDK, with a legacy client.

use crate::client::Client;
use crate::server::Server;
use crate::{direct, stdio};

pub const REPEATABLE: &[(&str, &str)] = &[
    ("ping", "{}"),
    ("tools/list", "{}"),
    (
        "tools/call",
        r#"{"name":"echo","arguments":{"message":"ahoy \u00f8 \"quay\" ⛴ \n"}}"#,
    ),
    // A whole float, which Python writes as `3.0`.
    ("tools/call", r#"{"name":"tide","arguments":{"hour":3}}"#),
    (
        "tools/call",
        r#"{"name":"tide","arguments":{"hour":"noon"}}"#,
    ),
    ("resources/list", "{}"),
    ("resources/templates/list", "{}"),
    ("resources/read", r#"{"uri":"quay://notice"}"#),
    ("resources/read", r#"{"uri":"quay://berth/7"}"#),
    ("prompts/list", "{}"),
    (
        "prompts/get",
        r#"{"name":"greet","arguments":{"ship":"Æolus"}}"#,
    ),
    ("tools/call", r#"{"name":"load","arguments":{"cars":2}}"#),
    (
        "tools/call",
        r#"{"name":"ask_model","arguments":{"question":"tide?"}}"#,
    ),
    ("tools/call", r#"{"name":"ask_user","arguments":{}}"#),
    ("tools/call", r#"{"name":"ask_twice","arguments":{}}"#),
    (
        "tools/call",
        r#"{"name":"ask_everything","arguments":{"question":"tide?"}}"#,
    ),
];

fn bridged() -> (Server, Client) {
    let server = Server::python(&[]);
    let (client, _) = stdio::connect(&server.url("/mcp"));
    (server, client)
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn results_are_the_bytes_of_a_direct_connection() {
    let server = Server::python(&[]);
    let (mut direct, hello) = direct::streamable_http(server.address);
    let (mut bridged, bridged_hello) = stdio::connect(&server.url("/mcp"));
    assert_eq!(bridged_hello, hello, "initialize");
    for (method, params) in REPEATABLE {
        assert_eq!(
            bridged.call(method, params),
            direct.call(method, params),
            "{method} {params}"
        );
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn progress_and_logs_arrive_before_the_result_as_they_were_sent() {
    let (server, mut bridged) = bridged();
    let (mut direct, _) = direct::streamable_http(server.address);
    // The token does not fit a float of 64 bits.
    let load =
        r#"{"name":"load","arguments":{"cars":3},"_meta":{"progressToken":9007199254740993}}"#;
    for client in [&mut bridged, &mut direct] {
        client.call("tools/call", load);
    }
    for (method, times) in [("notifications/progress", 3), ("notifications/message", 1)] {
        assert_eq!(bridged.told(method), direct.told(method));
        assert_eq!(bridged.told(method).len(), times, "{method}");
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_tool_may_ask_the_clients_model() {
    let (_server, mut client) = bridged();
    let result = client.tool("ask_model", r#"{"question":"tide?"}"#);
    assert_eq!(client.asked, ["sampling/createMessage"]);
    assert!(result.contains("stub said: tide ø and “quay”"), "{result}");
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_tool_may_ask_the_clients_user() {
    let (_server, mut client) = bridged();
    let result = client.tool("ask_user", "{}");
    assert_eq!(client.asked, ["elicitation/create"]);
    assert!(result.contains("accept: Ada"), "{result}");
}
