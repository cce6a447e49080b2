//! `linkspan audit`.

use insta::assert_snapshot;
use linkspan_gateway::audit::{AuditLine, Chain};

use crate::setup::{Scratch, linkspan};

fn log() -> Vec<String> {
    let mut chain = Chain::new();
    let line = |tool| {
        let mut line = AuditLine::new("2026-11-19T20:00:00.000Z", "call");
        line.text("tool", tool);
        chain.seal(line) + "\n"
    };
    ["a", "b", "c"].map(line).into()
}

#[test]
fn an_intact_log_exits_with_0_and_says_how_it_ends() {
    let scratch = Scratch::new("audit");
    let file = scratch.write("audit.jsonl", &log().concat());
    assert_snapshot!(linkspan(&["audit", "verify", &file]), @"
    intact: 3 lines, the last one has SHA-256 9bde14b4c890ea9dc664a37b86491e822505b1ed8a51275d0b2060b3d9b89e3f
    ");
}

#[test]
fn a_changed_log_exits_with_1_and_says_where() {
    let scratch = Scratch::new("audit-changed");
    let lines = log();
    let verify = |text: &str| {
        let file = scratch.write("audit.jsonl", text);
        let ran = linkspan(&["audit", "verify", &file]);
        assert_eq!((ran.code, &*ran.stdout), (Some(1), ""), "{ran}");
        ran.stderr.replace(&scratch.file(""), "")
    };
    assert_snapshot!(verify(&lines.concat().replace("\"b\"", "\"x\"")), @"
    error: audit.jsonl: line 3: its `prev` is not the SHA-256 of the line before: one of them was changed, or lines were removed or moved
    hint: a copy of the log shows what was changed
    ");
    assert_snapshot!(verify(&lines[1..].concat()), @"
    error: audit.jsonl: line 1: its `prev` is not that of a first line: lines before it are missing, or it was changed
    hint: a copy of the log shows what was changed
    ");
    assert_snapshot!(verify(&lines.concat()[..200]), @"
    error: audit.jsonl: line 2: it is not a whole line of an audit log
    hint: a copy of the log shows what was changed
    ");
}

#[test]
fn a_log_that_is_missing_exits_with_1() {
    let scratch = Scratch::new("audit-missing");
    let ran = linkspan(&["audit", "verify", &scratch.file("none")]);
    assert_eq!(ran.code, Some(1), "{ran}");
}
