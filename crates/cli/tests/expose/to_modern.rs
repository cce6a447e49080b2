//! A legacy client in front of a child of the stateless revision.

use linkspan_testkit::mcp_client::META;
use linkspan_testkit::{Exposed, Message, Session, child};
use serde_json::json;

use crate::setup::{LATEST, assert_works, content, modern, pid, value};

fn start() -> (Exposed, Session) {
    let exposed = modern();
    let session = exposed.client().session(LATEST);
    (exposed, session)
}

#[test]
fn the_handshake_is_made_from_what_the_child_says_of_itself() {
    let exposed = modern();
    for version in ["2025-03-26", "2025-06-18", LATEST] {
        let welcome = exposed.client().session(version).welcome.json();
        let result = &welcome["result"];
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "linkspan-child", "{welcome}");
        assert_eq!(result["serverInfo"]["title"], "The child");
        assert_eq!(result["instructions"], "Mind the gap.");
        assert_eq!(result["capabilities"]["tools"]["listChanged"], true);
        assert_eq!(result["capabilities"]["logging"], json!({}));
        for gone in ["resultType", "ttlMs", "cacheScope", "supportedVersions"] {
            assert!(result[gone].is_null(), "{gone}: {welcome}");
        }
    }
}

#[test]
fn a_legacy_client_reaches_a_modern_child() {
    let (exposed, session) = start();
    assert_works(&session);
    let answer = session.tool("\"x\"", "fidelity", &json!({}));
    for member in ["content", "structuredContent", "futureField"] {
        let text = answer.at(&["result", member]).unwrap();
        assert!(child::FIDELITY.contains(&text), "{member}: {text}");
    }
    let heard = exposed.children.wait_for_tool("fidelity").message.unwrap();
    let meta = |name: &str| heard.at(&["params", "_meta", &format!("{META}{name}")]);
    assert_eq!(meta("protocolVersion").as_deref(), Some("\"2026-07-28\""));
    assert!(meta("clientInfo").unwrap().contains("testkit-client"));
    assert!(meta("clientCapabilities").unwrap().contains("elicitation"));
    let shaken = exposed.children.seen(|s| s.method() == Some("initialize"));
    assert!(shaken.len() <= 1, "at most to find out: {shaken:?}");
}

#[test]
fn results_have_nothing_that_the_old_revisions_do_not_know() {
    let (_exposed, session) = start();
    for (method, params) in [
        ("tools/list", json!({})),
        ("prompts/list", json!({})),
        ("resources/list", json!({})),
        ("resources/read", json!({"uri": "quay://1"})),
        ("tools/call", json!({"name": "echo", "arguments": {}})),
    ] {
        let answer = session.request("1", method, &params).answer().json();
        for gone in ["resultType", "ttlMs", "cacheScope"] {
            assert!(
                answer["result"].is_object() && answer["result"][gone].is_null(),
                "{answer}"
            );
        }
    }
}

#[test]
fn errors_keep_their_code_and_their_data() {
    let (_exposed, session) = start();
    let answer = session.tool("1", "fail", &json!({}));
    assert_eq!(answer.error.as_deref(), Some(child::FAILURE));
}

#[test]
fn structured_content_that_is_no_object_is_wrapped_or_left_out() {
    let (_exposed, session) = start();
    let answer = session.tool("1", "shape", &json!({})).json();
    let content = &answer["result"]["structuredContent"];
    assert!(content.is_null() || content.is_object(), "{answer}");
}

fn round_trip(session: &Session, tool: &str, method: &str, said: &str) -> (Message, Message) {
    let mut call = session.call("1", tool, &json!({}));
    let question = call.heard(method);
    session.respond(&question, said);
    (question, call.answer())
}

#[test]
fn elicitation_is_a_request_on_the_stream_of_the_call() {
    let (_exposed, session) = start();
    let said = r#"{"action":"accept","content":{"quay":"9"}}"#;
    let (question, answer) = round_trip(&session, "ask", "elicitation/create", said);
    let asked = question.string_at(&["params", "message"]);
    assert_eq!(asked.as_deref(), Some("which quay?"));
    assert_eq!(answer.id.as_deref(), Some("1"));
    assert_eq!(content(&answer), said);
}

#[test]
fn sampling_is_a_request_on_the_stream_of_the_call() {
    let (_exposed, session) = start();
    let said = r#"{"role":"assistant","content":{"type":"text","text":"ahoy"},"model":"m","big":12345678901234567890}"#;
    let (question, answer) = round_trip(&session, "sample", "sampling/createMessage", said);
    assert_eq!(question.at(&["params", "maxTokens"]).as_deref(), Some("7"));
    assert_eq!(content(&answer), said, "byte for byte");
}

#[test]
fn roots_are_a_request_on_the_stream_of_the_call() {
    let (_exposed, session) = start();
    let said = r#"{"roots":[{"uri":"file:///harbour"}]}"#;
    let (_, answer) = round_trip(&session, "roots", "roots/list", said);
    assert_eq!(content(&answer), said);
}

