//! Which calls are allowed.

use serde_json::json;

use crate::setup::Project;

fn call(name: &str) -> serde_json::Value {
    json!({"name": name})
}

#[test]
fn no_tool_may_be_called_without_an_allow_list() {
    let tools = |project: Project| {
        project
            .tool("a", "echo a", json!({}))
            .tool("b", "echo b", json!({}))
    };
    let project = tools(Project::strict());
    let (code, message) = project.serve().fails("tools/call", call("a"));
    assert_eq!(code, -32602);
    assert!(
        message.starts_with("Tool 'a' blocked by policy"),
        "{message}"
    );
    let project = tools(Project::strict().env("MCPBASH_TOOL_ALLOWLIST", "a c"));
    let mut server = project.serve();
    assert_eq!(server.text("a", json!({})), "a\n");
    let (code, message) = server.fails("tools/call", call("b"));
    assert_eq!(code, -32602);
    assert!(message.contains("MCPBASH_TOOL_ALLOWLIST"), "{message}");
    let project = tools(Project::strict().env("MCPBASH_TOOL_ALLOW_DEFAULT", "allow"));
    assert_eq!(project.serve().text("b", json!({})), "b\n");
}

const POLICY: &str = r#"
mcp_tools_policy_check() {
  local name="$1" metadata="$2"
  case "$name" in
  free) return 0 ;;
  said) mcp_tools_error -32010 "Not on $(printf '%s' "$metadata" | "${MCPBASH_JSON_TOOL_BIN}" -r .description)" '{"why":"test"}'; return 1 ;;
  *) return 1 ;;
  esac
}
"#;

#[test]
fn a_policy_script_decides_about_calls() {
    let project = Project::strict()
        .file("server.d/policy.sh", POLICY)
        .tool("free", "echo f", json!({}))
        .tool("said", "echo s", json!({"description": "Sundays"}))
        .tool("other", "echo o", json!({}));
    let mut server = project.serve();
    assert_eq!(server.text("free", json!({})), "f\n");
    let error = server.error("tools/call", call("said"));
    assert_eq!(
        error,
        json!({"code": -32010, "message": "Not on Sundays", "data": {"why": "test"}})
    );
    assert_eq!(server.fails("tools/call", call("other")).0, -32602);
}

#[test]
fn an_untrusted_policy_script_allows_nothing() {
    let project = Project::new()
        .file(
            "server.d/policy.sh",
            "mcp_tools_policy_check() { return 0; }\n",
        )
        .tool("t", "echo t", json!({}));
    assert_eq!(project.serve().text("t", json!({})), "t\n");
    project.mode("server.d/policy.sh", 0o666);
    assert_eq!(project.serve().fails("tools/call", call("t")).0, -32602);
}

#[test]
fn a_failing_policy_script_allows_nothing() {
    for broken in [
        "exit 0\n",
        "if then\n",
        "mcp_tools_policy_check() { false; }\n",
    ] {
        let project =
            Project::new()
                .file("server.d/policy.sh", broken)
                .tool("t", "echo t", json!({}));
        let (code, _) = project.serve().fails("tools/call", call("t"));
        assert!(code < 0, "{broken}");
    }
}

#[test]
fn an_untrusted_tool_is_not_run() {
    let project = Project::new().unwatched().tool("t", "echo t", json!({}));
    let mut server = project.serve();
    project.mode("tools/t/tool.sh", 0o777);
    let (code, message) = server.fails("tools/call", call("t"));
    assert_eq!(code, -32602);
    assert!(message.contains("path rejected by policy"), "{message}");
    let (code, message) = project.serve().fails("tools/call", call("t"));
    assert_eq!(code, -32602);
    assert!(message.contains("not found"), "{message}");
}

#[test]
fn what_others_can_write_is_neither_run_nor_read() {
    let project = Project::new()
        .unwatched()
        .file("resources/read.txt", "contents")
        .tool("t", "echo t", json!({}))
        .program("providers/svc.sh", "#!/bin/sh\necho provided\n")
        .file("resources/x.txt", "")
        .file(
            "resources/x.meta.json",
            r#"{"name":"x","uri":"svc://x","provider":"svc"}"#,
        )
        .file("prompts/p.txt", "Hi")
        .program("prompts/p.completion.sh", "#!/bin/sh\necho '[\"a\"]'\n");
    let complete = || json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "n", "value": ""}});
    let mut server = project.serve();
    server.ask("completion/complete", complete());
    let listed = server.ask("resources/list", json!({}));
    assert!(listed.to_string().contains("svc://x"), "{listed}");
    assert!(server.read("svc://x").to_string().contains("provided"));
    server.ask("prompts/get", json!({"name": "p"}));
    let file = format!("file://{}", project.path("resources/read.txt").display());
    assert!(server.read(&file).to_string().contains("contents"));
    for path in [
        "resources/read.txt",
        "providers/svc.sh",
        "prompts/p.txt",
        "prompts/p.completion.sh",
    ] {
        project.mode(path, 0o777);
    }
    for (method, params) in [
        ("resources/read", json!({"uri": "svc://x"})),
        ("resources/read", json!({"uri": file})),
        ("prompts/get", json!({"name": "p"})),
        ("completion/complete", complete()),
    ] {
        let (_, message) = server.fails(method, params);
        assert!(
            message.contains("others can write it"),
            "{method}: {message}"
        );
    }
    project.mode("tools", 0o777);
    let (_, message) = server.fails("tools/call", json!({"name": "t"}));
    assert!(message.contains("rejected by policy"), "{message}");
}

