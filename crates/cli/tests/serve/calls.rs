//! The inputs of tool calls.

use std::fs;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::served::text;

#[test]
fn stdin_has_the_arguments_as_sent() {
    let folder = Folder::with("echo", "printf 'got '; cat");
    let server = folder.serve();
    let id = server.id();
    // A large number, an escape, member order: the spelling is kept.
    let arguments = r#"{"z":18446744073709551616,"a":"\u26f4 \"quay\" ⛴\n","f":1.0,"e":1e2}"#;
    server.send(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{arguments}}}}}"#
    ));
    let said = text(&server.answer(&id).json()["result"]);
    assert_eq!(said, format!("got {arguments}"));
}

#[test]
fn stdin_ends_after_the_arguments() {
    let folder = Folder::with("count", "cat > /dev/null; cat; echo over");
    assert_eq!(folder.serve().text("count", &json!({"a": 1})), "over");
}

#[test]
fn a_tool_may_ignore_its_stdin() {
    let folder = Folder::with("deaf", "echo ok");
    let server = folder.serve();
    let arguments = json!({"text": "x".repeat(1 << 20)});
    assert_eq!(server.text("deaf", &arguments), "ok");
}

#[test]
fn arguments_are_in_the_environment_as_well() {
    let folder = Folder::with(
        "env",
        r#"printf '%s|%s|%s|%s|%s|%s' "$MCP_TOOL_NAME" "$MCP_ARG_word" "$MCP_ARG_n" "$MCP_ARG_yes" "$MCP_ARG_with_dash" "${MCP_ARG_list-unset}"; printf '|%s' "$MCP_TOOL_ARGS_JSON""#,
    );
    let arguments =
        json!({"word": "a b\n\"c\" $HOME", "n": 7, "yes": true, "with-dash": "d", "list": [1]});
    let said = folder.serve().text("env", &arguments);
    let (shown, all) = said.rsplit_once("|{").expect("the arguments come last");
    assert_eq!(shown, "env|a b\n\"c\" $HOME|7|true|d|unset");
    let all: Value = serde_json::from_str(&format!("{{{all}")).expect("it is JSON");
    assert_eq!(all, arguments);
}

#[test]
fn arguments_are_never_read_by_a_shell() {
    let folder = Folder::new();
    folder.write(
        "tools/show.tool.yaml",
        "exec: [\"printf\", \"%s.\", \"{{a}}\", \"--b={{b}}\"]\narguments: {a: {type: string}, b: {type: string}}\n",
    );
    let server = folder.serve();
    let arguments = json!({"a": "$(touch pwned); `id` '\"", "b": "{{a}} *"});
    let said = server.text("show", &arguments);
    assert_eq!(said, "$(touch pwned); `id` '\".--b={{a}} *.");
    assert!(!folder.path("pwned").exists());
    // A word that is only a placeholder is omitted if the argument is missing.
    assert_eq!(server.text("show", &json!({"b": ""})), "--b=.");
}

#[test]
fn large_arguments_come_in_a_file() {
    let folder = Folder::with(
        "large",
        r#"printf '%s %s %s' "${#MCP_TOOL_ARGS_JSON}" "$(wc -c < "$MCP_TOOL_ARGS_FILE")" "$(wc -c)""#,
    );
    let server = folder.serve();
    let arguments = json!({"text": "y".repeat(300_000)});
    let size = arguments.to_string().len();
    let said = server.text("large", &arguments);
    let words: Vec<&str> = said.split_whitespace().collect();
    assert_eq!(words, ["0", &size.to_string(), &size.to_string()]);
}

#[test]
fn tools_run_in_the_folder_and_see_little_of_the_environment() {
    let folder = Folder::with("where", "pwd; env | sort");
    let launch = folder.launch(&[]).env("SECRET_TOKEN", "hidden");
    let server = crate::served::Served::new(&folder, launch.start());
    server.initialize(crate::folder::LATEST);
    let said = server.text("where", &json!({}));
    let root = folder.root().display().to_string();
    assert_eq!(said.lines().next(), Some(root.as_str()));
    assert!(!said.contains("SECRET_TOKEN"), "{said}");
    for name in [
        "PATH=",
        "HOME=",
        "MCP_SDK=",
        "MCP_CTRL_FD=3",
        "MCP_PROJECT_ROOT=",
    ] {
        assert!(
            said.lines().any(|line| line.starts_with(name)),
            "{name}: {said}"
        );
    }
}

