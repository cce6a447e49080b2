//! Which entries of a folder are offered, left out or untrusted.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use linkspan_testkit::wait_until;
use serde_json::json;

use crate::folder::{Folder, LATEST};

#[test]
fn a_metadata_file_overrides_inline_metadata() {
    let folder = Folder::new();
    let script = "#!/bin/sh\n# mcp: {\"description\": \"from the comment\", \"title\": \"Comment\"}\necho ran\n";
    folder.script("tools/both.sh", script);
    folder.write("tools/both.meta.yaml", "description: from the file\n");
    folder.script("tools/inline.sh", script);
    folder.script(
        "tools/block.py",
        "#!/usr/bin/env python3\n#: description: from a block\n#: arguments:\n#:   n: {type: integer, required: true}\nprint(1)\n",
    );
    let server = folder.serve();
    assert_eq!(server.listed("both")["description"], "from the file");
    assert_eq!(server.listed("inline")["description"], "from the comment");
    let block = server.listed("block");
    assert_eq!(block["description"], "from a block");
    assert_eq!(block["inputSchema"]["required"], json!(["n"]));
}

#[test]
fn metadata_may_be_yaml_json_or_toml() {
    let folder = Folder::new();
    for (name, end, text) in [
        ("a", "yaml", "description: it\ntimeoutSecs: 5\n"),
        ("b", "json", "{\"description\": \"it\", \"timeoutSecs\": 5}"),
        ("c", "toml", "description = \"it\"\ntimeoutSecs = 5\n"),
        ("d", "yml", "description: it\n"),
    ] {
        folder.sh(name, "echo ran");
        folder.write(&format!("tools/{name}.meta.{end}"), text);
    }
    let server = folder.serve();
    for name in ["a", "b", "c", "d"] {
        assert_eq!(server.listed(name)["description"], "it", "{name}");
        assert!(
            server.listed(name).get("timeoutSecs").is_none(),
            "not the client's business"
        );
    }
}

