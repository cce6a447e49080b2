//! The configuration file changes while the gateway runs.

use linkspan_testkit::Bridge;
use serde_json::json;

use crate::setup::{LATEST, Setting, content, names, pid};

fn tools(gateway: &Bridge, id: &str) -> Vec<String> {
    gateway.request(id, "tools/list", &json!({}));
    names(&gateway.answer(id), "tools")
}

#[test]
fn a_server_that_did_not_change_keeps_its_process_and_a_call_in_flight() {
    let mut setting = Setting::new();
    let kept = setting.child("kept", &[]);
    let gone = setting.child("gone", &["--modern"]);
    let gateway = setting.start(&[]);
    gateway.initialize(LATEST);
    assert_eq!(tools(&gateway, "1").len(), 4);
    let before = pid(&gateway.ask("2", "kept__whoami", &json!({})));
    gateway.call("\"long\"", "kept__gate", &json!({"name": "go"}));
    kept.wait_for_tool("gate");
    setting.remove("gone");
    let added = setting.child("added", &[]);
    setting.write();
    gateway.heard("notifications/tools/list_changed");
    gone.wait_until_none();
    let expected = ["kept__echo", "kept__routed", "added__echo", "added__routed"];
    assert_eq!(tools(&gateway, "3"), expected);
    assert_eq!(pid(&gateway.ask("4", "kept__whoami", &json!({}))), before);
    gateway.ask("5", "added__echo", &json!({}));
    assert_eq!(added.alive().len(), 1);
    kept.open("go");
    assert_eq!(content(&gateway.answer("\"long\"")), r#"{"name":"go"}"#);
    assert_eq!(kept.started(), 1);
}

#[test]
fn a_file_with_mistakes_changes_nothing_until_it_is_right_again() {
    let mut setting = Setting::new();
    let kept = setting.child("kept", &[]);
    let gateway = setting.start(&[]);
    gateway.initialize(LATEST);
    assert_eq!(tools(&gateway, "1").len(), 2);
    setting.write_text("{\"mcpServers\": ");
    let said = gateway.wait_for_stderr("the configuration stays as it was");
    assert!(said.contains("mcp.json:1:"), "{said}");
    gateway.ask("2", "kept__echo", &json!({}));
    let _other = setting.child("other", &[]);
    setting.write();
    gateway.heard("notifications/tools/list_changed");
    assert_eq!(tools(&gateway, "3").len(), 4);
    assert_eq!(kept.started(), 1);
}
