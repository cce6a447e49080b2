//! `--tools`: shorter lists of tools, details on demand, and checks of calls.

use linkspan_testkit::Message;
use serde_json::json;

use crate::samples;
use crate::setup::{Era, LATEST, Line, assert_untouched, one_text, result_of, shrink};

/// The tool `say` of the scripted server, with a definition that can get shorter, and one that cannot.
const TOOLS: &str = r#""tools":[{"name":"say","description":"Says it. And a second sentence.","inputSchema":{"type":"object","properties":{"file":{"type":"string","description":"A file with a result"}},"required":["file"]},"annotations":{"title": "Say"}},{"name":"echo","inputSchema":{"type":"object"}}],"vendor":0.10"#;

fn line(flags: &[&str], client: Era, server: Era) -> Line {
    let words: Vec<&str> = ["connect"].iter().chain(flags).copied().collect();
    shrink(&[])
        .by(&words)
        .tools(TOOLS)
        .eras(client, server)
        .ready()
}

fn list(line: &Line) -> Message {
    line.ask("tools/list", &json!({}))
}

fn is_error(answer: &Message) -> bool {
    answer.json()["result"]["isError"] == true
}

#[test]
fn clients_of_both_eras_get_a_shorter_list_and_details_of_servers_of_both() {
    for (client, server) in [
        (Era::Legacy, Era::Legacy),
        (Era::Legacy, Era::Modern),
        (Era::Modern, Era::Legacy),
        (Era::Modern, Era::Modern),
    ] {
        let line = line(&["--tools", "thin"], client, server);
        let first = list(&line);
        assert!(
            first.text.contains(r#"{"name":"say","description":"Says it.","inputSchema":{"type":"object"},"annotations":{"title": "Say"}}"#),
            "{client:?}, {server:?}: {}",
            first.text
        );
        assert_eq!(line.tool_names(), ["say", "echo", "tool_details"]);
        let details = line.call("tool_details", &json!({"names": ["say"]}));
        assert_eq!(
            one_text(&details),
            "say\nSays it. And a second sentence.\nArguments (* = required):\n- file* string: A file with a result"
        );
        let refused = line.call("say", &json!({"path": "x"}));
        assert!(is_error(&refused) && one_text(&refused).contains("say was not called"));
        let text = samples::prose();
        assert_eq!(line.given(&text), text, "the call has reached the server");
        let wrapped = json!({"args": line.place.saying(line.spelled(&result_of("meant")))});
        assert_eq!(one_text(&line.call("say", &wrapped)), "meant");
    }
}

#[test]
fn without_the_flag_the_list_passes_unchanged() {
    for flags in [&[][..], &["--tools", "full"], &["--tools", "auto"]] {
        let line = line(flags, Era::Legacy, Era::Legacy);
        assert_untouched(&list(&line), &format!("{{{TOOLS}}}"));
    }
}

#[test]
fn a_budget_alone_shortens_what_exceeds_it_except_for_clients_that_defer_definitions() {
    let setting = || {
        shrink(&[])
            .by(&["connect", "--tools-budget", "10"])
            .tools(TOOLS)
    };
    assert!(
        list(&setting().ready())
            .text
            .contains(r#""description":"Says it.""#)
    );
    let deferring = setting().named("claude-code").ready();
    assert_untouched(&list(&deferring), &format!("{{{TOOLS}}}"));
}

#[test]
fn the_tools_of_other_layers_are_in_the_list_too() {
    let line = line(
        &["--tools", "search", "--long-calls"],
        Era::Legacy,
        Era::Legacy,
    );
    assert_eq!(
        line.tool_names(),
        ["find_tools", "tool_details", "call_tool"]
    );
    let found = line.call("find_tools", &json!({"query": "wait for a call"}));
    assert!(one_text(&found).starts_with("wait_for\n"), "{}", found.text);
    let arguments = line.place.saying(result_of("hidden"));
    let called = line.call("call_tool", &json!({"name": "say", "arguments": arguments}));
    assert_eq!(one_text(&called), "hidden");
}

#[test]
fn expose_shortens_lists_for_clients_of_both_eras() {
    for flags in [&["--tools", "brief"][..], &["--tools", "brief", "--share"]] {
        let (http, _place) = shrink(flags).by(&["expose"]).tools(TOOLS).over_http();
        let session = http.client().session(LATEST);
        let modern = http.client().modern();
        for answer in [
            session.request("1", "tools/list", &json!({})).answer(),
            modern.request("1", "tools/list", &json!({})).answer(),
        ] {
            let tools = &answer.json()["result"]["tools"];
            assert_eq!(
                tools[0]["inputSchema"],
                json!({"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"]})
            );
            assert_eq!(tools[2]["name"], "tool_details");
        }
        // A modern client may call without having listed anything.
        let details = json!({"names": ["say"]});
        let fresh = http.client().modern().tool("2", "tool_details", &details);
        assert!(
            one_text(&fresh).contains("A file with a result"),
            "{}",
            fresh.text
        );
        let refused = session.tool("3", "say", &json!({}));
        assert!(
            one_text(&refused).contains("say was not called"),
            "{}",
            refused.text
        );
    }
}

#[test]
fn the_former_flag_of_shrink_is_brief() {
    for flag in [&["--slim-tools"][..], &["--tools", "brief"]] {
        let flags: Vec<&str> = flag.iter().chain(&["--no-bcp-tools"]).copied().collect();
        let line = shrink(&flags).tools(TOOLS).ready();
        let tools = line.tools();
        assert_eq!(tools[0]["description"], "Says it.");
        assert!(tools[0]["inputSchema"]["properties"]["file"]["description"].is_null());
    }
}
