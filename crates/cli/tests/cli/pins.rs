//! `linkspan pins`.

use insta::assert_snapshot;
use linkspan_gateway::pins::Pins;

use crate::setup::{Scratch, linkspan};

/// A file with the pins of two servers, the first of which has changed its instructions.
fn file(scratch: &Scratch) -> String {
    let mut pins = Pins::default();
    pins.check_instructions("git", Some("Be kind."));
    pins.check_instructions("git", Some("Be \u{202e}kind."));
    pins.check_instructions("time", Some("It is late."));
    scratch.write("pins.json", &pins.to_json())
}

#[test]
fn changes_are_listed_shown_and_accepted() {
    let scratch = Scratch::new("pins");
    let file = file(&scratch);
    let pins = |words: &[&str]| {
        let ran = linkspan(&[&["pins"], words, &["--file", &file]].concat());
        ran.to_string()
    };
    assert_snapshot!(pins(&["list"]), @"
    git   0f9bc93b39d553f1  instructions, 1 change to accept
    time  9872a17edba7a5b2  instructions
    ");
    assert_snapshot!(pins(&["diff"]), @r#"
    git
      changed  instructions
        - "Be kind."
        + "Be \u{202e}kind."
    "#);
    assert_snapshot!(pins(&["diff", "time"]), @"
");
    assert_snapshot!(pins(&["accept", "git", "log"]), @"
    [stderr]
    error: `tool/log` of `git` does not differ from what was accepted
    hint: `linkspan pins diff` shows what differs
    [exit 2]
    ");
    assert_snapshot!(pins(&["accept", "git", "instructions"]), @r#"
    changed  instructions
      - "Be kind."
      + "Be \u{202e}kind."
    "#);
    assert_snapshot!(pins(&["accept", "git"]), @"
");
}

#[test]
fn an_unknown_server_is_a_usage_error() {
    let scratch = Scratch::new("pins-unknown");
    let file = file(&scratch);
    for verb in ["list", "diff", "accept"] {
        let ran = linkspan(&["pins", verb, "gti", "--file", &file]);
        assert_eq!(ran.code, Some(2), "{ran}");
        assert!(ran.stderr.contains("there are no pins of `gti`"), "{ran}");
    }
    assert_eq!(linkspan(&["pins", "accept", "--file", &file]).code, Some(2));
}

#[test]
fn a_file_that_was_edited_is_an_error() {
    let scratch = Scratch::new("pins-edited");
    let file = file(&scratch);
    let text = std::fs::read_to_string(&file).unwrap();
    scratch.write("pins.json", &text.replace("late", "early"));
    let ran = linkspan(&["pins", "list", "--file", &file]);
    assert_eq!((ran.code, &*ran.stdout), (Some(1), ""));
    let why = "the digest of `instructions` of `time` is not that of its definition";
    assert!(ran.stderr.contains(why), "{ran}");
}

#[test]
fn without_a_file_there_are_no_pins() {
    let scratch = Scratch::new("pins-none");
    let ran = linkspan(&["pins", "list", "--file", &scratch.file("none.json")]);
    assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (Some(0), "", ""));
}
