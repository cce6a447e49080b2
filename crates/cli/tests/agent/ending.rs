//! The agent ends with its client.

use std::time::{Duration, Instant};

use linkspan_testkit::{Bridge, LIMIT, Signal};
use serde_json::json;

use crate::setup::{LATEST, over_http, ready, start};

#[test]
fn the_agent_ends_when_the_client_disconnects() {
    let agent = ready(&[], &[]);
    agent.session();
    agent.end();
}

#[test]
fn an_agent_with_a_running_prompt_gets_a_cancellation_and_ends() {
    let mut agent = ready(&[], &[]);
    agent
        .bridge
        .call("1", "prompt", &json!({"text": "gate never"}));
    agent.children.wait_for_method("session/prompt");
    agent.bridge.signal(Signal::Terminate);
    assert_eq!(agent.bridge.exit_code(), Some(143));
    agent.children.wait_until_none();
}

#[test]
fn a_pending_prompt_is_cancelled_after_the_drain_time() {
    let mut agent = ready(&["--drain", "0"], &[]);
    agent
        .bridge
        .call("1", "prompt", &json!({"text": "gate never"}));
    agent.children.wait_for_method("session/prompt");
    agent.bridge.close_stdin();
    agent.children.wait_for_method("session/cancel");
    assert_eq!(
        agent.bridge.exit_code(),
        Some(0),
        "{}",
        agent.bridge.stderr()
    );
    agent.children.wait_until_none();
}

#[test]
fn the_drain_time_is_that_of_the_other_commands() {
    for command in ["agent", "connect", "conduct"] {
        let mut help = Bridge::launch(env!("CARGO_BIN_EXE_linkspan"))
            .args([command, "--help"])
            .start();
        assert_eq!(help.exit_code(), Some(0));
        let help = help.unread().join("\n");
        let drain = help.split_once("--drain").expect("there is such a flag").1;
        let default = drain.find("[default: 1]").expect("it has a default");
        assert!(!drain[..default].contains("--"), "{command}: {drain}");
    }
}

#[test]
fn an_agent_that_does_not_read_is_terminated() {
    let agent = ready(&[], &["--deaf"]);
    agent.session();
    agent.end();
}

#[cfg(unix)]
#[test]
fn an_agent_that_does_not_read_ends_even_if_linkspan_is_killed() {
    let agent = ready(&[], &["--deaf"]);
    agent.session();
    agent.bridge.signal(Signal::Kill);
    agent.children.wait_until_none();
}

#[test]
fn a_disconnect_during_the_start_ends_the_agent() {
    let mut agent = start(&[], &["--mute"]);
    agent.greet(&json!({}));
    agent.bridge.call("1", "start_session", &json!({}));
    agent.children.wait_for_method("initialize");
    agent.bridge.signal(Signal::Terminate);
    assert_eq!(agent.bridge.exit_code(), Some(143));
    agent.children.wait_until_none();
}

#[test]
fn a_starting_agent_gets_the_grace_period() {
    let mut agent = start(&[], &["--mute", "--deaf"]);
    agent.greet(&json!({}));
    agent.bridge.call("1", "start_session", &json!({}));
    agent.children.wait_for_method("initialize");
    let gone = Instant::now();
    agent.bridge.signal(Signal::Terminate);
    assert_eq!(agent.bridge.exit_code(), Some(143));
    // The grace period of an agent that does not end by itself.
    assert!(gone.elapsed() >= Duration::from_secs(1));
    agent.children.wait_until_none();
}

#[test]
fn an_agent_that_does_not_read_ends_with_its_connection() {
    let (agent, client) = over_http(&[]);
    let session = client.session_with(LATEST, &json!({}));
    session.tool("1", "prompt", &json!({"text": "deaf"}));
    // More than a pipe holds: the rest is written only when the agent reads.
    let large = json!({"text": "x".repeat(1 << 20)});
    let waiting = session.call("2", "start_session", &json!({"cwd": "/"}));
    let stuck = session.call(
        "3",
        "prompt",
        &json!({"sessionId": "s-1", "text": large["text"]}),
    );
    let end = Instant::now() + LIMIT;
    loop {
        let list = session.tool("4", "list_sessions", &json!({}));
        if list.text.contains(r#""busy":true"#) {
            break;
        }
        assert!(Instant::now() < end, "{}", list.text);
    }
    assert_eq!(session.end(), 204);
    agent.children.wait_until_none();
    drop((waiting, stuck));
}
