//! `linkspan mcp-bash` for authors: new projects, client configurations and bundles.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::setup::{Ran, Workspace};

fn theirs(workspace: &Workspace, folder: &str, args: &[&str]) -> Ran {
    let args = [&["mcp-bash"], args].concat();
    let run = workspace.runs(&args).inside(folder);
    run.env("MCPBASH_QUIET", "true").end()
}

#[track_caller]
fn works(workspace: &Workspace, folder: &str, args: &[&str]) -> String {
    let ran = theirs(workspace, folder, args);
    assert_eq!(ran.code, Some(0), "{args:?}: {ran}");
    ran.stdout
}

fn read(workspace: &Workspace, path: &str) -> Value {
    let text = std::fs::read(workspace.path(path)).expect("it is there");
    serde_json::from_slice(&text).expect("it is JSON")
}

/// Two requests after the usual greeting.
fn talk(more: &[Value]) -> String {
    let mut lines = vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ];
    lines.extend_from_slice(more);
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn answer(stdout: &str, id: u64) -> Value {
    let mut lines = stdout.lines().map(serde_json::from_str::<Value>);
    let found = lines.find_map(|line| line.ok().filter(|line| line["id"] == id));
    found.unwrap_or_else(|| panic!("no answer to {id}: {stdout}"))
}

#[test]
fn a_new_project_is_complete_and_its_tool_runs() {
    let workspace = Workspace::new("mb-new");
    let printed = works(&workspace, ".", &["new", "my-server"]);
    assert!(printed.contains("my-server"), "{printed}");
    assert_eq!(
        workspace.files("my-server"),
        [
            ".gitignore",
            "README.md",
            "server.d/server.meta.json",
            "tools/hello/tool.meta.json",
            "tools/hello/tool.sh*",
        ]
    );
    let about = read(&workspace, "my-server/server.d/server.meta.json");
    assert_eq!(
        (&about["name"], &about["title"]),
        (&json!("my-server"), &json!("My Server"))
    );
    works(&workspace, "my-server", &["validate", "--strict"]);
    works(&workspace, "my-server", &["doctor"]);
    let ran = theirs(
        &workspace,
        "my-server/tools",
        &[
            "run-tool",
            "hello",
            "--allow-self",
            "--args",
            r#"{"name":"Ann"}"#,
        ],
    );
    assert_eq!(
        ran.json()["structuredContent"],
        json!({"message": "Hello, Ann!"})
    );
    for args in [
        &["new", "my-server"][..],
        &["scaffold", "server", "my-server"],
    ] {
        let ran = theirs(&workspace, ".", args);
        assert_eq!(ran.code, Some(1), "{ran}");
        assert!(ran.stderr.contains("already exists"), "{ran}");
    }
    for args in [
        &["new"][..],
        &["new", "../x"],
        &["new", "a.b"],
        &["new", "a", "b"],
    ] {
        assert_eq!(theirs(&workspace, ".", args).code, Some(1), "{args:?}");
    }
}

#[test]
fn existing_files_are_kept() {
    let workspace = Workspace::new("mb-init");
    let meta = r#"{"name":"mine","title":"Mine"}"#;
    workspace.write("p/server.d/server.meta.json", meta);
    workspace.write("p/.gitignore", "node_modules/\n.registry/\n");
    works(&workspace, "p", &["init", "--no-hello"]);
    assert_eq!(
        std::fs::read_to_string(workspace.path("p/server.d/server.meta.json")).unwrap(),
        meta
    );
    let ignored = std::fs::read_to_string(workspace.path("p/.gitignore")).unwrap();
    for pattern in [
        "node_modules/",
        ".registry/",
        "*.log",
        ".DS_Store",
        "Thumbs.db",
    ] {
        assert_eq!(ignored.matches(pattern).count(), 1, "{pattern}: {ignored}");
    }
    assert!(!workspace.path("p/tools/hello").exists());
    works(&workspace, "p", &["init", "--name", "other"]);
    assert!(workspace.path("p/tools/hello/tool.sh").exists());
    let again = std::fs::read_to_string(workspace.path("p/.gitignore")).unwrap();
    assert_eq!(again, ignored);
}

