//! Text of a server must not drive the terminal of its user.

use linkspan_testkit::{Bridge, Conn, Flow, Request, Server};

use crate::servers::{answer_to, plain};
use crate::setup::program;

/// Blinks, renames the window, rings, and the same in the one-byte form.
const RUDE: &str = r"rude\u001b[5m\u001b]0;owned\u0007\r\u009b5m\u0008\u007f!";

/// A server that answers these methods with these members.
fn rude(methods: &'static [&str], members: &str) -> Server {
    let members = members.replace("RUDE", RUDE);
    let hook = move |request: &Request, conn: &mut Conn| match request.rpc() {
        Some(rpc) if methods.contains(&rpc) => {
            Flow::written(conn.json(200, &answer_to(request, &members)))
        }
        _ => plain(request, conn),
    };
    Server::legacy().intercept(hook).start()
}

/// Runs a command with colours enabled, and checks its output.
#[track_caller]
fn assert_harmless(args: &[&str]) {
    let mut command = Bridge::launch(program())
        .args(args)
        .env("CLICOLOR_FORCE", "1")
        .env("TERM", "xterm")
        .start();
    command.close_stdin();
    command.exit_code();
    let shown = command.unread().join("\n") + &command.stderr();
    assert!(shown.contains("rude"), "it was shown at all: {shown:?}");
    let mut left = shown.clone();
    while let Some(start) = left.find("\x1b[") {
        let end = left[start..]
            .find('m')
            .map_or(left.len(), |m| start + m + 1);
        let code = left[start + 2..end].trim_end_matches('m');
        // Only our own colours and weights occur; we never print blinking text.
        let ours = code
            .split(';')
            .all(|n| n != "5" && n.parse::<u8>().is_ok_and(|n| n < 110));
        assert!(ours, "{code:?} in {shown:?}");
        left.replace_range(start..end, "");
    }
    let bad = left
        .chars()
        .find(|c| c.is_control() && !"\n\t".contains(*c));
    assert_eq!(bad, None, "{shown:?}");
}

#[test]
fn an_error_cannot_drive_the_terminal() {
    let error = r#""error":{"code":-32000,"message":"RUDE","data":"RUDE"}"#;
    for methods in [&["initialize", "server/discover"][..], &["tools/list"]] {
        let server = rude(methods, error);
        assert_harmless(&["tools", &server.url()]);
    }
}

#[test]
fn the_code_of_an_error_cannot_drive_the_terminal() {
    // JSON allows these two characters as they are.
    let error = "\"error\":{\"code\":\"rude \u{9b}5m\u{7f}\",\"message\":\"RUDE\"}";
    let server = rude(&["tools/list"], error);
    assert_harmless(&["tools", &server.url()]);
}

#[test]
fn the_types_of_a_schema_cannot_drive_the_terminal() {
    let tools = r#""result":{"tools":[{"name":"RUDE","inputSchema":{"type":"object","properties":{"a":{"type":"RUDE"},"RUDE":{"type":["RUDE","string"]}},"required":["RUDE"]}}]}"#;
    let server = rude(&["tools/list"], tools);
    assert_harmless(&["tools", &server.url()]);
}
