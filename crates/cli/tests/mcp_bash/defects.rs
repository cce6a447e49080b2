//! Known defects of mcp-bash that this implementation does not have.

use serde_json::json;

use crate::setup::{Project, method};

#[test]
fn progress_arrives_before_the_answer_and_has_no_empty_total() {
    let project = Project::new().sdk_tool("t", "mcp_progress 50 half\nmcp_emit_text ok");
    let mut server = project.serve();
    server.request(
        "tools/call",
        json!({"name": "t", "_meta": {"progressToken": 1}}),
    );
    let first = server.next();
    assert_eq!(method(&first), "notifications/progress");
    assert!(!first.to_string().contains("null"), "{first}");
    assert!(server.next().get("result").is_some());
}

#[test]
fn a_result_that_is_an_error_reaches_the_model_whatever_the_exit_code() {
    let script = r#"echo '{"content":[{"type":"text","text":"no"}],"isError":true}'; exit 1"#;
    let project = Project::new().tool("t", script, json!({}));
    let result = project.serve().call("t", json!({}));
    assert_eq!(result["isError"], true);
    assert_eq!(result["content"][0]["text"], "no");
}

#[test]
fn a_newer_client_is_offered_the_newest_revision() {
    let project = Project::new();
    let hello = project
        .start()
        .ask("initialize", json!({"protocolVersion": "2031-01-01"}));
    assert_eq!(hello["protocolVersion"], "2025-11-25");
    let (code, message) = project
        .start()
        .fails("initialize", json!({"protocolVersion": "2024-10-07"}));
    assert_eq!(code, -32602);
    assert!(
        message.contains("Unsupported protocol version"),
        "{message}"
    );
}

#[test]
fn line_breaks_in_prompts_stay_line_breaks() {
    let project = Project::new().file("prompts/p.txt", "[{{text}}] ${text}");
    let params = json!({"name": "p", "arguments": {"text": "a\nb"}});
    let got = project.serve().ask("prompts/get", params);
    assert_eq!(got["messages"][0]["content"]["text"], "[a\nb] a\nb");
}

#[test]
fn a_bogus_cursor_is_the_callers_mistake() {
    let project = Project::new();
    let mut server = project.serve();
    for cursor in [json!("bogus"), json!(7), json!("e30")] {
        assert_eq!(
            server.fails("tools/list", json!({"cursor": cursor})).0,
            -32602
        );
    }
}

#[test]
fn relative_addresses_begin_at_the_project_wherever_the_server_was_started() {
    // These tests start the server in `/`.
    let project = Project::new().file("resources/r.txt", "here").file(
        "resources/r.meta.json",
        r#"{"name":"r","uri":"file://./resources/r.txt"}"#,
    );
    assert_eq!(
        project.serve().read("file://./resources/r.txt")["text"],
        "here"
    );
}

#[test]
fn clients_see_only_members_of_the_protocol() {
    let project = Project::new()
        .tool("t", "echo t", json!({"timeoutSecs": 9}))
        .file("prompts/p.txt", "x");
    let mut server = project.serve();
    let tools = server.ask("tools/list", json!({}));
    let tool = tools["tools"][0].as_object().unwrap();
    for field in ["path", "timeoutSecs"] {
        assert!(!tool.contains_key(field), "{field}");
    }
    assert!(!tools.to_string().contains("null"), "{tools}");
    assert!(server.call("t", json!({})).get("name").is_none());
    let prompts = server.ask("prompts/list", json!({}));
    assert!(!prompts.to_string().contains("null"), "{prompts}");
}

#[test]
fn ci_mode_works_without_tmpdir() {
    let project = Project::new().tool("t", "echo t", json!({}));
    let logs = project.path("ci").to_str().unwrap().to_owned();
    let project = project
        .env("MCPBASH_CI_MODE", "true")
        .env("MCPBASH_LOG_DIR", &logs)
        .env("TMPDIR", "");
    assert_eq!(project.serve().text("t", json!({})), "t\n");
}

#[test]
fn argument_defaults_apply() {
    let project = Project::new().sdk_tool(
        "t",
        r#"mcp_emit_text "$(mcp_args_get '.name' --default you)""#,
    );
    assert_eq!(project.serve().text("t", json!({})), "you");
}

#[test]
fn project_env_is_read_if_the_operator_allows_it() {
    let project = || {
        Project::new()
            .file(
                "server.d/env.sh",
                "export MCPBASH_GREETING=\"hello $(echo you)\"\n",
            )
            .tool("t", "printf '%s' \"${MCPBASH_GREETING-none}\"", json!({}))
    };
    assert_eq!(project().serve().text("t", json!({})), "none");
    let allowed = project().env("MCPBASH_ALLOW_PROJECT_HOOKS", "true");
    assert_eq!(allowed.serve().text("t", json!({})), "hello you");
    allowed.mode("server.d/env.sh", 0o666);
    assert_eq!(allowed.serve().text("t", json!({})), "none");
}
