//! Files that another user could have changed are not run, whenever this is detected.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, lchown, symlink};
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::folder::{Folder, LATEST};
use crate::served::{Served, text};

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
}

#[test]
fn a_file_that_became_writable_by_others_is_not_run() {
    let folder = Folder::with("hello", "echo hello");
    folder.script("tools/kept/tool.sh", "#!/bin/sh\necho kept\n");
    // Without a watch, only the call checks the file again.
    let server = folder.serve_with(&["--no-watch"]);
    assert_eq!(server.text("hello", &json!({})), "hello");
    mode(&folder.path("tools/hello.sh"), 0o777);
    let failure = server.failure("hello", &json!({}));
    assert!(text(&failure).contains("others can write it"), "{failure}");
    assert_eq!(failure["_meta"]["exitCode"], 126);
    // The same if another user could replace the file.
    assert_eq!(server.text("kept", &json!({})), "kept");
    mode(&folder.path("tools/kept"), 0o777);
    let failure = server.failure("kept", &json!({}));
    assert!(text(&failure).contains("others can write it"), "{failure}");
    mode(&folder.path("tools/kept"), 0o755);
    assert_eq!(server.text("kept", &json!({})), "kept");
}

#[test]
fn every_kind_of_program_is_checked_before_it_runs() {
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

/// A shell with the name `lang`, in a folder beside the served one.
fn lang(folder: &Folder) -> PathBuf {
    let bin = folder.beside("bin");
    fs::create_dir(&bin).expect("it is not there yet");
    fs::copy("/bin/sh", bin.join("lang")).expect("there is a shell");
    mode(&bin, 0o755);
    mode(&bin.join("lang"), 0o755);
    bin
}

/// The server of a folder, with `bin` in front of its `PATH`. Only calls check files again.
fn serve_with_path<'a>(folder: &'a Folder, bin: &str) -> Served<'a> {
    let path = format!("{bin}:{}", std::env::var("PATH").expect("it is set"));
    let launch = folder.launch(&["--no-watch"]).env("PATH", &path);
    let server = Served::new(folder, launch.start());
    server.initialize(LATEST);
    server
}

#[test]
fn a_script_with_an_untrusted_interpreter_is_not_run() {
    let folder = Folder::new();
    let bin = lang(&folder);
    let own = folder.beside("own");
    fs::create_dir(&own).expect("it is not there yet");
    mode(&own, 0o755);
    symlink("../bin/lang", own.join("link")).expect("a link can be made");
    let (bin_path, own_path) = (bin.display(), own.display());
    let mut lines = vec![
        format!("{bin_path}/lang"),
        format!("{own_path}/link"),
        "/usr/bin/env lang".to_owned(),
        "/usr/bin/env -S lang -e".to_owned(),
        "/usr/bin/env -S A=b lang".to_owned(),
        format!("/usr/bin/env -S -i PATH='{bin_path}' lang -e"),
        format!("/usr/bin/env -S env -u A {own_path}/link"),
    ];
    if cfg!(target_os = "linux") {
        fs::write(own.join("middle"), format!("#!{bin_path}/lang\n. \"$1\"\n")).expect("ours");
        mode(&own.join("middle"), 0o755);
        lines.push(format!("{own_path}/middle"));
    }
    for (at, line) in lines.iter().enumerate() {
        folder.script(&format!("tools/t{at}"), format!("#!{line}\necho ran\n"));
    }
    let server = serve_with_path(&folder, &bin.display().to_string());
    let refused = |why: &str| {
        for (at, line) in lines.iter().enumerate() {
            let failure = server.failure(&format!("t{at}"), &json!({}));
            assert!(text(&failure).contains(why), "{line}: {failure}");
            assert_eq!(failure["_meta"]["exitCode"], 126, "{line}");
        }
    };
    for (at, line) in lines.iter().enumerate() {
        assert_eq!(server.text(&format!("t{at}"), &json!({})), "ran", "{line}");
    }
    for path in [bin.clone(), bin.join("lang")] {
        mode(&path, 0o757);
        refused(&format!("{}: others can write it", path.display()));
        mode(&path, 0o755);
    }
    if chown(bin.join("lang"), Some(65_533), None).is_err() {
        eprintln!("not tested without root: an interpreter of another user");
        return;
    }
    refused("it belongs to another user");
}