#[test]
fn scaffolded_entries_are_served() {
    let workspace = Workspace::new("mb-scaffold");
    works(&workspace, ".", &["new", "s", "--no-hello"]);
    for args in [
        &["tool", "greet", "--ui"][..],
        &["tool", "plain"],
        &["prompt", "write"],
        &["resource", "notes"],
        &["completion", "words"],
        &["completion", "more"],
        &["ui", "board"],
        &["ui", "--tool", "plain"],
    ] {
        works(&workspace, "s", &[&["scaffold"], args].concat());
        let ran = theirs(&workspace, "s", &[&["scaffold"], args].concat());
        assert_eq!(ran.code, Some(1), "{args:?}: {ran}");
        assert!(ran.stderr.contains("already exists"), "{ran}");
    }
    works(&workspace, "s", &["validate", "--strict"]);
    let asks = talk(&[
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "resources/list"}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "prompts/get", "params": {"name": "write", "arguments": {"topic": "cats"}}}),
        json!({"jsonrpc": "2.0", "id": 4, "method": "completion/complete",
            "params": {"ref": {"type": "ref/prompt", "name": "words"}, "argument": {"name": "topic", "value": "s"}}}),
        json!({"jsonrpc": "2.0", "id": 5, "method": "resources/read", "params": {"name": "notes"}}),
    ]);
    let ran = workspace.runs(&["mcp-bash"]).inside("s").stdin(&asks).end();
    let names = |id: u64, list: &str| -> Vec<String> {
        let list = answer(&ran.stdout, id)["result"][list].clone();
        let list = list.as_array().expect("a list").iter();
        list.map(|entry| entry["name"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(names(1, "tools"), ["greet", "plain"]);
    assert_eq!(names(2, "resources"), ["board", "greet", "notes", "plain"]);
    let prompt = answer(&ran.stdout, 3)["result"]["messages"][0]["content"]["text"].clone();
    assert!(prompt.as_str().unwrap().contains("cats"), "{prompt}");
    let values = answer(&ran.stdout, 4)["result"]["completion"]["values"].clone();
    assert_eq!(values, json!(["second"]));
    let text = answer(&ran.stdout, 5)["result"]["contents"][0]["text"].clone();
    assert!(text.as_str().unwrap().contains("notes"), "{text}");
    let ran = theirs(&workspace, ".", &["scaffold", "tool", "x"]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.contains("MCPBASH_PROJECT_ROOT is not set"),
        "{ran}"
    );
    assert!(ran.stderr.contains("No MCP project found"), "{ran}");
    for args in [
        &["tool"][..],
        &["nothing", "x"],
        &["ui", "--tool", "none"],
        &["tool", "../x"],
    ] {
        let ran = theirs(&workspace, "s", &[&["scaffold"], args].concat());
        assert_eq!(ran.code, Some(1), "{args:?}: {ran}");
    }
}

#[test]
fn scaffolded_tests_run() {
    let workspace = Workspace::new("mb-tests");
    works(&workspace, ".", &["new", "s"]);
    works(&workspace, "s", &["scaffold", "test"]);
    works(&workspace, "s", &["scaffold", "tool", "greet"]);
    let link = workspace.path("bin/mcp-bash");
    std::fs::create_dir_all(workspace.path("bin")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_linkspan"), link).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", workspace.path("bin").display());
    let run = |script: &str| {
        let ran = Command::new("bash")
            .arg(workspace.path(script))
            .env("PATH", &path)
            .output();
        let ran = ran.expect("bash starts");
        let both = [ran.stdout, ran.stderr].concat();
        (
            ran.status.code(),
            String::from_utf8_lossy(&both).into_owned(),
        )
    };
    let (code, said) = run("s/test/run.sh");
    assert_eq!(
        (code, said.as_str()),
        (Some(0), "0 passed, 0 failed, 0 skipped\n")
    );
    let script = std::fs::read_to_string(workspace.path("s/test/run.sh")).unwrap();
    let (before, after) = script.split_once("# Tests of this project:").unwrap();
    let tests = "run_test hello '{\"name\":\"x\"}' greets\nrun_dry_run hello\nrun_test none\nskip_test x y\n";
    std::fs::write(
        workspace.path("s/test/run.sh"),
        format!("{before}{tests}{after}"),
    )
    .unwrap();
    let (code, said) = run("s/test/run.sh");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("2 passed, 1 failed, 1 skipped"), "{said}");
    assert_eq!(run("s/tools/greet/smoke.sh").0, Some(0));
    workspace.program("s/tools/greet/tool.sh", "#!/bin/sh\nprintf not-json\n");
    assert_ne!(run("s/tools/greet/smoke.sh").0, Some(0));
    let ran = theirs(&workspace, "s", &["scaffold", "test"]);
    assert!(ran.stderr.contains("run.sh already exists"), "{ran}");
    std::fs::remove_file(workspace.path("s/test/run.sh")).unwrap();
    let ran = theirs(&workspace, "s", &["scaffold", "test"]);
    assert!(ran.stderr.contains("README.md already exists"), "{ran}");
}

#[test]
fn what_config_prints_starts_a_server_whose_tools_can_be_called() {
    let workspace = Workspace::new("mb-config");
    works(&workspace, ".", &["new", "s"]);
    let whole = works(&workspace, "s/tools", &["config", "--json"]);
    let whole: Value = serde_json::from_str(&whole).expect("JSON");
    assert_eq!(whole["name"], "s");
    let called = |start: &Value| {
        let env = start["env"].as_object().expect("variables").iter();
        let env = env.map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()));
        let args = start["args"].as_array().expect("arguments").iter();
        let mut command = Command::new(start["command"].as_str().expect("a command"));
        command
            .args(args.map(|word| word.as_str().unwrap()))
            .envs(env);
        command.current_dir("/").stdin(std::process::Stdio::piped());
        command.stdout(std::process::Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let call =
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "hello"}});
        let mut stdin = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut stdin, talk(&[call]).as_bytes()).unwrap();
        drop(stdin);
        let out = child.wait_with_output().expect("it ends").stdout;
        answer(&String::from_utf8_lossy(&out), 1)["result"]["structuredContent"].clone()
    };
    assert_eq!(called(&whole), json!({"message": "Hello, World!"}));
    for client in ["claude-desktop", "cursor", "windsurf"] {
        let ran = theirs(&workspace, "s", &["config", "--client", client]);
        let entry = &ran.json()["mcpServers"]["s"];
        assert_eq!(entry["env"]["MCPBASH_TOOL_ALLOWLIST"], "*", "{client}");
        assert_eq!(entry["command"], whole["command"]);
    }
    for client in ["claude-cli", "librechat"] {
        let ran = theirs(&workspace, "s", &["config", "--client", client]);
        assert_eq!(ran.json(), whole, "{client}");
    }
    let ran = theirs(&workspace, "s", &["config", "--client", "emacs"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("librechat"), "{ran}");
    let all = works(&workspace, "s", &["config"]);
    assert_eq!(all.matches("MCPBASH_PROJECT_ROOT").count(), 5, "{all}");
    let run = workspace
        .runs(&["mcp-bash", "config", "--json"])
        .inside("s");
    let ran = run.env("MCPBASH_TOOL_ALLOWLIST", "hello, other").end();
    assert_eq!(ran.json()["env"]["MCPBASH_TOOL_ALLOWLIST"], "hello, other");
    assert!(works(&workspace, "s", &["config", "--inspector"]).starts_with("npx "));
}

