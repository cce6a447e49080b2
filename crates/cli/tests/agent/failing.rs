//! An agent that does not start, crashes, or is not an ACP agent.

use serde_json::json;

use crate::setup::{ready, start, text, trouble};

#[test]
fn a_crashed_agent_is_reported_with_its_stderr_and_restarted_by_the_next_call() {
    let line = ready(&[], &[]);
    let session = line.session();
    let arguments = json!({"sessionId": session, "text": "say half\ndie 7 the quay is closed"});
    let done = line.call("1", "prompt", &arguments);
    let said = trouble(&done);
    for part in ["--agent", "exit status: 7", "the quay is closed", "half"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let lost = line.call("2", "prompt", &json!({"sessionId": session, "text": "x"}));
    let said = trouble(&lost);
    assert!(said.contains("its sessions are gone"), "{said}");
    assert!(said.contains("exit status: 7"), "{said}");
    assert_eq!(text(&line.prompt("say again")), "again");
    assert_eq!(line.children.started(), 2);
    line.end();
}

#[test]
fn every_prompt_of_a_crashed_agent_is_answered() {
    let line = ready(&[], &[]);
    for id in ["1", "2", "3"] {
        line.bridge
            .call(id, "prompt", &json!({"text": "gate never"}));
    }
    for session in ["s-1", "s-2", "s-3"] {
        line.children.wait_for(session, |seen| {
            seen.method() == Some("session/prompt") && seen.text.contains(session)
        });
    }
    let [pid] = line.children.alive()[..] else {
        panic!("one agent");
    };
    line.children.kill(pid);
    for id in ["1", "2", "3"] {
        let done = crate::setup::result(&line.bridge.answer(id));
        assert!(trouble(&done).contains("signal: 9"), "{done}");
    }
}

#[test]
fn an_agent_that_does_not_start_is_reported_with_the_reason() {
    let line = ready(&[], &["--bad-start"]);
    let done = line.prompt("x");
    let said = trouble(&done);
    assert!(said.contains("cannot start: the quay is closed"), "{said}");
    assert!(said.contains("exit status: 3"), "{said}");
}

#[test]
fn a_silent_agent_reaches_the_start_timeout() {
    let line = ready(&["--start-timeout", "0.2"], &["--mute"]);
    let done = line.prompt("x");
    assert!(
        trouble(&done).contains("`initialize` within 0.2 s"),
        "{done}"
    );
    line.children.wait_until_none();
    line.end();
}

#[test]
fn another_version_is_refused_and_named() {
    let line = ready(
        &[],
        &[
            "--hello",
            r#"{"protocolVersion":2,"info":{},"capabilities":{}}"#,
        ],
    );
    let done = line.prompt("x");
    assert!(trouble(&done).contains("version 2 of ACP"), "{done}");
    line.children.wait_until_none();
}

#[test]
fn invalid_lines_are_skipped() {
    let line = ready(&[], &["--noisy"]);
    assert_eq!(text(&line.prompt("say fine")), "fine");
}

#[test]
fn a_required_login_is_reported_with_its_methods() {
    let hello = r#"{"protocolVersion":1,"authMethods":[{"id":"key","name":"A key","description":"in the environment"},{"id":"tty","name":"By hand","type":"terminal"}]}"#;
    let line = ready(&[], &["--auth", "--hello", hello]);
    let refused = line.call("1", "start_session", &json!({}));
    let said = trouble(&refused);
    for part in [
        "authenticate",
        "key: A key (in the environment)",
        "tty",
        "terminal",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let wrong = line.call("2", "authenticate", &json!({"methodId": "x"}));
    assert!(trouble(&wrong).contains("key, tty"), "{wrong}");
    let by_hand = line.call("3", "authenticate", &json!({"methodId": "tty"}));
    assert!(trouble(&by_hand).contains("terminal"), "{by_hand}");
    let known = line.call("4", "authenticate", &json!({"methodId": "key"}));
    assert_eq!(known["structuredContent"]["authenticated"], true);
    line.session();
}

#[test]
fn an_unknown_tool_is_a_protocol_error() {
    let line = start(&[], &[]);
    line.greet(&json!({}));
    let answer = line.bridge.ask("1", "dance", &json!({}));
    assert_eq!(answer.code(), Some(-32602));
    assert_eq!(line.children.started(), 0);
}