#[test]
fn several_rounds_are_several_requests() {
    let (_exposed, session) = start();
    let mut call = session.call("1", "ask", &json!({"rounds": 3}));
    for round in 1..=3 {
        let question = call.heard("elicitation/create");
        session.respond(
            &question,
            &format!(r#"{{"action":"accept","round":{round}}}"#),
        );
    }
    assert_eq!(value(&call.answer())["round"], 3);
}

#[test]
fn two_questions_at_once_are_two_requests() {
    let (_exposed, session) = start();
    let mut call = session.call("1", "two", &json!({}));
    let ask = call.heard("elicitation/create");
    let sample = call.heard("sampling/createMessage");
    assert_ne!(ask.id, sample.id);
    session.respond(&sample, r#"{"to":"sample"}"#);
    session.respond(&ask, r#"{"to":"ask"}"#);
    let both = json!({"ask": {"to": "ask"}, "sample": {"to": "sample"}});
    assert_eq!(value(&call.answer()), both);
}

#[test]
fn a_refused_question_ends_the_call_with_an_error() {
    let (_exposed, session) = start();
    let mut call = session.call("1", "ask", &json!({}));
    let question = call.heard("elicitation/create");
    let id = question.id.unwrap();
    session.deliver(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-1,"message":"no"}}}}"#
    ));
    let answer = call.answer();
    assert_eq!(answer.id.as_deref(), Some("1"));
    assert!(answer.error.is_some(), "{}", answer.text);
    assert_works(&session);
}

#[test]
fn a_client_without_the_ability_is_not_asked() {
    let exposed = modern();
    let session = exposed
        .client()
        .session_with(LATEST, &json!({"sampling": {}}));
    let mut call = session.call("1", "ask", &json!({}));
    let answer = call.answer();
    assert!(answer.error.is_some(), "{}", answer.text);
    assert!(call.rest().is_empty());
    assert_works(&session);
}

#[test]
fn the_log_level_goes_with_every_request() {
    let (exposed, session) = start();
    let set = session
        .request("1", "logging/setLevel", &json!({"level": "info"}))
        .answer();
    assert_eq!(set.result.as_deref(), Some("{}"), "{}", set.text);
    let mut call = session.call("2", "log", &json!({"level": "warning"}));
    call.heard("notifications/message");
    assert!(call.answer().result.is_some());
    let heard = exposed.children.wait_for_tool("log").message.unwrap();
    let level = heard.string_at(&["params", "_meta", &format!("{META}logLevel")]);
    assert_eq!(level.as_deref(), Some("info"));
    let asked = exposed
        .children
        .seen(|s| s.method() == Some("logging/setLevel"));
    assert!(asked.is_empty(), "the child does not know that method");
}

#[test]
fn a_ping_is_answered_although_the_child_does_not_know_it() {
    let (exposed, session) = start();
    let answer = session.request("\"p\"", "ping", &json!({})).answer();
    assert_eq!(
        (answer.id.as_deref(), answer.result.as_deref()),
        (Some("\"p\""), Some("{}"))
    );
    let heard = exposed.children.seen(|s| s.method() == Some("ping"));
    assert!(heard.is_empty());
}

#[test]
fn changed_lists_are_announced_on_the_listening_stream() {
    let (exposed, session) = start();
    let mut listening = session.listen();
    assert_eq!(listening.status(), 200);
    exposed.children.wait_for("a subscription", |s| {
        s.text.starts_with("listening") && s.text.contains("toolsListChanged")
    });
    session.tool("1", "change", &json!({"what": "tools"}));
    let note = listening.heard("notifications/tools/list_changed");
    assert!(!note.text.contains(META), "{}", note.text);
}

#[test]
fn a_resource_is_watched_until_the_client_has_had_enough() {
    let (exposed, session) = start();
    let mut listening = session.listen();
    assert_eq!(listening.status(), 200);
    let uri = json!({"uri": "quay://1"});
    let answer = session.request("1", "resources/subscribe", &uri).answer();
    assert_eq!(answer.result.as_deref(), Some("{}"), "{}", answer.text);
    exposed.children.wait_for("a subscription", |s| {
        s.text.starts_with("listening") && s.text.contains("quay://1")
    });
    session.tool("2", "update", &uri);
    let note = listening.heard("notifications/resources/updated");
    assert_eq!(
        note.string_at(&["params", "uri"]).as_deref(),
        Some("quay://1")
    );
    let answer = session.request("3", "resources/unsubscribe", &uri).answer();
    assert_eq!(answer.result.as_deref(), Some("{}"), "{}", answer.text);
    exposed.children.wait_for_method("notifications/cancelled");
}

#[test]
fn progress_arrives_on_the_stream_of_its_call() {
    let (_exposed, session) = start();
    let mut call = session.call_with_token("1", &json!("t"), "progress", &json!({"n": 3}));
    for step in 1..=3 {
        let note = call.heard("notifications/progress").json();
        assert_eq!(
            (
                &note["params"]["progressToken"],
                &note["params"]["progress"]
            ),
            (&json!("t"), &json!(step))
        );
    }
    assert!(call.answer().result.is_some());
}

#[test]
fn a_cancellation_reaches_the_child() {
    let (exposed, session) = start();
    let _call = session.call("\"mine\"", "gate", &json!({"name": "never"}));
    let heard = exposed.children.wait_for_tool("gate");
    session.notify("notifications/cancelled", &json!({"requestId": "mine"}));
    let cancelled = exposed.children.wait_for("a cancellation", |s| {
        let id = s
            .message
            .as_ref()
            .and_then(|m| m.at(&["params", "requestId"]));
        s.method() == Some("notifications/cancelled") && id.as_deref() == heard.id()
    });
    assert_eq!(cancelled.pid, pid(&session));
    assert_works(&session);
}

#[test]
fn a_call_that_asks_can_be_cancelled() {
    let (_exposed, session) = start();
    let mut call = session.call("1", "ask", &json!({}));
    let question = call.heard("elicitation/create");
    session.notify("notifications/cancelled", &json!({"requestId": 1}));
    // The late answer has no effect.
    session.respond(&question, r#"{"action":"accept"}"#);
    assert_works(&session);
}
