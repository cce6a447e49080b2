//! Every error says what to do next, on stderr, and has its exit code.

use insta::assert_snapshot;
use linkspan_testkit::{Conn, Flow, Port, Request, Server};

use crate::setup::{answer, linkspan, serving};

// 2: the command line is wrong.

#[test]
fn a_target_that_is_no_url() {
    assert_snapshot!(linkspan(&["tools", "nonsense"]), @"");
    assert_snapshot!(linkspan(&["connect", "ftp://example.com/mcp"]), @"");
}

#[test]
fn a_missing_target() {
    assert_snapshot!(linkspan(&["tools"]), @"");
    assert_snapshot!(linkspan(&["call", "echo"]), @"");
    assert_snapshot!(linkspan(&["call"]), @"");
}

#[test]
fn two_targets() {
    let ran = linkspan(&["tools", "https://mcp.example.com/mcp", "--", "server"]);
    assert_snapshot!(ran, @"");
}

#[test]
fn a_resource_without_a_server() {
    assert_snapshot!(linkspan(&["read", "https://mcp.example.com/mcp"]), @"");
    assert_snapshot!(linkspan(&["read", "a", "b", "https://mcp.example.com/mcp"]), @"");
}

#[test]
fn plain_http_to_another_machine() {
    assert_snapshot!(linkspan(&["tools", "http://mcp.example.com/mcp"]), @"");
}

#[test]
fn a_header_without_a_colon() {
    let url = "https://mcp.example.com/mcp";
    assert_snapshot!(linkspan(&["tools", "-H", "secret", url]), @"");
}

#[test]
fn a_variable_that_is_not_set() {
    let url = "https://mcp.example.com/mcp";
    let header = "X-Key: ${LINKSPAN_TEST_IS_NOT_SET}";
    assert_snapshot!(linkspan(&["tools", "-H", header, url]), @"");
    let ran = linkspan(&["tools", "--bearer-env", "LINKSPAN_TEST_IS_NOT_SET", url]);
    assert_eq!(ran.code, Some(2));
}

#[test]
fn arguments_that_are_no_json_object() {
    let url = "https://mcp.example.com/mcp";
    assert_snapshot!(linkspan(&["call", "echo", "{\"a\": ", url]), @"");
    assert_snapshot!(linkspan(&["call", "echo", "word", url]), @"");
    assert_snapshot!(linkspan(&["call", "echo", "@/no/such/file", url]), @"");
}

#[test]
fn numbers_that_are_none() {
    let url = "https://mcp.example.com/mcp";
    for (flag, value) in [
        ("--timeout", "soon"),
        ("--timeout", "-1"),
        ("--max-message", "much"),
        ("--retries", "-1"),
    ] {
        let ran = linkspan(&["tools", &format!("{flag}={value}"), url]);
        assert_eq!(ran.code, Some(2), "{flag} {value}");
        assert!(
            ran.stderr.contains(flag) && ran.stderr.contains(value),
            "{ran}"
        );
    }
    assert_snapshot!(linkspan(&["tools", "--max-message", "much", url]), @"");
}

// 3: the target cannot be reached or started.

#[test]
fn a_port_where_nobody_listens() {
    let port = Port::reserve();
    assert_snapshot!(linkspan(&["tools", "--retries", "0", &port.url()]), @"");
}

#[test]
fn a_command_that_is_not_there() {
    assert_snapshot!(linkspan(&["tools", "--", "no-such-server", "--flag"]), @"");
}

// 1: the server answered with an error.

#[test]
fn an_error_of_the_server() {
    let server = Server::legacy().start();
    let error = r#"error={"code":-32602,"message":"no such city","data":"try Bern"}"#;
    assert_snapshot!(linkspan(&["call", "fail", error, &server.url()]), @"");
    let error = r#"error={"code":-1,"message":"broken","data":{"at":[1, 2]}}"#;
    assert_snapshot!(linkspan(&["call", "fail", error, &server.url()]), @"");
}

#[test]
fn a_server_that_wants_credentials() {
    let hook = |_: &Request, conn: &mut Conn| Flow::written(conn.reply(401, &[], "who are you?"));
    let server = Server::legacy().intercept(hook).start();
    assert_snapshot!(linkspan(&["tools", &server.url()]), @"");
}

#[test]
fn a_method_that_the_server_does_not_have() {
    let server = Server::legacy().start();
    assert_snapshot!(linkspan(&["prompts", &server.url()]), @"");
}

// 4: the peer broke the protocol or died.

#[test]
fn a_server_that_dies_during_the_call() {
    let server = Server::legacy().start();
    assert_snapshot!(linkspan(&["call", "die", &server.url()]), @"");
}

#[test]
fn a_page_that_is_no_server() {
    let hook = |_: &Request, conn: &mut Conn| {
        Flow::written(conn.reply(200, &[("Content-Type", "text/html")], "<h1>Welcome</h1>"))
    };
    let server = Server::legacy().intercept(hook).start();
    assert_snapshot!(linkspan(&["tools", &server.url()]), @"");
}

// 5: the tool says that it failed.

#[test]
fn a_tool_that_failed() {
    let result = r#"{"content":[{"type":"text","text":"disk full"}],"isError":true}"#;
    let server = serving(&[("tools/call", result)]);
    assert_snapshot!(linkspan(&["call", "save", &server.url()]), @"");
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
    assert_snapshot!(linkspan(&args), @"");
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
fn a_sign_of_life_is_no_timeout() {
    let hook = |request: &Request, conn: &mut Conn| {
        if request.rpc() != Some("tools/call") {
            return Flow::Pass;
        }
        let id = request.message.as_ref().and_then(|m| m.id.clone()).unwrap();
        let note = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#;
        let told = conn.start_sse(&[]).and_then(|()| {
            for _ in 0..8 {
                std::thread::sleep(std::time::Duration::from_millis(100));
                conn.chunk(&format!("data: {note}\n\n"))?;
            }
            conn.chunk(&format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"at last\"}}]}}}}\n\n"))?;
            conn.end()
        });
        Flow::written(told)
    };
    let server = Server::legacy().intercept(hook).start();
    let ran = linkspan(&["call", "slow", "--timeout", "0.5", &server.url()]);
    assert_eq!(ran.to_string(), "at last\n");
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
