//! The agent ends with its client.

use std::time::{Duration, Instant};

use linkspan_testkit::{Bridge, LIMIT, Signal};
use serde_json::json;

use crate::setup::{LATEST, over_http, ready, start};

#[test]
fn no_agent_is_left_when_the_client_goes() {
    let line = ready(&[], &[]);
    line.session();
    line.end();
}

#[test]
fn an_agent_in_the_middle_of_a_prompt_is_told_to_stop_and_ends() {
    let mut line = ready(&[], &[]);
    line.bridge
        .call("1", "prompt", &json!({"text": "gate never"}));
    line.children.wait_for_method("session/prompt");
    line.bridge.signal(Signal::Terminate);
    assert_eq!(line.bridge.exit_code(), Some(143));
    line.children.wait_until_none();
}

#[test]
fn a_prompt_in_flight_is_cancelled_when_stdin_closes_and_the_time_for_answers_is_over() {
    let mut line = ready(&["--drain", "0"], &[]);
    line.bridge
        .call("1", "prompt", &json!({"text": "gate never"}));
    line.children.wait_for_method("session/prompt");
    line.bridge.close_stdin();
    line.children.wait_for_method("session/cancel");
    assert_eq!(line.bridge.exit_code(), Some(0), "{}", line.bridge.stderr());
    line.children.wait_until_none();
}

#[test]
fn that_time_is_as_short_as_that_of_the_other_commands() {
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
fn an_agent_that_does_not_listen_is_ended_all_the_same() {
    let line = ready(&[], &["--deaf"]);
    line.session();
    line.end();
}

#[cfg(unix)]
#[test]
fn an_agent_that_does_not_listen_ends_even_if_we_are_killed() {
    let line = ready(&[], &["--deaf"]);
    line.session();
    line.bridge.signal(Signal::Kill);
    line.children.wait_until_none();
}

#[test]
fn a_client_that_has_gone_leaves_nothing_even_while_the_agent_starts() {
    let mut line = start(&[], &["--mute"]);
    line.greet(&json!({}));
    line.bridge.call("1", "start_session", &json!({}));
    line.children.wait_for_method("initialize");
    line.bridge.signal(Signal::Terminate);
    assert_eq!(line.bridge.exit_code(), Some(143));
    line.children.wait_until_none();
}

#[test]
fn an_agent_that_has_not_started_yet_has_the_time_to_put_its_things_away() {
    let mut line = start(&[], &["--mute", "--deaf"]);
    line.greet(&json!({}));
    line.bridge.call("1", "start_session", &json!({}));
    line.children.wait_for_method("initialize");
    let gone = Instant::now();
    line.bridge.signal(Signal::Terminate);
    assert_eq!(line.bridge.exit_code(), Some(143));
    // The grace period of an agent that does not end by itself.
    assert!(gone.elapsed() >= Duration::from_secs(1));
    line.children.wait_until_none();
}

#[test]
fn an_agent_that_reads_nothing_is_ended_with_its_connection() {
    let (line, client) = over_http(&[]);
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
    line.children.wait_until_none();
    drop((waiting, stuck));
}
