//! The command line, and the output at the start.

use std::net::{TcpListener, TcpStream};

use linkspan_testkit::{Bridge, Expose, Http};
use serde_json::json;

use crate::setup::{LATEST, assert_works, expose, exposing, legacy, program};

#[test]
fn it_says_where_it_listens_and_nothing_else() {
    let exposed = legacy();
    let port = exposed.address().port();
    assert_ne!(port, 0);
    assert_eq!(exposed.url(), format!("http://127.0.0.1:{port}/mcp"));
    assert_works(&exposed.client().session(LATEST));
    assert!(exposed.bridge.unread().is_empty());
}

#[test]
fn no_child_is_needed_to_start() {
    let exposed = legacy();
    let mut http = Http::connect(exposed.address());
    http.bytes(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!(http.reply().status, 200);
    assert!(exposed.children.started() <= 1, "at most one, to be warm");
}

#[test]
fn only_this_machine_is_served_by_default() {
    let exposed = legacy();
    assert!(exposed.address().ip().is_loopback());
    #[cfg(target_os = "linux")]
    {
        // A listener on one loopback address is not reachable by another one.
        let other = ([127, 0, 0, 2], exposed.address().port());
        assert!(TcpStream::connect(std::net::SocketAddr::from(other)).is_err());
    }
}

#[test]
fn another_loopback_address_can_be_chosen() {
    let exposed = expose(&["--host", "::1"], &[]);
    assert!(
        exposed.url().starts_with("http://[::1]:"),
        "{}",
        exposed.url()
    );
    assert_works(&exposed.client().session(LATEST));
}

#[test]
fn a_port_that_is_taken_is_a_plain_error() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let mut bridge = Bridge::launch(program())
        .args(["expose", "--port", &port, "--", "true"])
        .start();
    assert!(bridge.exit_code().is_some_and(|code| code != 0));
    assert!(bridge.unread().is_empty());
    assert!(bridge.stderr().contains(&port), "{}", bridge.stderr());
}

#[test]
fn a_wrong_command_line_is_explained_on_stderr_only() {
    for args in [
        &["expose"][..],
        &["expose", "--port", "banana", "--", "true"],
        &["expose", "--port", "0", "ftp://127.0.0.1/mcp"],
        &["expose", "--port", "0", "--path", "mcp", "--", "true"],
        &["expose", "--port", "0", "--era", "ancient", "--", "true"],
        &[
            "expose",
            "--port",
            "0",
            "http://127.0.0.1:1/mcp",
            "--",
            "true",
        ],
    ] {
        let mut bridge = Bridge::launch(program()).args(args).start();
        assert_eq!(bridge.exit_code(), Some(2), "{args:?}");
        assert!(
            bridge.unread().is_empty(),
            "{args:?}: {:?}",
            bridge.unread()
        );
        assert!(!bridge.stderr().is_empty(), "{args:?}");
    }
}

#[test]
fn a_command_that_does_not_exist_is_named() {
    let expose = Expose::command(program(), &["linkspan-no-such-program"]);
    let mut bridge = expose.launch().start();
    // The error is detected either at the start or by the first request.
    if let Ok(url) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| bridge.line())) {
        let address = url
            .trim_start_matches("http://")
            .trim_end_matches("/mcp")
            .parse()
            .unwrap();
        let client = linkspan_testkit::Client {
            address,
            path: "/mcp".into(),
            headers: Vec::new(),
        };
        let answer = client.initialize(LATEST, &json!({})).answer();
        assert_eq!(answer.code(), Some(-32000), "{}", answer.text);
        assert!(
            answer.text.contains("linkspan-no-such-program"),
            "{}",
            answer.text
        );
    } else {
        assert!(bridge.exit_code().is_some_and(|code| code != 0));
        assert!(
            bridge.stderr().contains("linkspan-no-such-program"),
            "{}",
            bridge.stderr()
        );
    }
}

#[test]
fn arguments_of_the_child_are_its_own() {
    // `--watch` and its address follow `--`; if they were our flags, the child could not report.
    let exposed = exposing(&["--idle-timeout", "60"], &["--noisy"]).start();
    assert_works(&exposed.client().session(LATEST));
    assert_eq!(exposed.children.alive().len(), 1);
}
