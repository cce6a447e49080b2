//! An agent that does not start, crashes, or is not an ACP agent.

use serde_json::json;

use crate::setup::{ready, start, text, trouble};

#[test]
fn a_crashed_agent_is_reported_with_its_stderr_and_restarted_by_the_next_call() {
    let agent = ready(&[], &[]);
    let session = agent.session();
    let arguments = json!({"sessionId": session, "text": "say half\ndie 7 the quay is closed"});
    let done = agent.call("1", "prompt", &arguments);
    let said = trouble(&done);
    for part in ["--agent", "exit status: 7", "the quay is closed", "half"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let lost = agent.call("2", "prompt", &json!({"sessionId": session, "text": "x"}));
    let said = trouble(&lost);
    assert!(said.contains("and its sessions with it"), "{said}");
    assert!(said.contains("exit status: 7"), "{said}");
    assert_eq!(text(&agent.prompt("say again")), "again");
    assert_eq!(agent.children.started(), 2);
    agent.end();
}

#[test]
fn every_prompt_of_a_crashed_agent_is_answered() {
    let agent = ready(&[], &[]);
    for id in ["1", "2", "3"] {
        agent
            .bridge
            .call(id, "prompt", &json!({"text": "gate never"}));
    }
    for session in ["s-1", "s-2", "s-3"] {
        agent.children.wait_for(session, |seen| {
            seen.method() == Some("session/prompt") && seen.text.contains(session)
        });
    }
    let [pid] = agent.children.alive()[..] else {
        panic!("one agent");
    };
    agent.children.kill(pid);
    for id in ["1", "2", "3"] {
        let done = crate::setup::result(&agent.bridge.answer(id));
        assert!(trouble(&done).contains("signal: 9"), "{done}");
    }
}

#[test]
fn an_agent_that_does_not_start_is_reported_with_the_reason() {
    let agent = ready(&[], &["--bad-start"]);
    let done = agent.prompt("x");
    let said = trouble(&done);
    assert!(said.contains("cannot start: the quay is closed"), "{said}");
    assert!(said.contains("exit status: 3"), "{said}");
}

#[test]
fn a_silent_agent_reaches_the_start_timeout() {
    let agent = ready(&["--start-timeout", "0.2"], &["--mute"]);
    let done = agent.prompt("x");
    assert!(
        trouble(&done).contains("`initialize` within 0.2 s"),
        "{done}"
    );
    agent.children.wait_until_none();
    agent.end();
}

#[test]
fn another_version_is_refused_and_named() {
    let agent = ready(
        &[],
        &[
            "--hello",
            r#"{"protocolVersion":2,"info":{},"capabilities":{}}"#,
        ],
    );
    let done = agent.prompt("x");
    assert!(trouble(&done).contains("version 2 of ACP"), "{done}");
    agent.children.wait_until_none();
}

#[test]
fn invalid_lines_are_skipped() {
    let agent = ready(&[], &["--noisy"]);
    assert_eq!(text(&agent.prompt("say fine")), "fine");
}

#[test]
fn a_required_login_is_reported_with_its_methods() {
    let hello = r#"{"protocolVersion":1,"authMethods":[{"id":"key","name":"A key","description":"in the environment"},{"id":"tty","name":"By hand","type":"terminal"}]}"#;
    let agent = ready(&[], &["--auth", "--hello", hello]);
    let refused = agent.call("1", "start_session", &json!({}));
    let said = trouble(&refused);
    for part in [
        "authenticate",
        "key: A key (in the environment)",
        "tty",
        "terminal",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let wrong = agent.call("2", "authenticate", &json!({"methodId": "x"}));
    assert!(trouble(&wrong).contains("key, tty"), "{wrong}");
    let by_hand = agent.call("3", "authenticate", &json!({"methodId": "tty"}));
    assert!(trouble(&by_hand).contains("terminal"), "{by_hand}");
    let known = agent.call("4", "authenticate", &json!({"methodId": "key"}));
    assert_eq!(known["structuredContent"]["authenticated"], true);
    agent.session();
}

#[test]
fn an_unknown_tool_is_a_protocol_error() {
    let agent = start(&[], &[]);
    agent.greet(&json!({}));
    let answer = agent.bridge.ask("1", "dance", &json!({}));
    assert_eq!(answer.code(), Some(-32602));
    assert_eq!(agent.children.started(), 0);
}
