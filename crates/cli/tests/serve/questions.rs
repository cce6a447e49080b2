//! Questions of tools to their client: elicitation, sampling, roots.

use linkspan_testkit::Message;
use serde_json::{Value, json};

use crate::folder::Folder;
use crate::served::{Served, text};

const ASK_USER: &str = r#"echo '{"id":"who","method":"elicit","params":{"message":"Your name?","schema":{"type":"object","properties":{"name":{"type":"string"}}}}}' >&3
read -r answer <&3; echo "$answer""#;
const ASK_MODEL: &str = r#"echo '{"id":2,"method":"sample","params":{"messages":[{"role":"user","content":{"type":"text","text":"tide?"}}],"maxTokens":9}}' >&3
read -r answer <&3; echo "$answer""#;
const ASK_ROOTS: &str =
    r#"echo '{"id":3,"method":"roots"}' >&3; read -r answer <&3; echo "$answer""#;

/// A client with only these capabilities.
fn as_client_with<'a>(folder: &'a Folder, capabilities: &Value) -> Served<'a> {
    let server = folder.untouched();
    let client = json!({"name": "testkit-client", "version": "1"});
    let params = json!({"protocolVersion": crate::folder::LATEST, "capabilities": capabilities, "clientInfo": client});
    server.result("initialize", &params);
    server.notify("notifications/initialized", &json!({}));
    server
}

fn said(answer: &Message) -> Value {
    let said = text(&answer.json()["result"]);
    serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"))
}

#[test]
fn a_tool_can_ask_the_user() {
    let folder = Folder::with("ask", ASK_USER);
    let server = folder.serve();
    let id = server.begin("ask", &json!({}));
    let question = server.heard("elicitation/create");
    let params = &question.json()["params"];
    assert_eq!(params["message"], "Your name?");
    assert_eq!(
        params["requestedSchema"]["properties"]["name"]["type"],
        "string"
    );
    assert!(params.get("schema").is_none(), "{params}");
    let answer = json!({"action": "accept", "content": {"name": "Ada ⛴"}});
    server.respond(&question, &answer);
    assert_eq!(
        said(&server.answer(&id)),
        json!({"id": "who", "result": answer})
    );
}

#[test]
fn a_tool_can_ask_the_model() {
    let folder = Folder::with("ask", ASK_MODEL);
    let server = folder.serve();
    let id = server.begin("ask", &json!({}));
    let question = server.heard("sampling/createMessage");
    assert_eq!(question.json()["params"]["maxTokens"], 9);
    let answer =
        json!({"role": "assistant", "content": {"type": "text", "text": "low"}, "model": "m"});
    server.respond(&question, &answer);
    assert_eq!(
        said(&server.answer(&id)),
        json!({"id": 2, "result": answer})
    );
}

#[test]
fn a_tool_can_request_the_roots() {
    let folder = Folder::with("ask", ASK_ROOTS);
    let server = folder.serve();
    let id = server.begin("ask", &json!({}));
    let question = server.heard("roots/list");
    let answer = json!({"roots": [{"uri": "file:///quay", "name": "Quay"}]});
    server.respond(&question, &answer);
    assert_eq!(
        said(&server.answer(&id))["result"]["roots"][0]["uri"],
        "file:///quay"
    );
}

#[test]
fn a_refusal_reaches_the_tool() {
    let folder = Folder::with("ask", ASK_USER);
    let server = folder.serve();
    let id = server.begin("ask", &json!({}));
    let question = server.heard("elicitation/create");
    let asked = question.id.expect("a question has an id");
    server.send(&format!(
        r#"{{"jsonrpc":"2.0","id":{asked},"error":{{"code":-1,"message":"not today"}}}}"#
    ));
    let told = said(&server.answer(&id));
    assert_eq!(told["id"], "who");
    assert_eq!(told["error"]["message"], "not today");
}

#[test]
fn questions_need_the_capability_of_the_client() {
    let folder = Folder::new();
    folder
        .sh("user", ASK_USER)
        .sh("model", ASK_MODEL)
        .sh("roots", ASK_ROOTS);
    folder.sh(
        "able",
        r#"echo "<$MCP_CAPABILITIES> $MCP_ELICIT_SUPPORTED""#,
    );
    let server = as_client_with(&folder, &json!({}));
    for tool in ["user", "model", "roots"] {
        let told = said(&server.answer_to("tools/call", &json!({"name": tool})));
        assert!(told["error"]["code"].is_i64(), "{tool}: {told}");
    }
    assert_eq!(server.text("able", &json!({})), "<> 0");
    assert_eq!(server.unread(), Vec::<String>::new());
}

