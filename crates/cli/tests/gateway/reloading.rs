//! The configuration file changes while the gateway runs.

use serde_json::json;

use crate::setup::{LATEST, Setting, content, list, pid, until_listed};

#[test]
fn a_server_that_did_not_change_keeps_its_process_and_a_call_in_flight() {
    let mut setting = Setting::new();
    let kept = setting.child("kept", &[]);
    let gone = setting.child("gone", &["--modern"]);
    let gateway = setting.start(&[]);
    gateway.initialize(LATEST);
    let before = ["kept__echo", "kept__routed", "gone__echo", "gone__routed"];
    until_listed(&before, || list(&gateway));
    let first = pid(&gateway.ask("2", "kept__whoami", &json!({})));
    gateway.call("\"long\"", "kept__gate", &json!({"name": "go"}));
    kept.wait_for_tool("gate");
    setting.remove("gone");
    let added = setting.child("added", &[]);
    setting.write();
    gateway.heard("notifications/tools/list_changed");
    gone.wait_until_none();
    let expected = ["kept__echo", "kept__routed", "added__echo", "added__routed"];
    until_listed(&expected, || list(&gateway));
    assert_eq!(pid(&gateway.ask("4", "kept__whoami", &json!({}))), first);
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
    until_listed(&["kept__echo", "kept__routed"], || list(&gateway));
    setting.write_text("{\"mcpServers\": ");
    let said = gateway.wait_for_stderr("the configuration stays as it was");
    assert!(said.contains("mcp.json:1:"), "{said}");
    gateway.ask("2", "kept__echo", &json!({}));
    let _other = setting.child("other", &[]);
    setting.write();
    gateway.heard("notifications/tools/list_changed");
    let both = ["kept__echo", "kept__routed", "other__echo", "other__routed"];
    until_listed(&both, || list(&gateway));
    assert_eq!(kept.started(), 1);
}