#[test]
fn the_metadata_defines_the_environment() {
    let folder = Folder::new();
    let show = r#"echo "${APP_A-} ${APP_B-} ${OTHER-} ${FIXED-}""#;
    folder.sh_with("minimal", "env: {set: {FIXED: f}}", show);
    folder.sh_with(
        "allow",
        "env: {mode: allowlist, allow: [PATH, 'APP_*']}",
        show,
    );
    folder.sh_with("all", "env: {mode: inherit}", show);
    let mut launch = folder.launch(&[]);
    for (name, value) in [("APP_A", "a"), ("APP_B", "b"), ("OTHER", "o")] {
        launch = launch.env(name, value);
    }
    let server = crate::served::Served::new(&folder, launch.start());
    server.initialize(crate::folder::LATEST);
    assert_eq!(server.text("minimal", &json!({})), "   f");
    assert_eq!(server.text("allow", &json!({})), "a b  ");
    assert_eq!(server.text("all", &json!({})), "a b o ");
}

#[test]
fn a_tool_gets_the_request_metadata() {
    let folder = Folder::with(
        "who",
        r#"printf '%s|%s|%s|%s' "$MCP_PROGRESS_TOKEN" "$MCP_TOOL_META_JSON" "$MCP_CAPABILITIES" "$MCP_ELICIT_SUPPORTED""#,
    );
    let server = folder.serve();
    let params =
        json!({"name": "who", "arguments": {}, "_meta": {"progressToken": "t-1", "vendor/x": 1}});
    let said = text(&server.result("tools/call", &params));
    let parts: Vec<&str> = said.split('|').collect();
    assert_eq!(parts[0], "t-1");
    let meta: Value = serde_json::from_str(parts[1]).expect("it is JSON");
    assert_eq!(meta["vendor/x"], 1);
    let mut able: Vec<&str> = parts[2].split(' ').collect();
    able.sort_unstable();
    assert_eq!(able, ["elicitation", "roots", "sampling"]);
    assert_eq!(parts[3], "1");
}

#[test]
fn invalid_arguments_do_not_reach_the_tool() {
    let folder = Folder::new();
    folder.sh_with(
        "pier",
        "arguments:\n  ship: {type: string, required: true}\n  berth: {type: integer, minimum: 1}\n",
        "echo ran >> ran.txt; echo ok",
    );
    let server = folder.serve();
    for (arguments, word) in [
        (json!({}), "ship"),
        (json!({"ship": 7}), "ship"),
        (json!({"ship": "Ada", "berth": "first"}), "berth"),
        (json!({"ship": "Ada", "berth": 0}), "berth"),
    ] {
        let said = text(&server.failure("pier", &arguments));
        assert!(said.contains(word), "{arguments}: {said}");
    }
    assert!(!folder.path("ran.txt").exists());
    assert_eq!(
        server.text("pier", &json!({"ship": "Ada", "berth": 2})),
        "ok"
    );
}

#[test]
fn arguments_other_than_objects_are_refused() {
    let folder = Folder::with("any", "echo ran > ran.txt");
    let server = folder.serve();
    for arguments in [json!("text"), json!([1]), json!(7)] {
        let params = json!({"name": "any", "arguments": arguments});
        assert_eq!(server.error("tools/call", &params)["code"], -32602);
    }
    assert!(!folder.path("ran.txt").exists());
}

