//! A component that does not read delays only its senders; memory stays bounded.

use std::time::Duration;

use linkspan_testkit::{Bridge, Player, wait_for, wait_until_still};

use crate::setup::{answer, id, passing, played};

/// The maximum memory of a conductor.
const MOST: usize = 32 << 20;

/// The number of updates that an agent sends at once: far more than pipes and queues hold.
const UPDATES: u64 = 128;
const UPDATE_BYTES: u64 = 1 << 20;

fn flood(player: &Player, count: u64, bytes: u64) {
    player.command(&format!("flood {count} {bytes} session/update"));
}

fn number(update: &str) -> Option<u64> {
    let rest = update.split(r#""params":{"n":"#).nth(1)?;
    rest.split(',').next()?.parse().ok()
}

/// Receives all updates in order.
#[track_caller]
fn expect_updates(editor: &Bridge, count: u64) {
    for expected in 1..=count {
        let update = editor.line();
        assert_eq!(number(&update), Some(expected), "{:.200}", update);
    }
}

/// Waits until a flood makes no more progress because its receiver does not read.
#[track_caller]
pub fn wait_until_stuck(player: &Player) {
    wait_for("the beginning of a flood", || player.flooded() > 0);
    let still = Duration::from_millis(300);
    wait_until_still("a flood that is stuck", still, || player.flooded());
}

#[track_caller]
fn assert_small(editor: &Bridge) {
    // A test build has more code than all other memory, and that code is mapped from disk.
    if let (Some(peak), Some(code)) = (editor.peak_memory(), editor.mapped_memory()) {
        let own = peak.saturating_sub(code);
        assert!(own < MOST, "it had {} MB", own >> 20);
    }
}

#[test]
fn an_editor_that_does_not_read_uses_no_memory_and_loses_no_message() {
    let count = 500;
    let chain = passing(&["D5", "D2"]);
    chain.editor.pause();
    flood(&chain.agent, count, 60_000);
    wait_until_stuck(&chain.agent);
    assert!(!chain.agent.has_done("flood"), "its receiver does not read");
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","id":"p","method":"session/prompt"}"#);
    wait_until_stuck(&chain.agent);
    assert_small(&chain.editor);
    chain.editor.resume();
    expect_updates(&chain.editor, count);
    answer(&chain.agent, &chain.agent.heard("session/prompt"), "1.10");
    assert_eq!(
        chain.editor.line(),
        r#"{"jsonrpc":"2.0","id":"p","result":1.10}"#
    );
    assert_small(&chain.editor);
    chain.end();
}

#[test]
fn a_cancellation_arrives_while_updates_are_blocked() {
    let chain = passing(&[]);
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","id":"p","method":"session/prompt"}"#);
    let prompt = chain.agent.heard("session/prompt");
    chain.editor.pause();
    flood(&chain.agent, UPDATES, UPDATE_BYTES);
    wait_until_stuck(&chain.agent);
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"p"}}"#);
    let cancel = chain.agent.heard("$/cancel_request");
    assert_eq!(
        cancel.at(&["params", "requestId"]).as_deref(),
        Some(id(&prompt))
    );
    answer(&chain.agent, &prompt, r#"{"stopReason":"cancelled"}"#);
    assert!(!chain.agent.has_done("flood"));
    chain.editor.resume();
    expect_updates(&chain.editor, UPDATES);
    assert_eq!(
        chain.editor.line(),
        r#"{"jsonrpc":"2.0","id":"p","result":{"stopReason":"cancelled"}}"#
    );
    assert_small(&chain.editor);
    chain.end();
}

#[test]
fn many_small_updates_use_no_more_memory() {
    let chain = passing(&[]);
    chain.editor.pause();
    flood(&chain.agent, 100_000, 100);
    // Messages sent later have arrived before the editor reads again.
    chain.editor.send(r#"{"jsonrpc":"2.0","method":"_later"}"#);
    chain.agent.heard("_later");
    chain.editor.resume();
    expect_updates(&chain.editor, 100_000);
    assert_small(&chain.editor);
    chain.end();
}

#[test]
fn two_components_that_write_before_they_read_do_not_deadlock() {
    let chain = played(&[], 1);
    let proxy = &chain.proxies[0];
    for player in [proxy, &chain.agent] {
        player.command("deaf");
        player.wait_until_done("deaf");
    }
    // The proxy and the agent flood each other, and neither reads until it is done.
    proxy.command("flood-down 8 1048576");
    flood(&chain.agent, 8, 1 << 20);
    proxy.wait_until_done("flood-down");
    chain.agent.wait_until_done("flood");
    for player in [proxy, &chain.agent] {
        player.command("hear");
    }
    for expected in 1..=8 {
        assert_eq!(number(&proxy.line()), Some(expected));
        assert_eq!(number(&chain.agent.line()), Some(expected));
    }
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","id":1,"method":"_a"}"#);
    answer(proxy, &proxy.heard("_a"), "[]");
    assert!(chain.editor.answer("1").result.is_some());
}

#[test]
fn an_editor_and_an_agent_that_write_before_they_read_do_not_deadlock() {
    let chain = played(&[], 0);
    chain.editor.pause();
    chain.agent.command("deaf");
    chain.agent.wait_until_done("deaf");
    flood(&chain.agent, 8, 1 << 20);
    let fill = "x".repeat(1 << 20);
    for number in 1..=8 {
        chain.editor.send(&format!(
            r#"{{"jsonrpc":"2.0","method":"_down","params":{{"n":{number},"fill":"{fill}"}}}}"#
        ));
    }
    chain.agent.wait_until_done("flood");
    chain.agent.command("hear");
    for expected in 1..=8 {
        assert_eq!(number(&chain.agent.line()), Some(expected));
    }
    chain.editor.resume();
    expect_updates(&chain.editor, 8);
}

#[test]
fn a_component_that_does_not_read_delays_only_components_that_send_to_it() {
    let chain = played(&[], 2);
    // The agent does not read, and the second proxy floods it.
    chain.agent.command("deaf");
    chain.agent.wait_until_done("deaf");
    chain.proxies[1].command("flood-down 16 1048576");
    for number in 0..100 {
        chain.editor.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{number},"method":"_a"}}"#
        ));
        let asked = chain.proxies[0].heard("_a");
        answer(&chain.proxies[0], &asked, "[]");
        assert!(chain.editor.answer(&number.to_string()).result.is_some());
    }
    // Messages of the agent are not delayed either.
    flood(&chain.agent, 100, 10);
    for expected in 1..=100 {
        assert_eq!(number(&chain.proxies[1].line()), Some(expected));
    }
    assert!(!chain.proxies[1].has_done("flood-down"));
    chain.agent.command("hear");
    for expected in 1..=16 {
        assert_eq!(number(&chain.agent.line()), Some(expected));
    }
    chain.proxies[1].wait_until_done("flood-down");
}

#[test]
fn alternating_small_and_large_messages_do_not_deadlock() {
    let chain = passing(&[]);
    chain.editor.pause();
    for bytes in [10, 190_000, 10, 250_000, 10, 300_000] {
        flood(&chain.agent, 100, bytes);
    }
    wait_until_stuck(&chain.agent);
    chain.editor.resume();
    for _ in 0..6 {
        expect_updates(&chain.editor, 100);
    }
    chain.end();
}
