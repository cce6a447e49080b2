//! Every error says what to do next, on stderr, and has its exit code.

use insta::assert_snapshot;
use linkspan_testkit::{Conn, Flow, Port, Request, Server};

use crate::setup::{Run, Scratch, answer, linkspan, serving};

// 2: the command line is wrong.

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
fn what_is_no_command_after_the_dashes_gets_the_right_line() {
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
fn a_misspelt_command_of_shrink() {
    for word in ["stat", "tri"] {
        let ran = linkspan(&["shrink", word]);
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains("did you mean `"), "{ran}");
    }
}

#[test]
fn a_token_given_in_place_of_a_variable_is_not_shown() {
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    for line in [
        [
            "tools",
            "--bearer-env",
            token,
            "https://mcp.example.com/mcp",
        ],
        [
            "expose",
            "--token-env",
            token,
            "https://mcp.example.com/mcp",
        ],
    ] {
        let ran = linkspan(&line);
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains("takes the name"), "{ran}");
        assert!(!ran.stderr.contains("ghp_"), "{ran}");
    }
}

#[test]
fn an_address_to_listen_on_that_is_no_ip_address() {
    let ran = linkspan(&[
        "expose",
        "--host",
        "myhost:80",
        "https://mcp.example.com/mcp",
    ]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("the port goes into --port"), "{ran}");
}

/// A port where each connection gets these bytes as soon as it has sent something.
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
                // Until the other side has closed it.
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

#[test]
fn a_misspelt_argument_of_a_tool_in_a_folder() {
    let scratch = Scratch::new("misspelt-argument");
    let folder = scratch.file("my-server");
    assert_eq!(linkspan(&["new", &folder]).code, Some(0));
    let ran = linkspan(&["run-tool", &folder, "hello", "nme=x"]);
    assert_eq!(ran.code, Some(5), "{ran}");
    assert!(ran.stderr.contains("did you mean `name`?"), "{ran}");
    let ran = linkspan(&["run-tool", "--unchecked", &folder, "hello", "nme=x"]);
    assert_eq!(ran.code, Some(0), "{ran}");
}

#[test]
fn an_output_without_its_flag_is_put_behind_it() {
    assert_snapshot!(linkspan(&["bcp", "encode", "notes", "context-2.bcp"]), @"
    [stderr]
    error: --output is missing: the BCP file to write
    hint: linkspan bcp encode notes -o context-2.bcp
    [exit 2]
    ");
}

#[test]
fn a_number_that_is_negative() {
    assert_snapshot!(linkspan(&["tools", "--timeout", "-1", "https://mcp.example.com/mcp"]), @"
    [stderr]
    error: `--timeout -1`: the value cannot be negative
    hint: --help tells what it takes
    [exit 2]
    ");
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
fn a_resource_without_a_server() {
    assert_snapshot!(linkspan(&["read", "https://mcp.example.com/mcp"]), @"
    [stderr]
    error: no target
    hint: the target comes last: a URL, a folder, or a command after `--`
    [exit 2]
    ");
    assert_snapshot!(linkspan(&["read", "a", "b", "https://mcp.example.com/mcp"]), @"
    [stderr]
    error: unexpected argument `b`
    hint: linkspan read URI TARGET
    [exit 2]
    ");
}

#[test]
fn plain_http_to_another_machine() {
    assert_snapshot!(linkspan(&["tools", "http://mcp.example.com/mcp"]), @"
    [stderr]
    error: plain http:// to `mcp.example.com`, which is not this machine
    hint: use https://, or --insecure-http if the network is yours alone
    [exit 2]
    ");
}

#[test]
fn a_header_without_a_colon() {
    let url = "https://mcp.example.com/mcp";
    assert_snapshot!(linkspan(&["tools", "-H", "secret", url]), @"
    [stderr]
    error: a header has the form 'NAME: VALUE'
    hint: for example -H 'X-Api-Key: ${API_KEY}'
    [exit 2]
    ");
}

#[test]
fn a_variable_that_is_not_set() {
    let url = "https://mcp.example.com/mcp";
    let header = "X-Key: ${LINKSPAN_TEST_IS_NOT_SET}";
    assert_snapshot!(linkspan(&["tools", "-H", header, url]), @"
    [stderr]
    error: the environment variable LINKSPAN_TEST_IS_NOT_SET is not set
    hint: export LINKSPAN_TEST_IS_NOT_SET=… before starting, or put it into the client's `env`
    [exit 2]
    ");
    let ran = linkspan(&["tools", "--bearer-env", "LINKSPAN_TEST_IS_NOT_SET", url]);
    assert_eq!(ran.code, Some(2));
}

#[test]
fn arguments_that_are_no_json_object() {
    let url = "https://mcp.example.com/mcp";
    assert_snapshot!(linkspan(&["call", "echo", "{\"a\": ", url]), @r#"
    [stderr]
    error: the arguments are not JSON: the text ends too early
    hint: for example '{"message":"hi"}', in single quotes
    [exit 2]
    "#);
    assert_snapshot!(linkspan(&["call", "echo", "word", url]), @"
    [stderr]
    error: `word` is no argument
    hint: write a JSON object, name=value, @file or - for stdin; the target comes last
    [exit 2]
    ");
    assert_snapshot!(linkspan(&["call", "echo", "@/no/such/file", url]), @"
    [stderr]
    error: cannot read /no/such/file: No such file or directory (os error N)
    [exit 2]
    ");
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
    assert_snapshot!(linkspan(&["tools", "--max-message", "much", url]), @"
    [stderr]
    error: invalid value 'much' for '--max-message <SIZE>': not a size; write for example 64MiB

    For more information, try '--help'.
    [exit 2]
    ");
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
    hint: the server wants credentials and got none: --bearer-env VAR or --header 'Authorization: …'
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

// 4: the peer broke the protocol or died.

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

// 5: the tool says that it failed.

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

#[test]
fn a_header_that_belongs_to_the_connection() {
    let ran = linkspan(&["tools", "-H", "Content-Length: 3", "http://127.0.0.1:1/mcp"]);
    assert_snapshot!(ran, @"
    [stderr]
    error: the header `Content-Length` is a part of the connection and cannot be set
    hint: leave out this -H (--header); linkspan sends it where it is needed
    [exit 2]
    ");
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
fn an_answer_that_cannot_be_read() {
    let child = linkspan_testkit::child_program();
    let child = child.to_str().expect("our own path is UTF-8");
    let lines = r#"{"lines":["{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"x\":NaN}}"]}"#;
    let ran = linkspan(&["call", "raw", lines, "--", child]);
    assert_eq!(ran.code, Some(4), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("its answer is no message"),
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
