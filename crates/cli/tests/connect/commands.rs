//! `linkspan connect -- COMMAND`: a process of our own behind stdio.

use linkspan_testkit::{Bridge, Children, Launch, child_program, wait_for};
use serde_json::json;

use crate::setup::{LATEST, program};

fn connecting(child: &[&str]) -> (Launch, Children) {
    let children = Children::listen();
    let launch = Bridge::launch(program())
        .args(["connect", "--"])
        .arg(child_program())
        .args(child)
        .args(["--watch", &children.address()]);
    (launch, children)
}

#[cfg(target_os = "linux")]
#[test]
fn processes_that_have_left_their_group_end_with_the_server() {
    for through in ["setsid", "env -i setsid"] {
        let (launch, children) = connecting(&[]);
        let mut bridge = launch.start();
        bridge.initialize(LATEST);
        bridge.ask("1", "grandchild", &json!({"through": through}));
        children.wait_for_alive(2);
        bridge.close_stdin();
        assert_eq!(bridge.exit_code(), Some(0), "{through}");
        children.wait_until_none();
    }
}

#[cfg(unix)]
#[test]
fn a_server_that_closes_its_stdin_is_ended_and_its_calls_are_answered() {
    const SERVER: &str = r#"
        read -r line
        id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
        info='"serverInfo":{"name":"x","version":"1"}'
        echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-11-25","capabilities":{},'$info'}}'
        exec 0<&-
        exec sleep 600
    "#;
    let launch = Bridge::launch(program()).args(["connect", "--", "sh", "-c", SERVER]);
    let mut bridge = launch.start();
    bridge.initialize(LATEST);
    for id in ["1", "2"] {
        bridge.request(id, "tools/list", &json!({}));
        let answer = bridge.answer(id);
        assert!(answer.result.is_none(), "{}", answer.text);
    }
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
    assert!(!bridge.stderr().contains("panicked"), "{}", bridge.stderr());
}

#[cfg(unix)]
#[test]
fn a_server_does_not_see_our_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let server = format!("env > '{}'; exec cat", seen.display());
    for words in [
        &["connect", "--bearer-env", "BEARER"] as &[&str],
        &["connect", "--client-id=x", "--client-secret-env=SECRET"],
        &["shrink", "--bearer-env", "BEARER"],
    ] {
        let _ = std::fs::remove_file(&seen);
        let mut bridge = Bridge::launch(program())
            .args(words)
            .args(["--", "sh", "-c", &server])
            .env("BEARER", "secret-1")
            .env("SECRET", "secret-2")
            .env("LINKSPAN_STORE_KEY", "secret-3")
            .env("KEPT", "kept")
            .start();
        let read = || std::fs::read_to_string(&seen).unwrap_or_default();
        wait_for("the server has started", || read().contains("KEPT"));
        bridge.close_stdin();
        bridge.exit_code();
        let named = words.join(" ");
        for (name, secret) in [("BEARER", "secret-1"), ("SECRET", "secret-2")] {
            assert!(!named.contains(name) || !read().contains(secret), "{named}");
        }
        assert!(!read().contains("secret-3"), "{named}: {}", read());
    }
}