#[test]
fn schemas_may_be_of_draft_7_or_2020_12_and_refer_to_themselves() {
    let folder = Folder::new();
    for (name, draft, defs) in [
        (
            "old",
            "http://json-schema.org/draft-07/schema#",
            "definitions",
        ),
        (
            "new",
            "https://json-schema.org/draft/2020-12/schema",
            "$defs",
        ),
    ] {
        let schema = json!({
            "$schema": draft,
            "type": "object",
            defs: {"port": {"type": "integer", "maximum": 65535}},
            "properties": {"port": {"$ref": format!("#/{defs}/port")}},
        });
        folder.write(
            &format!("tools/{name}.meta.json"),
            json!({"inputSchema": schema}).to_string(),
        );
        folder.sh(name, "echo ok");
    }
    let server = folder.serve();
    for name in ["old", "new"] {
        assert_eq!(server.text(name, &json!({"port": 80})), "ok");
        server.failure(name, &json!({"port": 70_000}));
        let shown = &server.listed(name)["inputSchema"];
        assert!(
            shown["$schema"].is_string(),
            "shown as it was written: {shown}"
        );
    }
}

#[test]
fn an_unknown_tool_is_a_request_error() {
    let folder = Folder::with("here", "echo here");
    let server = folder.serve();
    let error = server.error("tools/call", &json!({"name": "there", "arguments": {}}));
    assert_eq!(error["code"], -32602);
    assert!(error["message"].to_string().contains("there"), "{error}");
    for name in ["../here", "here.sh", "tools/here", ""] {
        let params = json!({"name": name, "arguments": {}});
        assert_eq!(
            server.error("tools/call", &params)["code"],
            -32602,
            "{name}"
        );
    }
}

#[test]
fn arguments_are_optional() {
    let folder = Folder::with("none", "cat");
    let server = folder.serve();
    let result = server.result("tools/call", &json!({"name": "none"}));
    assert_eq!(text(&result), "{}");
}

#[test]
fn a_folder_with_a_program_is_a_tool() {
    let folder = Folder::new();
    folder.script(
        "tools/greet/tool.sh",
        "#!/bin/sh\necho hello from a folder\n",
    );
    folder.write("tools/greet/tool.meta.yaml", "description: Greets\n");
    let server = folder.serve();
    assert_eq!(server.tools(), ["greet"]);
    assert_eq!(server.listed("greet")["description"], "Greets");
    assert_eq!(server.text("greet", &json!({})), "hello from a folder");
}

#[test]
fn an_edited_script_takes_effect_at_once() {
    let folder = Folder::with("v", "echo one");
    let server = folder.serve();
    assert_eq!(server.text("v", &json!({})), "one");
    folder.sh("v", "echo two");
    // Without reading the list or waiting for a notification.
    assert_eq!(server.text("v", &json!({})), "two");
}

#[test]
fn the_embedded_jq_is_there_for_tools() {
    let folder = Folder::with("pick", r#""$MCPBASH_JSON_TOOL_BIN" -r '.ships[1].name'"#);
    let arguments = json!({"ships": [{"name": "Ada"}, {"name": "Æolus \"II\""}]});
    assert_eq!(folder.serve().text("pick", &arguments), "Æolus \"II\"");
}

#[test]
fn a_tool_cannot_write_to_the_client() {
    let folder = Folder::with(
        "rude",
        r#"echo '{"jsonrpc":"2.0","id":"forged","result":{}}'; ls /proc/self/fd"#,
    );
    let server = folder.serve();
    let said = server.text("rude", &json!({}));
    // The line is part of the tool's output, not a message.
    assert!(said.contains("forged"), "{said}");
    server.ping();
    assert_eq!(server.unread(), Vec::<String>::new());
    // stdin, stdout, stderr, the control channel; ls itself opens one more.
    let open: Vec<u32> = said.lines().filter_map(|line| line.parse().ok()).collect();
    assert!(open.len() <= 5, "{open:?}");
}

#[test]
fn temporary_files_are_private() {
    let folder = Folder::with(
        "hold",
        r#"echo "$MCP_TOOL_ARGS_FILE" > held.txt; sleep 600"#,
    );
    let server = folder.serve();
    let id = server.begin("hold", &json!({"text": "z".repeat(100_000)}));
    let file = folder.wait_for("held.txt");
    for path in [
        std::path::Path::new(&file),
        std::path::Path::new(&file).parent().expect("a folder"),
    ] {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(path)
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o077, 0, "{}", path.display());
    }
    server.cancel(&id);
    folder.wait_until_quiet();
}
