//! Messages between tools and clients during a call.

use std::time::{Duration, Instant};

use linkspan_testkit::wait_for;
use serde_json::{Value, json};

use crate::setup::{Project, method};

fn progress(notes: &[Value]) -> Vec<&Value> {
    let notes = notes.iter();
    notes
        .filter(|n| method(n) == "notifications/progress")
        .collect()
}

#[test]
fn progress_and_logs_arrive_while_the_tool_runs() {
    let project = Project::new().sdk_tool(
        "works",
        r#"mcp_progress 10 begun
mcp_log_info my.logger "at work"
mcp_log_debug my.logger "too much"
while [ ! -e "$MCPBASH_PROJECT_ROOT/go" ]; do sleep 0.05; done
mcp_progress 100 done 100
mcp_emit_text ok"#,
    );
    let mut server = project.serve();
    let params = json!({"name": "works", "_meta": {"progressToken": "tok"}});
    let id = server.request("tools/call", params);
    let first = server.hear("notifications/progress");
    assert_eq!(first["params"]["progressToken"], "tok");
    assert_eq!(first["params"]["progress"], 10);
    let log = server.hear("notifications/message");
    assert_eq!(
        log["params"],
        json!({"level": "info", "logger": "my.logger", "data": "at work"})
    );
    // The tool still runs, so its answer cannot have arrived before.
    project.write("go", "");
    let answer = server.answer(id);
    assert_eq!(answer["result"]["content"][0]["text"], "ok");
    assert_eq!(progress(&server.notes).len(), 1);
    assert!(server.notes.iter().all(|n| n["params"]["level"] != "debug"));
}

#[test]
fn progress_needs_a_token_and_log_levels_can_be_set() {
    let project = Project::new().sdk_tool(
        "t",
        "mcp_progress 50 half\nmcp_log_debug l fine\nmcp_log_error l grave",
    );
    let mut server = project.serve();
    server.call("t", json!({}));
    assert!(progress(&server.notes).is_empty());
    assert_eq!(server.notes.len(), 1);
    server.notes.clear();
    server.ask("logging/setLevel", json!({"level": "debug"}));
    server.call("t", json!({}));
    assert_eq!(server.notes.len(), 2);
    assert_eq!(
        server.fails("logging/setLevel", json!({"level": "fatal"})),
        (-32602, "Invalid log level".to_owned())
    );
}

#[test]
fn a_tool_may_write_to_the_streams_itself() {
    let script = r#"
for n in 1 2 3; do
  printf '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"%s","progress":%s}}\n' "$MCP_PROGRESS_TOKEN" "$n" >>"$MCP_PROGRESS_STREAM"
done
printf '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"x","data":"y"}}\n' >>"$MCP_LOG_STREAM"
echo ok"#;
    let project = Project::new().tool("t", script, json!({}));
    let mut server = project.serve();
    let began = Instant::now();
    server.ask(
        "tools/call",
        json!({"name": "t", "_meta": {"progressToken": "tok"}}),
    );
    assert!(began.elapsed() < Duration::from_secs(10));
    assert_eq!(progress(&server.notes).len(), 3);
    assert_eq!(server.notes.len(), 4);
}

#[test]
fn messages_of_a_tool_are_throttled() {
    let many = "for n in 1 2 3 4 5; do mcp_progress $((n * 10)) x; done\nmcp_emit_text ok";
    let project = Project::new()
        .sdk_tool("t", many)
        .env("MCPBASH_MAX_PROGRESS_PER_MIN", "1");
    let mut server = project.serve();
    server.ask(
        "tools/call",
        json!({"name": "t", "_meta": {"progressToken": "tok"}}),
    );
    assert_eq!(progress(&server.notes).len(), 1);
}

#[test]
fn a_cancelled_call_ends_without_an_answer() {
    let script = r#"
trap 'echo term >>"$MCPBASH_PROJECT_ROOT/ended"; [ -e "$MCP_CANCEL_FILE" ] && echo told >>"$MCPBASH_PROJECT_ROOT/ended"; exit 1' TERM
echo begun >"$MCPBASH_PROJECT_ROOT/begun"
while :; do sleep 0.05; done"#;
    let project = Project::new().tool("t", script, json!({}));
    let mut server = project.serve();
    let id = server.request("tools/call", json!({"name": "t"}));
    wait_for("the file `begun`", || project.path("begun").exists());
    server.tell("notifications/cancelled", json!({"requestId": id}));
    wait_for("what the tool writes at its end", || {
        let ended = std::fs::read_to_string(project.path("ended"));
        ended.is_ok_and(|ended| ended == "term\ntold\n")
    });
    assert_eq!(server.ask("ping", json!({})), json!({}));
    assert_eq!(server.notes, Vec::<Value>::new());
    assert_eq!(server.end(), (Vec::new(), 0), "no answer until its end");
}

