//! TARGET as `-- command …`.

use insta::assert_snapshot;

use crate::setup::{Run, Scratch, linkspan};

#[test]
fn a_command_is_a_target() {
    let scratch = Scratch::new("command");
    let server = scratch.server("");
    assert_snapshot!(linkspan(&["tools", "--", "sh", &server]), @"
    hello
        Says hello.
    ");
    assert_snapshot!(linkspan(&["call", "hello", "who=me", "--", "sh", &server]), @"hello from sh");
}

#[test]
fn a_command_gets_its_own_flags_and_our_environment() {
    let scratch = Scratch::new("flags");
    let show = r#"on_call() { result="{\"content\":[{\"type\":\"text\",\"text\":\"$args $SECRET\"}]}"; }; args="$*""#;
    let server = scratch.server(show);
    let run = Run::new(&[
        "call",
        "hello",
        "--",
        "sh",
        &server,
        "--json",
        "-v",
        "--",
        "https://x",
    ]);
    let ran = run.env("SECRET", "shh").end();
    assert_eq!(ran.to_string(), "--json -v -- https://x shh\n");
}

#[test]
fn the_stderr_of_a_command_is_shown_only_with_v() {
    let scratch = Scratch::new("stderr");
    let server = scratch.server("echo 'warming up' >&2");
    let quiet = linkspan(&["tools", "--", "sh", &server]);
    assert_eq!(quiet.stderr, "");
    let told = linkspan(&["tools", "-v", "--", "sh", &server]);
    assert!(told.stderr.contains("warming up"), "{told}");
    assert_eq!(told.stdout, quiet.stdout);
}

#[test]
fn a_command_that_ends_at_once() {
    let scratch = Scratch::new("ends");
    let server = scratch.write("server.sh", "echo 'API_KEY is missing' >&2; exit 3");
    assert_snapshot!(linkspan(&["tools", "--", "sh", &server]), @"
    [stderr]
    error: `sh` ended before it answered (exit status: 3); it printed:
      API_KEY is missing
    hint: an MCP server stays and answers on stdout; check the command and its arguments
    [exit 4]
    ");
}

#[test]
fn a_command_that_dies_during_the_call() {
    let scratch = Scratch::new("dies");
    let server = scratch.server("on_call() { echo 'out of memory' >&2; exit 1; }");
    assert_snapshot!(linkspan(&["call", "hello", "--", "sh", &server]), @"
    [stderr]
    error: `sh` closed the connection: exit status: 1; last lines of its stderr:
      out of memory
    hint: the end of its stderr may give the reason; -v shows all of it
    [exit 4]
    ");
}

#[test]
fn a_command_that_is_no_server() {
    assert_snapshot!(linkspan(&["tools", "--", "true"]), @"
    [stderr]
    error: `true` ended before it answered (exit status: 0), and printed nothing
    hint: an MCP server stays and answers on stdout; check the command and its arguments
    [exit 4]
    ");
    assert_snapshot!(linkspan(&["tools", "--", "cat"]), @"
    [stderr]
    error: `cat` sends back what it is sent: it is not an MCP server
    hint: check the command and its arguments
    [exit 4]
    ");
    let ran = linkspan(&["tools", "--", "echo", "hi"]);
    assert_eq!(ran.code, Some(4), "{ran}");
    let told = "error: `echo` ended before it answered (exit status: 0); it printed:\n  hi\nhint: ";
    assert!(ran.stderr.contains(told), "{ran}");
    assert_snapshot!(linkspan(&["tools", "--timeout", "0.5", "--", "sleep", "600"]), @"
    [stderr]
    error: `sleep` did not answer within 0.5 s
    hint: is it an MCP server? -v shows what it prints; --timeout 120 waits longer
    [exit 6]
    ");
}

#[test]
fn stdout_lines_that_are_not_mcp_are_shown_without_v() {
    let scratch = Scratch::new("stray");
    let server = scratch.server("echo 'listening on port 3000'");
    let ran = linkspan(&["tools", "--", "sh", &server]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(ran.stderr.contains("listening on port 3000"), "{ran}");
}

#[test]
fn a_greeting_on_stdout_does_no_harm() {
    let scratch = Scratch::new("greeting");
    let server = scratch.server("echo 'Server running on stdio'");
    let ran = linkspan(&["tools", "--", "sh", &server]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(ran.stdout.starts_with("hello\n"), "{ran}");
}

#[test]
fn a_file_that_cannot_be_run() {
    let scratch = Scratch::new("not-executable");
    let file = scratch.write("server", "");
    let ran = linkspan(&["tools", "--", &file]);
    assert_eq!(ran.code, Some(3));
    assert!(
        ran.stderr.contains("hint: is it an executable file?"),
        "{ran}"
    );
}
