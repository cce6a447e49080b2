//! The end of a chain: the editor closes its side, or a signal arrives; all processes end.

use linkspan_testkit::{Signal, Stage};

use crate::setup::{INITIALIZE, Passing, WELCOME, answer, conduct, passing, played, quote};

#[test]
fn when_the_editor_closes_its_side_all_components_end() {
    for dialects in [&[][..], &["D5"], &["D0", "D1", "D2"]] {
        let mut chain = passing(dialects);
        chain.editor.close_stdin();
        chain.agent.wait_for_eof();
        assert_eq!(
            chain.editor.exit_code(),
            Some(0),
            "{}",
            chain.editor.stderr()
        );
        chain.stage.wait_until_empty();
    }
}

#[test]
fn pending_answers_arrive_after_the_editor_has_closed_its_side() {
    let Passing {
        mut editor, agent, ..
    } = passing(&["D5", "D2"]);
    editor.send(r#"{"jsonrpc":"2.0","id":1,"method":"_a"}"#);
    editor.send(r#"{"jsonrpc":"2.0","id":2,"method":"_b"}"#);
    editor.close_stdin();
    answer(&agent, &agent.heard("_a"), "1.10");
    answer(&agent, &agent.heard("_b"), "[]");
    assert_eq!(editor.line(), r#"{"jsonrpc":"2.0","id":1,"result":1.10}"#);
    assert_eq!(editor.line(), r#"{"jsonrpc":"2.0","id":2,"result":[]}"#);
    assert_eq!(editor.exit_code(), Some(0), "{}", editor.stderr());
}

#[test]
fn a_missing_answer_does_not_block_the_end() {
    let chain = played(&["--drain", "0.2"], 1);
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","id":1,"method":"_a"}"#);
    chain.proxies[0].heard("_a");
    chain.end();
}

#[cfg(unix)]
#[test]
fn a_component_that_does_not_end_is_terminated_and_then_killed() {
    let stage = Stage::new();
    let defiant = format!(
        "sh -c {} defiant",
        quote(&format!("trap '' TERM; exec {}", stage.played("agent")))
    );
    let components = [stage.played("proxy"), defiant];
    let mut editor = conduct(&[], &components);
    editor.send(INITIALIZE);
    let (proxy, agent) = (stage.player("proxy"), stage.player("agent"));
    crate::setup::forward_start(&proxy);
    answer(&agent, &agent.heard("initialize"), WELCOME);
    for player in [&proxy, &agent] {
        player.command("stubborn");
        player.wait_until_done("stubborn");
    }
    agent.command("child");
    let grandchild = stage.player("agent.child");
    editor.close_stdin();
    proxy.wait_for_eof();
    agent.wait_for_eof();
    assert_eq!(editor.exit_code(), Some(0), "{}", editor.stderr());
    grandchild.wait_until_gone();
    stage.wait_until_empty();
}

#[cfg(unix)]
#[test]
fn a_signal_ends_every_component_and_the_editors_request_is_answered() {
    for (signal, code) in [(Signal::Terminate, 143), (Signal::Interrupt, 130)] {
        let mut chain = played(&[], 1);
        chain
            .editor
            .send(r#"{"jsonrpc":"2.0","id":1,"method":"_a"}"#);
        chain.proxies[0].heard("_a");
        chain.editor.signal(signal);
        let answer = chain.editor.answer("1");
        // -32000 would ask the user to log in.
        assert_eq!(answer.code(), Some(-32603), "{}", answer.text);
        let kind = answer.string_at(&["error", "data", "kind"]);
        assert_eq!(kind.as_deref(), Some("closing"), "{}", answer.text);
        assert_eq!(chain.editor.exit_code(), Some(code));
        chain.stage.wait_until_empty();
    }
}

#[cfg(unix)]
#[test]
fn a_signal_before_initialize_ends_linkspan() {
    let stage = Stage::new();
    let mut editor = conduct(&[], &[stage.played("agent")]);
    // The answer shows that the signal handlers are installed.
    editor.send(r#"{"jsonrpc":"2.0","id":1,"method":"_early"}"#);
    editor.answer("1");
    editor.signal(Signal::Terminate);
    assert_eq!(editor.exit_code(), Some(143));
    assert!(stage.names().is_empty());
}

#[cfg(unix)]
#[test]
fn an_editor_that_does_not_read_does_not_block_the_end() {
    let mut chain = played(&[], 1);
    chain.editor.pause();
    chain.proxies[0].command("flood 64 1048576 session/update");
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","id":1,"method":"_a"}"#);
    chain.proxies[0].heard("_a");
    chain.editor.signal(Signal::Terminate);
    chain.stage.wait_until_empty();
    chain.editor.resume();
    assert_eq!(chain.editor.exit_code(), Some(143));
}

#[test]
fn a_crash_ends_the_chain_though_the_editor_does_not_read() {
    let mut chain = played(&[], 1);
    chain.editor.pause();
    chain.proxies[0].command("flood 64 1048576 session/update");
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","id":1,"method":"_a"}"#);
    chain.proxies[0].heard("_a");
    chain.agent.command("exit 7");
    chain.stage.wait_until_empty();
    chain.editor.resume();
    assert_eq!(chain.editor.exit_code(), Some(4));
}

#[cfg(unix)]
#[test]
fn the_end_of_the_editor_is_noticed_though_the_agent_does_not_read() {
    // An editor that dies while it sends twenty megabytes that the agent does not read.
    let dir = tempfile::TempDir::new().unwrap();
    let file = dir.path().join("said");
    let note = format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"_n\",\"params\":[\"{}\"]}}\n",
        "x".repeat(100_000)
    );
    std::fs::write(&file, format!("{INITIALIZE}\n{}", note.repeat(200))).unwrap();
    let mut writer = std::process::Command::new("cat")
        .arg(&file)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut conductor = linkspan_testkit::Bridge::launch(crate::setup::program())
        .args(["conduct", "sh -c 'echo here >&2; exec sleep 1000'"])
        .stdin(writer.stdout.take().unwrap())
        .start();
    conductor.wait_for_stderr("here");
    writer.kill().unwrap();
    writer.wait().unwrap();
    assert_eq!(conductor.exit_code(), Some(0), "{}", conductor.stderr());
}

#[test]
fn an_editor_with_a_closed_reading_end_has_gone() {
    let (reads, stdout) = std::io::pipe().unwrap();
    let stage = Stage::new();
    // Nothing is drained for an editor that does not read.
    let mut editor = linkspan_testkit::Bridge::launch(crate::setup::program())
        .args(["conduct", "--drain", "1000"])
        .args([crate::setup::pass("D5"), stage.played("agent")])
        .stdout(stdout)
        .start();
    editor.send(INITIALIZE);
    let agent = stage.player("agent");
    let begin = agent.heard("initialize");
    drop(reads);
    // Only a failed write shows that the editor does not read.
    answer(&agent, &begin, WELCOME);
    agent.command("flood 1000 1000 session/update");
    agent.wait_for_eof();
    assert_eq!(editor.exit_code(), Some(0), "{}", editor.stderr());
    stage.wait_until_empty();
}

#[test]
fn an_editor_that_closes_during_the_start_leaves_no_process() {
    let chain = crate::setup::waiting(&[], &["D2", "D5"]);
    chain.agent.heard("initialize");
    chain.end();
}

#[cfg(unix)]
#[test]
fn requests_during_the_end_of_the_chain_are_answered() {
    // A proxy that ignores the end of its input delays the end of the chain.
    let mut chain = played(&[], 1);
    chain.proxies[0].command("stubborn");
    chain.proxies[0].wait_until_done("stubborn");
    chain.agent.command("exit 7");
    chain.proxies[0].wait_for_eof();
    for id in ["1", "2"] {
        chain.editor.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"session/prompt"}}"#
        ));
        let answer = chain.editor.answer(id);
        assert_eq!(answer.code(), Some(-32603), "{}", answer.text);
        let who = answer.string_at(&["error", "data", "component"]);
        assert_eq!(who.as_deref(), Some("the agent"), "{}", answer.text);
    }
    assert_eq!(chain.editor.exit_code(), Some(4));
    chain.stage.wait_until_empty();
}
