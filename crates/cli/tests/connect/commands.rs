//! `linkspan connect -- COMMAND`: a process of our own behind stdio.

use linkspan_testkit::{Bridge, Children, Launch, child_program};
use serde_json::{Value, json};

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

fn modern(params: Value) -> Value {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"sampling": {}},
        "io.modelcontextprotocol/clientInfo": {"name": "a modern client", "version": "1"},
    });
    params
}

#[test]
fn a_legacy_server_that_is_slow_to_start_is_started_once_for_a_modern_client() {
    for first in ["server/discover", "tools/list"] {
        let (launch, children) = connecting(&["--slow-start", "4000"]);
        let mut bridge = launch.start();
        bridge.request("1", first, &modern(json!({})));
        let answer = bridge.answer("1");
        assert!(answer.result.is_some(), "{}", answer.text);
        let call = json!({"name": "echo", "arguments": {"still": "here"}});
        bridge.request("2", "tools/call", &modern(call));
        let answer = bridge.answer("2");
        assert!(
            answer.text.contains(r#"{"still":"here"}"#),
            "{}",
            answer.text
        );
        assert_eq!(children.started(), 1);
        let handshakes = children.seen(|seen| seen.method() == Some("initialize"));
        let [handshake] = &handshakes[..] else {
            panic!("{handshakes:?}");
        };
        assert!(
            handshake.text.contains("sampling") && handshake.text.contains("a modern client"),
            "{}",
            handshake.text
        );
        bridge.close_stdin();
        assert_eq!(bridge.exit_code(), Some(0));
        children.wait_until_none();
    }
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
