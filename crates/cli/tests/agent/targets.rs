//! An agent as a target of other commands.

use linkspan_testkit::Children;
use serde_json::json;

use crate::setup::{LATEST, PERMISSION, RunningAgent, client_of, launch, result, selected, text};

#[test]
fn the_tools_of_an_agent_are_listed_and_called_from_the_command_line() {
    let children = Children::listen();
    let mut tools = launch(&["tools", "--json", "--acp"], &[], &children).start();
    assert!(tools.line().contains(r#""name":"start_session""#));
    assert_eq!(tools.exit_code(), Some(0));
    assert_eq!(children.started(), 0);
    let words = ["call", "prompt", "text=say hello", "--acp"];
    let mut call = launch(&words, &[], &children).start();
    assert_eq!(call.line(), "hello");
    assert_eq!(call.exit_code(), Some(0));
    children.wait_until_none();
}

#[test]
fn permission_is_refused_on_the_command_line_without_the_flag() {
    for (flags, choice) in [(&[][..], "no"), (&["--permission", "allow"], "yes")] {
        let children = Children::listen();
        let text = format!("text={PERMISSION}");
        let words: Vec<&str> = [&["call", "prompt", &text, "--acp"], flags].concat();
        let mut call = launch(&words, &[], &children).start();
        assert_eq!(call.line(), selected(choice));
        assert_eq!(call.exit_code(), Some(0));
    }
}

#[test]
fn connect_and_shrink_accept_an_agent() {
    for words in [&["connect", "--acp"][..], &["shrink", "--acp"]] {
        let children = Children::listen();
        let bridge = launch(words, &[], &children).start();
        let agent = RunningAgent { bridge, children };
        agent.greet(&json!({}));
        assert_eq!(text(&agent.prompt("say through")), "through");
        agent.end();
    }
}

#[test]
fn expose_serves_an_agent() {
    let children = Children::listen();
    let words = ["expose", "--port", "0", "--acp"];
    let mut bridge = launch(&words, &[], &children).start();
    let session = client_of(&bridge).session_with(LATEST, &json!({}));
    let done = result(&session.tool("1", "prompt", &json!({"text": "say exposed"})));
    assert_eq!(text(&done), "exposed");
    bridge.signal(linkspan_testkit::Signal::Terminate);
    assert_eq!(bridge.exit_code(), Some(143));
    children.wait_until_none();
}

#[test]
fn only_a_command_can_be_an_agent() {
    for target in ["https://example.com/mcp", "."] {
        let mut bridge = linkspan_testkit::Bridge::launch(env!("CARGO_BIN_EXE_linkspan"))
            .args(["tools", "--acp", target])
            .start();
        assert_eq!(bridge.exit_code(), Some(2));
        assert!(bridge.stderr().contains("--acp"), "{}", bridge.stderr());
    }
}
