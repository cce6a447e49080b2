//! File names that are not UTF-8 or contain control characters, and output to a terminal.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Output};

use crate::files::{Scratch, vector};
#[cfg(target_os = "linux")]
use crate::run::bcp;

fn run(scratch: &Scratch, args: &[&OsStr]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_linkspan"))
        .arg("bcp")
        .args(args)
        .current_dir(scratch.path())
        .env_remove("CLICOLOR_FORCE")
        .output()
        .expect("the binary starts")
}

#[test]
fn names_that_are_not_utf8_are_read_and_written() {
    let scratch = Scratch::new();
    let name = OsStr::from_bytes(b"caf\xe9.bcp");
    let text = OsStr::from_bytes(b"caf\xe9.txt");
    // Some file systems refuse such names.
    if fs::copy(vector("api", "20_all.bcp"), scratch.path().join(name)).is_err() {
        return;
    }
    for args in [
        &["decode".as_ref(), name][..],
        &["decode".as_ref(), name, "-o".as_ref(), text],
        &["inspect".as_ref(), name],
        &["stats".as_ref(), name],
        &["validate".as_ref(), name],
        &["diff".as_ref(), name, name],
    ] {
        let ran = run(&scratch, args);
        assert!(ran.status.success(), "{args:?}: {ran:?}");
    }
    assert!(scratch.path().join(text).exists());
}

#[test]
fn a_name_can_neither_forge_a_line_nor_control_a_terminal() {
    let scratch = Scratch::new();
    scratch.write("odd/kept.rs", "x");
    scratch.write("odd/b\nwarning: fake", [0, 1]);
    let name = "o\x1b[31m\nerror: fake.bcp";
    for args in [
        &["encode", "odd", "-o", name][..],
        &["stats", name],
        &["decode", "none\nerror: fake"],
        &["encode", "none\nerror: fake", "-o", "x"],
        &["encode", "odd", "-o", "none\nerror: fake/x"],
    ] {
        let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        let ran = run(&scratch, &args);
        for text in [ran.stdout, ran.stderr] {
            let text = String::from_utf8(text).unwrap();
            assert!(!text.contains('\x1b'), "{args:?}: {text:?}");
            assert!(!text.contains("\nerror: fake") && !text.contains("\nwarning: fake"));
        }
    }
}

/// The output to a terminal, if there is a program that can emulate one.
#[cfg(target_os = "linux")]
fn on_a_terminal(command: &str) -> Option<Vec<u8>> {
    let command = format!("{} bcp {command}", env!("CARGO_BIN_EXE_linkspan"));
    let ran = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .stdin(std::process::Stdio::null())
        .output()
        .ok()?;
    assert!(ran.status.success(), "{ran:?}");
    Some(ran.stdout)
}

#[cfg(target_os = "linux")]
#[test]
fn contents_cannot_control_a_terminal() {
    let scratch = Scratch::new();
    let input = scratch.write("esc.txt", "\x1b]0;pwn\x07é\r\nb\r\n");
    let file = scratch.file("esc.bcp");
    bcp(&["encode", &input, "-o", &file]).well();
    let raw = bcp(&["inspect", &file, "--show-body", "--compat"]).well();
    assert!(
        raw.text().contains('\x1b'),
        "piped: as the reference has it"
    );
    for command in [
        format!("inspect --show-body --compat {file}"),
        format!("inspect --show-body {file}"),
        format!("decode {file}"),
    ] {
        let Some(shown) = on_a_terminal(&command) else {
            return;
        };
        let text = String::from_utf8_lossy(&shown);
        assert!(text.contains("pwn"), "{command}: {text:?}");
        assert!(
            !text.contains("\x1b]") && !text.contains('\x07'),
            "{text:?}"
        );
    }
    let shown = on_a_terminal(&format!("decode --mode minimal {file}")).unwrap();
    let text = String::from_utf8_lossy(&shown);
    let ends = text.split("pwn").nth(1).unwrap_or_default();
    assert!(
        !ends.contains("é\u{fffd}"),
        "a line may end in CR LF: {text:?}"
    );
}

/// More than is held in memory, so that it is written in pieces.
#[cfg(target_os = "linux")]
#[test]
fn a_long_text_reaches_a_terminal_complete() {
    let scratch = Scratch::new();
    let manifest = format!(
        r#"{{"blocks":[{{"type":"document","title":"t","content":"x{}"}}]}}"#,
        "é".repeat(5 << 19)
    );
    let input = scratch.write("m.json", manifest);
    let file = scratch.file("o.bcp");
    bcp(&["encode", &input, "-o", &file, "--compress-payload"]).well();
    if let Some(shown) = on_a_terminal(&format!("decode {file}")) {
        let text = String::from_utf8(shown).expect("whole characters");
        assert!(!text.contains('\u{fffd}'));
        assert_eq!(text.matches('é').count(), 5 << 19);
    }
}
