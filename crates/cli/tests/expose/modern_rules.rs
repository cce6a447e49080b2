//! The stateless revision: headers that mirror the body, and the statuses of refusals.

use linkspan_testkit::mcp_client::{META, everything, initialize, request};
use linkspan_testkit::{Ask, Call, Exposed, Modern};
use serde_json::{Value, json};

use crate::setup::{LATEST, MODERN, assert_refused, assert_works_for, content, legacy, modern};

fn each_child() -> [Exposed; 2] {
    [legacy(), modern()]
}

fn echo() -> Value {
    json!({"name": "echo", "arguments": {"x": 1}})
}

/// A call of `echo` with a request that the test has changed.
fn changed(client: &Modern, change: impl Fn(Ask) -> Ask) -> Call {
    let ask = client.posting("1", "tools/call", &echo());
    client.client.send(&change(ask))
}

#[test]
fn a_header_that_contradicts_the_body_is_a_mismatch() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        assert_works_for(&client);
        exposed.children.wait_for_tools("echo", 1);
        let before = exposed.children.seen(|s| s.tool().is_some()).len();
        for (name, value) in [
            ("MCP-Protocol-Version", "2025-11-25"),
            ("MCP-Protocol-Version", ""),
            ("Mcp-Method", "tools/list"),
            ("Mcp-Method", "Tools/Call"),
            ("Mcp-Method", ""),
            ("Mcp-Name", "fail"),
            ("Mcp-Name", "ECHO"),
            ("Mcp-Name", ""),
            ("Mcp-Name", "=?base64?ZmFpbA==?="),
            ("Mcp-Name", "=?base64?not base64?="),
        ] {
            let mut call = changed(&client, |ask| ask.with(name, value));
            let error = assert_refused(&mut call, 400, -32020);
            assert_eq!(error.id.as_deref(), Some("1"), "{name}: {value}");
        }
        let after = exposed.children.seen(|s| s.tool().is_some()).len();
        assert_eq!(before, after, "none of them reached the child");
    }
}

#[test]
fn a_missing_header_is_a_mismatch() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        for name in ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"] {
            assert_refused(&mut changed(&client, |ask| ask.without(name)), 400, -32020);
        }
    }
}

#[test]
fn a_header_given_twice_with_two_values_is_a_mismatch() {
    let exposed = legacy();
    let client = exposed.client().modern();
    for (name, value) in [("Mcp-Name", "fail"), ("Mcp-Method", "ping")] {
        assert_refused(
            &mut changed(&client, |ask| ask.header(name, value)),
            400,
            -32020,
        );
    }
}

#[test]
fn resources_and_prompts_are_named_too() {
    let exposed = legacy();
    let client = exposed.client().modern();
    for (method, params) in [
        ("resources/read", json!({"uri": "quay://1"})),
        ("prompts/get", json!({"name": "plain"})),
    ] {
        let ask = client.posting("1", method, &params);
        assert!(client.client.send(&ask).answer().result.is_some());
        let wrong = ask.clone().with("Mcp-Name", "other");
        assert_refused(&mut client.client.send(&wrong), 400, -32020);
        assert_refused(
            &mut client.client.send(&ask.without("Mcp-Name")),
            400,
            -32020,
        );
    }
}

#[test]
fn a_name_that_no_header_can_carry_comes_wrapped() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let params = json!({"uri": "quay://\u{26f4}"});
    let ask = client.posting("1", "resources/read", &params);
    let wrapped = ask.with("Mcp-Name", "=?base64?cXVheTovL+KbtA==?=");
    let answer = client.client.send(&wrapped).answer();
    assert_eq!(
        answer.json()["result"]["contents"][0]["uri"],
        "quay://\u{26f4}",
        "{}",
        answer.text
    );
}

#[test]
fn header_names_have_no_case_and_their_values_no_edges() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let mut call = changed(&client, |ask| {
        ask.without("Mcp-Name")
            .without("Mcp-Method")
            .header("MCP-NAME", "  echo ")
            .header("mcp-method", "tools/call\t")
    });
    assert_eq!(content(&call.answer()), r#"{"x":1}"#);
}

#[test]
fn parameter_headers_are_held_against_the_body() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        let list = client.request("1", "tools/list", &json!({})).answer();
        assert!(list.text.contains("x-mcp-header"), "{}", list.text);
        let params = json!({"name": "routed", "arguments": {"region": "north"}});
        let ask = client.posting("2", "tools/call", &params);
        let right = ask.clone().header("Mcp-Param-Region", "north");
        assert!(client.client.send(&right).answer().result.is_some());
        let wrong = ask.clone().header("Mcp-Param-Region", "south");
        assert_refused(&mut client.client.send(&wrong), 400, -32020);
        assert_refused(&mut client.client.send(&ask), 400, -32020);
        let unknown = client
            .posting("3", "tools/call", &echo())
            .header("Mcp-Param-Vendor", "anything");
        assert!(client.client.send(&unknown).answer().result.is_some());
    }
}

