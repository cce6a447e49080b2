//! Requests of the agent to the user: permissions and elicitation.

use serde_json::{Value, json};

use crate::setup::{CANCELLED, PERMISSION, RunningAgent, ready, selected, start, text};

/// Prompts the agent, and answers the client's request with this result.
#[track_caller]
fn answered(agent: &RunningAgent, script: &str, answer: &Value) -> (Value, Value) {
    agent.bridge.call("1", "prompt", &json!({"text": script}));
    let question = agent.bridge.heard("elicitation/create");
    let id = question.id.clone().expect("a question has an id");
    agent.bridge.send(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{answer}}}"#
    ));
    let done = crate::setup::result(&agent.bridge.answer("1"));
    (question.json()["params"].clone(), done)
}

#[test]
fn the_client_is_asked_for_permission() {
    let agent = ready(&[], &[]);
    let yes = json!({"action": "accept", "content": {"decision": "ever"}});
    let (question, done) = answered(&agent, PERMISSION, &yes);
    let message = question["message"].as_str().unwrap();
    assert!(message.contains("Delete the quay"), "{message}");
    assert!(message.contains("rm quay"), "{message}");
    let decision = &question["requestedSchema"]["properties"]["decision"];
    assert_eq!(decision["enum"], json!(["yes", "ever", "no"]));
    assert_eq!(decision["enumNames"], json!(["Yes", "Always", "No"]));
    assert_eq!(text(&done), selected("ever"));
    assert_eq!(
        done["structuredContent"]["permissions"],
        json!([{"title": "Delete the quay", "allowed": true, "choice": "Always", "by": "client"}])
    );
    agent.end();
}

#[test]
fn only_an_allowing_option_grants_permission() {
    let agent = ready(&[], &[]);
    for no in [
        json!({"action": "accept", "content": {"decision": "no"}}),
        json!({"action": "accept", "content": {"decision": "maybe"}}),
        json!({"action": "accept"}),
        json!({"action": "decline"}),
        json!({"action": "cancel"}),
        json!({}),
    ] {
        let (_, done) = answered(&agent, PERMISSION, &no);
        assert_eq!(text(&done), selected("no"), "{no}");
    }
}

#[test]
fn without_elicitation_permission_is_denied_with_a_note() {
    let agent = start(&[], &[]);
    agent.greet(&json!({}));
    let done = agent.prompt(PERMISSION);
    assert_eq!(text(&done), selected("no"));
    assert_eq!(done["structuredContent"]["permissions"][0]["by"], "nobody");
    let note = done["content"][1]["text"].as_str().unwrap();
    assert!(note.contains("--permission"), "{note}");
}

#[test]
fn a_client_without_forms_gets_no_form() {
    let agent = start(&[], &[]);
    agent.greet(&json!({"elicitation": {"url": {}}}));
    assert_eq!(text(&agent.prompt(PERMISSION)), selected("no"));
}

#[test]
fn the_flag_decides_permissions_without_the_client() {
    for (flag, choice, allowed) in [("allow", "yes", true), ("deny", "no", false)] {
        let agent = ready(&["--permission", flag], &[]);
        let done = agent.prompt(PERMISSION);
        assert_eq!(text(&done), selected(choice));
        let told = &done["structuredContent"]["permissions"][0];
        assert_eq!(told["by"], "flag");
        assert_eq!(told["allowed"], allowed);
    }
}

#[test]
fn a_request_without_reject_once_is_cancelled() {
    let agent = ready(&["--permission", "deny"], &[]);
    let script = PERMISSION.replace("reject_once", "reject_always");
    assert_eq!(text(&agent.prompt(&script)), CANCELLED);
    let agent = ready(&["--permission", "allow"], &[]);
    let script = PERMISSION
        .replace("allow_once", "x")
        .replace("allow_always", "y");
    assert_eq!(text(&agent.prompt(&script)), CANCELLED);
}

#[test]
fn an_elicitation_of_the_agent_is_forwarded_to_the_client() {
    let agent = ready(&[], &[]);
    let script = r#"ask elicitation/create {"sessionId":"$S","toolCallId":"c","mode":"form","message":"Which quay?","requestedSchema":{"type":"object","properties":{"quay":{"type":"string"}}}}"#;
    let answer = json!({"action": "accept", "content": {"quay": "9"}});
    let (question, done) = answered(&agent, script, &answer);
    assert_eq!(question["message"], "Which quay?");
    assert_eq!(question["mode"], "form");
    assert!(question.get("sessionId").is_none() && question.get("toolCallId").is_none());
    assert_eq!(text(&done), r#"{"action":"accept","content":{"quay":"9"}}"#);
    let page = r#"ask elicitation/create {"sessionId":"$S","mode":"url","elicitationId":"e","url":"https://example.com","message":"Look"}"#;
    assert_eq!(
        text(&agent.prompt(page)),
        r#"{"action":"cancel"}"#,
        "this client has no pages"
    );
}

#[test]
fn the_completion_of_a_page_is_reported() {
    let agent = start(&[], &[]);
    agent.greet(&json!({"elicitation": {"url": {}}}));
    let script = r#"ask elicitation/create {"sessionId":"$S","mode":"url","elicitationId":"e","url":"https://example.com","message":"Look"}
note elicitation/complete {"elicitationId":"e"}"#;
    let (question, done) = answered(&agent, script, &json!({"action": "accept"}));
    assert_eq!(question["url"], "https://example.com");
    assert_eq!(text(&done), r#"{"action":"accept"}"#);
    let told = agent.bridge.heard("notifications/elicitation/complete");
    assert_eq!(told.json()["params"]["elicitationId"], "e");
}

#[test]
fn a_request_cancelled_by_the_agent_is_cancelled_at_the_client() {
    let agent = ready(&[], &[]);
    let session = agent.session();
    // The agent numbers its own requests; the second prompt cancels that of the first.
    agent.begin_prompt("1", &session, PERMISSION);
    let question = agent.bridge.heard("elicitation/create");
    let other = agent.session();
    agent.begin_prompt("2", &other, r#"note $/cancel_request {"requestId":"q-0"}"#);
    let back = agent.bridge.heard("notifications/cancelled").json();
    assert_eq!(
        Some(back["params"]["requestId"].to_string()),
        question.id,
        "{back}"
    );
    assert!(agent.bridge.answer("1").text.contains("-32800"));
}
