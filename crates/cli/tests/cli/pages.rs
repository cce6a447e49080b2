//! Completions and the manual page.

use std::process::Command;

use insta::assert_snapshot;

use crate::setup::{COMMANDS, linkspan};

#[test]
fn completions_know_every_command_and_its_flags() {
    for shell in ["bash", "zsh", "fish"] {
        let ran = linkspan(&["completions", shell]);
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{shell}");
        for word in COMMANDS
            .iter()
            .chain(&["bearer-env", "insecure-http", "record", "json"])
        {
            assert!(ran.stdout.contains(word), "{word} is missing for {shell}");
        }
    }
}

#[test]
fn completions_know_the_words_that_flags_of_bcp_take() {
    for shell in ["bash", "zsh", "fish"] {
        let script = linkspan(&["completions", shell]).stdout;
        for word in ["markdown", "adaptive", "structured_data", "cl100k"] {
            assert!(script.contains(word), "{word} is missing for {shell}");
        }
    }
}

#[test]
fn an_unknown_shell_gets_the_list_of_known_ones() {
    assert_snapshot!(linkspan(&["completions", "tcsh"]), @"
    [stderr]
    error: invalid value 'tcsh' for '<SHELL>'
      [possible values: bash, elvish, fish, powershell, zsh]

      tip: a similar value exists: 'zsh'

    For more information, try '--help'.
    [exit 2]
    ");
}

#[test]
fn the_manual_page_is_roff_with_every_command_and_exit_code() {
    let ran = linkspan(&["man"]);
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    assert!(ran.stdout.contains("\n.TH linkspan 1 "), "no title");
    assert!(ran.stdout.contains("\n.SH NAME\nlinkspan \\- "), "no name");
    for command in COMMANDS {
        assert!(
            ran.stdout
                .contains(&format!("linkspan {}", command.replace('-', "\\-"))),
            "{command}"
        );
    }
    assert!(
        ran.stdout.contains("LINKSPAN BCP MCP"),
        "commands of commands"
    );
    for flag in [
        "root",
        "bearer\\-env",
        "insecure\\-http",
        "max\\-message",
        "log\\-file",
        "json",
    ] {
        assert!(ran.stdout.contains(&format!("\\-\\-{flag}")), "{flag}");
    }
    let codes = ran
        .stdout
        .split_once("Exit codes")
        .or_else(|| ran.stdout.split_once("EXIT STATUS"));
    let codes = codes.expect("exit codes are there").1;
    for code in ["0", "1", "2", "3", "4", "5", "6", "129", "130", "143"] {
        let told = codes
            .lines()
            .any(|line| line.split_whitespace().next() == Some(code));
        assert!(told, "{code} is missing");
    }
}

#[test]
fn the_manual_page_begins_with_a_list_of_commands() {
    let page = linkspan(&["man"]).stdout;
    let list = page.split_once("\n.SH COMMANDS\n").expect("a list").1;
    let list = list.split_once("\n.SH ").unwrap().0;
    for command in COMMANDS {
        let command = command.replace('-', "\\-");
        let entry = format!(".TP\n\\fBlinkspan {command}\\fR\n");
        assert!(list.contains(&entry), "{command}");
    }
}

#[test]
fn the_manual_page_has_nothing_that_troff_warns_about() {
    let page = linkspan(&["man"]).stdout;
    let strange = page.chars().find(|c| !c.is_ascii());
    assert_eq!(strange, None, "troff reads ASCII");
    let scratch = crate::setup::Scratch::new("man");
    let file = scratch.write("linkspan.1", &page);
    let groff = Command::new("groff")
        .args(["-man", "-ww", "-Tutf8", "-z", &file])
        .output();
    // Not every machine has groff; the rest of this test works without it.
    if let Ok(groff) = groff {
        assert_eq!(String::from_utf8_lossy(&groff.stderr), "");
    }
}

#[test]
fn the_manual_is_one_page_and_names_no_other() {
    let page = linkspan(&["man"]).stdout;
    assert_eq!(page.matches("\n.TH ").count(), 1, "one title");
    assert!(
        !page.contains("linkspan\\-connect(1)"),
        "there is no such page"
    );
}

/// `linkspan man | head`.
#[test]
fn a_closed_stdout_is_not_an_error() {
    for args in [&["man"][..], &["completions", "bash"], &["--help"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_linkspan"));
        let ran = command.args(args).stdout(writer).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&ran.stderr), "", "{args:?}");
        assert_eq!(ran.status.code(), Some(0), "{args:?}");
    }
}
