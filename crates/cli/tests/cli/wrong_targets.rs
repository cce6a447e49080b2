//! A target that is missing, misplaced or misspelt: exit code 2, and the line that would be right.

use insta::assert_snapshot;

use crate::setup::{Scratch, linkspan};

#[test]
fn a_target_that_is_no_url() {
    assert_snapshot!(linkspan(&["tools", "nonsense"]), @"
    [stderr]
    error: `nonsense` is not a URL, and there is no folder of that name
    hint: a URL begins with https://, for example https://mcp.example.com/mcp; a command goes after `--`
    [exit 2]
    ");
    assert_snapshot!(linkspan(&["connect", "ftp://example.com/mcp"]), @"
    [stderr]
    error: `ftp:` is not a scheme that MCP uses; give an http:// or https:// URL
    hint: for example https://mcp.example.com/mcp; a command goes after `--`
    [exit 2]
    ");
}

#[test]
fn a_url_without_its_scheme() {
    assert_snapshot!(linkspan(&["tools", "localhost:1/mcp"]), @"
    [stderr]
    error: `localhost:1/mcp` is not a URL: the scheme is missing
    hint: linkspan tools http://localhost:1/mcp
    [exit 2]
    ");
}

#[test]
fn a_command_without_the_dashes_before_it() {
    assert_snapshot!(linkspan(&["tools", "npx", "-y", "x"]), @"
    [stderr]
    error: `npx` is a command, and a command goes after `--`
    hint: linkspan tools -- npx -y x
    [exit 2]
    ");
    assert_snapshot!(linkspan(&["tools", "npx"]), @"
    [stderr]
    error: `npx` is a command, and a command goes after `--`
    hint: linkspan tools -- npx
    [exit 2]
    ");
    let scratch = Scratch::new("without-dashes");
    let file = scratch.write("server.py", "");
    let ran = linkspan(&["tools", &file]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("is a file, not a folder"), "{ran}");
    let right = format!("linkspan tools -- {file}\n");
    assert!(ran.stderr.contains(&right), "{ran}");
}

#[test]
fn a_target_that_does_not_come_last() {
    let scratch = Scratch::new("order");
    let folder = scratch.file("my-server");
    std::fs::create_dir(&folder).unwrap();
    let ran = linkspan(&["call", &folder, "hello", "name=x"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("comes last"), "{ran}");
    let right = format!("hint: linkspan call hello name=x {folder}\n");
    assert!(ran.stderr.contains(&right), "{ran}");
    assert_snapshot!(linkspan(&["call", "hello", "name=x"]), @"
    [stderr]
    error: no target
    hint: the target comes last: a URL, a folder, or a command after `--`
    [exit 2]
    ");
}

#[test]
fn a_target_between_the_arguments_and_a_command_without_dashes_get_the_right_line() {
    let scratch = Scratch::new("order-of-words");
    let folder = scratch.file("my-server");
    std::fs::create_dir(&folder).unwrap();
    let ran = linkspan(&["call", "hello", &folder, "name=Ada", "--json"]);
    assert_eq!(ran.code, Some(2));
    let right = format!("hint: linkspan call hello name=Ada --json {folder}\n");
    assert!(ran.stderr.contains(&right), "{ran}");
    assert_snapshot!(linkspan(&["call", "work", "n=1", "python3", "srv.py"]), @"
    [stderr]
    error: `python3` is a command, and a command goes after `--`
    hint: linkspan call work n=1 -- python3 srv.py
    [exit 2]
    ");
    assert_snapshot!(linkspan(&["read", "a://b", "python3", "srv.py"]), @"
    [stderr]
    error: `python3` is a command, and a command goes after `--`
    hint: linkspan read a://b -- python3 srv.py
    [exit 2]
    ");
}

#[test]
fn a_target_without_a_name_says_what_is_missing() {
    let scratch = Scratch::new("nameless");
    let folder = scratch.file("my-server");
    std::fs::create_dir(&folder).unwrap();
    for (verb, what, word) in [
        ("call", "the name of the tool", "TOOL"),
        ("prompt", "the name of the prompt", "NAME"),
        ("read", "the URI of the resource", "URI"),
    ] {
        let ran = linkspan(&[verb, &folder]);
        assert_eq!(ran.code, Some(2));
        let told = format!("error: {what} is missing\nhint: linkspan {verb} {word} {folder}\n");
        assert!(ran.stderr.contains(&told), "{ran}");
    }
    let ran = linkspan(&["read", "https://x/y"]);
    assert!(ran.stderr.contains("error: no target"), "{ran}");
}

#[test]
fn a_wrong_command_after_the_dashes_gets_the_correct_line() {
    let scratch = Scratch::new("after-dashes");
    let folder = scratch.file("my-server");
    std::fs::create_dir(&folder).unwrap();
    assert_snapshot!(linkspan(&["tools", "--", "https://mcp.example.com/mcp"]), @"
    [stderr]
    error: a URL goes without `--`; what follows `--` is a command
    hint: linkspan tools https://mcp.example.com/mcp
    [exit 2]
    ");
    let ran = linkspan(&["tools", "--", &folder]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("a folder goes without `--`"), "{ran}");
    let right = format!("hint: linkspan tools {folder}\n");
    assert!(ran.stderr.contains(&right), "{ran}");
    assert_snapshot!(linkspan(&["tools", "--", "python3 srv.py"]), @"
    [stderr]
    error: there is no program `python3 srv.py`: the words of a command are separate
    hint: linkspan tools -- python3 srv.py
    [exit 2]
    ");
    assert_snapshot!(linkspan(&["call", "hello", "--", "name=Ada"]), @"
    [stderr]
    error: `name=Ada` is an argument, not a command
    hint: arguments come before the target: linkspan call TOOL NAME=VALUE (URL | FOLDER | -- COMMAND…)
    [exit 2]
    ");
}

#[test]
fn a_target_of_config_is_checked_as_those_of_other_commands() {
    assert_snapshot!(linkspan(&["config", "npx", "-y", "foo"]), @"
    [stderr]
    error: `npx` is a command, and a command goes after `--`
    hint: linkspan config -- npx -y foo
    [exit 2]
    ");
    assert_snapshot!(linkspan(&["config", "localhost:3000/mcp"]), @"
    [stderr]
    error: `localhost:3000/mcp` is not a URL: the scheme is missing
    hint: linkspan config http://localhost:3000/mcp
    [exit 2]
    ");
    let scratch = Scratch::new("config-target");
    let file = scratch.write("package.json", "{}");
    let ran = linkspan(&["config", &file]);
    assert!(ran.stderr.contains("is a file, not a folder"), "{ran}");
    assert_snapshot!(linkspan(&["config", "http://mcp.example.com/mcp"]), @"
    [stderr]
    error: plain http:// to `mcp.example.com`, which is not this machine
    hint: use https://, or --insecure-http if the network is yours alone
    [exit 2]
    ");
    let ran = linkspan(&[
        "config",
        "--insecure-http",
        "http://mcp.example.com/mcp",
        "--client",
        "zed",
    ]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(ran.stdout.contains("--insecure-http"), "{ran}");
    let ran = linkspan(&["config", "no-such-folder"]);
    assert!(ran.stderr.contains("linkspan new no-such-folder"), "{ran}");
}

#[test]
fn a_missing_target() {
    assert_snapshot!(linkspan(&["tools"]), @"
    [stderr]
    error: no target
    hint: the target comes last: a URL, a folder, or a command after `--`
    [exit 2]
    ");
    assert_snapshot!(linkspan(&["call", "echo"]), @"
    [stderr]
    error: no target
    hint: the target comes last: a URL, a folder, or a command after `--`
    [exit 2]
    ");
    assert_snapshot!(linkspan(&["call"]), @"
    [stderr]
    error: the following required arguments were not provided:
      <NAME [ARGUMENTS] TARGET>...

    Usage: linkspan call [OPTIONS] TOOL ['JSON' | NAME=VALUE…] (URL | FOLDER | -- COMMAND…)

    For more information, try '--help'.
    [exit 2]
    ");
}

#[test]
fn two_targets() {
    let ran = linkspan(&["tools", "https://mcp.example.com/mcp", "--", "server"]);
    assert_snapshot!(ran, @"
    [stderr]
    error: two targets: `https://mcp.example.com/mcp` and a command after `--`
    hint: give one of them
    [exit 2]
    ");
}

#[test]
fn a_url_without_a_command() {
    assert_snapshot!(linkspan(&["http://localhost:37373/mcp"]), @"
    [stderr]
    error: a command is missing before the URL
    hint: linkspan connect http://localhost:37373/mcp
    [exit 2]
    ");
    assert_snapshot!(linkspan(&["--debug", "http://localhost:37373/mcp"]), @"
    [stderr]
    error: a command is missing before the URL
    hint: linkspan connect --debug http://localhost:37373/mcp
    [exit 2]
    ");
}

#[test]
fn a_folder_that_does_not_exist_is_a_mistake_of_the_command_line() {
    let scratch = Scratch::new("missing-folder");
    let folder = scratch.file("missing");
    for line in [
        &["serve", &folder][..],
        &["tools", &folder],
        &["call", "x", &folder],
        &["connect", &folder],
        &["expose", &folder],
        &["shrink", &folder],
        &["validate", &folder],
        &["run-tool", &folder, "x"],
        &["scaffold", "tool", "x", &folder],
        &["config", &folder],
        &["doctor", &folder],
    ] {
        let ran = linkspan(line);
        assert_eq!(ran.code, Some(2), "{line:?}\n{ran}");
        assert!(ran.stderr.contains("missing"), "{line:?}\n{ran}");
    }
}
