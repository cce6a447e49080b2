//! Projects that register their entries.

use serde_json::json;

use crate::setup::Project;

#[test]
fn register_json_overrides_the_scan() {
    let register = r#"{"version":1,
        "tools":[{"name":"listed","path":"real/run.sh","description":"L","arguments":{"type":"object"}}],
        "prompts":[],
        "completions":[{"name":"done","path":"completers/done.sh"}]}"#;
    let project = Project::new()
        .file("server.d/register.json", register)
        .program("completers/done.sh", "#!/bin/sh\n")
        .program("tools/real/run.sh", "#!/bin/sh\necho listed\n")
        .tool("found", "echo found", json!({}))
        .file("prompts/p.txt", "x")
        .file("resources/r.txt", "r");
    let mut server = project.serve();
    let tools = server.ask("tools/list", json!({}));
    assert_eq!(tools["_meta"]["mcpbash/total"], 1);
    assert_eq!(server.text("listed", json!({})), "listed\n");
    assert_eq!(
        server.fails("tools/call", json!({"name": "found"})).0,
        -32602
    );
    assert_eq!(server.ask("prompts/list", json!({}))["prompts"], json!([]));
    let resources = server.ask("resources/list", json!({}));
    assert_eq!(resources["_meta"]["mcpbash/total"], 1);
}

#[test]
fn an_unreadable_register_json_hides_all_entries() {
    for wrong in [
        "{",
        r#"{"version":2}"#,
        r#"{"version":1,"odd":[]}"#,
        r#"{"version":1,"tools":{}}"#,
    ] {
        let project = Project::new().file("server.d/register.json", wrong).tool(
            "found",
            "echo found",
            json!({}),
        );
        let mut server = project.serve();
        assert_eq!(server.fails("tools/list", json!({})).0, -32603, "{wrong}");
        assert_eq!(
            server.fails("tools/call", json!({"name": "found"})).0,
            -32603
        );
    }
}

const HOOK: &str = r#"#!/usr/bin/env bash
mcp_register_tool '{"name":"hooked","path":"hooked/tool.sh","description":"by the hook"}'
mcp_register_prompt '{"name":"p","path":"p.txt","description":"d"}'
mcp_register_resource '{"name":"r","uri":"echo://hello","provider":"echo"}'
mcp_register_completion '{"name":"c","path":"completers/c.sh"}'
"#;

#[test]
fn register_sh_runs_only_if_the_operator_allows_it() {
    let tools = |project: Project| {
        project
            .file("server.d/register.sh", HOOK)
            .program("tools/hooked/tool.sh", "#!/bin/sh\necho hooked\n")
            .program("completers/c.sh", "#!/bin/sh\necho '[\"c1\"]'\n")
            .tool("found", "echo found", json!({}))
            .file("prompts/p.txt", "prompt")
    };
    let project = tools(Project::new());
    let mut server = project.serve();
    assert_eq!(server.text("found", json!({})), "found\n");
    let project = tools(Project::new().env("MCPBASH_ALLOW_PROJECT_HOOKS", "true"));
    let mut server = project.serve();
    assert_eq!(server.text("hooked", json!({})), "hooked\n");
    assert_eq!(
        server.fails("tools/call", json!({"name": "found"})).0,
        -32602
    );
    assert_eq!(server.read("echo://hello")["text"], "hello");
    let got = server.ask("prompts/get", json!({"name": "p"}));
    assert_eq!(got["text"], "prompt");
    let asked =
        json!({"ref": {"type": "ref/prompt", "name": "c"}, "argument": {"name": "a", "value": ""}});
    let got = server.ask("completion/complete", asked);
    assert_eq!(got["completion"]["values"], json!(["c1"]));
}

#[test]
fn register_sh_may_print_json() {
    let hook = r#"#!/usr/bin/env bash
echo '{"tools":[{"name":"printed","path":"printed/tool.sh"}]}'"#;
    let project = Project::new()
        .env("MCPBASH_ALLOW_PROJECT_HOOKS", "true")
        .file("server.d/register.sh", hook)
        .program("tools/printed/tool.sh", "#!/bin/sh\necho printed\n");
    assert_eq!(project.serve().text("printed", json!({})), "printed\n");
}

#[test]
fn an_untrusted_or_failing_register_sh_is_an_error() {
    let project = Project::new()
        .env("MCPBASH_ALLOW_PROJECT_HOOKS", "true")
        .file("server.d/register.sh", HOOK);
    project.mode("server.d/register.sh", 0o666);
    let (code, _) = project.serve().fails("tools/list", json!({}));
    assert_eq!(code, -32603);
    let project = Project::new()
        .env("MCPBASH_ALLOW_PROJECT_HOOKS", "true")
        .file("server.d/register.sh", "#!/bin/sh\nexit 3\n");
    assert_eq!(project.serve().fails("tools/list", json!({})).0, -32603);
}
