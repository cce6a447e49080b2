//! `tools`, `resources`, `prompts` and `ping`.

use insta::assert_snapshot;
use linkspan_testkit::{Conn, Flow, Request, Server};

use crate::setup::{answer, hide_number, linkspan, serving};

const TOOLS: &str = r#"{"tools": [
    {"name":"get_weather","title":"Weather","description":"Tells the weather.\nOf one city only.","inputSchema":{"type":"object","properties":{
        "city":{"type":"string","description":"Where, as a name\nor a postcode"},
        "days":{"type":["integer","null"],"description":"How far ahead"},
        "extra":{}},"required":["city"]}},
    {"name":"now","inputSchema":{"type":"object"}} ]}"#;

/// `TOOLS` on one line, as it is sent.
fn tools() -> String {
    TOOLS.replace('\n', "").replace("    ", "")
}

#[test]
fn tools_are_listed_with_what_they_take() {
    let server = serving(&[("tools/list", &tools())]);
    assert_snapshot!(linkspan(&["tools", &server.url()]), @"
    get_weather  Weather
        Tells the weather.
        Of one city only.
          city string required  Where, as a name
          days integer|null  How far ahead
          extra any
    now
    ");
}

#[test]
fn no_line_of_a_list_ends_in_white_space() {
    let server = serving(&[("tools/list", &tools())]);
    let ran = linkspan(&["tools", &server.url()]);
    for line in ran.stdout.lines() {
        assert_eq!(line, line.trim_end());
    }
}

#[test]
fn json_is_the_list_as_the_server_spelled_it() {
    let server = serving(&[("tools/list", &tools())]);
    let ran = linkspan(&["tools", "--json", &server.url()]);
    assert_eq!(ran.stdout, tools() + "\n");
}

#[test]
fn the_cost_of_a_list_is_a_row_per_tool_and_a_column_per_level() {
    let server = serving(&[("tools/list", &tools())]);
    assert_snapshot!(linkspan(&["tools", "--cost", &server.url()]), @"
    tool                                                   full     brief      thin
    get_weather                                              73        48        20
    now                                                      12        12        12
    total of 2 tools                                         85        60        32
    saved                                                 0.0 %    29.4 %    62.4 %
    Tokens as counted by o200k.
    ");
    let json = linkspan(&["tools", "--cost", "--json", &server.url()]);
    assert_snapshot!(json, @r#"{"tokenizer":"o200k","tools":[{"name":"get_weather","full":73,"brief":48,"thin":20},{"name":"now","full":12,"brief":12,"thin":12}],"total":{"full":85,"brief":60,"thin":32}}"#);
}

#[test]
fn all_pages_of_a_list_are_fetched() {
    let hook = |request: &Request, conn: &mut Conn| {
        let cursor = request
            .message
            .as_ref()
            .and_then(|m| m.string_at(&["params", "cursor"]));
        match (request.rpc(), cursor.as_deref()) {
            (Some("tools/list"), None) => answer(
                request,
                conn,
                r#""result":{"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"more"}"#,
            ),
            (Some("tools/list"), Some("more")) => answer(
                request,
                conn,
                r#""result":{"tools":[{"name":"c","x":1.50}]}"#,
            ),
            _ => Flow::Pass,
        }
    };
    let server = Server::legacy().intercept(hook).start();
    assert_eq!(linkspan(&["tools", &server.url()]).stdout, "a\nb\nc\n");
    let ran = linkspan(&["tools", "--json", &server.url()]);
    assert_eq!(
        ran.stdout,
        "{\"tools\":[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\",\"x\":1.50}]}\n"
    );
}

#[test]
fn a_server_without_tools_is_listed_as_such() {
    let server = serving(&[("tools/list", r#"{"tools":[]}"#)]);
    assert_snapshot!(linkspan(&["tools", &server.url()]), @"
    [stderr]
    the server has no tools
    ");
    assert_eq!(
        linkspan(&["tools", "--json", &server.url()]).stdout,
        "{\"tools\":[]}\n"
    );
}

const RESOURCES: &str = r#"{"resources":[{"uri":"file:///notes.md","name":"notes","title":"My notes","mimeType":"text/markdown","description":"What I think."},{"uri":"db://rows","name":"rows"}]}"#;
const TEMPLATES: &str = r#"{"resourceTemplates":[{"uriTemplate":"file:///{path}","name":"any file","description":"By path."}]}"#;

#[test]
fn resources_are_listed_and_then_their_templates() {
    let server = serving(&[
        ("resources/list", RESOURCES),
        ("resources/templates/list", TEMPLATES),
    ]);
    assert_snapshot!(linkspan(&["resources", &server.url()]), @"
    file:///notes.md  notes
        text/markdown
        What I think.
    db://rows  rows
    file:///{path}  any file
        By path.
    ");
}

#[test]
fn a_server_need_not_have_templates() {
    let server = serving(&[(
        "resources/list",
        r#"{"resources":[{"uri":"db://rows","name":"rows"}]}"#,
    )]);
    assert_snapshot!(linkspan(&["resources", &server.url()]), @"db://rows  rows");
}

#[test]
fn resources_as_json_are_one_value() {
    let server = serving(&[
        ("resources/list", RESOURCES),
        ("resources/templates/list", TEMPLATES),
    ]);
    let ran = linkspan(&["resources", "--json", &server.url()]);
    let value: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one JSON value");
    assert_eq!(value["resources"][1]["uri"], "db://rows");
    assert_eq!(value["resourceTemplates"][0]["name"], "any file");
}

#[test]
fn prompts_are_listed_with_what_they_take() {
    let prompts = r#"{"prompts":[{"name":"review","title":"Review code","description":"Looks for mistakes.","arguments":[{"name":"code","description":"The code","required":true},{"name":"style"}]},{"name":"greet"}]}"#;
    let server = serving(&[("prompts/list", prompts)]);
    assert_snapshot!(linkspan(&["prompts", &server.url()]), @"
    review  Review code
        Looks for mistakes.
          code required  The code
          style
    greet
    ");
}

#[test]
fn a_ping_can_be_read_by_programs() {
    for server in [Server::legacy().start(), Server::modern().start()] {
        let ran = linkspan(&["ping", "--json", &server.url()]);
        let told: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert!(told["ms"].as_f64().is_some_and(|ms| ms >= 0.0), "{ran}");
    }
}

#[test]
fn a_ping_says_how_fast_the_answer_came() {
    for server in [
        Server::legacy().start(),
        Server::sse().start(),
        Server::modern().start(),
    ] {
        let ran = linkspan(&["ping", &server.url()]);
        let told = hide_number(&ran.to_string(), "answered in ", "N");
        assert_eq!(told, "answered in N ms\n");
    }
}

#[test]
fn the_session_is_ended_when_the_list_is_there() {
    let server = serving(&[("tools/list", &tools())]);
    linkspan(&["tools", &server.url()]);
    assert_eq!(server.with_method("DELETE").len(), 1);
}

#[test]
fn servers_of_every_era_are_listed() {
    for server in [
        Server::legacy().start(),
        Server::legacy().json().start(),
        Server::sse().start(),
        Server::modern().start(),
    ] {
        assert_eq!(
            linkspan(&["tools", &server.url()]).stdout,
            "echo\n",
            "{}",
            server.url()
        );
    }
}

#[test]
fn a_cursor_that_is_repeated_or_empty_ends_the_list_with_a_warning() {
    for (cursor, said) in [
        ("x", r#"the `nextCursor` "x" again"#),
        ("", "an empty `nextCursor`"),
    ] {
        let page =
            format!(r#"{{"tools":[{{"name":"one","inputSchema":{{}}}}],"nextCursor":"{cursor}"}}"#);
        let server = serving(&[("tools/list", &page)]);
        let ran = linkspan(&["tools", &server.url()]);
        assert_eq!(
            (ran.code, &*ran.stdout),
            (Some(0), "one\n"),
            "{}",
            ran.stderr
        );
        assert!(
            ran.stderr.contains("warning: ") && ran.stderr.contains(said),
            "{}",
            ran.stderr
        );
        assert!(server.posts("tools/list").len() <= 2);
    }
}
