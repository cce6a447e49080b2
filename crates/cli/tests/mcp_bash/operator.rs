//! Settings of the operator.

use serde_json::{Value, json};

use crate::setup::Project;

const SECRET: &str = "dummy-test-token-0123456789abcdef";

#[test]
fn tools_see_little_of_the_environment_unless_more_is_allowed() {
    let script = r#"printf '%s,%s,%s' "${APP_SECRET-}" "${APP_NAME-}" "${MCPBASH_X-}""#;
    let project = || {
        Project::new()
            .tool("t", script, json!({}))
            .env("APP_SECRET", "s")
            .env("APP_NAME", "n")
            .env("MCPBASH_X", "x")
    };
    assert_eq!(project().serve().text("t", json!({})), ",,x");
    let some = project()
        .env("MCPBASH_TOOL_ENV_MODE", "allowlist")
        .env("MCPBASH_TOOL_ENV_ALLOWLIST", "APP_NAME");
    assert_eq!(some.serve().text("t", json!({})), ",n,x");
    let all = project().env("MCPBASH_TOOL_ENV_MODE", "inherit");
    let (code, message) = all.serve().fails("tools/call", json!({"name": "t"}));
    assert_eq!(code, -32602);
    assert!(
        message.contains("MCPBASH_TOOL_ENV_INHERIT_ALLOW"),
        "{message}"
    );
    let all = all.env("MCPBASH_TOOL_ENV_INHERIT_ALLOW", "true");
    assert_eq!(all.serve().text("t", json!({})), "s,n,x");
}

#[test]
fn requests_need_the_remote_token_and_tools_do_not_see_it() {
    let script = r#"printf '%s %s' "$MCP_TOOL_META_JSON" "${MCPBASH_REMOTE_TOKEN-unset}""#;
    let project = Project::new()
        .tool("t", script, json!({}))
        .env("MCPBASH_REMOTE_TOKEN", SECRET);
    let mut server = project.start();
    let refused = (-32602, "Remote token missing or invalid".to_owned());
    assert_eq!(server.fails("initialize", json!({})), refused);
    let meta = json!({"mcpbash/remoteToken": SECRET, "k": 1});
    server.ask("initialize", json!({"_meta": meta}));
    server.tell("notifications/initialized", json!({"_meta": meta}));
    assert_eq!(server.fails("tools/list", json!({})), refused);
    let result = server.ask("tools/call", json!({"name": "t", "_meta": meta}));
    assert_eq!(result["content"][0]["text"], r#"{"k":1} unset"#);
    let weak = Project::new().env("MCPBASH_REMOTE_TOKEN", "short");
    assert_ne!(weak.start().end().1, 0);
}

#[test]
fn minimal_mode_offers_only_logging() {
    let project = Project::new()
        .tool("t", "true", json!({}))
        .env("MCPBASH_FORCE_MINIMAL", "true");
    let mut server = project.start();
    let hello = server.ask("initialize", json!({}));
    assert_eq!(hello["capabilities"], json!({"logging": {}}));
    server.tell("notifications/initialized", json!({}));
    for method in [
        "tools/list",
        "resources/list",
        "prompts/list",
        "completion/complete",
    ] {
        assert_eq!(server.fails(method, json!({})).0, -32601);
    }
    assert_eq!(server.ask("ping", json!({})), json!({}));
    server.ask("logging/setLevel", json!({"level": "error"}));
}

#[test]
fn folders_of_a_project_can_be_moved() {
    let project = Project::new()
        .program("other/x/tool.sh", "#!/bin/sh\necho x\n")
        .file("other/x/tool.meta.json", r#"{"name":"x"}"#);
    let other = project.path("other").to_str().unwrap().to_owned();
    let project = project.env("MCPBASH_TOOLS_DIR", &other);
    assert_eq!(project.serve().text("x", json!({})), "x\n");
}

#[test]
fn ci_mode_writes_its_files() {
    let project = Project::new()
        .tool("fails", "echo why >&2\nfalse\nexit 3", json!({}))
        .env("MCPBASH_CI_MODE", "true")
        .env("MCPBASH_TRACE_TOOLS", "true");
    let logs = project.path("logs").to_str().unwrap().to_owned();
    let project = project.env("MCPBASH_LOG_DIR", &logs);
    let mut server = project.serve();
    let error = server.error(
        "tools/call",
        json!({"name": "fails", "arguments": {"a": 1}}),
    );
    assert_eq!(error["message"], "why");
    let read = |name: &str| std::fs::read_to_string(project.path("logs").join(name)).unwrap();
    let snapshot: Value = serde_json::from_str(&read("env-snapshot.json")).unwrap();
    assert!(snapshot["bashVersion"].is_string());
    let line: Value = serde_json::from_str(read("failure-summary.jsonl").trim()).unwrap();
    assert_eq!(
        (&line["tool"], &line["exitCode"]),
        (&json!("fails"), &json!(3))
    );
    assert_eq!(line["argCount"], 1);
    let files = std::fs::read_dir(project.path("logs")).unwrap();
    let traced = files.filter(|f| {
        f.as_ref()
            .unwrap()
            .file_name()
            .to_string_lossy()
            .starts_with("trace.fails.")
    });
    assert_eq!(traced.count(), 1);
}

#[test]
fn project_settings_are_read_from_its_metadata() {
    let about = r#"{"name":"n","env":{"MCPBASH_MAX_TOOL_OUTPUT_SIZE":"10"}}"#;
    let project = Project::new()
        .file("server.d/server.meta.json", about)
        .tool("t", "echo 012345678901234567890", json!({}));
    // A project may not set the allow list for itself.
    let mut server = project.serve();
    let id = server.request("tools/call", json!({"name": "t"}));
    let answer = server.answer(id);
    assert!(
        answer.get("result").is_some() || answer["error"]["code"] == -32603,
        "{answer}"
    );
    let about =
        r#"{"name":"n","env":{"MCPBASH_TOOL_ALLOWLIST":"*","MCPBASH_ALLOW_PROJECT_HOOKS":"true"}}"#;
    let project = Project::strict()
        .file("server.d/server.meta.json", about)
        .file(
            "server.d/register.sh",
            "#!/bin/sh\ntouch \"$MCPBASH_PROJECT_ROOT/ran\"\n",
        )
        .tool("t", "echo t", json!({}));
    project.serve().fails("tools/call", json!({"name": "t"}));
    assert!(!project.path("ran").exists());
}

#[test]
fn a_client_of_the_stateless_revisions_is_served_as_well() {
    let project = Project::new().tool("t", "echo t", json!({}));
    let mut server = project.start();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
    });
    let tools = server.ask("tools/list", json!({"_meta": meta}));
    assert_eq!(tools["tools"][0]["name"], "t");
    let result = server.ask(
        "tools/call",
        json!({"name": "t", "arguments": {}, "_meta": meta}),
    );
    assert_eq!(result["content"][0]["text"], "t\n");
}
