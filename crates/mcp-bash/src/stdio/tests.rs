use super::*;
use serde_json::json;

fn front(vars: &[(&str, &str)]) -> StdioFront {
    let vars: Vars = vars.iter().copied().collect();
    let info = ServerInfo {
        shown: json!({"name": "n", "version": "1"}),
        instructions: Some("be kind".to_owned()),
        metadata: Value::Null,
    };
    StdioFront::new(&vars, info).unwrap()
}

/// The messages for the client.
fn told(steps: &[Step]) -> Vec<Value> {
    let lines = steps.iter().filter_map(|step| match step {
        Step::ToClient(line) => Some(serde_json::from_str(line).unwrap()),
        _ => None,
    });
    lines.collect()
}

fn passed(steps: &[Step]) -> Vec<Value> {
    let lines = steps.iter().filter_map(|step| match step {
        Step::ToServer(line) => Some(serde_json::from_str(line).unwrap()),
        _ => None,
    });
    lines.collect()
}

const INIT: &str = r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{}}"#;
const READY: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const WELCOMED: &str = r#"{"jsonrpc":"2.0","id":"i","result":{}}"#;

fn ready(vars: &[(&str, &str)]) -> StdioFront {
    let mut front = front(vars);
    front.from_client(INIT);
    front.from_server(WELCOMED);
    front.from_client(READY);
    front
}

fn code(steps: &[Step]) -> i64 {
    told(steps)[0]["error"]["code"].as_i64().unwrap()
}