#[test]
fn several_questions_may_be_open_at_once() {
    let folder = Folder::with(
        "all",
        r#"echo '{"id":"a","method":"roots"}' >&3
           echo '{"id":"b","method":"elicit","params":{"message":"?","schema":{"type":"object","properties":{}}}}' >&3
           echo '{"id":"c","method":"sample","params":{"messages":[],"maxTokens":1}}' >&3
           for n in 1 2 3; do read -r line <&3; echo "$line"; done"#,
    );
    let server = folder.serve();
    let id = server.begin("all", &json!({}));
    // Answered in another order than asked.
    let model = server.heard("sampling/createMessage");
    let user = server.heard("elicitation/create");
    let roots = server.heard("roots/list");
    server.respond(&model, &json!({"n": "c"}));
    server.respond(&user, &json!({"n": "b"}));
    server.respond(&roots, &json!({"n": "a"}));
    let said = text(&server.answer(&id).json()["result"]);
    let mut lines: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect();
    lines.sort_by_key(|line| line["id"].to_string());
    for (line, name) in lines.iter().zip(["a", "b", "c"]) {
        assert_eq!(line, &json!({"id": name, "result": {"n": name}}));
    }
}

#[test]
fn two_calls_can_use_the_same_question_id() {
    let folder = Folder::with("ask", ASK_USER);
    let server = folder.serve();
    let calls = [
        server.begin("ask", &json!({})),
        server.begin("ask", &json!({})),
    ];
    let questions = [
        server.heard("elicitation/create"),
        server.heard("elicitation/create"),
    ];
    assert_ne!(questions[0].id, questions[1].id, "ids of one connection");
    for question in &questions {
        server.respond(question, &json!({"action": "decline"}));
    }
    for id in calls {
        assert_eq!(said(&server.answer(&id))["result"]["action"], "decline");
    }
}

#[test]
fn a_cancelled_call_cancels_its_question() {
    let folder = Folder::with("ask", ASK_USER);
    let server = folder.serve();
    let id = server.begin("ask", &json!({}));
    let question = server.heard("elicitation/create");
    server.cancel(&id);
    let note = server.heard("notifications/cancelled");
    assert_eq!(note.at(&["params", "requestId"]), question.id);
    folder.wait_until_quiet();
    server.ping();
}

#[test]
fn an_unanswered_question_ends_with_the_call() {
    let folder = Folder::new();
    // The user's answer extends the time, but not without limit.
    folder.sh_with("ask", "timeoutSecs: 200ms\nmaxTimeoutSecs: 1", ASK_USER);
    let server = folder.serve();
    let id = server.begin("ask", &json!({}));
    server.heard("elicitation/create");
    let result = server.answer(&id).json()["result"].take();
    assert_eq!(result["isError"], true);
    folder.wait_until_quiet();
}

#[test]
fn a_stateless_client_gets_questions_in_answers() {
    let folder = Folder::with("ask", ASK_USER);
    let web = folder.web();
    let modern = web.client().modern();
    let first = modern.tool("1", "ask", &json!({})).json();
    assert_eq!(first["result"]["resultType"], "input_required");
    // Under the id that the tool gave its question.
    let question = &first["result"]["inputRequests"]["who"];
    assert_eq!(question["method"], "elicitation/create");
    let answer = json!({"action": "accept", "content": {"name": "Ada"}});
    let params = json!({
        "name": "ask",
        "arguments": {},
        "inputResponses": {"who": answer},
        "requestState": first["result"]["requestState"],
    });
    let second = modern.request("2", "tools/call", &params).answer();
    assert_eq!(
        second.json()["result"]["resultType"],
        "complete",
        "{}",
        second.text
    );
    assert_eq!(said(&second)["result"], answer);
}

#[test]
fn known_roots_are_in_the_environment() {
    let folder = Folder::new();
    folder.sh_with(
        "roots",
        "sandbox: {roots: true}",
        r#"echo "$MCP_ROOTS_COUNT"; echo "$MCP_ROOTS_PATHS"; echo "$MCP_ROOTS_JSON""#,
    );
    let server = as_client_with(&folder, &json!({"roots": {"listChanged": true}}));
    let (one, two) = (folder.beside("a b"), folder.beside("home"));
    std::fs::create_dir(&one).expect("a folder can be made");
    let uri = |path: &std::path::Path| format!("file://{}", path.display()).replace(' ', "%20");
    let id = server.begin("roots", &json!({}));
    // The roots are requested once and cached.
    let question = server.heard("roots/list");
    let roots = json!({"roots": [{"uri": uri(&one)}, {"uri": uri(&two)}]});
    server.respond(&question, &roots);
    for said in [
        text(&server.answer(&id).json()["result"]),
        server.text("roots", &json!({})),
    ] {
        let lines: Vec<&str> = said.lines().collect();
        let paths = [&one, &two].map(|path| path.display().to_string());
        assert_eq!(lines[..3], ["2", &paths[0], &paths[1]]);
        assert!(lines[3].contains(&uri(&one)), "{said}");
    }
}