#[test]
fn a_tool_without_metadata_accepts_any_arguments() {
    let folder = Folder::with("plain", "cat");
    let server = folder.serve();
    let shown = server.listed("plain");
    assert_eq!(shown["inputSchema"]["type"], "object");
    assert_eq!(server.text("plain", &json!({"x": [1]})), r#"{"x":[1]}"#);
}

#[test]
fn hidden_deep_and_not_executable_files_are_left_out() {
    let folder = Folder::with("seen", "echo seen");
    let script = "#!/bin/sh\necho no\n";
    for name in [
        "tools/.hidden.sh",
        "tools/.git/hook.sh",
        "tools/backup.sh~",
        "tools/README",
        "tools/a/b/c/d/e/deep.sh",
    ] {
        folder.script(name, script);
    }
    folder.write("tools/plain.txt", "no program");
    let server = folder.serve();
    assert_eq!(server.tools(), ["seen"]);
}

#[test]
fn reading_a_folder_executes_nothing() {
    let folder = Folder::new();
    let script = format!(
        "#!/bin/sh\necho ran >> '{}'\n",
        folder.beside("ran.txt").display()
    );
    for name in [
        "tools/a.sh",
        "tools/b/tool.sh",
        "prompts/p.sh",
        "resources/r.sh",
        "completions/p.x.sh",
        "providers/s.sh",
        "server.d/register.sh",
    ] {
        folder.script(name, &script);
    }
    let server = folder.serve_with(&["--compat", "native"]);
    server.tools();
    server.result("prompts/list", &json!({}));
    server.result("resources/list", &json!({}));
    server.result("resources/templates/list", &json!({}));
    server.ping();
    assert!(!folder.beside("ran.txt").exists());
}

#[test]
fn invalid_metadata_affects_its_entry_only() {
    let folder = Folder::with("good", "echo good");
    folder.sh_with("broken", "inputSchema: [", "echo broken");
    folder.sh_with("wrong", "timeoutSecs: soon", "echo wrong");
    folder.sh_with("schema", "inputSchema: {type: objekt}", "echo schema");
    folder.sh_with("typo", "descripton: a typo", "echo typo");
    folder.sh("two", "echo two");
    folder.write("tools/two.meta.yaml", "description: one");
    folder.write("tools/two.meta.json", "{\"description\": \"two\"}");
    let server = folder.serve();
    let tools = server.tools();
    assert_eq!(tools, ["good", "typo"]);
    assert_eq!(server.text("typo", &json!({})), "typo");
    let log = server.stderr();
    for name in ["broken", "wrong", "schema", "two", "typo"] {
        assert!(log.contains(name), "{name} is not in the log:\n{log}");
    }
}

#[test]
fn names_are_accepted_by_every_client() {
    let folder = Folder::new();
    folder.sh("with space.and.dots", "echo odd");
    folder.sh("plain-name_1", "echo plain");
    let server = folder.serve();
    let tools = server.tools();
    assert_eq!(tools.len(), 2, "{tools:?}");
    for name in &tools {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        assert!(name.chars().all(fits) && name.len() <= 64, "{name}");
        server.text(name, &json!({}));
    }
}

#[test]
fn of_two_tools_of_one_name_one_wins_always() {
    let folder = Folder::new();
    folder.script("tools/same.sh", "#!/bin/sh\necho sh\n");
    folder.script("tools/same.py", "#!/usr/bin/env python3\nprint('py')\n");
    let first = folder.serve().text("same", &json!({}));
    for _ in 0..3 {
        let server = folder.serve();
        assert_eq!(server.tools(), ["same"]);
        assert_eq!(server.text("same", &json!({})), first);
        assert!(server.stderr().contains("same"), "the loser is named");
    }
}

#[test]
fn a_tool_can_be_disabled() {
    let folder = Folder::with("on", "echo on");
    folder.sh_with("off", "enabled: false", "echo off");
    let server = folder.serve();
    assert_eq!(server.tools(), ["on"]);
    let error = server.error("tools/call", &json!({"name": "off"}));
    assert_eq!(error["code"], -32602);
}

#[test]
fn links_out_of_the_folder_are_not_tools() {
    let folder = Folder::with("inside", "echo inside");
    symlink("/bin/sh", folder.path("tools/shell.sh")).expect("a link can be made");
    assert_eq!(folder.serve().tools(), ["inside"]);
}

#[test]
fn a_folder_writable_by_others_is_refused() {
    for mode in [0o757, 0o777, 0o1777] {
        let folder = Folder::with("hello", "echo hello");
        fs::set_permissions(folder.root(), fs::Permissions::from_mode(mode)).expect("it is ours");
        let mut server = folder.launch(&[]).start();
        assert_ne!(server.exit_code(), Some(0), "{mode:o}");
        let log = server.stderr();
        assert!(log.contains("error: ") && log.contains("hint: "), "{log}");
    }
}

#[test]
fn a_tool_writable_by_others_is_not_offered() {
    let folder = Folder::with("hello", "echo hello");
    folder.sh("open", "echo open");
    folder.script("tools/sub/inner.sh", "#!/bin/sh\necho inner\n");
    let set = |name: &str, mode| {
        fs::set_permissions(folder.path(name), fs::Permissions::from_mode(mode))
            .expect("it is ours");
    };
    set("tools/open.sh", 0o777);
    set("tools/sub", 0o777);
    let server = folder.serve();
    assert_eq!(server.tools(), ["hello"]);
    // The log has a thread of its own, so it may be written after the answer.
    wait_until("the reason", || {
        server.stderr().contains("open.sh").then_some(())
    });
}

#[test]
fn a_tool_that_becomes_writable_by_others_is_withdrawn() {
    let folder = Folder::with("open", "echo ran");
    let server = folder.serve();
    assert_eq!(server.text("open", &json!({})), "ran");
    let path = folder.path("tools/open.sh");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).expect("it is ours");
    wait_until("its end", || server.tools().is_empty().then_some(()));
    let error = server.error("tools/call", &json!({"name": "open"}));
    assert_eq!(error["code"], -32602);
}

#[test]
fn problems_are_reported_outside_the_protocol() {
    let folder = Folder::with("good", "echo good");
    folder.sh_with("broken", "inputSchema: [", "echo broken");
    let server = crate::served::Served::new(&folder, folder.launch(&[]).start());
    server.initialize(LATEST);
    assert_eq!(server.text("good", &json!({})), "good");
    // The client gets log messages about it and nothing else.
    let told = server.unread();
    let is_log = |line: &String| line.contains("notifications/message");
    assert!(told.iter().all(is_log), "{told:?}");
}