#[test]
fn linkspan_config_of_a_project_allows_calls() {
    let workspace = Workspace::new("mb-own-config");
    works(&workspace, ".", &["new", "s"]);
    let ran = workspace.run(&["config", "s", "--client", "claude-code", "--json"]);
    let entry = &ran.json()["config"]["mcpServers"]["s"];
    assert_eq!(
        entry["env"],
        json!({"MCPBASH_TOOL_ALLOWLIST": "*"}),
        "{ran}"
    );
    let command = ran.json()["command"].to_string();
    assert!(command.contains("MCPBASH_TOOL_ALLOWLIST=*"), "{command}");
    workspace.run(&["new", "ours"]);
    let ran = workspace.run(&["config", "ours", "--client", "cursor", "--json"]);
    let entry = &ran.json()["config"]["mcpServers"]["ours"];
    assert_eq!(entry.get("env"), None, "{ran}");
}

#[test]
fn a_wrapper_serves_the_project_in_its_folder() {
    let workspace = Workspace::new("mb-wrapper");
    works(&workspace, ".", &["new", "s"]);
    std::fs::create_dir_all(workspace.path("bin")).unwrap();
    std::os::unix::fs::symlink(
        env!("CARGO_BIN_EXE_linkspan"),
        workspace.path("bin/linkspan"),
    )
    .unwrap();
    let path = format!("{}:/usr/bin:/bin", workspace.path("bin").display());
    for flag in ["--wrapper", "--wrapper-env"] {
        let script = works(&workspace, "s", &["config", flag]);
        assert!(script.starts_with("#!/usr/bin/env bash\n"), "{script}");
        workspace.program("s/s.sh", &script);
        let call =
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "hello"}});
        let out = Command::new("bash")
            .args([
                "-c",
                &format!(
                    "printf '%s' \"$1\" | {}",
                    workspace.path("s/s.sh").display()
                ),
            ])
            .args(["bash", &talk(&[call])])
            .env("PATH", &path)
            .env("HOME", workspace.path("home"))
            .output()
            .expect("bash starts");
        let out = String::from_utf8_lossy(&out.stdout).into_owned();
        let said = answer(&out, 1)["result"]["structuredContent"].clone();
        assert_eq!(said, json!({"message": "Hello, World!"}), "{flag}");
    }
}

