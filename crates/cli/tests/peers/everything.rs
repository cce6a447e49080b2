//! The official reference server, over each of its HTTP transports.

use std::net::SocketAddr;

use crate::client::Client;
use crate::server::Server;
use crate::{direct, stdio};

/// Calls whose results do not depend on the time or on the session.
///
/// Left out are `get-env` (the server's environment), `toggle-…` (they name the session),
/// `simulate-research-query` and the dynamic resources (they tell the time).
pub const REPEATABLE: &[(&str, &str)] = &[
    ("ping", "{}"),
    ("tools/list", "{}"),
    (
        "tools/call",
        r#"{"name":"echo","arguments":{"message":"ahoy \u00f8 \"quay\" ⛴ \n"}}"#,
    ),
    (
        "tools/call",
        r#"{"name":"get-sum","arguments":{"a":0.1,"b":1e21}}"#,
    ),
    (
        "tools/call",
        r#"{"name":"get-sum","arguments":{"a":"not a number"}}"#,
    ),
    ("tools/call", r#"{"name":"get-tiny-image","arguments":{}}"#),
    (
        "tools/call",
        r#"{"name":"get-structured-content","arguments":{"location":"New York"}}"#,
    ),
    (
        "tools/call",
        r#"{"name":"get-annotated-message","arguments":{"messageType":"error","includeImage":true}}"#,
    ),
    (
        "tools/call",
        r#"{"name":"get-resource-links","arguments":{"count":3}}"#,
    ),
    ("resources/list", "{}"),
    ("resources/templates/list", "{}"),
    (
        "resources/read",
        r#"{"uri":"demo://resource/static/document/architecture.md"}"#,
    ),
    ("prompts/list", "{}"),
    ("prompts/get", r#"{"name":"simple-prompt"}"#),
    (
        "prompts/get",
        r#"{"name":"args-prompt","arguments":{"city":"Århus","state":"J\tyl"}}"#,
    ),
    (
        "completion/complete",
        r#"{"ref":{"type":"ref/prompt","name":"completable-prompt"},"argument":{"name":"department","value":"E"}}"#,
    ),
    (
        "tools/call",
        r#"{"name":"trigger-long-running-operation","arguments":{"duration":0.1,"steps":2}}"#,
    ),
    (
        "tools/call",
        r#"{"name":"trigger-sampling-request","arguments":{"prompt":"tide?"}}"#,
    ),
    (
        "tools/call",
        r#"{"name":"trigger-elicitation-request","arguments":{}}"#,
    ),
];

/// The two transports: how the server is started, where it is, and how to reach it directly.
struct Transport {
    name: &'static str,
    path: &'static str,
    direct: fn(SocketAddr) -> (Client, String),
}

const STREAMABLE_HTTP: Transport = Transport {
    name: "streamableHttp",
    path: "/mcp",
    direct: direct::streamable_http,
};
const HTTP_SSE: Transport = Transport {
    name: "sse",
    path: "/sse",
    direct: direct::http_sse,
};

impl Transport {
    /// A server, and a client that reaches it through the bridge.
    fn bridged(&self) -> (Server, Client) {
        let server = Server::everything(self.name);
        let (client, _) = stdio::connect(&server.url(self.path));
        (server, client)
    }
}

fn results_are_the_bytes_of_a_direct_connection(transport: &Transport) {
    let server = Server::everything(transport.name);
    let (mut direct, hello) = (transport.direct)(server.address);
    let (mut bridged, bridged_hello) = stdio::connect(&server.url(transport.path));
    assert_eq!(bridged_hello, hello, "initialize");
    for (method, params) in REPEATABLE {
        assert_eq!(
            bridged.call(method, params),
            direct.call(method, params),
            "{method} {params}"
        );
    }
}

fn progress_arrives_before_the_result(transport: &Transport) {
    let (_server, mut client) = transport.bridged();
    client.call(
        "tools/call",
        r#"{"name":"trigger-long-running-operation","arguments":{"duration":0.4,"steps":4},"_meta":{"progressToken":"lorry"}}"#,
    );
    let progress = client.told("notifications/progress");
    let expected = [1, 2, 3, 4]
        .map(|step| format!(r#"{{"progress":{step},"total":4,"progressToken":"lorry"}}"#));
    assert_eq!(progress, expected);
}

fn a_tool_may_ask_the_clients_model(transport: &Transport) {
    let (_server, mut client) = transport.bridged();
    let result = client.tool("trigger-sampling-request", r#"{"prompt":"tide?"}"#);
    assert_eq!(client.asked_during_calls(), ["sampling/createMessage"]);
    assert!(result.contains("tide ø and “quay”"), "{result}");
}

fn a_tool_may_ask_the_clients_user(transport: &Transport) {
    let (_server, mut client) = transport.bridged();
    let result = client.tool("trigger-elicitation-request", "{}");
    assert_eq!(client.asked_during_calls(), ["elicitation/create"]);
    assert!(result.contains("Name: Ada"), "{result}");
}

fn the_server_may_ask_for_roots_outside_any_call(transport: &Transport) {
    let (_server, mut client) = transport.bridged();
    client.wait_until_asked("roots/list");
    client.wait_until_told("notifications/message");
    let result = client.tool("get-roots-list", "{}");
    assert!(
        result.contains("Høybro") && result.contains("file:///harbour"),
        "{result}"
    );
}

fn log_messages_arrive_outside_any_call(transport: &Transport) {
    let (_server, mut client) = transport.bridged();
    client.call("logging/setLevel", r#"{"level":"debug"}"#);
    client.tool("toggle-simulated-logging", "{}");
    let log = client.wait_until_told("notifications/message");
    assert!(log.contains("level"), "{log}");
}

/// The same tests for each transport.
macro_rules! promises {
    ($transport:expr => $($promise:ident)*) => {
        $(
            #[test]
            #[ignore = "needs the peers that `cargo xtask test` installs"]
            fn $promise() {
                super::$promise(&$transport);
            }
        )*
    };
    ($($module:ident: $transport:expr),*) => {
        $(
            mod $module {
                promises! { $transport =>
                    results_are_the_bytes_of_a_direct_connection
                    progress_arrives_before_the_result
                    a_tool_may_ask_the_clients_model
                    a_tool_may_ask_the_clients_user
                    the_server_may_ask_for_roots_outside_any_call
                    log_messages_arrive_outside_any_call
                }
            }
        )*
    };
}

promises! {
    over_streamable_http: super::STREAMABLE_HTTP,
    over_http_sse: super::HTTP_SSE
}
