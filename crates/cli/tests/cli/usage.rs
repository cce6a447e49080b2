//! A command line that is wrong: exit code 2, and the line that would be right.

use insta::assert_snapshot;

use crate::setup::{Scratch, linkspan};

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
    hint: --help lists its values
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
    error: `word` is not an argument
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