#[test]
fn an_unknown_version_is_refused_with_the_supported_versions() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        for version in ["2099-01-01", "1.0"] {
            let params = json!({"_meta": {format!("{META}protocolVersion"): version}});
            let ask = client.posting("1", "tools/list", &params);
            let ask = ask.with("MCP-Protocol-Version", version);
            let error = assert_refused(&mut client.client.send(&ask), 400, -32022).json();
            assert_eq!(error["error"]["data"]["requested"], version);
            let supported = error["error"]["data"]["supported"]
                .as_array()
                .unwrap()
                .clone();
            assert!(supported.contains(&json!(MODERN)), "{supported:?}");
        }
    }
}

#[test]
fn an_envelope_without_its_members_is_invalid() {
    for exposed in each_child() {
        let client = exposed.client();
        let post = |body: &str| {
            let ask = client
                .posting(body)
                .header("MCP-Protocol-Version", MODERN)
                .header("Mcp-Method", "tools/list");
            client.send(&ask)
        };
        let version = format!("{META}protocolVersion");
        let abilities = format!("{META}clientCapabilities");
        for meta in [
            json!({}),
            json!({&version: MODERN}),
            json!({&abilities: {}}),
            json!({&version: MODERN, &abilities: 5}),
            json!({&version: MODERN, &abilities: null}),
        ] {
            let body = request("1", "tools/list", &json!({"_meta": meta}));
            assert_refused(&mut post(&body), 400, -32602);
        }
        assert_refused(
            &mut post(&request("1", "tools/list", &json!({}))),
            400,
            -32602,
        );
        let bare = json!({"_meta": {&version: MODERN, &abilities: {}}});
        let mut nameless = post(&request("1", "tools/list", &bare));
        assert!(
            nameless.answer().result.is_some(),
            "`clientInfo` is optional"
        );
    }
}

#[test]
fn a_handshake_under_a_modern_header_is_a_mismatch() {
    let exposed = legacy();
    let client = exposed.client();
    let ask = client
        .posting(&initialize(LATEST, &everything()))
        .header("MCP-Protocol-Version", MODERN);
    assert_refused(&mut client.send(&ask), 400, -32020);
}

#[test]
fn an_unknown_method_is_not_found() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        let error = assert_refused(
            &mut client.request("\"x\"", "dredge", &json!({})),
            404,
            -32601,
        );
        assert_eq!(error.id.as_deref(), Some("\"x\""));
        let mut known = client.request("1", "vendor/dredge", &json!({}));
        assert_eq!(known.status(), 200, "a child may know what we do not");
        assert!(known.answer().result.is_some());
    }
}

#[test]
fn methods_that_the_revision_has_dropped_are_not_found() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        for method in [
            "ping",
            "logging/setLevel",
            "resources/subscribe",
            "resources/unsubscribe",
        ] {
            let params = json!({"level": "info", "uri": "quay://1"});
            assert_refused(&mut client.request("1", method, &params), 404, -32601);
        }
    }
}

#[test]
fn errors_of_the_child_itself_are_not_errors_of_http() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        let mut call = client.call("1", "fail", &json!({}));
        assert_eq!(call.status(), 200);
        let error = call.answer().error;
        assert_eq!(error.as_deref(), Some(linkspan_testkit::child::FAILURE));
    }
}

#[test]
fn a_resource_that_is_not_there_has_the_code_of_the_revision() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        let mut call = client.request("1", "resources/read", &json!({"uri": "missing://1"}));
        let answer = call.answer();
        assert_eq!(answer.code(), Some(-32602), "{}", answer.text);
        assert_eq!(
            answer.string_at(&["error", "data", "uri"]).as_deref(),
            Some("missing://1")
        );
    }
}

#[test]
fn sessions_and_event_ids_mean_nothing() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        let mut call = changed(&client, |ask| {
            ask.header("Mcp-Session-Id", "no-such-session")
                .header("Last-Event-ID", "7")
        });
        assert_eq!(call.status(), 200);
        assert_eq!(call.header("mcp-session-id"), None, "no session is offered");
        assert!(call.answer().result.is_some());
    }
}

#[test]
fn batches_are_refused() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let body = format!("[{}]", client.body("1", "tools/list", &json!({})));
    let ask = client
        .client
        .posting(&body)
        .header("MCP-Protocol-Version", MODERN)
        .header("Mcp-Method", "tools/list");
    assert!((400..500).contains(&client.client.send(&ask).status()));
}

#[test]
fn a_bad_log_level_is_invalid() {
    // A modern child decides that itself; for a legacy one the bridge does.
    let exposed = legacy();
    let client = exposed
        .client()
        .modern()
        .with_meta(&format!("{META}logLevel"), json!("shouting"));
    let answer = client.call("1", "echo", &json!({})).answer();
    assert_eq!(answer.code(), Some(-32602), "{}", answer.text);
}
