//! `mode: mcp`: the executable is an MCP server.

use linkspan_testkit::wait_until;
use serde_json::json;

use crate::folder::Folder;
use crate::served::{Served, text};

/// A folder whose tool is the server of another folder.
fn mounted(inner: &Folder, meta: &str) -> Folder {
    let outer = Folder::with("own", "echo own");
    let program = env!("CARGO_BIN_EXE_linkspan");
    let root = inner.root().display();
    outer.script(
        "tools/inner.sh",
        format!("#!/bin/sh\nexec '{program}' serve '{root}'\n"),
    );
    outer.write("tools/inner.meta.yaml", format!("mode: mcp\n{meta}"));
    outer
}

#[track_caller]
fn tools(server: &Served<'_>, expected: &[&str]) {
    wait_until(&format!("{expected:?}"), || {
        (server.tools() == expected).then_some(())
    });
}

#[test]
fn tools_of_a_mounted_server_get_a_prefix() {
    let inner = Folder::with("hello", r#"echo "hello $MCP_ARG_who""#);
    inner.sh_with(
        "sum",
        "description: Adds\narguments: {a: {type: integer, required: true}}",
        "echo sum",
    );
    let outer = mounted(&inner, "");
    let server = outer.serve();
    tools(&server, &["inner_hello", "inner_sum", "own"]);
    assert_eq!(server.listed("inner_sum")["description"], "Adds");
    assert_eq!(
        server.text("inner_hello", &json!({"who": "Ada"})),
        "hello Ada"
    );
    assert_eq!(server.text("own", &json!({})), "own");
}

#[test]
fn the_prefix_is_the_authors_choice() {
    let inner = Folder::with("hello", "echo hello");
    let outer = mounted(&inner, "prefix: q-");
    tools(&outer.serve(), &["own", "q-hello"]);
}

#[test]
fn failures_progress_and_questions_come_through() {
    let inner = Folder::with("fail", "echo no >&2; exit 3");
    inner.sh(
        "ask",
        r#"echo '{"method":"progress","params":{"progress":1}}' >&3
           echo '{"id":"who","method":"elicit","params":{"message":"?","schema":{"type":"object","properties":{}}}}' >&3
           read -r line <&3; echo "$line""#,
    );
    let outer = mounted(&inner, "");
    let server = outer.serve();
    tools(&server, &["inner_ask", "inner_fail", "own"]);
    let failure = server.failure("inner_fail", &json!({}));
    assert_eq!(failure["_meta"]["exitCode"], 3);
    let id = server.begin_with_token("inner_ask", &json!({}), &json!("t"));
    let step = server.heard("notifications/progress").json();
    assert_eq!(step["params"]["progressToken"], "t");
    let question = server.heard("elicitation/create");
    server.respond(&question, &json!({"action": "decline"}));
    assert!(text(&server.answer(&id).json()["result"]).contains("decline"));
}

#[test]
fn a_call_of_a_mounted_server_can_be_cancelled() {
    let inner = Folder::with("hang", "echo begun > begun.txt; exec sleep 600");
    let outer = mounted(&inner, "");
    let server = outer.serve();
    tools(&server, &["inner_hang", "own"]);
    let id = server.begin("inner_hang", &json!({}));
    inner.wait_for("begun.txt");
    server.cancel(&id);
    inner.wait_until_quiet();
    server.ping();
}

#[test]
fn changes_of_a_mounted_server_are_announced() {
    let inner = Folder::with("one", "echo one");
    let outer = mounted(&inner, "");
    let server = outer.serve();
    tools(&server, &["inner_one", "own"]);
    inner.sh("two", "echo two");
    tools(&server, &["inner_one", "inner_two", "own"]);
    assert_eq!(server.text("inner_two", &json!({})), "two");
}

#[test]
fn a_server_that_cannot_start_costs_its_own_tools_only() {
    let outer = Folder::with("own", "echo own");
    outer.script(
        "tools/inner.sh",
        "#!/bin/sh\necho 'no license' >&2\nexit 1\n",
    );
    outer.write("tools/inner.meta.yaml", "mode: mcp\n");
    let server = outer.serve();
    tools(&server, &["own"]);
    let told = server.heard("notifications/message").json();
    let data = told["params"]["data"].as_str().expect("a text");
    assert!(data.contains("`inner` is left out"), "{data}");
    assert_eq!(server.text("own", &json!({})), "own");
}

#[test]
fn an_answer_that_cannot_be_read_fails_its_call() {
    let outer = Folder::with("own", "echo own");
    outer.script(
        "tools/odd.sh",
        r#"#!/bin/sh
id() { printf '%s' "$1" | sed 's/.*"id":\([0-9]*\).*/\1/'; }
while read -r line; do
  case $line in
    *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"o","version":"1"}}}\n' "$(id "$line")" ;;
    *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"nan","inputSchema":{"type":"object"}},{"name":"behind","inputSchema":{"type":"object"}}],"nextCursor":"again"}}\n' "$(id "$line")" ;;
    *'"behind"'*) printf 'INFO: {"jsonrpc":"2.0","id":%s,"result":{}}\n' "$(id "$line")" ;;
    *'"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"x":NaN}}\n' "$(id "$line")" ;;
  esac
done
"#,
    );
    outer.write("tools/odd.meta.yaml", "mode: mcp\n");
    let server = outer.serve();
    wait_until("its tool", || {
        let tools = server.tools();
        tools.iter().any(|tool| tool == "odd_nan").then_some(())
    });
    for tool in ["odd_nan", "odd_behind"] {
        let id = server.begin(tool, &json!({}));
        let answer = server.answer(&id);
        assert!(answer.text.contains("no valid answer"), "{}", answer.text);
    }
}
