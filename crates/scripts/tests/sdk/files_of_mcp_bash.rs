//! The Bash SDK without a channel: the files that mcp-bash names.

use crate::channel::environment;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn tool(script: &str, folder: &Path) -> Command {
    let mut command = Command::new("bash");
    let script = format!("set -euo pipefail\n. \"$MCP_SDK/tool-sdk.sh\"\n{script}");
    command.args(["-c", &script]).stdin(Stdio::null());
    environment(&mut command, r#"{"name":"Ann","n":5}"#);
    for (name, file) in [
        ("MCP_PROGRESS_STREAM", "progress"),
        ("MCP_LOG_STREAM", "log"),
        ("MCP_TOOL_ERROR_FILE", "error"),
        ("MCP_TOOL_RESOURCES_FILE", "resources"),
        ("MCP_ELICIT_REQUEST_FILE", "request"),
        ("MCP_ELICIT_RESPONSE_FILE", "response"),
    ] {
        command.env(name, folder.join(file));
    }
    std::fs::write(folder.join("error"), "").expect("written");
    command
        .env("MCP_PROGRESS_TOKEN", "tok")
        .env_remove("MCP_CTRL_FD");
    command
}

fn run(script: &str, folder: &Path) -> Output {
    tool(script, folder).output().expect("ran")
}

fn read(folder: &Path, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join(name)).expect("there");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

#[test]
fn notifications_are_appended_to_their_files() {
    let folder = tempfile::tempdir().expect("a folder");
    run(
        "mcp_progress 5 half; mcp_progress 6 x 10; mcp_log_info l d; MCP_PROGRESS_TOKEN=7; mcp_progress 7 ''",
        folder.path(),
    );
    let progress = |params: Value| json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
    assert_eq!(
        read(folder.path(), "progress"),
        [
            progress(json!({"progressToken": "tok", "progress": 5, "message": "half"})),
            progress(json!({"progressToken": "tok", "progress": 6, "total": 10, "message": "x"})),
            progress(json!({"progressToken": 7, "progress": 7})),
        ]
    );
    assert_eq!(
        read(folder.path(), "log"),
        [json!({"jsonrpc": "2.0", "method": "notifications/message",
        "params": {"level": "info", "logger": "l", "data": "d"}})]
    );
    let quiet = tempfile::tempdir().expect("a folder");
    run("MCP_PROGRESS_TOKEN=; mcp_progress 5 half", quiet.path());
    assert!(!quiet.path().join("progress").exists());
}

#[test]
fn a_failure_is_in_the_error_file_and_on_stdout() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = run("mcp_fail -32001 'not \"now\"' '{\"a\":1}'", folder.path());
    let expected = json!({"code": -32001, "message": "not \"now\"", "data": {"a": 1}});
    assert_eq!(
        read(folder.path(), "error"),
        std::slice::from_ref(&expected)
    );
    assert_eq!(
        serde_json::from_slice::<Value>(&output.stdout).expect("JSON"),
        expected
    );
    assert!(output.stderr.starts_with(b"not \"now\"\n"));
    assert_eq!(output.status.code(), Some(1));
    let output = run("mcp_args_int .name", folder.path());
    assert_eq!(read(folder.path(), "error")[0]["code"], -32602);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn arguments_are_read_without_variables() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(
        "unset MCP_ARG_name; mcp_args_get .name; mcp_args_get '.x // \"d\"'; mcp_args_get .y --default z",
        folder.path(),
    );
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Ann\nd\nz");
}

#[test]
fn a_question_goes_through_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let child = tool("mcp_elicit_choice Which a b", folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let request = folder.path().join("request");
    linkspan_testkit::wait_for("the question", || request.exists());
    let asked: Value =
        serde_json::from_slice(&std::fs::read(request).expect("asked")).expect("JSON");
    assert_eq!(asked["mode"], "form");
    assert_eq!(
        asked["schema"]["properties"]["choice"]["enum"],
        json!(["a", "b"])
    );
    let answer = folder.path().join("answer");
    std::fs::write(&answer, r#"{"action":"accept","content":{"choice":"b"}}"#).expect("written");
    std::fs::rename(answer, folder.path().join("response")).expect("moved");
    let output = child.wait_with_output().expect("ended");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        r#"{"action":"accept","content":{"choice":"b"}}"#
    );
}

#[test]
fn text_is_printed_plainly_and_resources_are_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(
        run("mcp_emit_text '{\"a\":1}'", folder.path()).stdout,
        b"{\"a\":1}"
    );
    run(
        "mcp_result_text_with_resource '{\"m\":1}' --path /tmp/a --mime text/plain --path /tmp/b --uri x://b",
        folder.path(),
    );
    let listed = std::fs::read_to_string(folder.path().join("resources")).expect("there");
    assert_eq!(listed, "/tmp/a\ttext/plain\t\n/tmp/b\t\tx://b\n");
}

#[test]
fn the_siblings_can_be_sourced_on_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = r#"
        . "$MCP_SDK/../lib/path.sh"; . "$MCP_SDK/../lib/progress-passthrough.sh"; . "$MCP_SDK/../lib/resource_content.sh"
        declare -F mcp_path_normalize mcp_path_collapse mcp_run_with_progress mcp_resource_detect_mime \
          mcp_resource_is_binary_mime mcp_resource_should_base64 mcp_resource_content_object_from_file >/dev/null && echo all
        mcp_resource_detect_mime x.json
    "#;
    let output = run(script, folder.path());
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "all\napplication/json"
    );
}