#[test]
fn without_a_project_the_server_explains_how_to_start() {
    let workspace = Workspace::new("mb-start");
    let asks = talk(&[
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "getting_started", "arguments": {}}}),
    ]);
    let scratch = workspace.path("scratch");
    std::fs::create_dir_all(&scratch).unwrap();
    let run = workspace.runs(&["mcp-bash"]).stdin(&asks);
    let run = run
        .env("TMPDIR", &scratch.display().to_string())
        .env("MCPBASH_PROJECT_ROOT", "")
        .env("MCPBASH_TOOLS_DIR", "/nowhere")
        .env("MCPBASH_TOOL_ALLOWLIST", "other");
    let ran = run.end();
    assert_eq!(ran.code, Some(0), "{ran}");
    let tools = answer(&ran.stdout, 1)["result"]["tools"].clone();
    assert_eq!(tools.as_array().map(Vec::len), Some(1), "{tools}");
    assert_eq!(tools[0]["name"], "getting_started");
    let text = answer(&ran.stdout, 2)["result"]["content"][0]["text"].clone();
    assert!(text.as_str().unwrap().contains("MCPBASH_PROJECT_ROOT"));
    let left = std::fs::read_dir(&scratch).unwrap().flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
    let project = |name: &&std::ffi::OsString| name.to_string_lossy().starts_with("linkspan-start");
    assert_eq!(left.iter().find(project), None, "{left:?}");
}

#[test]
fn the_first_log_line_names_the_project() {
    let workspace = Workspace::new("mb-line");
    works(&workspace, ".", &["new", "s", "--no-hello"]);
    let run = |name: &str, value: &str| {
        workspace
            .runs(&["mcp-bash"])
            .inside("s")
            .env(name, value)
            .end()
    };
    let said = run("A", "b").stderr;
    let line = said.lines().next().unwrap_or_default();
    assert!(
        line.starts_with("mcp-bash startup: transport=stdio "),
        "{said}"
    );
    let root = workspace.path("s").canonicalize().unwrap();
    assert!(
        line.contains(&format!("project_root={}", root.display())),
        "{line}"
    );
    for (name, value) in [("MCPBASH_QUIET", "true"), ("MCPBASH_LOG_LEVEL", "error")] {
        assert_eq!(run(name, value).stderr, "", "{name}");
    }
}

#[test]
fn what_lies_in_mcp_bash_itself_is_no_project() {
    let workspace = Workspace::new("mb-home");
    works(&workspace, ".", &["new", "s"]);
    let home = workspace.path("s").display().to_string();
    let run = workspace.runs(&["mcp-bash", "validate"]).inside("s/tools");
    let ran = run.env("MCPBASH_HOME", &home).end();
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.stderr.contains("No MCP project found"), "{ran}");
}

