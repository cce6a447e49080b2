//! Many calls, entries and changes at once.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::folder::Folder;
use crate::served::text;

#[test]
fn a_hundred_concurrent_calls_are_answered_correctly() {
    let folder = Folder::with("echo", r#"sleep 0.05; echo "$MCP_ARG_n""#);
    let server = folder.serve();
    let ids: Vec<_> = (0..100)
        .map(|n| server.begin("echo", &json!({"n": n})))
        .collect();
    // Other requests are answered while they run.
    server.ping();
    for (n, id) in ids.iter().enumerate() {
        let answer = server.answer(id).json();
        assert_eq!(text(&answer["result"]), n.to_string());
    }
    folder.wait_until_quiet();
}

#[test]
fn a_hundred_cancelled_calls_leave_nothing_behind() {
    let folder = Folder::with("hang", "trap '' TERM; sleep 600 & setsid sleep 600 & wait");
    let server = folder.serve();
    let ids: Vec<_> = (0..100).map(|_| server.begin("hang", &json!({}))).collect();
    server.ping();
    for id in &ids {
        server.cancel(id);
    }
    folder.wait_until_quiet();
    server.ping();
    assert_eq!(server.unread(), Vec::<String>::new());
}

#[test]
fn a_disconnected_client_leaves_nothing_behind() {
    let folder = Folder::with("hang", "trap '' TERM; sleep 600 & setsid sleep 600 & wait");
    let mut server = folder.launch(&["--drain", "0"]).start();
    server.initialize(crate::folder::LATEST);
    for n in 0..40 {
        server.call(&n.to_string(), "hang", &json!({}));
    }
    server.request("\"p\"", "ping", &json!({}));
    server.answer("\"p\"");
    server.close_stdin();
    assert_eq!(server.exit_code(), Some(0));
    folder.wait_until_quiet();
    folder.wait_until_clean();
}

#[test]
fn a_client_that_does_not_read_blocks_no_others() {
    let folder = Folder::with(
        "big",
        "head -c 2000000 /dev/zero | tr '\\0' x; echo x >> ran.txt",
    );
    let server = folder.serve();
    server.pause();
    let ids: Vec<_> = (0..25).map(|_| server.begin("big", &json!({}))).collect();
    linkspan_testkit::wait_for("the end of all tools", || {
        let ran = std::fs::read_to_string(folder.path("ran.txt"));
        ran.is_ok_and(|ran| ran.lines().count() == ids.len())
    });
    let memory = server.resident_memory().expect("this is Linux");
    assert!(memory < 200 << 20, "{memory}");
    server.resume();
    for id in ids {
        let answer = server.answer(&id);
        assert!(answer.is_response());
    }
}

#[test]
fn five_hundred_tools_are_listed_and_the_last_one_works() {
    let folder = Folder::new();
    for n in 0..500 {
        folder.sh_with(
            &format!("tool_{n:03}"),
            &format!("description: Number {n}\narguments: {{a: {{type: integer}}}}"),
            &format!("echo {n}"),
        );
    }
    let begun = Instant::now();
    let server = folder.serve();
    let tools = server.tools();
    let took = begun.elapsed();
    assert_eq!(tools.len(), 500);
    assert_eq!(tools.iter().collect::<BTreeSet<_>>().len(), 500);
    assert!(tools.is_sorted());
    // The limit suits a debug build on a busy machine; see bench/RESULTS.md for measured times.
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert_eq!(server.text("tool_499", &json!({"a": 1})), "499");
    let log = server.stderr();
    assert!(!log.contains("error"), "{log}");
}

#[test]
fn cyclic_links_are_handled() {
    let folder = Folder::with("hello", "echo hello");
    for (name, target) in [
        ("tools/again", "."),
        ("tools/up", ".."),
        ("tools/me.sh", "me.sh"),
        ("tools/a.sh", "b.sh"),
        ("tools/b.sh", "a.sh"),
        ("resources", "tools"),
        ("prompts", "prompts"),
    ] {
        symlink(target, folder.path(name)).expect("a link can be made");
    }
    let server = folder.serve();
    assert!(server.tools().contains(&"hello".to_owned()));
    assert_eq!(server.text("hello", &json!({})), "hello");
    server.all("resources/list", "resources", "uri");
}

#[test]
fn a_tool_may_be_a_link_to_a_file_in_the_folder() {
    let folder = Folder::new();
    folder.script("lib/shared.sh", "#!/bin/sh\necho shared\n");
    symlink("../lib/shared.sh", folder.path("tools/shared.sh")).expect("a link can be made");
    assert_eq!(folder.serve().text("shared", &json!({})), "shared");
}

#[test]
fn concurrent_calls_lists_and_changes_work() {
    let folder = Folder::with("echo", r#"echo "$MCP_ARG_n""#);
    let server = folder.serve();
    let mut ids = Vec::new();
    for n in 0..60 {
        ids.push((n, server.begin("echo", &json!({"n": n}))));
        if n % 5 == 0 {
            folder.sh(&format!("new_{n}"), "echo new");
            let list = server.id();
            server.request(&list, "tools/list", &json!({}));
            assert!(server.answer(&list).result.is_some());
        }
    }
    for (n, id) in ids {
        assert_eq!(text(&server.answer(&id).json()["result"]), n.to_string());
    }
    linkspan_testkit::wait_until("all thirteen tools", || {
        (server.tools().len() == 13).then_some(())
    });
}