#[test]
fn a_project_in_an_untrusted_folder_is_not_served() {
    for mode in [0o777, 0o1777] {
        let project = Project::new().tool("t", "echo t", json!({}));
        project.mode("", mode);
        let (said, code) = project.start().end();
        assert_eq!((said.len(), code), (0, 3));
    }
}

#[test]
fn untrusted_metadata_and_texts_are_not_read() {
    let project = Project::new()
        .tool("kept", "echo kept", json!({}))
        .tool("described", "echo d", json!({}))
        .program(
            "tools/inline/tool.sh",
            "#!/bin/sh\n# mcp: {\"name\":\"said-inline\"}\n",
        )
        .file("tools/kept/ui/index.html", "<b>page of kept</b>")
        .file(
            "ui/own/ui.meta.json",
            r#"{"template":"form","title":"own page"}"#,
        )
        .file("prompts/text.txt", "a text")
        .file("prompts/p.txt", "a text")
        .file("prompts/p.meta.json", r#"{"name":"said-p"}"#)
        .file("resources/plain.txt", "contents")
        .file("resources/r.txt", "contents")
        .file("resources/r.meta.json", r#"{"name":"said-r"}"#)
        .file("resources/i.txt", "# mcp: {\"name\":\"in-line\"}\n")
        .file(
            "resources/t.meta.json",
            r#"{"name":"said-t","uriTemplate":"x://{y}"}"#,
        )
        .file(
            "server.d/server.meta.json",
            r#"{"name":"s","description":"said-server","icons":[{"src":"i.svg"}]}"#,
        )
        .file("server.d/i.svg", "<svg/>")
        .file("server.d/server.instructions.md", "said-instructions");
    let offered = || {
        let mut server = project.start();
        let mut all = server
            .ask("initialize", json!({"capabilities": {}}))
            .to_string();
        server.tell("notifications/initialized", json!({}));
        for method in ["tools", "resources", "resources/templates", "prompts"] {
            all += &server.ask(&format!("{method}/list"), json!({})).to_string();
        }
        all
    };
    let files = [
        ("tools/described/tool.meta.json", "described"),
        ("tools/inline/tool.sh", "said-inline"),
        ("tools/kept/ui/index.html", "ui://s/kept"),
        ("ui/own/ui.meta.json", "ui://s/own"),
        ("prompts/text.txt", "\"text\""),
        ("prompts/p.meta.json", "said-p"),
        ("resources/plain.txt", "plain.txt"),
        ("resources/r.meta.json", "said-r"),
        ("resources/i.txt", "in-line"),
        ("resources/t.meta.json", "said-t"),
        ("server.d/i.svg", "image/svg"),
        ("server.d/server.instructions.md", "said-instructions"),
        ("server.d/server.meta.json", "said-server"),
    ];
    let all = offered();
    for (path, said) in files {
        assert!(all.contains(said), "{path}: {all}");
        project.mode(path, 0o666);
        let all = offered();
        assert!(!all.contains(said), "{path}: {all}");
        let usual = if path.ends_with(".sh") { 0o755 } else { 0o644 };
        project.mode(path, usual);
    }
}

#[test]
fn an_untrusted_hook_shell_is_not_run() {
    let place = Project::new();
    let bin = place.path("bin");
    std::fs::create_dir(&bin).expect("it is not there yet");
    let bash = std::env::var_os("PATH").and_then(|path| {
        std::env::split_paths(&path)
            .map(|folder| folder.join("bash"))
            .find(|file| file.is_file())
    });
    std::fs::copy(bash.expect("there is a bash"), bin.join("bash")).expect("it can be copied");
    place.mode("bin", 0o755);
    place.mode("bin/bash", 0o755);
    let path = std::env::var("PATH").expect("it is set");
    let project = Project::new()
        .env("PATH", &format!("{}:{path}", bin.display()))
        .file(
            "server.d/policy.sh",
            "mcp_tools_policy_check() { return 0; }\n",
        )
        .program("tools/t/tool.sh", "#!/bin/sh\necho t\n")
        .file("tools/t/tool.meta.json", r#"{"name":"t"}"#);
    let mut server = project.serve();
    assert_eq!(server.text("t", json!({})), "t\n");
    place.mode("bin", 0o777);
    let (code, message) = server.fails("tools/call", call("t"));
    assert_eq!(code, -32602);
    assert!(message.contains("others can write it"), "{message}");
}
