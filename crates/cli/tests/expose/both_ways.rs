//! Messages of a legacy child during a call, and messages of the client meanwhile.

use linkspan_testkit::{Exposed, Message, Session};
use serde_json::json;

use crate::setup::{LATEST, assert_works, content, legacy, pid, value};

fn start() -> (Exposed, Session) {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    (exposed, session)
}

/// Calls a tool that asks the client; returns the question and, after that answer, the result.
fn round_trip(session: &Session, tool: &str, method: &str, answer: &str) -> (Message, Message) {
    let mut call = session.call("1", tool, &json!({}));
    let question = call.heard(method);
    session.respond(&question, answer);
    (question, call.answer())
}

#[test]
fn a_cancellation_reaches_the_child_under_the_id_it_knows() {
    let (exposed, session) = start();
    let _call = session.call("\"mine\"", "gate", &json!({"name": "never"}));
    let heard = exposed.children.wait_for_tool("gate");
    let reason = json!({"requestId": "mine", "reason": "changed my mind"});
    session.notify("notifications/cancelled", &reason);
    let cancelled = exposed.children.wait_for_method("notifications/cancelled");
    let cancelled = cancelled.message.unwrap();
    assert_eq!(
        cancelled.at(&["params", "requestId"]).as_deref(),
        heard.id()
    );
    assert_eq!(
        cancelled.string_at(&["params", "reason"]).as_deref(),
        Some("changed my mind")
    );
    let who = value(&session.tool("2", "whoami", &json!({})));
    assert_eq!(who["cancellations"], 1);
}

#[test]
fn the_stream_of_a_cancelled_call_ends_without_a_result() {
    let (exposed, session) = start();
    let mut call = session.call("1", "gate", &json!({"name": "never"}));
    exposed.children.wait_for_tool("gate");
    session.notify("notifications/cancelled", &json!({"requestId": 1}));
    let rest = call.rest();
    assert!(rest.iter().all(|m| m.result.is_none()), "{rest:?}");
}

#[test]
fn an_answer_that_comes_after_its_cancellation_is_harmless() {
    let (exposed, session) = start();
    let _call = session.call("1", "gate", &json!({"name": "late", "stubborn": true}));
    exposed.children.wait_for_tool("gate");
    session.notify("notifications/cancelled", &json!({"requestId": 1}));
    exposed.children.wait_for_method("notifications/cancelled");
    exposed.children.open("late");
    assert_works(&session);
    session.notify("notifications/cancelled", &json!({"requestId": "unknown"}));
    session.notify("notifications/cancelled", &json!({}));
    assert_works(&session);
}

#[test]
fn sampling_goes_to_the_client_and_back() {
    let (_exposed, session) = start();
    let said = r#"{"role":"assistant","content":{"type":"text","text":"ahoy"},"model":"m","big":12345678901234567890}"#;
    let (question, answer) = round_trip(&session, "sample", "sampling/createMessage", said);
    assert_eq!(question.at(&["params", "maxTokens"]).as_deref(), Some("7"));
    assert_eq!(content(&answer), said);
}

#[test]
fn elicitation_goes_to_the_client_and_back() {
    let (_exposed, session) = start();
    let said = r#"{"action":"accept","content":{"quay":"9"}}"#;
    let (question, answer) = round_trip(&session, "ask", "elicitation/create", said);
    let asked = question.string_at(&["params", "message"]);
    assert_eq!(asked.as_deref(), Some("which quay?"));
    assert_eq!(content(&answer), said);
}

#[test]
fn roots_go_to_the_client_and_back() {
    let (_exposed, session) = start();
    let said = r#"{"roots":[{"uri":"file:///harbour","name":"h"}]}"#;
    let (_, answer) = round_trip(&session, "roots", "roots/list", said);
    assert_eq!(content(&answer), said);
}

#[test]
fn a_clients_refusal_reaches_the_child_as_it_is() {
    let (_exposed, session) = start();
    let mut call = session.call("1", "sample", &json!({}));
    let question = call.heard("sampling/createMessage");
    let id = question.id.unwrap();
    let said = r#"{"code":-1,"message":"no","data":{"why":[0.10]}}"#;
    session.deliver(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{said}}}"#));
    assert_eq!(content(&call.answer()), said);
}

#[test]
fn questions_of_two_sessions_find_their_own_client() {
    let exposed = legacy();
    let client = exposed.client();
    let sessions = [client.session(LATEST), client.session(LATEST)];
    let mut calls = sessions
        .each_ref()
        .map(|s| s.call("1", "ask", &json!({"label": s.id, "key": "same"})));
    for (session, call) in sessions.iter().zip(&mut calls) {
        let question = call.heard("elicitation/create");
        let label = question.string_at(&["params", "message"]);
        assert_eq!(label.as_deref(), Some(session.id.as_str()));
        session.respond(&question, &format!(r#"{{"action":"{}"}}"#, session.id));
        assert_eq!(value(&call.answer())["action"], session.id);
    }
}

#[test]
fn an_answer_from_another_session_answers_nothing() {
    let exposed = legacy();
    let client = exposed.client();
    let (asked, other) = (client.session(LATEST), client.session(LATEST));
    let mut call = asked.call("1", "ask", &json!({}));
    let question = call.heard("elicitation/create");
    let id = question.id.clone().unwrap();
    let forged = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"action":"forged"}}}}"#);
    // Accepted or refused, but not believed.
    other.post(&forged).status();
    asked.respond(&question, r#"{"action":"accept"}"#);
    assert_eq!(value(&call.answer())["action"], "accept");
}

#[test]
fn log_messages_arrive_during_the_call() {
    let (_exposed, session) = start();
    let mut call = session.call("1", "log", &json!({"level": "warning"}));
    let note = call.heard("notifications/message");
    assert_eq!(
        note.string_at(&["params", "data"]).as_deref(),
        Some("all is well")
    );
    assert!(call.answer().result.is_some());
}

#[test]
fn changed_lists_are_announced_on_the_listening_stream() {
    let (exposed, session) = start();
    let mut listening = session.listen();
    assert_eq!(listening.status(), 200);
    assert!(listening.reply().is_stream());
    session.tool("1", "later", &json!({"gate": "now"}));
    exposed.children.open("now");
    let note = listening.heard("notifications/tools/list_changed");
    assert_eq!(note.params.as_deref(), Some("{}"));
}

#[test]
fn a_question_outside_any_call_goes_to_the_listening_stream() {
    let (exposed, session) = start();
    let mut listening = session.listen();
    session.tool(
        "1",
        "later",
        &json!({"gate": "now", "what": "ask", "key": "by-and-by"}),
    );
    exposed.children.open("now");
    let question = listening.heard("elicitation/create");
    session.respond(&question, r#"{"action":"decline"}"#);
    let heard = exposed
        .children
        .wait_for("the answer", |s| s.id() == Some("\"by-and-by\""));
    assert!(heard.text.contains("decline"), "{}", heard.text);
}

#[test]
fn what_the_client_posts_without_a_question_is_accepted() {
    let (exposed, session) = start();
    session.notify("notifications/roots/list_changed", &json!({}));
    exposed
        .children
        .wait_for_method("notifications/roots/list_changed");
    assert_works(&session);
    assert_eq!(exposed.children.alive(), [pid(&session)]);
}
