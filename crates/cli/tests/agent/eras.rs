//! Clients of both eras, over stdio and over HTTP.

use linkspan_testkit::{Message, Signal};
use serde_json::{Value, json};

use crate::setup::{
    LATEST, PERMISSION, RunningAgent, client_of, modern, over_http, result, selected, start, text,
    trouble,
};

/// The capabilities of a modern client with elicitation.
fn form() -> Value {
    json!({"elicitation": {}})
}

fn end(mut agent: RunningAgent) {
    agent.bridge.signal(Signal::Terminate);
    assert_eq!(
        agent.bridge.exit_code(),
        Some(143),
        "{}",
        agent.bridge.stderr()
    );
    agent.children.wait_until_none();
}

#[track_caller]
fn modern_call(
    agent: &RunningAgent,
    id: &str,
    tool: &str,
    arguments: Value,
    more: &Value,
) -> Message {
    let mut params = json!({"name": tool, "arguments": arguments});
    for (key, value) in more.as_object().into_iter().flatten() {
        params[key] = value.clone();
    }
    agent
        .bridge
        .request(id, "tools/call", &modern(params, &form()));
    agent.bridge.answer(id)
}

#[test]
fn a_client_without_a_handshake_has_sessions_too() {
    let agent = start(&[], &[]);
    let done = modern_call(&agent, "1", "prompt", json!({"text": "say a"}), &json!({}));
    let done = result(&done);
    assert_eq!(done["resultType"], "complete");
    assert_eq!(text(&done), "a");
    let session = &done["structuredContent"]["sessionId"];
    let again = json!({"sessionId": session, "text": "say b"});
    let done = result(&modern_call(&agent, "2", "prompt", again, &json!({})));
    assert_eq!(text(&done), "b");
    assert_eq!(agent.children.started(), 1);
    agent.end();
}

#[test]
fn a_client_without_a_handshake_gets_progress() {
    let agent = start(&[], &[]);
    let script = json!({"text": "say one\ngate on\nsay two"});
    let params = json!({"name": "prompt", "arguments": script, "_meta": {"progressToken": "t"}});
    agent
        .bridge
        .request("1", "tools/call", &modern(params, &form()));
    let note = agent.bridge.heard("notifications/progress").json();
    assert_eq!(note["params"]["progressToken"], "t");
    assert_eq!(note["params"]["message"], "one");
    agent.children.open("on");
    assert_eq!(text(&result(&agent.bridge.answer("1"))), "onetwo");
}

#[test]
fn permission_is_asked_of_a_client_without_a_handshake() {
    let agent = start(&[], &[]);
    let script = json!({"text": PERMISSION});
    let asked = modern_call(&agent, "1", "prompt", script.clone(), &json!({})).json();
    let asked = &asked["result"];
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let requests = asked["inputRequests"].as_object().unwrap();
    let (key, question) = requests.iter().next().unwrap();
    assert_eq!(question["method"], "elicitation/create");
    let more = json!({
        "requestState": asked["requestState"],
        "inputResponses": {key: {"action": "accept", "content": {"decision": "yes"}}},
    });
    let done = modern_call(&agent, "2", "prompt", script, &more);
    assert_eq!(text(&result(&done)), selected("yes"));
    agent.end();
}

#[test]
fn both_eras_are_served_over_http() {
    let (agent, client) = over_http(&[]);
    let session = client.session_with(LATEST, &form());
    let one = result(&session.tool("1", "prompt", &json!({"text": "say legacy"})));
    assert_eq!(text(&one), "legacy");
    let two = client.modern().declaring(form());
    let two = result(&two.tool("1", "prompt", &json!({"text": "say modern"})));
    assert_eq!(text(&two), "modern");
    assert_eq!(agent.children.started(), 2, "each has an agent of its own");
    end(agent);
}

#[test]
fn sessions_over_http_belong_to_their_connection() {
    let (agent, client) = over_http(&[]);
    let (one, other) = (client.session(LATEST), client.session(LATEST));
    result(&one.tool("1", "start_session", &json!({"cwd": "/"})));
    let list = result(&other.tool("1", "list_sessions", &json!({})));
    assert_eq!(list["structuredContent"], json!({"sessions": []}));
    let alien = json!({"sessionId": "s-1", "text": "x"});
    assert!(trouble(&result(&other.tool("2", "prompt", &alien))).contains("no session"));
    assert_eq!(one.end(), 204);
    agent.children.wait_until_none();
    end(agent);
}

#[test]
fn a_session_is_found_while_another_call_of_the_client_waits_for_input() {
    // Requests of the stateless revision are independent; all requests of a client must reach its one agent.
    let (agent, client) = over_http(&[]);
    let client = client.modern().declaring(form());
    let start = json!({"cwd": "/"});
    let started = result(&client.tool("1", "start_session", &start));
    let session = &started["structuredContent"]["sessionId"];
    let asked = client.tool("2", "prompt", &json!({"text": PERMISSION, "cwd": "/"}));
    assert_eq!(asked.json()["result"]["resultType"], "input_required");
    for id in ["3", "4"] {
        let again = json!({"sessionId": session, "text": "say here"});
        assert_eq!(text(&result(&client.tool(id, "prompt", &again))), "here");
    }
    let asking = json!({"sessionId": session, "text": PERMISSION});
    let asked = client.tool("5", "prompt", &asking).json();
    let asked = &asked["result"];
    let key = asked["inputRequests"].as_object().unwrap();
    let key = key.keys().next().unwrap();
    let more = json!({
        "name": "prompt",
        "arguments": asking,
        "requestState": asked["requestState"],
        "inputResponses": {key: {"action": "accept", "content": {"decision": "yes"}}},
    });
    let done = result(&client.request("6", "tools/call", &more).answer());
    assert_eq!(
        text(&done),
        selected("yes"),
        "each question is its own call's"
    );
    assert_eq!(agent.children.started(), 1);
    end(agent);
}

#[test]
fn closing_the_stream_cancels_the_turn() {
    let (agent, client) = over_http(&[]);
    let client = client.modern().declaring(form());
    let call = client.call("1", "prompt", &json!({"text": "gate never", "cwd": "/"}));
    agent.children.wait_for_method("session/prompt");
    drop(call);
    agent.children.wait_for_method("session/cancel");
    end(agent);
}

#[test]
fn the_agent_does_not_get_the_bearer_token() {
    let children = linkspan_testkit::Children::listen();
    let words = ["agent", "--http", "--port", "0", "--token-env", "SECRET"];
    let bridge = crate::setup::launch(&words, &[], &children)
        .env("SECRET", "open-sesame")
        .start();
    let client = client_of(&bridge);
    let agent = RunningAgent { bridge, children };
    assert_eq!(client.initialize(LATEST, &json!({})).status(), 401);
    let known = client.with("Authorization", "Bearer open-sesame");
    let session = known.session_with(LATEST, &json!({}));
    let done = result(&session.tool("1", "prompt", &json!({"text": "env SECRET"})));
    assert_eq!(text(&done), "SECRET is not set");
    end(agent);
}
