//! A command that waits on stdin says so at a terminal, and not elsewhere.

use linkspan_testkit::{Port, Server};

use crate::pty::AtTerminal;
use crate::setup::{Run, Scratch, linkspan};

/// Ctrl-D at the beginning of a line.
const END: &str = "\x04";

#[test]
fn connect_says_that_it_waits_for_a_client_and_how_to_try_the_server() {
    let server = Server::legacy().start();
    let mut run = AtTerminal::run(&["connect", &server.url()]);
    run.wait_for("waiting on stdin for an MCP client");
    run.wait_for(&format!("linkspan tools {}", server.url()));
    run.types(END);
    assert_eq!(run.end().0, Some(0));
}

#[test]
fn the_line_that_tries_the_server_has_its_credentials_by_name() {
    let server = Server::legacy().start();
    // cargo sets this variable for its tests.
    let flags = ["--bearer-env", "CARGO_PKG_NAME", "-H", "X-Key: hush"];
    let mut run = AtTerminal::run(&[&["connect"], &flags[..], &[&server.url()]].concat());
    run.wait_for(&format!(
        "linkspan tools --bearer-env CARGO_PKG_NAME -H 'X-Key: ***' {}",
        server.url()
    ));
    run.types(END);
    assert_eq!(run.end().0, Some(0));
}

#[test]
fn connect_to_an_unreachable_url_warns_at_once() {
    let port = Port::reserve();
    let mut run = AtTerminal::run(&["connect", &port.url()]);
    run.wait_for("cannot connect to");
    run.wait_for("check the URL");
    assert!(run.seen().contains("Connection refused"), "{}", run.seen());
}

#[test]
fn a_command_that_does_not_exist_is_not_waited_for() {
    let run = AtTerminal::run(&["connect", "--", "no-such-server"]);
    let (code, seen) = run.end();
    assert_eq!(code, Some(3));
    assert!(!seen.contains("waiting"), "{seen}");
}

#[test]
fn every_server_on_stdio_says_that_it_waits_for_a_client() {
    let scratch = Scratch::new("waiting");
    let server = scratch.server("");
    let folder = scratch.file("folder");
    linkspan(&["new", &folder]);
    for (args, try_it) in [
        (&["serve", &folder][..], format!("linkspan tools {folder}")),
        (
            &["shrink", "--", "sh", &server],
            format!("linkspan tools -- sh {server}"),
        ),
        (
            &["bcp", "mcp"],
            "linkspan tools -- linkspan bcp mcp".to_owned(),
        ),
    ] {
        let mut run = AtTerminal::run(args);
        run.wait_for("waiting on stdin for an MCP client");
        run.wait_for(&try_it);
        run.types(END);
        assert_eq!(run.end().0, Some(0), "{args:?}");
    }
}

#[test]
fn every_command_that_reads_a_text_says_which_and_how_it_is_usually_given() {
    for (args, what, usual) in [
        (&["shrink", "try"][..], "a text", "linkspan shrink try FILE"),
        (
            &["shrink", "decode"],
            "a text",
            "linkspan shrink decode FILE",
        ),
        (&["jq", "."], "JSON", "linkspan jq FILTER < FILE"),
        (
            &["bcp", "decode", "-"],
            "a BCP file",
            "linkspan bcp decode FILE",
        ),
        (
            &["call", "echo", "-", "http://127.0.0.1:1/mcp"],
            "the arguments as a JSON object",
            "linkspan call TOOL - TARGET < arguments.json",
        ),
    ] {
        let mut run = AtTerminal::run(args);
        run.wait_for(&format!("waiting on stdin for {what}"));
        run.wait_for("Ctrl-D");
        run.wait_for(usual);
        run.types("{}\n");
        run.types(END);
        run.end();
    }
}

#[test]
fn jq_that_reads_nothing_says_nothing() {
    let run = AtTerminal::run(&["jq", "-n", "1 + 1"]);
    let (code, seen) = run.end();
    assert_eq!((code, &*seen), (Some(0), "2\r\n"));
}

#[test]
fn a_client_on_a_pipe_gets_no_notice() {
    let server = Server::legacy().start();
    let ran = linkspan(&["connect", &server.url()]);
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    let ran = Run::new(&["jq", ".a"]).stdin(r#"{"a":1}"#).end();
    assert_eq!((&*ran.stdout, &*ran.stderr), ("1\n", ""));
}

#[test]
fn expose_of_a_dead_url_logs_that_it_cannot_be_reached() {
    let port = Port::reserve();
    let mut run = AtTerminal::run(&["expose", "--port", "0", &port.url()]);
    run.wait_for("cannot connect to");
    run.wait_for("check the URL");
}

#[test]
fn an_agent_says_that_it_waits_for_a_client_and_a_chain_for_an_editor() {
    for (args, what, hint) in [
        (
            &["agent", "--", "cat", "-u"][..],
            "an MCP client",
            "linkspan tools --acp -- cat -u",
        ),
        (
            &["conduct", "cat"],
            "an editor that speaks ACP",
            "list of agents",
        ),
        (
            &["conduct", "--proxy", "cat"],
            "another ACP conductor",
            "--dry-run",
        ),
    ] {
        let mut run = AtTerminal::run(args);
        run.wait_for(&format!("waiting on stdin for {what}"));
        run.wait_for(hint);
        run.types(END);
        assert_eq!(run.end().0, Some(0), "{args:?}");
    }
    let piped = linkspan(&["conduct", "cat"]);
    assert!(!piped.stderr.contains("waiting"), "{piped}");
}
