//! Several links in a row behave as the server at their end.

use linkspan_testkit::{Bridge, Expose, Exposed, child};
use serde_json::json;

use crate::setup::{
    LATEST, assert_works, assert_works_for, content, expose, legacy, modern, program, value,
};

fn connect(url: &str, flags: &[&str]) -> Bridge {
    Bridge::launch(program())
        .arg("connect")
        .args(flags)
        .arg(url)
        .start()
}

fn behind(exposed: &Exposed, flags: &[&str]) -> Exposed {
    Expose::url(program(), exposed.url()).flags(flags).start()
}

#[test]
fn connect_to_expose_behaves_as_the_child() {
    let exposed = legacy();
    let mut bridge = connect(exposed.url(), &[]);
    let welcome = bridge.initialize(LATEST);
    assert_eq!(welcome.result, Some(child::initialize_result(LATEST)));
    let answer = bridge.ask("\"f\"", "fidelity", &json!({}));
    assert_eq!(answer.result, Some(format!("{{{}}}", child::FIDELITY)));
    assert_eq!(
        bridge.ask("1", "fail", &json!({})).error.as_deref(),
        Some(child::FAILURE)
    );
    bridge.call("2", "ask", &json!({}));
    let question = bridge.heard("elicitation/create").id.unwrap();
    bridge.send(&format!(
        r#"{{"jsonrpc":"2.0","id":{question},"result":{{"action":"accept"}}}}"#
    ));
    assert_eq!(content(&bridge.answer("2")), r#"{"action":"accept"}"#);
    bridge.call("3", "gate", &json!({"name": "never"}));
    exposed.children.wait_for_tool("gate");
    bridge.notify("notifications/cancelled", &json!({"requestId": 3}));
    exposed.children.wait_for_method("notifications/cancelled");
    bridge.ask("4", "later", &json!({"gate": "now"}));
    exposed.children.open("now");
    bridge.heard("notifications/tools/list_changed");
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
    exposed.children.wait_until_none();
}

#[test]
fn connect_to_expose_is_quick_enough_for_big_results() {
    let exposed = legacy();
    let bridge = connect(exposed.url(), &[]);
    bridge.initialize(LATEST);
    let answer = bridge.ask("1", "blob", &json!({"size": 10_000_000}));
    assert!(answer.text.len() > 10_000_000);
}

#[test]
fn an_address_can_be_exposed() {
    let inner = legacy();
    let outer = behind(&inner, &[]);
    let session = outer.client().session(LATEST);
    assert_eq!(
        session.welcome.result,
        Some(child::initialize_result(LATEST))
    );
    let answer = session.tool("1", "fidelity", &json!({}));
    assert_eq!(answer.result, Some(format!("{{{}}}", child::FIDELITY)));
    let mut call = session.call("2", "sample", &json!({}));
    let question = call.heard("sampling/createMessage");
    session.respond(&question, r#"{"model":"m"}"#);
    assert_eq!(content(&call.answer()), r#"{"model":"m"}"#);
    let mut listening = session.listen();
    assert_eq!(listening.status(), 200);
    session.tool("3", "later", &json!({"gate": "now"}));
    inner.children.open("now");
    listening.heard("notifications/tools/list_changed");
    assert_eq!(session.end(), 204);
    inner.children.wait_until_none();
}

#[test]
fn an_exposed_address_serves_modern_clients_of_either_child() {
    for inner in [legacy(), modern()] {
        let outer = behind(&inner, &[]);
        let client = outer.client().modern();
        assert_works_for(&client);
        let call = client.call("1", "gate", &json!({"name": "never"}));
        inner.children.wait_for_tool("gate");
        drop(call);
        inner.children.wait_for_method("notifications/cancelled");
        outer.end();
    }
}

#[test]
fn two_translations_in_a_row_still_ask_the_client() {
    // legacy client → modern link → legacy child
    let inner = expose(&["--server-era", "legacy"], &[]);
    let outer = behind(&inner, &["--server-era", "modern"]);
    let session = outer.client().session(LATEST);
    assert_works(&session);
    for (tool, method) in [
        ("ask", "elicitation/create"),
        ("sample", "sampling/createMessage"),
        ("roots", "roots/list"),
    ] {
        let mut call = session.call("1", tool, &json!({}));
        let question = call.heard(method);
        session.respond(&question, r#"{"action":"accept"}"#);
        assert_eq!(value(&call.answer())["action"], "accept", "{tool}");
    }
    let mut call = session.call_with_token("2", &json!("t"), "progress", &json!({"n": 3}));
    assert!(call.answer().result.is_some());
    assert_eq!(call.rest().len(), 3);
    outer.end();
}

#[test]
fn connect_translates_for_a_legacy_client_in_front_of_a_modern_child() {
    let exposed = modern();
    for flags in [&[][..], &["--server-era", "modern"]] {
        let mut bridge = connect(exposed.url(), flags);
        let welcome = bridge.initialize(LATEST).json();
        assert_eq!(welcome["result"]["serverInfo"]["name"], "linkspan-child");
        bridge.call("1", "ask", &json!({}));
        let question = bridge.heard("elicitation/create").id.unwrap();
        bridge.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{question},"result":{{"action":"accept"}}}}"#
        ));
        assert_eq!(value(&bridge.answer("1"))["action"], "accept");
        bridge.close_stdin();
        assert_eq!(bridge.exit_code(), Some(0));
    }
}

#[test]
fn a_target_that_is_not_there_is_an_error_for_each_request_and_not_the_end() {
    let port = linkspan_testkit::Port::reserve();
    let outer = Expose::url(program(), &port.url())
        .flags(&["--timeout", "5"])
        .start();
    for _ in 0..2 {
        let answer = outer.client().initialize(LATEST, &json!({})).answer();
        assert_eq!(answer.code(), Some(-32000), "{}", answer.text);
        let answer = outer
            .client()
            .modern()
            .call("1", "echo", &json!({}))
            .answer();
        assert_eq!(answer.code(), Some(-32000), "{}", answer.text);
    }
}
