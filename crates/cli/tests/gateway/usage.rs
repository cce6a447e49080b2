//! Flags, exit codes and messages.

use serde_json::json;

use crate::setup::{LATEST, Setting, ask_modern, list, names, until_listed};

fn exits(setting: &Setting, flags: &[&str]) -> (Option<i32>, String) {
    let mut gateway = setting.launch(flags).start();
    gateway.close_stdin();
    let code = gateway.exit_code();
    (code, gateway.stderr())
}

#[test]
fn a_missing_file_is_a_usage_error() {
    let setting = Setting::new();
    let path = setting.file("none.json");
    let path = path.to_str().unwrap();
    let (text, code) = setting.run(&["gateway", "-c", path]);
    assert_eq!(code, Some(2), "{text}");
    assert!(
        text.contains("none.json") && text.contains("hint: "),
        "{text}"
    );
}

#[test]
fn mistakes_are_all_listed_with_their_lines() {
    let setting = Setting::new();
    let text =
        "{\n  \"mcpServers\": {\"a\": {\"command\": 7}},\n  \"linkspan\": {\"pin\": \"off\"}\n}";
    let path = setting.write_text(text);
    let path = path.to_str().unwrap();
    for more in [&[][..], &["--check"]] {
        let args = [&["gateway", "-c", path], more].concat();
        let (text, code) = setting.run(&args);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains("mcp.json:2:"), "{text}");
        assert!(text.contains("mcp.json:3:"), "{text}");
        assert!(text.contains("did you mean `pins`?"), "{text}");
    }
}

#[test]
fn an_unknown_view_is_a_usage_error() {
    let mut setting = Setting::new();
    setting.set(json!({"views": {"dev": {}}}));
    let (code, stderr) = exits(&setting, &["--view", "dve"]);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("there is no view `dve`"), "{stderr}");
}

#[test]
fn flags_of_a_listener_need_http() {
    let setting = Setting::new();
    let (code, stderr) = exits(&setting, &["--port", "0"]);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("--http"), "{stderr}");
}

#[test]
fn a_check_lists_the_servers_and_starts_none() {
    let mut setting = Setting::new();
    let children = setting.child("good", &[]);
    setting.put("Off Line", json!({"command": "x", "disabled": true}));
    let config = setting.write();
    let check = ["gateway", "-c", config.to_str().unwrap(), "--check"];
    assert_eq!(setting.run(&check), ("good  ok\n".to_owned(), Some(0)));
    setting.put("bad", json!({"command": "no-such-program-of-any-machine"}));
    setting.put(
        "unset",
        json!({"url": "http://${env:LINKSPAN_TEST_UNSET}/mcp"}),
    );
    setting.write();
    let (text, code) = setting.run(&check);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("good  ok\n"), "{text}");
    assert!(text.contains("no-such-program-of-any-machine"), "{text}");
    assert!(text.contains("LINKSPAN_TEST_UNSET"), "{text}");
    assert_eq!(children.started(), 0);
}

#[test]
fn a_server_that_cannot_be_opened_is_left_out() {
    let mut setting = Setting::new();
    let _children = setting.child("good", &[]);
    setting.put("bad", json!({"command": "no-such-program-of-any-machine"}));
    let gateway = setting.start(&[]);
    gateway.wait_for_stderr("the server `bad` is left out");
    gateway.initialize(LATEST);
    until_listed(&["good__echo", "good__routed"], || list(&gateway));
}

#[test]
fn a_gateway_without_servers_is_a_server_without_tools() {
    let setting = Setting::new();
    let mut gateway = setting.start(&[]);
    let listed = ask_modern(&gateway, "1", "tools/list", json!({}));
    assert_eq!(names(&listed, "tools"), [""; 0]);
    gateway.close_stdin();
    assert_eq!(gateway.exit_code(), Some(0));
}