#[test]
fn a_tool_can_check_for_cancellation() {
    let script = r#"
trap '' TERM
echo begun >"$MCPBASH_PROJECT_ROOT/begun"
until mcp_is_cancelled; do sleep 0.05; done
mcp_log_info l "the client does not get this"
mcp_progress 99 "nor this"
echo seen >"$MCPBASH_PROJECT_ROOT/seen""#;
    let project = Project::new().sdk_tool("t", script);
    let mut server = project.serve();
    let id = server.request("tools/call", json!({"name": "t"}));
    wait_for("the file `begun`", || project.path("begun").exists());
    server.tell("notifications/cancelled", json!({"requestId": id}));
    wait_for("the file `seen`", || project.path("seen").exists());
}

#[test]
fn a_tool_can_ask_the_user() {
    let script = r#"
answer="$(mcp_elicit_confirm "Sure?")" || true
mcp_emit_json "$answer""#;
    let project = Project::new().sdk_tool("t", script);
    let mut server = project.serve_for(json!({"elicitation": {}}));
    let id = server.request("tools/call", json!({"name": "t"}));
    let asked = server.hear("elicitation/create");
    assert_eq!(asked["params"]["message"], "Sure?");
    assert_eq!(asked["params"]["mode"], "form");
    let answer = json!({"action": "accept", "content": {"confirmed": true}});
    server.send(json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer}));
    let result = server.answer(id)["result"].clone();
    assert_eq!(result["structuredContent"], answer);
    // The answer for a client without elicitation is to decline.
    let mut server = project.serve();
    let result = server.call("t", json!({}));
    assert_ne!(result["structuredContent"]["action"], "accept");
}

#[test]
fn a_tool_may_ask_through_files() {
    let script = r#"
printf '{"message":"Who?","schema":{"type":"object","properties":{"who":{"type":"string"}}}}' >"$MCP_ELICIT_REQUEST_FILE.half"
mv "$MCP_ELICIT_REQUEST_FILE.half" "$MCP_ELICIT_REQUEST_FILE"
while [ ! -e "$MCP_ELICIT_RESPONSE_FILE" ]; do sleep 0.05; done
cat "$MCP_ELICIT_RESPONSE_FILE""#;
    let project = Project::new().tool("t", script, json!({}));
    let mut server = project.serve_for(json!({"elicitation": {"form": {}}}));
    let id = server.request("tools/call", json!({"name": "t"}));
    let asked = server.hear("elicitation/create");
    assert_eq!(asked["params"]["requestedSchema"]["type"], "object");
    let answer = json!({"action": "accept", "content": {"who": "me"}});
    server.send(json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer}));
    assert_eq!(server.answer(id)["result"]["structuredContent"], answer);
}

#[test]
fn tools_get_the_roots_of_the_client() {
    let script = r#"printf '%s' "$MCP_ROOTS_COUNT $MCP_ROOTS_PATHS $MCP_ROOTS_JSON""#;
    let project = Project::new().tool("t", script, json!({}));
    let root = project.path("");
    let root = root.to_str().unwrap().trim_end_matches('/').to_owned();
    let text = project.serve().text("t", json!({}));
    assert!(text.starts_with(&format!("1 {root} ")), "{text}");
    let mut server = project.start();
    server.ask(
        "initialize",
        json!({"capabilities": {"roots": {"listChanged": true}}}),
    );
    server.tell("notifications/initialized", json!({}));
    let asked = server.hear("roots/list");
    let roots =
        json!({"roots": [{"uri": "file:///usr", "name": "U"}, {"uri": "https://x.example/"}]});
    server.send(json!({"jsonrpc": "2.0", "id": asked["id"], "result": roots}));
    let text = server.text("t", json!({}));
    assert_eq!(
        text,
        r#"1 /usr [{"uri":"file:///usr","name":"U","path":"/usr"}]"#
    );
    server.tell("notifications/roots/list_changed", json!({}));
    let asked = server.hear("roots/list");
    let roots = json!({"roots": [{"uri": "file:///etc"}]});
    server.send(json!({"jsonrpc": "2.0", "id": asked["id"], "result": roots}));
    assert!(server.text("t", json!({})).starts_with("1 /etc "));
}