/// Unpacks a bundle with another program.
fn unpacked(workspace: &Workspace, bundle: &str, to: &str) -> Value {
    let ran = Command::new("python3")
        .args(["-m", "zipfile", "-e"])
        .args([workspace.path(bundle), workspace.path(to)])
        .status();
    assert!(ran.expect("python3 starts").success());
    read(workspace, &format!("{to}/manifest.json"))
}

#[test]
fn a_bundle_contains_the_project_and_its_start_command() {
    let workspace = Workspace::new("mb-bundle");
    works(&workspace, ".", &["new", "s"]);
    workspace.write("s/data/words.txt", "words");
    workspace.write("secret.txt", "secret");
    std::os::unix::fs::symlink(workspace.path("secret.txt"), workspace.path("s/data/link"))
        .unwrap();
    workspace.write(
        "s/mcpb.conf",
        "MCPB_AUTHOR_NAME=\"Ann\"\nMCPB_INCLUDE=\"data ../secret.txt /etc\"\n",
    );
    let ran = theirs(
        &workspace,
        "s",
        &["bundle", "--without-server", "--output", "../out"],
    );
    assert_eq!(ran.code, Some(0), "{ran}");
    for part in ["../secret.txt", "/etc", "data/link"] {
        assert!(ran.stderr.contains(part), "{ran}");
    }
    let about = unpacked(&workspace, "out/s-0.1.0.mcpb", "one");
    assert_eq!(about["author"], json!({"name": "Ann"}));
    assert_eq!(about["tools"][0]["name"], "hello");
    let start = &about["server"]["mcp_config"];
    assert_eq!(start["command"], "${__dirname}/server/run-server.sh");
    assert_eq!(
        start["env"],
        json!({
            "MCPBASH_PROJECT_ROOT": "${__dirname}/server",
            "MCPBASH_TOOL_ALLOWLIST": "*",
            "MCPBASH_STATIC_REGISTRY": "1",
        })
    );
    let kept = read(&workspace, "one/server/.registry/tools.json");
    assert_eq!(
        (&kept["format_version"], &kept["total"]),
        (&json!(1), &json!(1))
    );
    assert!(workspace.path("one/server/data/words.txt").exists());
    assert!(!workspace.path("one/server/data/link").exists());
    workspace.write("s/mcpb.conf", "MCPB_STATIC=false\nMCPB_AUTHOR_NAME=A\n");
    works(
        &workspace,
        "s",
        &["bundle", "--without-server", "--output", "../out"],
    );
    let about = unpacked(&workspace, "out/s-0.1.0.mcpb", "two");
    let env = &about["server"]["mcp_config"]["env"];
    assert_eq!(env.get("MCPBASH_STATIC_REGISTRY"), None);
    assert!(!workspace.path("two/server/.registry").exists());
    let said = works(&workspace, "s", &["bundle", "--validate", "--version", "9"]);
    assert!(said.contains("s-9.mcpb"), "{said}");
    assert!(!workspace.path("s/s-9.mcpb").exists());
    for args in [
        &["--platform", "amiga"][..],
        &["--name", "../x"],
        &["--what"],
    ] {
        let ran = theirs(&workspace, "s", &[&["bundle"], args].concat());
        assert_eq!(ran.code, Some(1), "{args:?}: {ran}");
    }
}

