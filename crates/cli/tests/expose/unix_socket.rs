//! `--unix`: HTTP on a Unix socket, for clients that have no address to connect to.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;

use linkspan_testkit::mcp_client::{everything, initialize};
use linkspan_testkit::{Bridge, LIMIT, Launch, Signal, child_program, run};
use serde_json::json;

use crate::setup::{LATEST, program};

fn expose(socket: &Path, flags: &[&str]) -> Launch {
    Bridge::launch(program())
        .args(["expose", "--unix"])
        .arg(socket)
        .args(flags)
        .args(["--".as_ref(), child_program().as_os_str()])
}

fn target(socket: &Path) -> String {
    format!("unix:{}", socket.display())
}

/// The status of an `initialize` with these headers.
fn status(socket: &Path, headers: &str) -> String {
    let mut stream = UnixStream::connect(socket).expect("it listens");
    stream.set_read_timeout(Some(LIMIT)).expect("a limit");
    let body = initialize(LATEST, &everything());
    let (kind, length) = ("application/json, text/event-stream", body.len());
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\n{headers}\r\nAccept: {kind}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
    .expect("it reads");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("it answers");
    let head = String::from_utf8_lossy(&answer);
    head.split(' ').nth(1).unwrap_or_default().to_owned()
}

#[test]
fn a_socket_serves_clients_until_the_end_and_is_removed_then() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("mcp.sock");
    let mut exposed = expose(&socket, &[]).start();
    assert_eq!(exposed.line(), format!("{}:/mcp", target(&socket)));
    let mode = socket.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let mut client = Bridge::launch(program())
        .args(["connect", &target(&socket)])
        .start();
    client.initialize(LATEST);
    let answer = client.ask("1", "echo", &json!({"message": "ahoy"}));
    assert!(answer.text.contains("ahoy"), "{}", answer.text);
    client.close_stdin();
    assert_eq!(client.exit_code(), Some(0), "{}", client.stderr());

    let mut call = Command::new(program());
    call.args(["call", "echo", "message=ahoy", &target(&socket)]);
    let called = run(&mut call, "");
    assert!(called.status.success(), "{called:?}");

    exposed.signal(Signal::Terminate);
    exposed.exit_code();
    assert!(!socket.exists());
}

#[test]
fn a_socket_in_use_is_refused_and_that_of_a_killed_process_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("mcp.sock");
    let first = expose(&socket, &["--unix-mode", "660"]).start();
    first.line();
    let mut second = expose(&socket, &[]).start();
    assert_eq!(second.exit_code(), Some(3));
    let told = second.stderr();
    assert!(told.contains("another program listens on"), "{told}");
    first.signal(Signal::Kill);
    drop(first);
    assert!(socket.exists());
    let third = expose(&socket, &[]).start();
    third.line();
    assert_eq!(status(&socket, "Host: localhost"), "200");
}

#[test]
fn any_host_is_served_unless_some_are_named_and_pages_of_other_origins_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let (open, named) = (folder.path().join("a"), folder.path().join("b"));
    let servers = [
        expose(&open, &[]).start(),
        expose(&named, &["--allow-host", "mcp.example"]).start(),
    ];
    for server in &servers {
        server.line();
    }
    for (socket, headers, expected) in [
        (&open, "Host: any.example", "200"),
        (
            &open,
            "Host: any.example\r\nOrigin: http://evil.example",
            "403",
        ),
        (&named, "Host: mcp.example", "200"),
        (&named, "Host: any.example", "403"),
    ] {
        assert_eq!(status(socket, headers), expected, "{headers}");
    }
}

#[test]
fn a_socket_without_a_server_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("none");
    let mut tools = Command::new(program());
    tools.args(["tools", "--retries", "0", &target(&socket)]);
    let ran = run(&mut tools, "");
    assert_eq!(ran.status.code(), Some(3));
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    let cannot = format!("cannot connect to {}:/mcp: No such file", target(&socket));
    assert!(told.contains(&cannot), "{told}");
}
