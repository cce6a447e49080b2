//! Unread messages and traces delay neither the detection of an end nor the shutdown.

use std::process::Command;

use crate::flow::wait_until_stuck;
use crate::setup::{played, waiting};

#[test]
fn the_end_of_a_component_is_noticed_although_its_output_is_not_read() {
    let mut chain = played(&[], 2);
    let dying = &chain.proxies[1];
    chain.agent.command("deaf");
    chain.agent.wait_until_done("deaf");
    dying.command("flood-down 64 1048576");
    wait_until_stuck(dying);
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","id":1,"method":"_a"}"#);
    chain.proxies[0].heard("_a");
    kill(dying.pid);
    let answer = chain.editor.answer("1");
    let component = answer.string_at(&["error", "data", "component"]);
    assert_eq!(component.as_deref(), Some("proxy[1]"), "{}", answer.text);
    assert!(answer.text.contains("signal: 9"), "{}", answer.text);
    assert_eq!(chain.editor.exit_code(), Some(4));
    chain.stage.wait_until_empty();
}

#[test]
fn an_unread_trace_does_not_block_the_end() {
    let dir = tempfile::TempDir::new().unwrap();
    let fifo = fifo(&dir);
    // The FIFO is open for reading, but is not read.
    let reader = std::fs::File::options().read(true).write(true).open(&fifo);
    let reader = reader.unwrap();
    let chain = waiting(&["--trace", fifo.to_str().unwrap()], &[]);
    chain.begin();
    // More than a FIFO holds.
    let fill = "x".repeat(1 << 20);
    chain.editor.send(&format!(
        r#"{{"jsonrpc":"2.0","method":"_a","params":["{fill}"]}}"#
    ));
    chain.agent.heard("_a");
    chain.end();
    drop(reader);
}

#[test]
fn a_fifo_without_a_reader_is_an_error() {
    let dir = tempfile::TempDir::new().unwrap();
    let fifo = fifo(&dir);
    let flags = ["--trace", fifo.to_str().unwrap()];
    let mut editor = crate::setup::conduct(&flags, &["agent".to_owned()]);
    assert_eq!(editor.exit_code(), Some(2));
    let said = editor.stderr();
    assert!(said.contains("no program reads from this pipe"), "{said}");
}

fn fifo(dir: &tempfile::TempDir) -> std::path::PathBuf {
    let fifo = dir.path().join("trace");
    let made = Command::new("mkfifo")
        .arg(&fifo)
        .status()
        .expect("there is mkfifo");
    assert!(made.success());
    fifo
}

fn kill(pid: u32) {
    let kill = Command::new("kill").args(["-9", &pid.to_string()]).status();
    assert!(kill.expect("there is kill").success());
}
