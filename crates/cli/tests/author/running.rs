//! `run-tool`, folders as targets, and `jq`.
#![cfg(unix)]

use insta::assert_snapshot;

use crate::setup::Workspace;

fn with_tools(name: &str) -> Workspace {
    let workspace = Workspace::new(name);
    workspace.program(
        "it/tools/echo.sh",
        "#!/bin/sh\n# Says what it is told.\n#: arguments: {text: string, n: number}\ncat\n",
    );
    workspace.program(
        "it/tools/fail.sh",
        "#!/bin/sh\n# Fails.\necho 'disk full' >&2\nexit 3\n",
    );
    workspace.program("it/tools/slow.sh", "#!/bin/sh\n# Slow.\nsleep 600\n");
    workspace.program(
        "it/tools/strict.sh",
        "#!/bin/sh\n# Strict.\n#: arguments: {n: {type: integer, required: true}}\necho fine\n",
    );
    workspace
}

#[test]
fn a_tool_runs_with_arguments_in_every_form() {
    let workspace = with_tools("forms");
    workspace.write("arguments.json", r#"{"text":"file"}"#);
    let run = |args: &[&str]| {
        let ran = workspace.run(&[&["run-tool", "it", "echo"], args].concat());
        assert_eq!(ran.code, Some(0), "{ran}");
        ran.stdout
    };
    assert_eq!(run(&[]), "{}\n");
    assert_eq!(
        run(&["--args", r#"{"text":"json"}"#]),
        "{\"text\":\"json\"}\n"
    );
    assert_eq!(run(&["text=5", "n=5"]), "{\"text\":\"5\",\"n\":5}\n");
    assert_eq!(run(&["--args", "@arguments.json"]), "{\"text\":\"file\"}\n");
    assert_eq!(run(&["--args", ""]), "{}\n");
    let stdin = workspace.runs(&["run-tool", "it", "echo", "--args", "-"]);
    let ran = stdin.stdin(r#"{"text":"stdin"}"#).end();
    assert_eq!(ran.stdout, "{\"text\":\"stdin\"}\n");
}

#[test]
fn a_tool_runs_in_a_container_whose_session_began_outside() {
    let workspace = with_tools("container");
    let inside = |program: &str, args: &[&str]| {
        std::process::Command::new("unshare")
            .args([
                "--user",
                "--map-root-user",
                "--pid",
                "--fork",
                "--mount-proc",
            ])
            .arg(program)
            .args(args)
            .output()
    };
    if !inside("true", &[]).is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no namespaces can be made here");
        return;
    }
    let folder = workspace.path("it").display().to_string();
    let program = env!("CARGO_BIN_EXE_linkspan");
    let ran = inside(program, &["run-tool", &folder, "echo", "n=1"]).expect("unshare");
    assert_eq!(
        String::from_utf8_lossy(&ran.stdout),
        "{\"n\":1}\n",
        "{ran:?}"
    );
}

#[test]
fn json_output_is_the_tool_result() {
    let workspace = with_tools("result");
    let ran = workspace.run(&["run-tool", "it", "echo", "--json", "n=1"]);
    assert_eq!(ran.json()["structuredContent"]["n"], 1);
    let ran = workspace.run(&["run-tool", "it", "fail", "--json"]);
    assert_eq!(ran.code, Some(5));
    assert_eq!(ran.json()["_meta"]["exitCode"], 3);
}

#[test]
fn a_failing_tool_sets_the_exit_code() {
    let workspace = with_tools("fails");
    assert_snapshot!(workspace.run(&["run-tool", "it", "fail"]), @"
    Tool failed: disk full
    [exit 5]
    ");
    workspace.program(
        "it/tools/wordy.sh",
        "#!/bin/sh\n# Fails.\necho 'disk full' >&2\necho 'on /dev/sda1' >&2\nexit 3\n",
    );
    assert_snapshot!(workspace.run(&["run-tool", "it", "wordy"]), @"
    Tool failed: disk full
    [stderr]
    its stderr:
      disk full
      on /dev/sda1
    [exit 5]
    ");
    let ran = workspace.run(&["run-tool", "it", "slow", "--timeout", "0.2"]);
    assert_eq!(ran.code, Some(6), "{ran}");
    assert_snapshot!(workspace.run(&["run-tool", "it", "strict"]), @r#"
    invalid arguments for `strict`:
    "n" is a required property
    [exit 5]
    "#);
    assert_snapshot!(workspace.run(&["run-tool", "it", "nope"]), @"
    [stderr]
    error: there is no tool `nope`
    hint: there are: echo, fail, slow, strict, wordy
    [exit 1]
    ");
}

#[test]
fn invalid_arguments_are_refused_before_the_tool_runs() {
    let workspace = with_tools("refused");
    for args in ["[1]", "word", "{oops", "@/no/such/file"] {
        let ran = workspace.run(&["run-tool", "it", "echo", "--args", args]);
        assert_eq!(ran.code, Some(2), "{args}: {ran}");
    }
    let ran = workspace.run(&["run-tool", "it", "echo", "word"]);
    assert_eq!(ran.code, Some(2), "{ran}");
}

#[test]
fn a_dry_run_describes_the_process() {
    let workspace = with_tools("dry");
    assert_snapshot!(workspace.run(&["run-tool", "it", "strict", "n=1", "--dry-run", "--roots", "home"]), @"
    tool:      strict (tools/strict.sh)
    runs:      HERE/it/tools/strict.sh
    in:        HERE/it
    how:       a process for this call
    time:      30 s
    sandbox:   level 1
    root:      HERE/home
    arguments: valid (7 bytes)
    ");
    assert_snapshot!(workspace.run(&["run-tool", "it", "strict", "--dry-run"]), @r#"
    tool:      strict (tools/strict.sh)
    runs:      HERE/it/tools/strict.sh
    in:        HERE/it
    how:       a process for this call
    time:      30 s
    sandbox:   level 1
    arguments: invalid (2 bytes); the tool would not be run:
      "n" is a required property
    [exit 5]
    "#);
}

#[test]
fn the_folders_of_a_client_reach_the_tool() {
    let workspace = with_tools("roots");
    workspace.program(
        "it/tools/roots.sh",
        "#!/bin/sh\n# Roots.\n#: sandbox: {roots: true}\nprintf '%s' \"$MCP_ROOTS_PATHS\"\n",
    );
    let ran = workspace.run(&["run-tool", "it", "roots", "--roots", "home,it"]);
    assert_eq!(ran.to_string(), "HERE/home\nHERE/it\n");
    workspace.program(
        "it/tools/can.sh",
        "#!/bin/sh\n# What the client can do.\nprintf '[%s]' \"$MCP_CAPABILITIES\"\n",
    );
    let ran = workspace.run(&["run-tool", "it", "can", "--roots", "home"]);
    assert_eq!(ran.stdout, "[roots]\n");
    let ran = workspace.run(&["run-tool", "it", "can"]);
    assert_eq!(ran.stdout, "[]\n");
    let ran = workspace.run(&["run-tool", "it", "roots", "--roots", "nowhere"]);
    assert_eq!(ran.code, Some(2), "{ran}");
}

#[test]
fn a_folder_can_be_the_target_of_call() {
    let workspace = with_tools("target");
    for target in ["./it", "it", "it/"] {
        let ran = workspace.run(&["call", "echo", "text=hi", target]);
        assert_eq!(ran.to_string(), "{\"text\":\"hi\"}\n", "{target}");
    }
    let ran = workspace
        .runs(&["call", "echo", "text=hi", "."])
        .inside("it")
        .end();
    assert_eq!(ran.to_string(), "{\"text\":\"hi\"}\n");
    let ran = workspace.run(&["tools", "--json", "it"]);
    assert_eq!(ran.json()["tools"].as_array().unwrap().len(), 4);
    assert_snapshot!(workspace.run(&["tools", "./nowhere"]), @"
    [stderr]
    error: there is no folder `./nowhere`
    hint: a folder of scripts has tools, prompts or resources in it; a URL begins with https://; a command goes after `--`
    [exit 2]
    ");
}

#[test]
fn connect_serves_a_folder_on_stdio() {
    let workspace = with_tools("connect");
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}
"#;
    for command in ["connect", "serve"] {
        let ran = workspace.runs(&[command, "it"]).stdin(hello).end();
        assert_eq!(ran.code, Some(0), "{ran}");
        let last = ran.stdout.lines().last().unwrap();
        assert!(
            last.contains(r#""structuredContent":{"text":"hi"}"#),
            "{ran}"
        );
    }
}

fn is_there(program: &str) -> bool {
    let there = std::process::Command::new(program)
        .arg("--version")
        .output()
        .is_ok();
    if !there {
        eprintln!("{program} is not there; skipped");
    }
    there
}

#[test]
fn new_tools_of_every_language_work_at_once() {
    let workspace = Workspace::new("languages");
    assert_eq!(workspace.run(&["new", "it"]).code, Some(0));
    for (lang, program) in [("bash", "bash"), ("python", "python3"), ("node", "node")] {
        let there = std::process::Command::new(program)
            .arg("--version")
            .output();
        if there.is_err() {
            eprintln!("{program} is not there; skipped");
            continue;
        }
        let name = format!("t-{lang}");
        let ran = workspace.run(&["scaffold", "tool", &name, "it", "--lang", lang]);
        assert_eq!(ran.code, Some(0), "{ran}");
        let ran = workspace.run(&["run-tool", "it", &name, "name=Ünïcode \"x\"", "--json"]);
        assert_eq!(ran.code, Some(0), "{lang}: {ran}");
        assert_eq!(
            ran.json()["structuredContent"]["message"],
            "Hello, Ünïcode \"x\"!"
        );
        let ran = workspace.run(&["run-tool", "it", &name, "--json"]);
        assert_eq!(ran.json()["structuredContent"]["message"], "Hello, world!");
    }
    let ran = workspace.run(&["validate", "it", "--strict"]);
    assert_eq!(ran.code, Some(0), "{ran}");
}

#[test]
fn prompts_resources_and_completions_of_every_language_work_at_once() {
    let workspace = Workspace::new("scaffolds");
    assert_eq!(workspace.run(&["new", "it"]).code, Some(0));
    let ran = workspace.run(&["prompt", "review", "code=x = 1", "language=rust", "./it"]);
    assert!(ran.stdout.contains("Review this rust code."), "{ran}");
    assert!(ran.stdout.contains("x = 1"), "{ran}");
    for (lang, program) in [("bash", "bash"), ("python", "python3"), ("node", "node")] {
        if !is_there(program) {
            continue;
        }
        for (kind, name) in [("prompt", "p"), ("resource", "r")] {
            let name = format!("{name}-{lang}");
            let ran = workspace.run(&["scaffold", kind, &name, "it", "--lang", lang]);
            assert_eq!(ran.code, Some(0), "{ran}");
        }
        let name = format!("p-{lang}");
        let ran = workspace.run(&["prompt", &name, "text=Once upon a time", "./it"]);
        assert!(
            ran.stdout.contains("three sentences:\n\nOnce upon a time"),
            "{ran}"
        );
        let uri = format!("script:///r-{lang}");
        let ran = workspace.run(&["read", &uri, "./it"]);
        assert!(
            ran.stdout.starts_with(&format!("# R {lang}\n\nRead on ")),
            "{ran}"
        );
    }
}

/// A server that runs until it is dropped.
struct Running(std::process::Child, String);

impl Running {
    fn start(workspace: &Workspace, args: &[&str]) -> Self {
        use std::io::BufRead;
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_linkspan"))
            .args(args)
            .current_dir(&workspace.root)
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("the binary starts");
        let mut url = String::new();
        std::io::BufReader::new(child.stdout.take().expect("it is piped"))
            .read_line(&mut url)
            .expect("it says where it listens");
        Self(child, url.trim().to_owned())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_folder_is_served_over_http() {
    let workspace = with_tools("http");
    for args in [
        &["serve", "it", "--http", "--port", "0"][..],
        &["expose", "./it", "--port", "0"],
    ] {
        let server = Running::start(&workspace, args);
        let ran = workspace.run(&["call", "echo", "text=hi", &server.1]);
        assert_eq!(ran.to_string(), "{\"text\":\"hi\"}\n", "{args:?}");
        let configured = workspace.run(&[
            "config", "it", "--client", "cursor", "--http", &server.1, "--json",
        ]);
        assert_eq!(
            configured.json()["config"]["mcpServers"]["it"]["url"],
            server.1
        );
    }
}

#[test]
fn flags_of_http_need_http() {
    let workspace = with_tools("flags");
    let ran = workspace.run(&["serve", "it", "--port", "0"]);
    assert_eq!(ran.code, Some(2), "{ran}");
    let ran = workspace.run(&["serve", "it", "--http", "--host", "0.0.0.0"]);
    assert_eq!(ran.code, Some(2), "{ran}");
    assert!(ran.stderr.contains("--token-env"), "{ran}");
    let ran = workspace.run(&["serve", "it", "--sandbox", "3"]);
    assert_eq!(ran.code, Some(2), "{ran}");
}

#[test]
fn a_folder_writable_by_others_is_not_served() {
    let workspace = with_tools("writable");
    crate::setup::mode(&workspace.path("it"), 0o777);
    for args in [
        &["serve", "it"][..],
        &["tools", "./it"],
        &["run-tool", "it", "echo"],
    ] {
        let ran = workspace.run(args);
        assert_eq!(ran.code, Some(3), "{args:?}: {ran}");
        assert!(ran.stderr.contains("cannot be trusted"), "{ran}");
        assert!(ran.stderr.contains("hint: "), "{ran}");
    }
    let ran = workspace.run(&["run-tool", "it", "echo", "--insecure-writable"]);
    assert_eq!(ran.code, Some(0), "{ran}");
}

#[test]
fn jq_is_built_in() {
    let workspace = Workspace::new("jq");
    let ran = workspace
        .runs(&["jq", "-r", ".a"])
        .stdin(r#"{"a":"b"}"#)
        .end();
    assert_eq!(ran.to_string(), "b\n");
    let ran = workspace.runs(&["jq", "-e", ".a"]).stdin("{}").end();
    assert_eq!((ran.code, &*ran.stdout), (Some(1), "null\n"));
    let ran = workspace
        .runs(&["jq", "$ENV.X"])
        .stdin("1")
        .env("X", "y")
        .end();
    assert_eq!(ran.to_string(), "\"y\"\n");
    let link = workspace.path("jq");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_linkspan"), &link).unwrap();
    let ran = std::process::Command::new(&link)
        .args(["-n", "1+1"])
        .output()
        .unwrap();
    assert_eq!(ran.stdout, b"2\n");
}

#[test]
fn the_sdks_are_written_and_do_not_overwrite_changed_files() {
    let workspace = Workspace::new("sdk");
    let ran = workspace.run(&["sdk", "vendor"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    for file in ["sdk/tool-sdk.sh", "sdk/mcptool.py", "sdk/mcptool.mjs"] {
        assert!(
            workspace.read(&format!("vendor/{file}")).len() > 500,
            "{file}"
        );
        assert!(ran.stdout.contains(file), "{ran}");
    }
    assert_eq!(
        workspace.run(&["sdk", "vendor"]).code,
        Some(0),
        "the same again"
    );
    workspace.write("vendor/sdk/mcptool.py", "mine");
    let ran = workspace.run(&["sdk", "vendor"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.stderr.contains("hint: --force"), "{ran}");
    assert_eq!(workspace.read("vendor/sdk/mcptool.py"), "mine");
    assert_eq!(workspace.run(&["sdk", "vendor", "--force"]).code, Some(0));
    assert_ne!(workspace.read("vendor/sdk/mcptool.py"), "mine");
}

#[test]
fn only_problems_of_the_called_tool_are_printed() {
    let workspace = with_tools("own-problems");
    workspace.write("it/tools/broken.sh", "#!/bin/sh\n");
    workspace.program("it/tools/mine.sh", "#!/bin/sh\necho mine\n");
    workspace.write("it/tools/mine.meta.yaml", "titel: Mine\n");
    let ran = workspace.run(&["run-tool", "it", "mine"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("titel"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("broken"), "{}", ran.stderr);
}

#[test]
fn the_exit_code_reports_the_outcome_of_a_call() {
    let workspace = Workspace::new("codes");
    workspace.program("it/tools/ok.sh", "#!/bin/sh\n# A.\necho ok\n");
    workspace.program("it/tools/bad.sh", "#!/bin/sh\n# B.\nexit 124\n");
    workspace.program("it/tools/slow.sh", "#!/bin/sh\n# C.\nsleep 60\n");
    workspace.program("it/tools/gone.sh", "#!/nowhere/sh\n# D.\n");
    workspace.program("it/tools/says.sh", "#!/bin/sh\n# E.\necho '{\"method\":\"error\",\"params\":{\"code\":-32050,\"message\":\"no\"}}' >&3\n");
    workspace.write("it/tools/ok.meta.yaml", "arguments: {n: {type: integer}}\n");
    workspace.write("it/tools/loud.meta.yaml", "maxOutputBytes: 100\n");
    workspace.program(
        "it/tools/loud.sh",
        "#!/bin/sh\n# F.\nhead -c 300 /dev/zero | tr '\\0' x; sleep 60\n",
    );
    for (words, code) in [
        (&["ok"][..], 0),
        (&["nope"], 1),
        (&["says"], 1),
        (&["ok", "n=x"], 5),
        (&["ok", "n=x", "--dry-run"], 5),
        (&["bad"], 5),
        (&["gone"], 5),
        (&["slow", "--timeout", "0.2"], 6),
        (&["loud", "--timeout", "0.2"], 6),
    ] {
        let ran = workspace.run(&[&["run-tool", "it"], words].concat());
        assert_eq!(
            ran.code,
            Some(code),
            "{words:?}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
    assert_eq!(workspace.run(&["run-tool", "nowhere", "x"]).code, Some(2));
}
