//! Level 2: links left by one tool do not redirect the access of another.

use serde_json::json;

use crate::folder::Folder;
use crate::served::{Served, text};

/// A folder whose tool `plant` may write `a`, and runs `body` there with `$OUT` as a folder outside.
fn planted(body: &str) -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("a")).expect("a folder");
    std::fs::write(folder.beside("home/secret"), "secret").expect("a file");
    let outside = folder.beside("home").display().to_string();
    let body = format!("OUT='{outside}'; cd a && {{ {body}; }} && echo planted");
    folder.sh_with("plant", "sandbox: {level: 2, write: [a]}", &body);
    folder
}

/// Calls `plant`. False on kernels without Landlock, where nothing can be tested.
fn plant(server: &Served) -> bool {
    let said = text(&server.tool("plant", &json!({})));
    assert!(said == "planted" || said.contains("Landlock"), "{said}");
    said == "planted"
}

/// The tool must not run, and the reason must name the link.
fn refuses(server: &Served, tool: &str, link: &str) {
    let result = server.tool(tool, &json!({}));
    let said = text(&result);
    assert_eq!(result["isError"], true, "{said}");
    assert!(!said.contains("began"), "{said}");
    assert!(
        said.contains(&format!("{link} is a symbolic link")),
        "{said}"
    );
}

#[test]
fn a_planted_link_in_a_granted_path_is_refused() {
    let folder = planted("ln -s \"$OUT\" x; ln -s \"$OUT/secret\" in.txt");
    folder.sh_with(
        "writer",
        "sandbox: {level: 2, write: [a/x]}",
        "echo began; echo x >a/x/new; chmod 777 a/x/secret",
    );
    folder.sh_with(
        "reader",
        "sandbox: {level: 2, read: [a/in.txt]}",
        "echo began; cat a/in.txt",
    );
    let server = folder.serve();
    if !plant(&server) {
        return;
    }
    refuses(&server, "writer", "a/x");
    refuses(&server, "reader", "a/in.txt");
    assert!(!folder.beside("home/new").exists());
}

#[test]
fn no_file_is_created_through_a_planted_link() {
    let folder = planted("ln -s \"$OUT\" x");
    folder.sh_with(
        "folder",
        "sandbox: {level: 2, write: [a/x/deep/er]}",
        "echo began",
    );
    folder.sh_with(
        "file",
        "sandbox: {level: 2, write: [a/x/new.txt]}",
        "echo began",
    );
    let server = folder.serve();
    if !plant(&server) {
        return;
    }
    refuses(&server, "folder", "a/x");
    refuses(&server, "file", "a/x");
    assert!(!folder.beside("home/deep").exists());
    assert!(!folder.beside("home/new.txt").exists());
}

#[test]
fn two_dots_in_a_grant_do_not_follow_a_planted_link() {
    let folder = planted("ln -s \"$OUT/sub\" x");
    for name in ["sub", "y"] {
        std::fs::create_dir(folder.beside("home").join(name)).expect("a folder");
    }
    folder.sh_with(
        "tool",
        "sandbox: {level: 2, write: [a/x/../y]}",
        "echo own >a/y/file; chmod 600 a/y/file && cat a/y/file; (echo x >a/x/../y/file) 2>/dev/null || echo closed",
    );
    let server = folder.serve();
    if !plant(&server) {
        return;
    }
    assert_eq!(server.text("tool", &json!({})), "own\nclosed");
    assert!(!folder.beside("home/y/file").exists());
}

#[test]
fn a_grant_outside_of_the_folder_is_reached_through_links() {
    let folder = Folder::new();
    let (real, link) = (folder.beside("home/real"), folder.beside("home/link"));
    std::fs::create_dir(&real).expect("a folder");
    std::os::unix::fs::symlink(&real, &link).expect("a link");
    let link = link.display();
    folder.sh_with(
        "tool",
        &format!("sandbox: {{level: 2, write: [{link}, ../home/link/../real]}}"),
        &format!("echo x >{link}/file && chmod 600 {link}/file && echo wrote"),
    );
    let said = text(&folder.serve().tool("tool", &json!({})));
    assert!(said == "wrote" || said.contains("Landlock"), "{said}");
}
