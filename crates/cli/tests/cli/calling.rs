//! `call`, `read` and `prompt`.

use insta::assert_snapshot;
use linkspan_testkit::Server;

use crate::setup::{Run, Scratch, linkspan, serving};

/// The arguments of the tool call, as spelled.
fn arguments(server: &Server) -> String {
    let calls = server.calls("echo");
    let message = calls[0].message.as_ref().expect("a call is a message");
    message.at(&["params", "arguments"]).unwrap_or_default()
}

#[test]
fn arguments_can_be_json() {
    let server = Server::legacy().start();
    let json = r#"{"message":"hi", "n":0.10,"big":18446744073709551616}"#;
    assert_snapshot!(linkspan(&["call", "echo", json, &server.url()]), @r#"{"message":"hi", "n":0.10,"big":18446744073709551616}"#);
    assert_eq!(arguments(&server), json);
}

#[test]
fn arguments_can_be_pairs_and_the_schema_says_which_are_text() {
    let list = r#"{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"zip":{"type":"string"},"n":{"type":"integer"}},"additionalProperties":true}}]}"#;
    let server = serving(&[("tools/list", list)]);
    let args = [
        "call",
        "echo",
        "zip=8001",
        "n=3",
        "who=Ada and Bob",
        "list=[1]",
        "eq=a=b",
        &server.url(),
    ];
    assert_snapshot!(linkspan(&args), @r#"{"zip":"8001","n":3,"who":"Ada and Bob","list":[1],"eq":"a=b"}"#);
}

#[test]
fn arguments_can_come_from_a_file_or_stdin() {
    let scratch = Scratch::new("arguments");
    let file = scratch.write("arguments.json", r#"{"from":"file"}"#);
    let server = Server::legacy().start();
    let ran = linkspan(&["call", "echo", &format!("@{file}"), &server.url()]);
    assert_eq!(ran.stdout, "{\"from\":\"file\"}\n");
    let ran = Run::new(&["call", "echo", "-", &server.url()])
        .stdin(r#"{"from":"stdin"}"#)
        .end();
    assert_eq!(ran.stdout, "{\"from\":\"stdin\"}\n");
}

#[test]
fn a_tool_may_need_no_arguments() {
    let server = Server::legacy().start();
    assert_eq!(linkspan(&["call", "echo", &server.url()]).stdout, "{}\n");
    assert_eq!(arguments(&server), "");
}

#[test]
fn every_kind_of_content_is_shown() {
    let result = r#"{"content":[
        {"type":"text","text":"It is sunny.\nTake a hat."},
        {"type":"image","mimeType":"image/png","data":"aGVsbG8gd29ybGQh"},
        {"type":"audio","mimeType":"audio/wav","data":"AAA="},
        {"type":"resource","resource":{"uri":"file:///a.txt","mimeType":"text/plain","text":"the file"}},
        {"type":"resource","resource":{"uri":"file:///a.bin","blob":"AAAA"}},
        {"type":"resource_link","uri":"file:///b.txt","name":"b"},
        {"type":"of tomorrow","x":1}]}"#;
    let server = serving(&[("tools/call", &result.replace("\n        ", ""))]);
    assert_snapshot!(linkspan(&["call", "anything", &server.url()]), @r#"
    It is sunny.
    Take a hat.
    [image/png, about 12 bytes; --json shows them as base64]
    [audio/wav, about 3 bytes; --json shows them as base64]
    [file:///a.txt]
    the file
    [file:///a.bin]
    [about 3 bytes; --json shows them as base64]
    [file:///b.txt] b
    {"type":"of tomorrow","x":1}
    "#);
}

#[test]
fn json_is_the_result_as_the_server_spelled_it() {
    let result = "{ \"content\" : [{\"text\":\"\\u0041 \u{7f}\u{9b}31m\",\"type\":\"text\"}],\"n\":0.10, \"big\":18446744073709551616,\"e\":1e400,\"n\":1 }";
    let server = serving(&[("tools/call", result)]);
    let ran = linkspan(&["call", "anything", "--json", &server.url()]);
    assert_eq!(ran.stdout, format!("{result}\n"));
}

#[test]
fn a_resource_is_printed_as_it_is() {
    let text = r#"{"contents":[{"uri":"file:///a","text":"one\ntwo"},{"uri":"file:///b","mimeType":"image/png","blob":"aGVsbG8gd29ybGQh"}]}"#;
    let server = serving(&[("resources/read", text)]);
    assert_snapshot!(linkspan(&["read", "file:///a", &server.url()]), @"
    one
    two
    [image/png, about 12 bytes; --json shows them as base64]
    ");
    let ran = linkspan(&["read", "file:///a", "--json", &server.url()]);
    assert_eq!(ran.stdout, format!("{text}\n"));
    let asked = server.posts("resources/read")[0]
        .message
        .as_ref()
        .unwrap()
        .at(&["params"]);
    assert_eq!(asked.as_deref(), Some(r#"{"uri":"file:///a"}"#));
}

#[test]
fn a_prompt_is_printed_with_who_says_what() {
    let result = r#"{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"Look at this."}},{"role":"assistant","content":[{"type":"text","text":"I see."}]}]}"#;
    let server = serving(&[("prompts/get", result)]);
    let ran = linkspan(&[
        "prompt",
        "review",
        "code=1",
        "style=short words",
        &server.url(),
    ]);
    assert_snapshot!(ran, @"
    user:
    Look at this.
    assistant:
    I see.
    ");
    let asked = server.posts("prompts/get")[0]
        .message
        .as_ref()
        .unwrap()
        .at(&["params", "arguments"]);
    assert_eq!(
        asked.as_deref(),
        Some(r#"{"code":"1","style":"short words"}"#)
    );
    let ran = linkspan(&["prompt", "review", "--json", &server.url()]);
    assert_eq!(ran.stdout, format!("{result}\n"));
}

#[test]
fn flags_may_stand_anywhere_before_the_command() {
    let server = Server::legacy().start();
    let url = server.url();
    for args in [
        ["call", "--json", "echo", "n=1", &url],
        ["call", "echo", "--json", "n=1", &url],
        ["call", "echo", "n=1", &url, "--json"],
    ] {
        let ran = linkspan(&args);
        assert_eq!(
            ran.stdout, "{\"content\":[],\"structuredContent\":{\"n\":1}}\n",
            "{args:?}"
        );
    }
}

#[test]
fn a_question_of_the_server_does_not_stop_the_call() {
    let server = Server::legacy().start();
    let ran = linkspan(&["call", "sample", &server.url()]);
    assert_eq!(ran.code, Some(0));
    assert!(
        ran.stdout.contains("-32601"),
        "the server gets an error for its question: {ran}"
    );
}

const GREET: &str = r#"{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"name":{"type":"string"},"times":{"type":"integer"}},"required":["name"]}},{"name":"add"}]}"#;

#[test]
fn a_misspelt_argument_is_not_sent() {
    let server = serving(&[("tools/list", GREET)]);
    let pair = linkspan(&["call", "echo", "nme=x", &server.url()]);
    assert_snapshot!(pair, @"
    [stderr]
    error: `echo` has no argument `nme`; did you mean `name`?
    hint: `echo` takes name (string, required), times (integer); --unchecked sends them as they are
    [exit 2]
    ");
    let json = linkspan(&["call", "echo", r#"{"nme":"x"}"#, &server.url()]);
    assert_eq!(json.to_string(), pair.to_string());
    assert!(server.calls("echo").is_empty());
}

#[test]
fn an_argument_that_is_missing_or_of_the_wrong_type_is_not_sent() {
    let server = serving(&[("tools/list", GREET)]);
    assert_snapshot!(linkspan(&["call", "echo", &server.url()]), @r#"
    [stderr]
    error: the arguments of `echo` do not fit: "name" is a required property
    hint: `echo` takes name (string, required), times (integer); --unchecked sends them as they are
    [exit 2]
    "#);
    let ran = linkspan(&["call", "echo", "name=x", "times=often", &server.url()]);
    assert_eq!(ran.code, Some(2), "{ran}");
    assert!(ran.stderr.contains("/times"), "{ran}");
    assert!(server.calls("echo").is_empty());
}

#[test]
fn arguments_are_sent_unchecked_if_that_is_wanted() {
    let server = serving(&[("tools/list", GREET)]);
    let ran = linkspan(&["call", "--unchecked", "echo", "nme=x", &server.url()]);
    assert_eq!(ran.stdout, "{\"nme\":\"x\"}\n");
}

#[test]
fn a_tool_that_is_not_there_gets_the_list() {
    let error = r#""error":{"code":-32602,"message":"Unknown tool"}"#;
    let hook = |request: &linkspan_testkit::Request, conn: &mut linkspan_testkit::Conn| {
        match request.rpc() {
            Some("tools/list") => {
                crate::setup::answer(request, conn, &format!(r#""result":{GREET}"#))
            }
            Some("tools/call") => crate::setup::answer(request, conn, error),
            _ => linkspan_testkit::Flow::Pass,
        }
    };
    let server = Server::legacy().intercept(hook).start();
    assert_snapshot!(linkspan(&["call", "nope", &server.url()]), @"
    [stderr]
    error: the server says: Unknown tool (-32602)
    hint: `nope` is not in the server's list of tools: echo, add
    [exit 1]
    ");
    assert_snapshot!(linkspan(&["call", "ehco", &server.url()]), @"
    [stderr]
    error: the server says: Unknown tool (-32602)
    hint: did you mean `echo`? Its tools: echo, add
    [exit 1]
    ");
}

/// Python servers answer with a result whose `isError` is set.
#[test]
fn a_tool_that_fails_because_it_is_not_there_gets_the_list_too() {
    let failed = r#"{"content":[{"type":"text","text":"Unknown tool: nope"}],"isError":true}"#;
    let server = serving(&[("tools/list", GREET), ("tools/call", failed)]);
    assert_snapshot!(linkspan(&["call", "nope", &server.url()]), @"
    Unknown tool: nope
    [stderr]
    hint: `nope` is not in the server's list of tools: echo, add
    [exit 5]
    ");
}

#[test]
fn a_server_that_does_not_list_its_tools_can_be_called() {
    let hook = |request: &linkspan_testkit::Request, conn: &mut linkspan_testkit::Conn| {
        match request.rpc() {
            Some("tools/list") => {
                crate::setup::answer(request, conn, r#""error":{"code":-32601,"message":"no"}"#)
            }
            _ => linkspan_testkit::Flow::Pass,
        }
    };
    let server = Server::legacy().intercept(hook).start();
    let ran = linkspan(&["call", "echo", "n=1", &server.url()]);
    assert_eq!(ran.to_string(), "{\"n\":1}\n");
}

#[test]
fn an_answer_may_come_in_a_batch() {
    let child = linkspan_testkit::child_program();
    let child = child.to_str().expect("our own path is UTF-8");
    let lines = r#"{"lines":["[{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"batched\"}]}}]"]}"#;
    assert_snapshot!(linkspan(&["call", "raw", lines, "--", child]), @"batched");
}
