//! Prompts and their completions.

use serde_json::json;

use crate::setup::Project;

fn project() -> Project {
    Project::new()
        .file("prompts/greet.txt", "Hello {{name}} from ${place}, {{unknown}}.\n\n")
        .file(
            "prompts/greet.meta.json",
            r#"{"name":"greet","description":"G","arguments":{"type":"object","properties":{"name":{},"place":{}}}}"#,
        )
}

#[test]
fn placeholders_are_replaced_once_with_unchanged_values() {
    let project = project();
    let mut server = project.serve();
    let values = json!({"name": "A\n\"{{place}}\" $& \\1", "place": "Lyon"});
    let got = server.ask("prompts/get", json!({"name": "greet", "arguments": values}));
    let text = "Hello A\n\"{{place}}\" $& \\1 from Lyon, {{unknown}}.";
    assert_eq!(
        got["messages"][0]["content"],
        json!({"type": "text", "text": text})
    );
    assert_eq!(got["messages"][0]["role"], "user");
    assert_eq!(got["description"], "G");
    assert_eq!(got["text"], text);
    assert_eq!(
        server.fails("prompts/get", json!({"name": "none"})),
        (-32602, "Prompt not found".to_owned())
    );
    assert_eq!(server.fails("prompts/get", json!({})).0, -32602);
}

#[test]
fn an_argument_without_a_completion_script_gets_suggestions() {
    let project = project();
    let mut server = project.serve();
    let asked = json!({"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "name", "value": "pl"}});
    let got = server.ask("completion/complete", asked);
    assert_eq!(
        got["completion"]["values"],
        json!(["pl", "pl snippet", "pl example"])
    );
    assert_eq!(got["completion"]["hasMore"], false);
}

#[test]
fn a_script_beside_a_prompt_completes_it_page_by_page() {
    let script = r#"#!/usr/bin/env bash
if [ "${MCP_COMPLETION_OFFSET}" = 0 ]; then
  printf '{"values":["%s-1","%s-2"],"hasMore":true,"next":2}' "${MCP_COMPLETION_NAME}" "$(printf '%s' "${MCP_COMPLETION_ARGS_JSON}" | "${MCPBASH_JSON_TOOL_BIN}" -r .query)"
else
  printf '["last"]'
fi
"#;
    let project = project().program("prompts/greet.completion.sh", script);
    let mut server = project.serve();
    let mut asked = json!({"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "name", "value": "q"}, "limit": 2});
    let got = server.ask("completion/complete", asked.clone());
    assert_eq!(got["completion"]["values"], json!(["greet-1", "q-2"]));
    assert_eq!(got["completion"]["hasMore"], true);
    asked["cursor"] = got["completion"]["nextCursor"].clone();
    let got = server.ask("completion/complete", asked.clone());
    assert_eq!(got["completion"]["values"], json!(["last"]));
    asked["cursor"] = json!("bogus");
    assert_eq!(server.fails("completion/complete", asked).0, -32602);
    for wrong in [json!({}), json!({"ref": {"type": "x"}})] {
        assert_eq!(server.fails("completion/complete", wrong).0, -32602);
    }
}

#[test]
fn a_failing_or_endless_completion_is_an_error() {
    let project = project().env("MCPBASH_COMPLETION_TIMEOUT_SECS", "1");
    let asked = json!({"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "name", "value": ""}});
    let project = project.program(
        "prompts/greet.completion.sh",
        "#!/bin/sh\necho sorry >&2\nexit 1\n",
    );
    let failed = project.serve().fails("completion/complete", asked.clone());
    assert_eq!(failed, (-32603, "sorry".to_owned()));
    let project = project.program("prompts/greet.completion.sh", "#!/bin/sh\nsleep 60\n");
    assert_eq!(
        project.serve().fails("completion/complete", asked).0,
        -32603
    );
}
