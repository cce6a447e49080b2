//! `linkspan mcp-bash`: what scripts of its projects call.
#![cfg(unix)]

use insta::assert_snapshot;
use serde_json::json;

use crate::setup::{Ran, Workspace};

fn project(name: &str) -> Workspace {
    let workspace = Workspace::new(name);
    workspace.write(
        "p/server.d/server.meta.json",
        r#"{"name":"p","version":"2.0.0"}"#,
    );
    workspace.program(
        "p/tools/hello/tool.sh",
        "#!/usr/bin/env bash\nprintf '%s %s' \"${GREETING:-Hello}\" \"$MCP_TOOL_ARGS_JSON\"\n",
    );
    workspace.write(
        "p/tools/hello/tool.meta.json",
        r#"{"name":"hello","description":"Greets.","inputSchema":{"type":"object"}}"#,
    );
    workspace
}

fn theirs(workspace: &Workspace, args: &[&str]) -> Ran {
    workspace
        .runs(&[&["mcp-bash"], args].concat())
        .inside("p")
        .end()
}

#[test]
fn the_version_is_a_semantic_version() {
    let workspace = project("version");
    let ran = theirs(&workspace, &["--version"]);
    let second = ran.stdout.split_whitespace().nth(1).unwrap();
    assert!(
        second.split('.').all(|part| part.parse::<u32>().is_ok()),
        "{ran}"
    );
    assert!(ran.stdout.starts_with("mcp-bash "), "{ran}");
}

