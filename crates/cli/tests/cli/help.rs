//! `--help`.

use insta::assert_snapshot;

use crate::setup::linkspan;

const COMMANDS: [&str; 10] = [
    "connect",
    "tools",
    "call",
    "resources",
    "read",
    "prompts",
    "prompt",
    "ping",
    "completions",
    "man",
];

#[test]
fn the_help_says_what_there_is_and_how_it_ends() {
    assert_snapshot!(linkspan(&["--help"]), @"");
}

#[test]
fn without_arguments_there_is_help_too() {
    let ran = linkspan(&[]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(ran.stdout, "", "stdout is for answers");
    assert_eq!(ran.stderr, linkspan(&["-h"]).stdout);
}

#[test]
fn the_help_of_connect_has_examples() {
    assert_snapshot!(linkspan(&["connect", "--help"]), @"");
}

#[test]
fn the_short_help_of_call_fits_on_a_screen() {
    assert_snapshot!(linkspan(&["call", "-h"]), @"");
}

#[test]
fn every_command_has_help_with_an_example_that_names_it() {
    for command in COMMANDS {
        let ran = linkspan(&[command, "--help"]);
        assert_eq!(ran.code, Some(0), "{command}");
        let examples = ran
            .stdout
            .split_once("Example")
            .unwrap_or_else(|| panic!("{command} has no example"))
            .1;
        assert!(
            examples.contains(&format!("linkspan {command}")),
            "{command}:\n{ran}"
        );
    }
}

#[test]
fn flags_stand_under_the_heading_they_belong_to() {
    for (command, flag) in [
        ("connect", "--drain"),
        ("connect", "--record"),
        ("tools", "[COMMAND]..."),
    ] {
        let help = linkspan(&[command, "-h"]).stdout;
        let before = help.split_once(&format!("  {flag}")).unwrap().0;
        let heading = before
            .lines()
            .rfind(|line| !line.starts_with(' ') && line.ends_with(':'));
        assert_ne!(heading, Some("Remote server:"), "{flag} of {command}");
    }
}

#[test]
fn the_version_is_one_line() {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        linkspan(&["--version"]).stdout,
        format!("linkspan {version}\n")
    );
}
