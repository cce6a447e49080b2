//! The error for an ended component contains the relevant part of its stderr.

use crate::setup::played;

fn tail_after(lines: &[&str], more: usize) -> String {
    let mut chain = played(&[], 0);
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","id":1,"method":"_a"}"#);
    chain.agent.heard("_a");
    for line in lines {
        chain.agent.complain(line);
    }
    for number in 0..more {
        chain
            .agent
            .complain(&format!("  {number}: core::panicking::error::frame"));
    }
    chain.agent.command("exit 101");
    let answer = chain.editor.answer("1");
    assert_eq!(chain.editor.exit_code(), Some(4));
    let tail = answer.string_at(&["error", "data", "stderrTail"]);
    tail.unwrap_or_else(|| panic!("no stderrTail: {}", answer.text))
}

#[test]
fn a_panic_is_reported_with_its_message_despite_a_long_backtrace() {
    let panic = [
        "ready",
        "thread 'main' panicked at src/main.rs:7:5:",
        "the quay is closed",
        "stack backtrace:",
    ];
    let tail = tail_after(&panic, 100);
    let lines: Vec<&str> = tail.lines().collect();
    assert_eq!(lines[..2], panic[1..3], "{tail}");
    assert_eq!(lines.last(), Some(&"  99: core::panicking::error::frame"));
    assert!(lines.len() < 40, "{tail}");
}

#[test]
fn a_very_long_line_does_not_hide_the_next_one() {
    let long = "x".repeat(100_000);
    let tail = tail_after(&[&long, "Error: the quay is closed"], 0);
    assert!(tail.contains("Error: the quay is closed"), "{tail}");
    assert!(tail.len() < 10_000);
}

#[test]
fn stderr_of_a_component_cannot_forge_lines_of_linkspan() {
    let mut chain = played(&[], 0);
    chain
        .agent
        .complain("error: forged\rerror: forged\u{2028}error: forged\u{202e}");
    chain.agent.command("exit 101");
    assert_eq!(chain.editor.exit_code(), Some(4));
    let said = chain.editor.stderr();
    assert!(said.contains("forged"), "{said}");
    let mut lines = said.split(['\n', '\r', '\u{2028}']);
    assert!(
        !lines.any(|line| line.starts_with("error: forged")),
        "{said}"
    );
    assert!(!said.contains('\u{202e}'), "{said}");
}