#[test]
fn a_bundle_contains_the_store_metadata() {
    let workspace = Workspace::new("mb-shop");
    works(&workspace, ".", &["new", "s"]);
    works(&workspace, "s", &["scaffold", "prompt", "write"]);
    workspace.write("s/icon.svg", "<svg/>");
    workspace.write("s/art/dark.svg", "<svg/>");
    workspace.write("s/about.md", "Long");
    let meta = json!({
        "name": "s", "version": "1.0.0", "long_description_file": "about.md",
        "icons": [{"src": "art/dark.svg", "theme": "dark"}, {"src": "https://a.example/x.png"}],
        "screenshots": ["../secret.png", "none.png"],
        "platform_overrides": {"win32": {"command": "x"}},
        "_meta": {"k": 1},
    });
    workspace.write("s/server.d/server.meta.json", &meta.to_string());
    workspace.write("secret.png", "secret");
    workspace.write("s/mcpb.conf", "MCPB_AUTHOR_NAME=A\n");
    let ran = theirs(&workspace, "s", &["bundle", "--without-server"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    for missing in ["../secret.png", "none.png"] {
        assert!(ran.stderr.contains(missing), "{ran}");
    }
    let about = unpacked(&workspace, "s/s-1.0.0.mcpb", "one");
    assert_eq!(
        about["prompts"],
        json!([{"name": "write", "description": "Say here what the prompt is for", "arguments": ["topic"]}])
    );
    assert_eq!(about["long_description"], "Long");
    assert_eq!(about["icons"], meta["icons"]);
    assert_eq!(about["_meta"], meta["_meta"]);
    assert_eq!(
        about["server"]["mcp_config"]["platform_overrides"],
        meta["platform_overrides"]
    );
    assert!(workspace.path("one/icon.svg").exists() && workspace.path("one/art/dark.svg").exists());
}

#[test]
fn settings_of_a_bundle_become_variables_and_arguments() {
    let workspace = Workspace::new("mb-settings");
    let meta = |map: Value| {
        let meta = json!({
            "name": "s", "version": "1.0.0",
            "user_config": {"key": {"type": "string", "title": "Key", "sensitive": true}, "dir": {"type": "directory", "title": "Dir"}},
            "user_config_env_map": map,
            "user_config_args_map": ["dir"],
        });
        workspace.write("s/server.d/server.meta.json", &meta.to_string());
    };
    meta(json!({"key": "API_KEY"}));
    workspace.write("s/mcpb.conf", "MCPB_AUTHOR_NAME=A\n");
    works(&workspace, "s", &["bundle", "--without-server"]);
    let about = unpacked(&workspace, "s/s-1.0.0.mcpb", "one");
    let start = &about["server"]["mcp_config"];
    assert_eq!(start["env"]["API_KEY"], "${user_config.key}");
    assert_eq!(start["args"], json!(["${user_config.dir}"]));
    assert_eq!(about["user_config"]["key"]["sensitive"], true);
    meta(json!({"kee": "API_KEY"}));
    let ran = theirs(&workspace, "s", &["bundle", "--validate"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("user_config has no `kee`"), "{ran}");
}

#[test]
fn a_bundle_starts_its_own_server() {
    let workspace = Workspace::new("mb-whole");
    works(&workspace, ".", &["new", "s"]);
    workspace.write("s/mcpb.conf", "MCPB_AUTHOR_NAME=A\n");
    works(
        &workspace,
        "s",
        &["bundle", "--without-server", "--output", "../out"],
    );
    let about = unpacked(&workspace, "out/s-0.1.0.mcpb", "one");
    // Python's unzip ignores permissions; clients restore them.
    for file in ["run-server.sh", "tools/hello/tool.sh"] {
        crate::setup::mode(&workspace.path(&format!("one/server/{file}")), 0o755);
    }
    let env = about["server"]["mcp_config"]["env"].as_object().unwrap();
    let here = workspace.path("one").display().to_string();
    let env = env.iter().map(|(name, value)| {
        let value = value.as_str().unwrap().replace("${__dirname}", &here);
        (name.clone(), value)
    });
    let env: Vec<(String, String)> = env.collect();
    let call =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "hello"}});
    let run = || {
        let out = Command::new("bash")
            .args(["-c", "printf '%s' \"$1\" | \"$0\""])
            .arg(Path::new(&here).join("server/run-server.sh"))
            .arg(talk(std::slice::from_ref(&call)))
            .env("PATH", "/usr/bin:/bin")
            .envs(env.clone())
            .output();
        out.expect("bash starts")
    };
    let none = run();
    assert_eq!(none.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&none.stderr).contains("no server in it"));
    // The debug binary is large; a link replaces the copy in the bundle.
    let bin = workspace.path("one/server/.mcp-bash/bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_linkspan"), bin.join("mcp-bash")).unwrap();
    let out = String::from_utf8_lossy(&run().stdout).into_owned();
    let said = answer(&out, 1)["result"]["structuredContent"].clone();
    assert_eq!(said, json!({"message": "Hello, World!"}));
}
