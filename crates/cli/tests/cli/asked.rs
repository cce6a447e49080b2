//! What a user at a terminal sees while a server works and asks questions.

use linkspan_testkit::{Conn, Flow, Request, Server};

use crate::pty::AtTerminal;
use crate::setup::{Run, answer, linkspan};

#[test]
fn a_server_that_does_not_answer_is_waited_for_in_sight() {
    let mut run = AtTerminal::run(&["tools", "--", "sleep", "1000"]);
    run.wait_for("waiting for `sleep` to answer");
}

#[test]
fn no_notice_is_written_to_a_pipe() {
    let ran = linkspan(&["tools", "--timeout", "3", "--", "sleep", "1000"]);
    assert!(!ran.stderr.contains("waiting"), "{ran}");
}

#[test]
fn progress_of_a_call_is_shown_until_the_result() {
    let server = Server::legacy().start();
    let url = server.url();
    let mut run = AtTerminal::run(&["call", "progress", r#"{"n":2,"gate":"g"}"#, &url]);
    run.wait_for("progress 1 (");
    server.open("g-1");
    run.wait_for("progress 2 (");
    server.open("g-2");
    let (code, seen) = run.end();
    assert_eq!(code, Some(0));
    let after = seen.rsplit("progress 2").next().unwrap();
    assert!(
        after.contains("\x1b[2K"),
        "the line is taken away: {seen:?}"
    );
}

#[test]
fn a_question_of_a_legacy_server_is_answered_by_the_person() {
    let server = Server::legacy().start();
    let mut run = AtTerminal::run(&["call", "ask", &server.url()]);
    run.wait_for("the server asks");
    run.wait_for("which quay?");
    run.wait_for("Enter leaves it out");
    run.types("north\n");
    let (code, seen) = run.end();
    assert_eq!(code, Some(0));
    let answer = r#"{"action":"accept","content":{"quay":"north"}}"#;
    assert!(seen.contains(answer), "{seen}");
}

#[test]
fn a_question_can_be_declined() {
    let server = Server::legacy().start();
    let mut run = AtTerminal::run(&["call", "ask", &server.url()]);
    run.wait_for("Enter leaves it out");
    run.types("\x04");
    let (_, seen) = run.end();
    assert!(seen.contains(r#"{"action":"decline"}"#), "{seen}");
}

#[test]
fn a_question_of_a_modern_server_is_answered_by_the_person() {
    let hook = |request: &Request, conn: &mut Conn| {
        if request.rpc() != Some("tools/call") {
            return Flow::Pass;
        }
        let message = request.message.as_ref().unwrap();
        let given = message.at(&["params", "inputResponses", "who"]);
        let state = message.at(&["params", "requestState"]);
        let outcome = match (given, state.as_deref()) {
            (None, _) => r#""result":{"resultType":"input_required","inputRequests":{"who":{"method":"elicitation/create","params":{"message":"Who are you?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}},"requestState":"s 1"}"#.to_owned(),
            (Some(given), Some(r#""s 1""#)) => format!(
                r#""result":{{"resultType":"complete","content":[],"structuredContent":{given}}}"#
            ),
            (Some(_), state) => panic!("the state is not ours: {state:?}"),
        };
        answer(request, conn, &outcome)
    };
    let server = Server::modern().intercept(hook).start();
    let mut run = AtTerminal::run(&["call", "greet", &server.url()]);
    run.wait_for("Who are you?");
    run.types("Ada\n");
    let (code, seen) = run.end();
    assert_eq!(code, Some(0), "{seen}");
    let answer = r#"{"action":"accept","content":{"name":"Ada"}}"#;
    assert!(seen.contains(answer), "{seen}");
}

#[test]
fn progress_cannot_drive_the_terminal() {
    let hook = |request: &Request, conn: &mut Conn| {
        if request.rpc() != Some("tools/call") {
            return Flow::Pass;
        }
        let id = request.message.as_ref().and_then(|m| m.id.clone()).unwrap();
        let note = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"message":"rude \u001b[5m \u009b5m \u0007 \r\n x"}}"#;
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[]}}}}"#);
        let mut stream = || {
            conn.start_sse(&[])?;
            conn.chunk(&format!("data: {note}\n\ndata: {answer}\n\n"))?;
            conn.end()
        };
        Flow::written(stream())
    };
    let server = Server::legacy().intercept(hook).start();
    let (_, seen) = AtTerminal::run(&["call", "any", "{}", &server.url()]).end();
    assert!(seen.contains("rude"), "it was shown at all: {seen:?}");
    let left = seen.replace("\r\x1b[2K", "").replace("\r\n", "");
    assert!(!left.contains(char::is_control), "{seen:?}");
}

#[test]
fn log_lines_have_colours_only_if_they_are_wanted() {
    let server = Server::legacy().start();
    let args = ["tools", "-v", &server.url()];
    let (_, seen) = AtTerminal::start(colourful(&args)).end();
    assert!(seen.contains("DEBUG") && seen.contains("\x1b["), "{seen:?}");
    let (_, seen) = AtTerminal::start(colourful(&args).env("NO_COLOR", "1")).end();
    assert!(
        seen.contains("DEBUG") && !seen.contains("\x1b["),
        "{seen:?}"
    );
}

/// Which terminal it is decides as well.
fn colourful(args: &[&str]) -> Run {
    Run::new(args).env("TERM", "xterm")
}