#[test]
fn invalid_lines_get_an_error_without_an_id() {
    let mut front = front(&[]);
    let parse = told(&front.from_client("not-json"));
    assert_eq!(parse[0]["error"]["code"], -32700);
    assert_eq!(parse[0]["error"]["message"], "Parse error");
    assert!(parse[0].get("id").is_none());
    let missing = told(&front.from_client(r#"{"jsonrpc":"2.0","id":"x","params":{}}"#));
    assert_eq!(missing[0]["error"]["data"], "Missing method");
    let batch = told(&front.from_client(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#));
    assert_eq!(batch[0]["error"]["code"], -32600);
    assert_eq!(batch[0]["error"]["data"], "Batch arrays are disabled");
    assert!(front.from_client("  ").is_empty());
}

#[test]
fn requests_before_initialize_are_refused() {
    let mut front = front(&[]);
    let early = r#"{"jsonrpc":"2.0","id":"pre","method":"tools/list"}"#;
    assert_eq!(code(&front.from_client(early)), -32000);
    assert_eq!(
        told(&front.from_client(r#"{"id":1,"method":"ping"}"#))[0]["result"],
        json!({})
    );
    front.from_client(INIT);
    assert_eq!(code(&front.from_client(early)), -32000);
    assert_eq!(
        code(&front.from_client(&INIT.replace("\"i\"", "\"again\""))),
        -32600
    );
}

#[test]
fn members_that_initialize_lacks_are_added_and_the_answer_is_that_of_mcp_bash() {
    let mut front = front(&[]);
    let sent = passed(&front.from_client(INIT));
    assert_eq!(sent[0]["params"]["protocolVersion"], "2025-11-25");
    assert_eq!(sent[0]["params"]["capabilities"], json!({}));
    assert!(sent[0]["params"]["clientInfo"].is_object());
    let steps = front.from_server(WELCOMED);
    let hello = &told(&steps)[0]["result"];
    assert_eq!(hello["capabilities"]["resources"]["listChanged"], true);
    assert_eq!(hello["instructions"], "be kind");
    assert_eq!(hello["serverInfo"]["name"], "n");
}

#[test]
fn list_changes_are_announced_once_and_after_initialize_is_answered() {
    let mut first = front(&[]);
    first.from_client(INIT);
    // The client may send `initialized` before the answer.
    assert!(told(&first.from_client(READY)).is_empty());
    let steps = told(&first.from_server(WELCOMED));
    assert_eq!(steps.len(), 4);
    assert_eq!(steps[0]["id"], "i");
    assert_eq!(steps[1]["method"], "notifications/tools/list_changed");
    let mut second = front(&[]);
    second.from_client(INIT);
    assert_eq!(told(&second.from_server(WELCOMED)).len(), 1);
    assert_eq!(told(&second.from_client(READY)).len(), 3);
    assert!(second.from_client(READY).is_empty());
    // Clients of older revisions get no `list_changed` notifications.
    let mut old = front(&[]);
    old.from_client(
        r#"{"id":"i","method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#,
    );
    old.from_server(WELCOMED);
    assert!(told(&old.from_client(READY)).is_empty());
    let note = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    assert!(old.from_server(note).is_empty());
    assert_eq!(second.from_server(note).len(), 1);
}

#[test]
fn exit_needs_shutdown_first() {
    let exit = r#"{"jsonrpc":"2.0","id":"e","method":"exit"}"#;
    let list = r#"{"jsonrpc":"2.0","id":"l","method":"tools/list"}"#;
    let mut front = ready(&[]);
    assert_eq!(code(&front.from_client(exit)), -32005);
    let bye = front.from_client(r#"{"jsonrpc":"2.0","id":"s","method":"shutdown"}"#);
    assert_eq!(told(&bye)[0]["result"], json!({}));
    assert!(front.is_shutting_down());
    assert_eq!(code(&front.from_client(list)), -32003);
    let end = front.from_client(exit);
    assert_eq!(told(&end)[0]["result"], json!({}));
    assert_eq!(end.last(), Some(&Step::Close));
}

#[test]
fn a_cancellation_without_a_valid_id_is_dropped() {
    let mut front = ready(&[]);
    let cancel =
        |params: &str| format!(r#"{{"method":"notifications/cancelled","params":{params}}}"#);
    for nothing in [
        "{}",
        r#"{"requestId":null}"#,
        r#"{"requestId":false}"#,
        "[]",
        "7",
    ] {
        assert!(front.from_client(&cancel(nothing)).is_empty(), "{nothing}");
    }
    for (params, id) in [
        (r#"{"requestId":7}"#, json!(7)),
        (r#"{"id":"legacy"}"#, json!("legacy")),
    ] {
        assert_eq!(
            passed(&front.from_client(&cancel(params)))[0]["params"]["requestId"],
            id
        );
    }
}

#[test]
fn unknown_methods_are_answered_by_the_front() {
    let mut front = ready(&[]);
    let why = |front: &mut StdioFront, method: &str| {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
        told(&front.from_client(&line))[0]["error"]["message"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(why(&mut front, "foo/bar"), "Method not found");
    assert_eq!(why(&mut front, "tools/foo"), "Unknown tools method");
    assert!(front.from_client(r#"{"method":"foo/bar"}"#).is_empty());
    assert_eq!(
        passed(&front.from_client(r#"{"id":1,"method":"tools/list"}"#)).len(),
        1
    );
    let mut minimal = ready(&[("MCPBASH_FORCE_MINIMAL", "true")]);
    assert_eq!(
        why(&mut minimal, "tools/list"),
        "Tools capability unavailable in minimal mode"
    );
    assert_eq!(
        passed(&minimal.from_client(r#"{"id":1,"method":"logging/setLevel"}"#)).len(),
        1
    );
}

#[test]
fn batches_are_accepted_if_the_variable_is_set() {
    let batch =
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"nope"}]"#;
    let mut front = ready(&[("MCPBASH_COMPAT_BATCHES", "true")]);
    let steps = front.from_client(batch);
    assert_eq!(passed(&steps).len(), 1);
    assert_eq!(code(&steps), -32601);
}

#[test]
fn every_client_must_send_the_remote_token() {
    let secret = "dummy-test-token-0123456789abcdef";
    let mut front = front(&[("MCPBASH_REMOTE_TOKEN", secret)]);
    assert_eq!(code(&front.from_client(INIT)), -32602);
    assert!(front.from_client(READY).is_empty());
    let with = INIT.replace(
        "{}",
        &format!(r#"{{"_meta":{{"mcpbash/remoteToken":"{secret}"}}}}"#),
    );
    assert_eq!(passed(&front.from_client(&with)).len(), 1);
}

#[test]
fn client_answers_are_forwarded() {
    let mut front = ready(&[]);
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}"#;
    assert_eq!(passed(&front.from_client(answer)).len(), 1);
    assert!(told(&front.from_client(r#"{"id":1}"#))[0]["error"]["data"] == "Missing method");
}
