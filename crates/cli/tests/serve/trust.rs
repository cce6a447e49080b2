//! Files that another user could have changed are not run, whenever that is found out.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use crate::folder::{Folder, LATEST};
use crate::served::{Served, text};

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
}

#[test]
fn a_file_that_others_can_write_by_now_is_not_run() {
    let folder = Folder::with("hello", "echo hello");
    folder.script("tools/kept/tool.sh", "#!/bin/sh\necho kept\n");
    // Nothing is looked at again until the call.
    let server = folder.serve_with(&["--no-watch"]);
    assert_eq!(server.text("hello", &json!({})), "hello");
    mode(&folder.path("tools/hello.sh"), 0o777);
    let failure = server.failure("hello", &json!({}));
    assert!(text(&failure).contains("others can write it"), "{failure}");
    assert_eq!(failure["_meta"]["exitCode"], 126);
    // The same if another user could exchange the file.
    assert_eq!(server.text("kept", &json!({})), "kept");
    mode(&folder.path("tools/kept"), 0o777);
    let failure = server.failure("kept", &json!({}));
    assert!(text(&failure).contains("others can write it"), "{failure}");
    mode(&folder.path("tools/kept"), 0o755);
    assert_eq!(server.text("kept", &json!({})), "kept");
}

#[test]
fn every_kind_of_program_is_looked_at_before_it_runs() {
    let folder = Folder::new();
    folder.script("prompts/p.sh", "#!/bin/sh\necho p\n");
    folder.script("resources/r.sh", "#!/bin/sh\necho r\n");
    folder.script("providers/w", "#!/bin/sh\necho w\n");
    folder.script("bin/run", "#!/bin/sh\necho run\n");
    folder.write("tools/t.tool.yaml", "description: T\nexec: [bin/run]\n");
    let server = folder.serve_with(&["--no-watch"]);
    assert_eq!(server.text("t", &json!({})), "run");
    for path in ["prompts/p.sh", "resources/r.sh", "providers/w", "bin/run"] {
        mode(&folder.path(path), 0o777);
    }
    assert_eq!(server.failure("t", &json!({}))["_meta"]["exitCode"], 126);
    for (method, params) in [
        ("prompts/get", json!({"name": "p"})),
        ("resources/read", json!({"uri": "script:///r"})),
        ("resources/read", json!({"uri": "w://x"})),
    ] {
        let error = server.error(method, &params).to_string();
        assert!(error.contains("others can write it"), "{error}");
    }
}

#[test]
fn a_folder_above_that_others_can_write_is_refused() {
    let folder = Folder::with("hello", "echo hello");
    let above = folder.root().parent().expect("it has one").to_owned();
    mode(&above, 0o777);
    let mut server = folder.launch(&[]).start();
    assert_eq!(server.exit_code(), Some(3));
    let said = server.stderr();
    assert!(said.contains(&above.display().to_string()), "{said}");
    // In a sticky folder such as /tmp users cannot exchange what is not theirs.
    mode(&above, 0o1777);
    let server = folder.serve();
    assert_eq!(server.text("hello", &json!({})), "hello");
    server.end();
    mode(&above, 0o755);
}

#[test]
fn with_insecure_writable_they_are_run() {
    let folder = Folder::with("hello", "echo hello");
    mode(&folder.path("tools/hello.sh"), 0o777);
    let server = folder.serve_with(&["--insecure-writable"]);
    assert_eq!(server.text("hello", &json!({})), "hello");
}

#[test]
fn a_variable_that_holds_a_token_reaches_no_script() {
    let folder = Folder::new();
    folder.sh_with(
        "show",
        "env: {mode: inherit, allow: [SECRET_TOKEN]}",
        "env | grep -c SECRET_TOKEN; echo $OTHER",
    );
    let flags = ["--http", "--token-env", "SECRET_TOKEN", "--port", "0"];
    let launch = folder.launch(&flags);
    let launch = launch.env("SECRET_TOKEN", "abc").env("OTHER", "other");
    let mut server = launch.start();
    let url = server.line();
    let client = linkspan_testkit::Bridge::launch(env!("CARGO_BIN_EXE_linkspan"))
        .args(["call", "--bearer-env", "T", "show", &url])
        .env("T", "abc");
    let mut client = client.start();
    assert_eq!(client.line(), "0", "{}", client.stderr());
    assert_eq!(client.line(), "other");
    client.exit_code();
    server.signal(linkspan_testkit::Signal::Terminate);
    server.exit_code();
}

#[test]
fn a_folder_as_a_target_keeps_the_token_as_well() {
    let folder = Folder::new();
    folder.sh_with("show", "env: {mode: inherit}", "echo ${A:-none} ${B:-none}");
    let place = |name: &str| folder.beside(name).display().to_string();
    let launch = linkspan_testkit::Bridge::launch(env!("CARGO_BIN_EXE_linkspan"))
        .args(["connect", "--bearer-env", "A", "-H", "X: ${B}"])
        .arg(folder.root())
        .env("TMPDIR", &place("tmp"))
        .env("HOME", &place("home"))
        .env("A", "secret")
        .env("B", "secret");
    let server = Served::new(&folder, launch.start());
    server.initialize(LATEST);
    assert_eq!(server.text("show", &json!({})), "none none");
}