#[test]
fn a_program_of_the_path_is_checked_and_the_checked_one_runs() {
    let folder = Folder::new();
    let bin = lang(&folder);
    folder.script("lang", "#!/bin/sh\necho from the working directory\n");
    let words = "exec: [lang, -c, 'echo $0']";
    folder.write(
        "tools/plain.tool.yaml",
        format!("description: A\n{words}\n"),
    );
    let limited = format!("description: B\nlimits: {{files: 64}}\n{words}\n");
    folder.write("tools/limited.tool.yaml", limited);
    folder.write(
        "tools/stays.tool.yaml",
        "description: C\nmode: worker\nexec: [lang, -c, 'exit 3']\n",
    );
    // A relative or empty entry depends on the working directory.
    let server = serve_with_path(&folder, &format!(":.:{}", bin.display()));
    for tool in ["plain", "limited"] {
        assert_eq!(server.text(tool, &json!({})), "lang", "its name stays");
    }
    mode(&bin, 0o757);
    for tool in ["plain", "limited"] {
        let failure = server.failure(tool, &json!({}));
        assert!(text(&failure).contains("others can write it"), "{failure}");
    }
    let error = server.error("tools/call", &json!({"name": "stays", "arguments": {}}));
    let error = error.to_string();
    assert!(error.contains("others can write it"), "{error}");
}

/// Runs `linkspan serve PATH` with an empty stdin; returns its exit code and stderr.
fn served_once(folder: &Folder, flags: &[&str], path: &Path) -> (Option<i32>, String) {
    let ran = std::process::Command::new(env!("CARGO_BIN_EXE_linkspan"))
        .arg("serve")
        .args(flags)
        .arg(path)
        .env("TMPDIR", folder.beside("tmp"))
        .env("HOME", folder.beside("home"))
        .stdin(std::process::Stdio::null())
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    (ran.status.code(), said)
}

#[test]
fn a_folder_named_through_a_link_that_others_control_is_refused() {
    for compat in ["native", "mcp-bash"] {
        let flags = ["--compat", compat];
        let folder = Folder::with("hello", "echo hello");
        let place = folder.beside("place");
        fs::create_dir(&place).expect("it is not there yet");
        mode(&place, 0o755);
        let link = place.join("link");
        symlink(folder.root(), &link).expect("a link can be made");
        assert_eq!(served_once(&folder, &flags, &link).0, Some(0), "{compat}");
        // Other users could replace the link.
        mode(&place, 0o777);
        let (code, said) = served_once(&folder, &flags, &link);
        assert_eq!(code, Some(3), "{compat}: {said}");
        assert!(said.contains(&place.display().to_string()), "{said}");
        let insecure = ["--compat", compat, "--insecure-writable"];
        assert_eq!(
            served_once(&folder, &insecure, &link).0,
            Some(0),
            "{compat}"
        );
        // In a sticky folder they cannot, if the link belongs to us.
        mode(&place, 0o1777);
        assert_eq!(served_once(&folder, &flags, &link).0, Some(0), "{compat}");
        if lchown(&link, Some(65_533), None).is_err() {
            eprintln!("not tested without root: a link of another user");
            continue;
        }
        let (code, said) = served_once(&folder, &flags, &link);
        assert_eq!(code, Some(3), "{compat}: {said}");
        assert!(said.contains("it belongs to another user"), "{said}");
    }
}

#[test]
fn a_parent_folder_writable_by_others_is_refused() {
    let folder = Folder::with("hello", "echo hello");
    let above = folder.root().parent().expect("it has one").to_owned();
    mode(&above, 0o777);
    let mut server = folder.launch(&[]).start();
    assert_eq!(server.exit_code(), Some(3));
    let said = server.stderr();
    assert!(said.contains(&above.display().to_string()), "{said}");
    // In a sticky folder like /tmp, users cannot replace files of others.
    mode(&above, 0o1777);
    let server = folder.serve();
    assert_eq!(server.text("hello", &json!({})), "hello");
    server.end();
    mode(&above, 0o755);
}

#[test]
fn insecure_writable_runs_untrusted_files() {
    let folder = Folder::with("hello", "echo hello");
    mode(&folder.path("tools/hello.sh"), 0o777);
    let server = folder.serve_with(&["--insecure-writable"]);
    assert_eq!(server.text("hello", &json!({})), "hello");
}

#[test]
fn secret_variables_are_not_passed_to_scripts() {
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
fn tools_of_a_target_folder_do_not_see_the_token() {
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
