//! What a tool may reach.

use serde_json::json;

use crate::folder::Folder;
use crate::served::text;

#[test]
fn a_confined_tool_reads_and_writes_what_it_declares_only() {
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
        // A kernel that cannot enforce it: then nothing ran, and that is said.
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
fn the_command_line_may_confine_more_but_not_less() {
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
fn a_folder_to_write_in_is_made_if_it_is_missing() {
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
