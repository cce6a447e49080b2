//! Working directories, temporary folders, and mcp-bash projects.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::folder::{Folder, LATEST};
use crate::served::Served;

fn started(folder: &Folder, launch: linkspan_testkit::Launch) -> Served<'_> {
    let server = Served::new(folder, launch.start());
    server.initialize(LATEST);
    server
}

#[test]
fn the_working_directory_does_not_matter() {
    let folder = Folder::with("hello", "cat data.txt");
    folder.write("data.txt", "hello\n");
    folder.write("resources/notes.txt", "notes\n");
    let server = started(&folder, folder.launch(&[]).within("/"));
    assert_eq!(server.text("hello", &json!({})), "hello");
    for uri in server.all("resources/list", "resources", "uri") {
        let read = server.result("resources/read", &json!({"uri": uri}));
        assert_eq!(read["contents"][0]["text"], "notes\n", "{uri}");
    }
}

#[test]
fn the_default_folder_is_the_current_one() {
    let folder = Folder::with("hello", "echo hello");
    let launch = linkspan_testkit::Bridge::launch(env!("CARGO_BIN_EXE_linkspan"))
        .arg("serve")
        .env("TMPDIR", &folder.beside("tmp").display().to_string())
        .within(folder.root());
    let server = started(&folder, launch);
    assert_eq!(server.text("hello", &json!({})), "hello");
}

#[test]
fn tmpdir_is_optional() {
    let folder = Folder::with("hello", "echo hello");
    let launch = folder.launch_after("unset TMPDIR XDG_RUNTIME_DIR XDG_CACHE_HOME HOME");
    let server = started(&folder, launch);
    assert_eq!(server.text("hello", &json!({})), "hello");
}

#[test]
fn a_long_tmpdir_is_accepted() {
    let folder = Folder::with(
        "ask",
        r#"echo '{"id":1,"method":"roots"}' >&3; read -r line <&3; echo "$line""#,
    );
    // Sockets cannot have such names.
    let long = folder.beside("tmp").join("x".repeat(120));
    fs::create_dir(&long).expect("a folder can be made");
    let launch = folder
        .launch(&[])
        .env("TMPDIR", &long.display().to_string());
    let server = Served::new(&folder, launch.start());
    server.initialize(LATEST);
    let id = server.begin("ask", &json!({"text": "z".repeat(100_000)}));
    let question = server.heard("roots/list");
    server.respond(&question, &json!({"roots": []}));
    assert!(server.answer(&id).result.is_some());
    fs::remove_dir_all(&long).expect("it is ours");
}

#[test]
fn the_path_of_the_folder_may_have_any_characters() {
    let folder = Folder::new();
    let odd = folder.path("a folder; $(touch pwned) 'ü'\n");
    for made in [&odd, &odd.join("tools")] {
        fs::create_dir(made).expect("a folder can be made");
        fs::set_permissions(made, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
    let script = odd.join("tools/hello.sh");
    fs::write(&script, "#!/bin/sh\npwd\n").expect("a file can be written");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let launch = linkspan_testkit::Bridge::launch(env!("CARGO_BIN_EXE_linkspan"))
        .arg("serve")
        .arg(&odd)
        .env("TMPDIR", &folder.beside("tmp").display().to_string());
    let server = started(&folder, launch);
    let said = server.text("hello", &json!({}));
    assert_eq!(said, odd.display().to_string());
    assert!(!folder.path("pwned").exists());
}

/// A project of mcp-bash with one tool, which every client may call.
fn project(body: &str) -> Folder {
    let folder = Folder::new();
    folder.script(
        "tools/hello/tool.sh",
        format!("#!/usr/bin/env bash\n{body}\n"),
    );
    folder.write(
        "tools/hello/tool.meta.json",
        r#"{"name":"hello","description":"Greets"}"#,
    );
    folder.write("server.d/server.meta.json", r#"{"name":"theirs"}"#);
    folder
}

/// For a client without capabilities, because mcp-bash requests roots by itself.
fn theirs(folder: &Folder) -> Served<'_> {
    let launch = folder
        .launch(&["--compat", "mcp-bash"])
        .env("MCPBASH_TOOL_ALLOWLIST", "*")
        .env("MCPBASH_ALLOW_PROJECT_HOOKS", "true");
    let server = Served::new(folder, launch.start());
    let client = json!({"name": "testkit-client", "version": "1"});
    let params = json!({"protocolVersion": LATEST, "capabilities": {}, "clientInfo": client});
    server.result("initialize", &params);
    server.notify("notifications/initialized", &json!({}));
    server
}

/// The output of its tool; mcp-bash keeps the last newline.
#[track_caller]
fn hello(folder: &Folder) -> String {
    let said = theirs(folder).text("hello", &json!({}));
    said.trim_end().to_owned()
}

#[test]
fn a_project_of_mcp_bash_is_served() {
    let folder = project("echo hello");
    assert_eq!(theirs(&folder).tools(), ["hello"]);
    assert_eq!(hello(&folder), "hello");
}

#[test]
fn the_environment_of_an_mcp_bash_project_is_read() {
    let folder = project(r#"echo "$MCPBASH_GREETING""#);
    folder.write("server.d/env.sh", "export MCPBASH_GREETING=ahoy\n");
    assert_eq!(hello(&folder), "ahoy");
}

#[test]
fn a_policy_writable_by_others_allows_nothing() {
    let folder = project("echo ran > ran.txt; echo hello");
    folder.script(
        "server.d/policy.sh",
        "mcp_tools_policy_check() { return 0; }\n",
    );
    assert_eq!(hello(&folder), "hello");
    fs::remove_file(folder.path("ran.txt")).expect("it ran");
    let policy = folder.path("server.d/policy.sh");
    fs::set_permissions(&policy, fs::Permissions::from_mode(0o777)).expect("it is ours");
    let mut server = folder
        .launch(&["--compat", "mcp-bash"])
        .env("MCPBASH_TOOL_ALLOWLIST", "*")
        .start();
    // The server may refuse to start or to call; it must not run the tool.
    server.request("1", "initialize", &json!({"protocolVersion": LATEST, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}));
    server.notify("notifications/initialized", &json!({}));
    server.call("2", "hello", &json!({}));
    server.close_stdin();
    server.exit_code();
    assert!(!folder.path("ran.txt").exists(), "{}", server.stderr());
}
