//! Every error says what to do next, on stderr, and has its exit code.

use insta::assert_snapshot;
use linkspan_testkit::{Conn, Flow, Port, Request, Server};

use crate::setup::{Run, answer, linkspan, serving};

/// A port where each connection gets these bytes after it has sent data.
fn saying(words: &'static [u8]) -> u16 {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.expect("a connection");
            std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                let _ = connection.read(&mut buffer);
                let _ = connection.write_all(words);
                // Until the other side has closed the connection.
                while connection.read(&mut buffer).is_ok_and(|n| n > 0) {}
            });
        }
    });
    port
}

#[test]
fn a_port_that_does_not_speak_http_is_no_lost_answer() {
    let port = saying(b"SSH-2.0-OpenSSH_9.6\r\n");
    let ran = linkspan(&["tools", &format!("http://127.0.0.1:{port}/mcp")]);
    assert_eq!(ran.code, Some(3), "{ran}");
    assert!(ran.stderr.contains("it does not speak HTTP"), "{ran}");
    assert!(!ran.stderr.contains("may have run"), "{ran}");
}

#[test]
fn https_to_a_port_of_plain_http_says_so() {
    let port = saying(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    let url = format!("https://127.0.0.1:{port}/mcp");
    let ran = linkspan(&["tools", "--retries", "0", &url]);
    assert_eq!(ran.code, Some(3), "{ran}");
    assert!(ran.stderr.contains("does not speak TLS (https)"), "{ran}");
    assert!(ran.stderr.contains("try http://"), "{ran}");
}

// 3: the target cannot be reached or started.

#[test]
fn a_port_without_a_listener() {
    let port = Port::reserve();
    assert_snapshot!(linkspan(&["tools", "--retries", "0", &port.url()]), @"
    [stderr]
    error: cannot connect to http://127.0.0.1:PORT/mcp: tcp connect error: Connection refused (os error N)
    hint: check the URL and that the server is running
    [exit 3]
    ");
}

#[test]
fn a_command_that_is_not_there() {
    assert_snapshot!(linkspan(&["tools", "--", "no-such-server", "--flag"]), @"
    [stderr]
    error: cannot start `no-such-server`: No such file or directory (os error N)
    hint: install `no-such-server`, or give its full path
    [exit 3]
    ");
}

// 1: the server answered with an error.

#[test]
fn an_error_of_the_server() {
    let server = Server::legacy().start();
    let fail = |error: &str| {
        let arguments = serde_json::json!({ "error": error }).to_string();
        linkspan(&["call", "fail", &arguments, &server.url()])
    };
    assert_snapshot!(fail(r#"{"code":-32602,"message":"no such city"}"#), @"
    [stderr]
    error: the server says: no such city (-32602)
    hint: `fail` is not in the server's list of tools: echo
    [exit 1]
    ");
    assert_snapshot!(fail(r#"{"code":-1,"message":"no such city","data":"try Bern"}"#), @"
    [stderr]
    error: the server says: no such city (-1)
    data: try Bern
    hint: `fail` is not in the server's list of tools: echo
    [exit 1]
    ");
    assert_snapshot!(fail(r#"{"code":-1,"message":"broken","data":{"at":[1, 2]}}"#), @r#"
    [stderr]
    error: the server says: broken (-1)
    data: {"at":[1, 2]}
    hint: `fail` is not in the server's list of tools: echo
    [exit 1]
    "#);
}

fn refusing(status: u16, said: &'static str) -> Server {
    let hook = move |_: &Request, conn: &mut Conn| Flow::written(conn.reply(status, &[], said));
    Server::legacy().intercept(hook).start()
}

#[test]
fn a_server_that_wants_credentials() {
    let server = refusing(401, "who are you?");
    assert_snapshot!(linkspan(&["tools", &server.url()]), @"
    [stderr]
    error: http://127.0.0.1:PORT/mcp answered HTTP 401 (not authorized): who are you?
    hint: the server requires credentials and got none: --bearer-env VAR or --header 'Authorization: …'
    [exit 1]
    ");
}

#[test]
fn a_server_that_does_not_accept_the_credentials() {
    let server = refusing(401, "");
    let url = server.url();
    let run = Run::new(&["tools", "--bearer-env", "LINKSPAN_TEST_TOKEN", &url]);
    assert_snapshot!(run.env("LINKSPAN_TEST_TOKEN", "wrong").end(), @"
    [stderr]
    error: http://127.0.0.1:PORT/mcp answered HTTP 401 (not authorized)
    hint: the server does not accept the credentials that were sent: is the token right, and still valid?
    [exit 1]
    ");
}

#[test]
fn a_url_that_takes_no_messages() {
    let server = refusing(405, "");
    assert_snapshot!(linkspan(&["tools", &server.url()]), @"
    [stderr]
    error: http://127.0.0.1:PORT/mcp answered HTTP 405 (method not allowed)
    hint: this URL takes no MCP messages: check its path (often it ends in /mcp or /sse)
    [exit 1]
    ");
    assert_snapshot!(linkspan(&["tools", "--transport", "sse", &server.url()]), @"
    [stderr]
    error: http://127.0.0.1:PORT/mcp answered HTTP 405 (method not allowed)
    hint: there is no HTTP+SSE stream at this URL: leave --transport sse out, or check the path
    [exit 1]
    ");
}

/// `python3 -m http.server`
#[test]
fn a_web_server_without_mcp() {
    let server = refusing(501, "<h1>Unsupported method</h1>");
    assert_snapshot!(linkspan(&["tools", &server.url()]), @"
    [stderr]
    error: http://127.0.0.1:PORT/mcp answered HTTP 501 (not implemented)
    hint: this is a web server, but not an MCP server: check the URL (often it ends in /mcp or /sse)
    [exit 1]
    ");
}

#[test]
fn a_method_that_the_server_does_not_have() {
    let server = Server::legacy().start();
    assert_snapshot!(linkspan(&["prompts", &server.url()]), @"
    [stderr]
    error: the server says: Method not found (-32601)
    hint: this server does not offer `prompts/list`
    [exit 1]
    ");
}

// 4: the peer violated the protocol or exited.

#[test]
fn a_server_that_dies_during_the_call() {
    let server = Server::legacy().start();
    assert_snapshot!(linkspan(&["call", "die", &server.url()]), @"
    [stderr]
    error: the answer of http://127.0.0.1:PORT/mcp was lost: connection closed before message completed
    hint: the call may have run and was not repeated; check before calling again
    [exit 4]
    ");
}

#[test]
fn a_page_that_is_no_server() {
    let hook = |_: &Request, conn: &mut Conn| {
        Flow::written(conn.reply(200, &[("Content-Type", "text/html")], "<h1>Welcome</h1>"))
    };
    let server = Server::legacy().intercept(hook).start();
    assert_snapshot!(linkspan(&["tools", &server.url()]), @"
    [stderr]
    error: http://127.0.0.1:PORT/mcp sent no valid answer: it answered with a web page (text/html), not with an MCP message
    hint: check that this is an MCP server, and the URL its endpoint; --debug shows what came back
    [exit 4]
    ");
}

// 5: the tool reports that it failed.

#[test]
fn a_tool_that_failed() {
    let result = r#"{"content":[{"type":"text","text":"disk full"}],"isError":true}"#;
    let server = serving(&[("tools/call", result)]);
    assert_snapshot!(linkspan(&["call", "save", &server.url()]), @"
    disk full
    [stderr]
    hint: `save` is not in the server's list of tools: echo
    [exit 5]
    ");
    let ran = linkspan(&["call", "save", "--json", &server.url()]);
    assert_eq!((ran.code, ran.stdout), (Some(5), format!("{result}\n")));
}

// 6: no answer in time.

#[test]
fn a_call_that_takes_too_long() {
    let server = Server::legacy().start();
    let args = [
        "call",
        "gate",
        "name=never",
        "--timeout",
        "0.2",
        &server.url(),
    ];
    assert_snapshot!(linkspan(&args), @"
    [stderr]
    error: no answer within 0.2 s
    hint: raise --timeout if the server needs longer
    [exit 6]
    ");
}

#[test]
fn a_call_that_took_too_long_is_cancelled() {
    let server = Server::legacy().start();
    linkspan(&[
        "call",
        "gate",
        "name=never",
        "--timeout",
        "0.2",
        &server.url(),
    ]);
    assert_eq!(server.posts("notifications/cancelled").len(), 1);
}

#[test]
fn an_error_never_goes_to_stdout() {
    let hook = |request: &Request, conn: &mut Conn| match request.rpc() {
        Some("initialize") => answer(
            request,
            conn,
            r#""error":{"code":-32603,"message":"not today"}"#,
        ),
        _ => Flow::Pass,
    };
    let server = Server::legacy().intercept(hook).start();
    let ran = linkspan(&["tools", &server.url()]);
    assert_eq!((ran.code, &*ran.stdout), (Some(1), ""));
    assert!(ran.stderr.contains("not today"), "{ran}");
}

#[test]
fn a_proxy_that_cannot_be_used() {
    let ran = Run::new(&["tools", "https://mcp.example.test/mcp"])
        .env("HTTPS_PROXY", "http://me:secret@proxy:99999")
        .end();
    assert_snapshot!(ran, @"
    [stderr]
    error: the environment variable HTTPS_PROXY names no proxy that can be used: its value has a port that does not exist
    hint: give an http:// or socks5:// URL, or unset the variable; NO_PROXY names hosts that need no proxy
    [exit 2]
    ");
}

#[test]
fn an_answer_that_cannot_be_read() {
    let child = linkspan_testkit::child_program();
    let child = child.to_str().expect("our own path is UTF-8");
    let lines = r#"{"lines":["{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"x\":NaN}}"]}"#;
    let ran = linkspan(&["call", "raw", lines, "--", child]);
    assert_eq!(ran.code, Some(4), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("its answer is not a valid message"),
        "{}",
        ran.stderr
    );
}

#[test]
fn debug_lines_have_a_category() {
    let server = Server::legacy().start();
    let ran = linkspan(&["--debug", "tools", &server.url()]);
    assert!(
        ran.stderr.contains("DEBUG [http] POST `initialize` -> 200"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_hint_does_not_repeat_secrets() {
    for line in [
        &[
            "call",
            "https://ada:hush@x.invalid/mcp?k=hush",
            "hello",
            "name=x",
        ][..],
        &[
            "tools",
            "-H",
            "Authorization: Bearer hush",
            "--",
            "https://x.invalid/mcp?k=hush",
        ],
        &["tools", "-H", "X-Any: hush", "localhost:1/mcp?k=hush"],
        &["tools", "-HX-Any: hush", "npx"],
        &["tools", "--header=X-Any: hush", "npx", "-y", "x"],
    ] {
        let ran = linkspan(line);
        assert_eq!(ran.code, Some(2), "{line:?}\n{ran}");
        assert!(ran.stderr.contains("hint: linkspan "), "{line:?}\n{ran}");
        assert!(!ran.stderr.contains("hush"), "{line:?}\n{ran}");
    }
}
