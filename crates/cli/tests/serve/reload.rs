//! Changes in the folder while it is served.

use std::fs;

use linkspan_testkit::wait_until;
use serde_json::json;

use crate::folder::Folder;

const TOOLS: &str = "notifications/tools/list_changed";
const PROMPTS: &str = "notifications/prompts/list_changed";

#[test]
fn a_new_tool_is_announced_and_works() {
    let folder = Folder::with("old", "echo old");
    let server = folder.serve();
    assert_eq!(server.tools(), ["old"]);
    folder.sh("new", "echo new");
    server.heard(TOOLS);
    wait_until("the new tool", || {
        (server.tools() == ["new", "old"]).then_some(())
    });
    assert_eq!(server.text("new", &json!({})), "new");
}

#[test]
fn a_removed_tool_is_withdrawn() {
    let folder = Folder::with("stays", "echo stays");
    folder.sh("goes", "echo goes");
    let server = folder.serve();
    server.tools();
    fs::remove_file(folder.path("tools/goes.sh")).expect("it is ours");
    server.heard(TOOLS);
    wait_until("one tool", || (server.tools() == ["stays"]).then_some(()));
    assert_eq!(
        server.error("tools/call", &json!({"name": "goes"}))["code"],
        -32602
    );
}

#[test]
fn bursts_of_changes_are_announced_at_most_twice() {
    let folder = Folder::with("first", "echo first");
    folder.write("prompts/p.md", "Hello.\n");
    let server = folder.serve();
    for n in 0..50 {
        folder.sh(&format!("t{n}"), "echo t");
    }
    wait_until("all tools", || (server.tools().len() == 51).then_some(()));
    // Earlier changes have been announced by then.
    folder.write("prompts/q.md", "Goodbye.\n");
    server.heard(PROMPTS);
    let told = server
        .unread()
        .iter()
        .filter(|line| line.contains(TOOLS))
        .count();
    assert!((1..=10).contains(&told), "{told}");
}

#[test]
fn changes_that_clients_do_not_see_are_not_announced() {
    let folder = Folder::with("tool", "echo one");
    folder.write("prompts/p.md", "Hello.\n");
    let server = folder.serve();
    server.tools();
    folder.sh("tool", "echo two");
    wait_until("the new script", || {
        (server.text("tool", &json!({})) == "two").then_some(())
    });
    folder.write("notes.txt", "no part of it\n");
    // Changes are announced in order, so this one is the first.
    folder.write("prompts/q.md", "Goodbye.\n");
    server.heard(PROMPTS);
    assert_eq!(server.unread(), Vec::<String>::new());
}

#[test]
fn each_kind_is_announced_by_itself() {
    let folder = Folder::with("tool", "echo tool");
    folder.write("prompts/p.md", "Hello.\n");
    folder.write("resources/r.txt", "r\n");
    let server = folder.serve();
    server.ping();
    folder.write("prompts/q.md", "Goodbye.\n");
    server.heard("notifications/prompts/list_changed");
    folder.write("resources/s.txt", "s\n");
    server.heard("notifications/resources/list_changed");
    server.ping();
    let told = |line: &String| line.contains(TOOLS);
    assert!(!server.unread().iter().any(told), "{:?}", server.unread());
}

#[test]
fn metadata_that_breaks_leaves_the_last_good_entry() {
    let folder = Folder::new();
    folder.sh_with("tool", "description: good", "echo works");
    let server = folder.serve();
    assert_eq!(server.listed("tool")["description"], "good");
    folder.write("tools/tool.meta.yaml", "description: [half writ");
    wait_until("a word about it", || {
        server.stderr().contains("tool.meta.yaml").then_some(())
    });
    assert_eq!(server.listed("tool")["description"], "good");
    assert_eq!(server.text("tool", &json!({})), "works");
    folder.write("tools/tool.meta.yaml", "description: better");
    wait_until("the better one", || {
        (server.listed("tool")["description"] == "better").then_some(())
    });
}

#[test]
fn a_running_call_is_not_disturbed() {
    let folder = Folder::with(
        "slow",
        "echo begun > begun.txt; while [ ! -e go.txt ]; do sleep 0.02; done; echo old",
    );
    let server = folder.serve();
    let id = server.begin("slow", &json!({}));
    folder.wait_for("begun.txt");
    fs::remove_file(folder.path("tools/slow.sh")).expect("it is ours");
    wait_until("no tool", || server.tools().is_empty().then_some(()));
    folder.write("go.txt", "go\n");
    assert_eq!(
        server.answer(&id).json()["result"]["content"][0]["text"],
        "old"
    );
}

#[test]
fn later_folders_are_seen() {
    let folder = Folder::new();
    fs::remove_dir(folder.path("tools")).expect("it is empty");
    let server = folder.serve();
    assert!(server.tools().is_empty());
    folder.sh("late", "echo late");
    wait_until("the tool", || (server.tools() == ["late"]).then_some(()));
    folder.script("tools/sub/deep.sh", "#!/bin/sh\necho deep\n");
    wait_until("the deeper tool", || {
        (server.tools() == ["deep", "late"]).then_some(())
    });
    folder.write("prompts/p.md", "Hello.\n");
    wait_until("the prompt", || {
        (server.all("prompts/list", "prompts", "name") == ["p"]).then_some(())
    });
}

#[test]
fn a_tool_may_announce_a_change() {
    let folder = Folder::with(
        "tell",
        r#"for what in tools prompts resources; do printf '{"method":"changed","params":{"what":"%s"}}\n' $what >&3; done; echo done"#,
    );
    let server = folder.serve();
    server.text("tell", &json!({}));
    for what in ["tools", "prompts", "resources"] {
        server.heard(&format!("notifications/{what}/list_changed"));
    }
}

#[test]
fn without_a_watch_changes_are_ignored() {
    let folder = Folder::with("old", "echo old");
    let server = folder.serve_with(&["--no-watch"]);
    let watched = Folder::with("old", "echo old");
    let watching = watched.serve();
    folder.sh("new", "echo new");
    watched.sh("new", "echo new");
    // A watch has noticed the later change.
    watching.heard(TOOLS);
    assert_eq!(server.tools(), ["old"]);
    assert_eq!(server.unread(), Vec::<String>::new());
}