#[test]
fn a_tool_that_is_allowed_runs_and_the_result_is_one_line() {
    let workspace = project("runs");
    let ran = theirs(
        &workspace,
        &["run-tool", "hello", "--allow-self", "--args", r#"{"a":1}"#],
    );
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(ran.stdout.lines().count(), 1);
    assert_eq!(ran.json()["content"][0]["text"], r#"Hello {"a":1}"#);
    // Scripts select the line of a tool by its name.
    assert_eq!(ran.json()["name"], "hello");
}

#[test]
fn a_tool_outside_the_allow_list_does_not_run_and_prints_a_json_error() {
    let workspace = project("denied");
    let ran = theirs(&workspace, &["run-tool", "hello"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert_eq!(ran.json()["_mcpToolError"], true);
    assert_eq!(ran.json()["code"], -32602);
    let message = ran.json()["message"].as_str().unwrap().to_owned();
    assert!(
        message.contains("mcp-bash run-tool hello --allow-self"),
        "{message}"
    );
    let run = workspace
        .runs(&["mcp-bash", "run-tool", "hello"])
        .inside("p");
    let ran = run.env("MCPBASH_TOOL_ALLOWLIST", "other, hello").end();
    assert_eq!(ran.code, Some(0), "{ran}");
    // Overrides the environment for this run.
    let run = workspace.runs(&["mcp-bash", "run-tool", "hello", "--allow", "other"]);
    let ran = run.inside("p").env("MCPBASH_TOOL_ALLOWLIST", "*").end();
    assert_eq!(ran.code, Some(1), "{ran}");
}

#[test]
fn the_project_is_found_by_folder_flag_and_environment() {
    let workspace = project("root");
    let args = ["mcp-bash", "run-tool", "hello", "--allow-self"];
    assert_eq!(
        workspace.runs(&args).inside("p/tools/hello").end().code,
        Some(0)
    );
    let flag = [&args[..], &["--project-root", "p"]].concat();
    assert_eq!(workspace.run(&flag).code, Some(0));
    let run = workspace.runs(&args).env("MCPBASH_PROJECT_ROOT", "p");
    assert_eq!(run.end().code, Some(0));
    let ran = workspace
        .runs(&args)
        .env("MCPBASH_PROJECT_ROOT", "nowhere")
        .end();
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("does not exist"), "{ran}");
    let ran = workspace.run(&args);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.contains("MCPBASH_PROJECT_ROOT is not set"),
        "{ran}"
    );
}

#[test]
fn files_are_sourced_before_the_tool_runs() {
    let workspace = project("source");
    workspace.write("p/server.d/env.sh", "GREETING=Hallo\n");
    workspace.write("p/more.sh", "GREETING=\"$GREETING und guten Tag\"\n");
    let args = [
        "run-tool",
        "hello",
        "--allow-self",
        "--with-server-env",
        "--source",
        "more.sh",
    ];
    let ran = workspace
        .runs(&[&["mcp-bash"], &args[..]].concat())
        .inside("p")
        .env("MCPBASH_TOOL_ENV_MODE", "inherit")
        .env("MCPBASH_TOOL_ENV_INHERIT_ALLOW", "true")
        .end();
    assert_eq!(ran.json()["content"][0]["text"], "Hallo und guten Tag {}");
    let ran = theirs(&workspace, &["run-tool", "hello", "--source", "none.sh"]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.contains("run-tool: env file not found: "),
        "{ran}"
    );
    workspace.write("p/broken.sh", "if then\n");
    let ran = theirs(&workspace, &["run-tool", "hello", "--source", "broken.sh"]);
    assert_eq!(ran.code, Some(1), "{ran}");
}

#[test]
fn server_env_is_sourced_only_on_request() {
    let workspace = project("hooks");
    workspace.write(
        "p/server.d/env.sh",
        "export MCPBASH_TOOL_ENV_MODE=allowlist MCPBASH_TOOL_ENV_ALLOWLIST=GREETING\n",
    );
    let greets = |more: &[&str]| {
        let args = [&["mcp-bash", "run-tool", "hello", "--allow-self"], more].concat();
        let run = workspace.runs(&args).inside("p").env("GREETING", "Salut");
        let ran = run.env("MCPBASH_ALLOW_PROJECT_HOOKS", "true").end();
        ran.json()["content"][0]["text"].clone()
    };
    assert_eq!(greets(&[]), "Hello {}");
    assert_eq!(greets(&["--with-server-env"]), "Salut {}");
    crate::setup::mode(&workspace.path("p/server.d/env.sh"), 0o666);
    let args = ["mcp-bash", "run-tool", "hello", "--with-server-env"];
    let ran = workspace.runs(&args).inside("p").end();
    assert_eq!(ran.code, Some(1), "{ran}");
    let why = "env.sh can be written by others";
    assert!(ran.stderr.contains(why), "{ran}");
}

#[test]
fn an_unreadable_registry_is_an_error() {
    let workspace = project("cache");
    let args = ["run-tool", "hello", "--allow-self", "--no-refresh"];
    let ran = theirs(&workspace, &args);
    assert!(ran.stderr.contains("registry cache missing"), "{ran}");
    for broken in ["{\"items\"", "[]", "{\"items\":{}}"] {
        workspace.write("p/.registry/tools.json", broken);
        let ran = theirs(&workspace, &args);
        assert_eq!(ran.code, Some(1), "{ran}");
        assert!(ran.stderr.contains("invalid tools registry cache"), "{ran}");
    }
    assert_eq!(theirs(&workspace, &["registry", "refresh"]).code, Some(0));
    assert_eq!(theirs(&workspace, &args).code, Some(0));
}

#[test]
fn usage_errors_have_the_wording_of_mcp_bash() {
    let workspace = project("mistakes");
    for (args, words) in [
        (&["run-tool"][..], "run-tool: tool name required"),
        (&["run-tool", "a", "b"], "run-tool: unexpected argument: b"),
        (
            &["run-tool", "hello", "--args", "[]"],
            "run-tool: --args must be a JSON object",
        ),
        (
            &["run-tool", "hello", "--roots", "/nowhere"],
            "run-tool: invalid --roots value",
        ),
        (
            &["run-tool", "nope", "--allow-all"],
            "run-tool: tool not found: nope",
        ),
        (
            &["run-tool", "hello", "--minimal"],
            "run-tool: JSON tooling required",
        ),
        (
            &["run-tool", "hello", "--no-refresh"],
            "run-tool: registry cache missing (expected ",
        ),
        (&["run-tool", "hello", "--wat"], "run-tool: "),
        (&["wat"], "unknown command `wat`"),
    ] {
        let ran = theirs(&workspace, args);
        assert_eq!(ran.code, Some(1), "{args:?}: {ran}");
        assert!(ran.stderr.contains(words), "{args:?}: {ran}");
        assert_eq!(ran.stdout, "", "{args:?}");
    }
}

#[test]
fn dry_run_prints_the_call_without_running_it() {
    let workspace = project("dry");
    assert_snapshot!(theirs(&workspace, &["run-tool", "hello", "--dry-run", "--timeout", "5"]), @"
    Tool: hello
    Args: 2 bytes
    Roots: 0
    Timeout: 5
    Status: Ready to execute (nothing was run)
    ");
    let ran = theirs(
        &workspace,
        &["run-tool", "hello", "--print-env", "--with-server-env"],
    );
    assert!(ran.stdout.contains("MCPBASH_MODE=full\n"), "{ran}");
    assert!(
        ran.stdout.contains("WILL_SOURCE_SERVER_ENV=(not found: "),
        "{ran}"
    );
    assert!(ran.stdout.ends_with("ROOTS=none\n"), "{ran}");
}

#[test]
fn validation_findings_have_the_format_of_mcp_bash() {
    let workspace = project("findings");
    workspace.write("p/tools/bad/tool.sh", "#!/bin/sh\n");
    workspace.write("p/tools/bad/tool.meta.json", "{");
    let ran = theirs(&workspace, &["validate"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.stdout.starts_with("Validating project at "), "{ran}");
    assert!(
        ran.stdout
            .contains("✗ tools/bad/tool.meta.json - invalid JSON"),
        "{ran}"
    );
    assert!(
        ran.stdout
            .contains("error(s) found. Run 'mcp-bash validate --fix'"),
        "{ran}"
    );
    let ran = theirs(&workspace, &["validate", "--json"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.json()["defaults"]["version"], "2.0.0");
    assert_eq!(ran.json()["messages"][0]["section"], "tools");
    std::fs::remove_dir_all(workspace.path("p/tools/bad")).unwrap();
    let ran = theirs(&workspace, &["validate"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(
        ran.stdout.contains("All checks passed (warnings: 0)."),
        "{ran}"
    );
}

#[test]
fn the_registry_is_written_only_on_refresh() {
    let workspace = project("registry");
    let status = |workspace: &Workspace| theirs(workspace, &["registry", "status"]).json();
    assert_eq!(status(&workspace)["tools"]["status"], "missing");
    assert_eq!(theirs(&workspace, &["--health"]).json()["status"], "ok");
    assert!(!workspace.path("p/.registry").exists());
    let ran = theirs(&workspace, &["registry", "refresh", "--quiet"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(
        ran.json()["tools"],
        json!({"status":"ok","count":1,"error":null})
    );
    assert_eq!(status(&workspace)["tools"]["count"], 1);
    // A refresh scans even if there is a registry.
    workspace.program("p/tools/bye/tool.sh", "#!/bin/sh\necho bye\n");
    let run = workspace
        .runs(&["mcp-bash", "registry", "refresh"])
        .inside("p")
        .env("MCPBASH_STATIC_REGISTRY", "1");
    assert_eq!(run.end().json()["tools"]["count"], 2);
}

#[test]
fn health_has_its_exit_codes() {
    let workspace = project("health");
    workspace.write(
        "p/server.d/health-checks.sh",
        "mcp_health_check_command no-such-program\n",
    );
    assert_eq!(theirs(&workspace, &["--health"]).code, Some(1));
    let ran = workspace.run(&["mcp-bash", "--ready", "--project-root", "nowhere"]);
    assert_eq!(ran.code, Some(2), "{ran}");
    assert!(
        ran.stderr
            .contains("mcp-bash health: project root not found"),
        "{ran}"
    );
    let ran = theirs(&workspace, &["doctor", "--json"]);
    assert_eq!(ran.json()["schemaVersion"], 1);
}

#[test]
fn under_its_name_we_serve() {
    let workspace = project("name");
    let link = workspace.path("mcp-bash");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_linkspan"), &link).unwrap();
    let ran = std::process::Command::new(&link)
        .arg("--version")
        .output()
        .unwrap();
    assert!(ran.stdout.starts_with(b"mcp-bash "));
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
"#;
    let ran = workspace.runs(&["mcp-bash"]).inside("p").stdin(hello).end();
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(ran.stdout.contains(r#""name":"p""#), "{ran}");
}
