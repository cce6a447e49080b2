//! The files and ports that a tool may access.

use serde_json::json;

use crate::folder::Folder;
use crate::served::text;

#[test]
fn a_confined_tool_reads_and_writes_only_declared_paths() {
    let folder = Folder::new();
    folder.write("data/in.txt", "inside\n");
    std::fs::create_dir(folder.path("out")).expect("a folder");
    std::fs::write(folder.beside("secret.txt"), "secret\n").expect("a file");
    let secret = folder.beside("secret.txt").display().to_string();
    let outside = folder.beside("home/new.txt").display().to_string();
    folder.sh_with(
        "tool",
        "sandbox: {level: 2, read: [data], write: [out]}",
        &format!(
            "cat data/in.txt; echo ok > out/new.txt && echo wrote; cat '{secret}' 2>/dev/null || echo kept; (echo x > '{outside}') 2>/dev/null || echo closed"
        ),
    );
    let server = folder.serve();
    let result = server.tool("tool", &json!({}));
    let said = text(&result);
    if said.contains("Landlock") {
        // Without Landlock the tool does not run, and the error says so.
        assert_eq!(result["isError"], true);
        return;
    }
    assert_eq!(said, "inside\nwrote\nkept\nclosed");
    assert!(!folder.beside("home/new.txt").exists());
}

#[test]
fn a_tool_gets_no_new_rights() {
    let folder = Folder::with("tool", "grep NoNewPrivs /proc/self/status");
    folder.sh_with("free", "sandbox: 0", "grep NoNewPrivs /proc/self/status");
    let server = folder.serve();
    assert_eq!(server.text("tool", &json!({})), "NoNewPrivs:\t1");
}

#[test]
fn the_sandbox_flag_only_raises_the_level() {
    let folder = Folder::new();
    std::fs::write(folder.beside("secret.txt"), "secret\n").expect("a file");
    let secret = folder.beside("secret.txt").display().to_string();
    folder.sh_with(
        "tool",
        "sandbox: 0",
        &format!("cat '{secret}' 2>/dev/null || echo kept"),
    );
    assert_eq!(folder.serve().text("tool", &json!({})), "secret");
    let server = folder.serve_with(&["--sandbox", "2"]);
    let said = text(&server.tool("tool", &json!({})));
    assert_ne!(said, "secret");
}

#[test]
fn a_missing_writable_folder_is_created() {
    let folder = Folder::new();
    folder.sh_with(
        "tool",
        "sandbox: {level: 2, write: [./cache]}",
        "echo kept >cache/file && cat cache/file",
    );
    let server = folder.serve();
    let result = server.tool("tool", &json!({}));
    let said = text(&result);
    assert!(said == "kept" || said.contains("Landlock"), "{said}");
}

/// Two tools, one that may write to `out` and one without write access, try the commands of the table in the
/// given folders.
#[test]
fn modes_owners_and_times_change_only_in_writable_paths() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("out")).expect("a folder");
    std::fs::create_dir(folder.path("read")).expect("a folder");
    let outside = folder.beside("home").display().to_string();
    let body = r#"
        try() { if "$@" 2>/dev/null; then echo "yes $*"; else echo "no $*"; fi; }
        for file in out/file $TMPDIR/file read/file "$OUTSIDE/file"; do
            case $file in out/*|$TMPDIR/*) : >"$file" || exit 9 ;; esac
            try chmod 700 "$file" ; try touch -d 2001-02-03 "$file"; try touch -c "$file"
            try chown $(id -u):$(id -g) "$file"; try chmod u+s "$file"
        done
        ln -s "$OUTSIDE/file" out/link; try chmod 777 out/link
        (cd out; try chmod 711 file; try chmod 711 ../read/file)
        cp -p /etc/hostname out/copy && echo copied"#;
    let script = format!("OUTSIDE='{outside}'\n{body}");
    folder.sh_with(
        "tool",
        "sandbox: {level: 2, read: [read], write: [out]}",
        &script,
    );
    for path in [folder.path("read/file"), folder.beside("home/file")] {
        std::fs::write(path, "x").expect("a file");
    }
    let server = folder.serve();
    let result = server.tool("tool", &json!({}));
    let said = text(&result);
    if said.contains("Landlock") {
        assert_eq!(result["isError"], true);
        return;
    }
    let said: Vec<&str> = said.lines().collect();
    let yes = said.iter().filter(|line| line.starts_with("yes ")).count();
    for line in said.iter().filter(|line| **line != "copied") {
        let own = [" out/file", ".tmp/file", " file"];
        let inside = own.iter().any(|end| line.ends_with(end));
        let allowed = inside && !line.contains("u+s");
        assert_eq!(line.starts_with("yes "), allowed, "{line}\n{said:#?}");
    }
    // Four of five in each of the two folders, and one by a relative path.
    assert_eq!((yes, said.last()), (9, Some(&"copied")), "{said:#?}");
    let about = std::fs::metadata(folder.beside("home/file")).expect("it is there");
    use std::os::unix::fs::PermissionsExt;
    assert_ne!(about.permissions().mode() & 0o777, 0o777);
    assert_ne!(about.permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_link_left_by_a_call_grants_nothing_to_the_next() {
    let folder = Folder::new();
    let secret = folder.beside("home").display().to_string();
    folder.sh_with(
        "tool",
        "sandbox: {level: 2, write: [data, data/cache]}",
        &format!(
            "mkdir -p data; rm -rf data/cache; ln -s '{secret}' data/cache; (echo x >data/cache/new) 2>/dev/null || echo closed; chmod 777 data/cache/. 2>/dev/null || echo closed"
        ),
    );
    let server = folder.serve();
    for _ in 0..2 {
        let said = text(&server.tool("tool", &json!({})));
        assert!(
            said == "closed\nclosed" || said.contains("Landlock"),
            "{said}"
        );
    }
}

#[test]
fn file_attributes_change_only_in_writable_paths() {
    let has_python = std::process::Command::new("/usr/bin/python3")
        .arg("-V")
        .output();
    if !has_python.is_ok_and(|ran| ran.status.success()) {
        return;
    }
    let folder = Folder::new();
    std::fs::create_dir(folder.path("out")).expect("a folder");
    std::fs::write(folder.beside("home/file"), "x").expect("a file");
    let outside = folder.beside("home/file").display().to_string();
    let script = r#"#!/usr/bin/python3
import os
open("out/file", "w").close()
for path, name in [("out/file", "user.a"), ("out/file", "security.capability"), ("OUTSIDE", "user.a")]:
    try:
        os.setxattr(path, name, b"1")
        print("yes", os.getxattr(path, name).decode())
    except OSError as e:
        print(e.errno)
"#;
    folder.script("tools/tool.py", script.replace("OUTSIDE", &outside));
    folder.write(
        "tools/tool.meta.yaml",
        "sandbox: {level: 2, write: [out]}\n",
    );
    let server = folder.serve();
    let said = text(&server.tool("tool", &json!({})));
    if said.contains("Landlock") {
        return;
    }
    // A file system without such attributes says 95.
    assert!(said == "yes 1\n1\n1" || said == "95\n1\n1", "{said}");
}
