//! `linkspan serve --http`.

use serde_json::json;

use crate::folder::{Folder, LATEST};
use crate::served::text;

#[test]
fn both_eras_are_served_at_one_address() {
    let folder = Folder::with("hello", r#"echo "hello $MCP_ARG_who""#);
    let web = folder.web();
    let arguments = json!({"who": "Ada"});
    for version in ["2025-03-26", "2025-06-18", LATEST] {
        let session = web.client().session(version);
        assert_eq!(session.version, version);
        let answer = session.tool("1", "hello", &arguments).json();
        assert_eq!(text(&answer["result"]), "hello Ada");
        assert_eq!(session.end(), 204);
    }
    let answer = web.client().modern().tool("1", "hello", &arguments).json();
    assert_eq!(text(&answer["result"]), "hello Ada");
}

#[test]
fn clients_are_isolated() {
    let folder = Folder::with(
        "load",
        r#"echo '{"method":"progress","params":{"progress":1}}' >&3
           echo "{\"method\":\"log\",\"params\":{\"level\":\"info\",\"data\":\"$MCP_ARG_who\"}}" >&3
           echo begun > "begun.$MCP_ARG_who"; until [ -e go.txt ]; do sleep 0.02; done; echo "$MCP_ARG_who""#,
    );
    let web = folder.web();
    let sessions: Vec<_> = (0..5).map(|_| web.client().session(LATEST)).collect();
    let mut calls: Vec<_> = sessions
        .iter()
        .enumerate()
        .map(|(n, session)| {
            session.call_with_token("1", &json!("same"), "load", &json!({"who": n.to_string()}))
        })
        .collect();
    for n in 0..calls.len() {
        folder.wait_for(&format!("begun.{n}"));
    }
    folder.write("go.txt", "");
    for (n, call) in calls.iter_mut().enumerate() {
        let answer = call.answer().json();
        assert_eq!(text(&answer["result"]), n.to_string());
        call.heard("notifications/progress");
        let log = call.heard("notifications/message").json();
        assert_eq!(log["params"]["data"], n.to_string());
        assert!(call.rest().is_empty(), "one of each");
    }
}

#[test]
fn closing_the_stream_cancels_the_tool_of_a_modern_client() {
    let folder = Folder::with("hang", "echo begun > begun.txt; exec sleep 600");
    let web = folder.web();
    let call = web.client().modern().call("1", "hang", &json!({}));
    folder.wait_for("begun.txt");
    drop(call);
    folder.wait_until_quiet();
}

#[test]
fn ending_the_session_ends_its_tools() {
    let folder = Folder::with("hang", "echo begun > begun.txt; exec sleep 600");
    let web = folder.web();
    let session = web.client().session(LATEST);
    let call = session.call("1", "hang", &json!({}));
    folder.wait_for("begun.txt");
    assert_eq!(session.end(), 204);
    folder.wait_until_quiet();
    drop(call);
}

#[test]
fn every_client_hears_of_a_new_tool() {
    let folder = Folder::with("old", "echo old");
    let web = folder.web();
    let session = web.client().session(LATEST);
    let mut stream = session.listen();
    assert_eq!(stream.status(), 200);
    let modern = web.client().modern();
    let (mut listening, _) = modern.listen("\"l\"", &json!({"toolsListChanged": true}));
    folder.sh("new", "echo new");
    stream.heard("notifications/tools/list_changed");
    listening.heard("notifications/tools/list_changed");
    let answer = modern.tool("2", "new", &json!({})).json();
    assert_eq!(text(&answer["result"]), "new");
}

#[test]
fn a_modern_client_subscribes_to_named_resources() {
    let folder = Folder::new();
    folder.write("resources/notes.txt", "one\n");
    folder.write("resources/notes.meta.yaml", "uri: quay://notes\n");
    let web = folder.web();
    let modern = web.client().modern();
    let filter = json!({"resourceSubscriptions": ["quay://notes"]});
    let (mut listening, _) = modern.listen("\"l\"", &filter);
    folder.write("resources/notes.txt", "two\n");
    let note = listening.heard("notifications/resources/updated").json();
    assert_eq!(note["params"]["uri"], "quay://notes");
}

#[test]
fn not_found_errors_have_the_code_of_the_era() {
    let folder = Folder::new();
    let web = folder.web();
    let params = json!({"uri": "quay://nowhere"});
    let session = web.client().session(LATEST);
    let legacy = session.request("1", "resources/read", &params).answer();
    assert_eq!(legacy.code(), Some(-32002));
    let modern = web.client().modern();
    let modern = modern.request("1", "resources/read", &params).answer();
    assert_eq!(modern.code(), Some(-32602));
    assert_eq!(modern.json()["error"]["data"]["uri"], "quay://nowhere");
}

#[test]
fn a_hundred_clients_at_once_are_served() {
    let folder = Folder::with("echo", r#"echo "$MCP_ARG_n""#);
    let web = folder.web();
    let mut calls: Vec<_> = (0..100)
        .map(|n| {
            let modern = web.client().modern();
            (n, modern.call("1", "echo", &json!({"n": n})))
        })
        .collect();
    for (n, call) in &mut calls {
        assert_eq!(text(&call.answer().json()["result"]), n.to_string());
    }
}

#[test]
fn a_foreign_origin_is_refused() {
    let folder = Folder::with("hello", "echo hello");
    let web = folder.web();
    let evil = web.client().with("Origin", "https://evil.example");
    let mut call = evil.initialize(LATEST, &json!({}));
    assert_eq!(call.status(), 403);
}
