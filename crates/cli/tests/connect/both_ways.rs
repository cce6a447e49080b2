//! Messages of the server during a call, and messages of the client meanwhile.

use linkspan_testkit::{Bridge, Message, Server};
use serde_json::json;

use crate::setup::{assert_works, ready};

#[test]
fn progress_arrives_while_the_call_is_running() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    for (id, token) in [("1", "\"token\""), ("2", "17")] {
        let gate = format!("step-{id}");
        bridge.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"progress","arguments":{{"n":3,"gate":"{gate}"}},"_meta":{{"progressToken":{token}}}}}}}"#
        ));
        for step in 1..=3 {
            let progress = bridge.heard("notifications/progress");
            assert_eq!(
                progress.at(&["params", "progressToken"]).as_deref(),
                Some(token)
            );
            assert_eq!(progress.at(&["params", "progress"]), Some(step.to_string()));
            server.open(&format!("{gate}-{step}"));
        }
        assert!(bridge.answer(id).result.is_some());
    }
}

#[test]
fn a_cancellation_reaches_the_server_under_the_id_it_knows() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    bridge.call("\"mine\"", "gate", &json!({"name": "never"}));
    let call = server.wait_for_calls("gate", 1).remove(0);
    bridge.notify(
        "notifications/cancelled",
        &json!({"requestId": "mine", "reason": "changed my mind"}),
    );
    let cancelled = server.wait_for_post("notifications/cancelled");
    let cancelled = cancelled
        .message
        .as_ref()
        .expect("it was found by its method");
    assert_eq!(
        cancelled.at(&["params", "requestId"]),
        call.message.as_ref().and_then(|m| m.id.clone())
    );
    assert_eq!(
        cancelled.string_at(&["params", "reason"]).as_deref(),
        Some("changed my mind")
    );
    assert_works(&bridge);
    assert!(
        bridge.unread().is_empty(),
        "a cancelled call is not answered: {:?}",
        bridge.unread()
    );
}

#[test]
fn an_answer_that_comes_after_its_cancellation_is_dropped() {
    let server = Server::legacy().start();
    let mut bridge = ready(&server);
    bridge.call("1", "gate", &json!({"name": "late", "stubborn": true}));
    server.wait_for_calls("gate", 1);
    bridge.notify("notifications/cancelled", &json!({"requestId": 1}));
    server.wait_for_post("notifications/cancelled");
    server.open("late");
    assert_works(&bridge);
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
    assert!(bridge.unread().is_empty(), "{:?}", bridge.unread());
}

#[test]
fn cancelling_an_unknown_request_is_harmless() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    bridge.notify("notifications/cancelled", &json!({"requestId": "unknown"}));
    bridge.notify("notifications/cancelled", &json!({}));
    assert_works(&bridge);
}

/// Calls a tool that asks the client; returns the question, answered with these members.
fn round_trip(bridge: &Bridge, tool: &str, method: &str, answer: &str) -> (Message, Message) {
    bridge.call("1", tool, &json!({}));
    let question = bridge.heard(method);
    let id = question.id.clone().expect("a question has an id");
    bridge.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},{answer}}}"#));
    (question, bridge.answer("1"))
}

#[test]
fn sampling_goes_to_the_client_and_back() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    let said = r#"{"role":"assistant","content":{"type":"text","text":"ahoy"},"model":"m","big":12345678901234567890}"#;
    let (question, answer) = round_trip(
        &bridge,
        "sample",
        "sampling/createMessage",
        &format!(r#""result":{said}"#),
    );
    assert_eq!(question.at(&["params", "maxTokens"]).as_deref(), Some("7"));
    assert_eq!(
        answer.at(&["result", "structuredContent"]).as_deref(),
        Some(said)
    );
}

#[test]
fn elicitation_goes_to_the_client_and_back() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    let said = r#"{"action":"accept","content":{"quay":"9"}}"#;
    let (question, answer) = round_trip(
        &bridge,
        "ask",
        "elicitation/create",
        &format!(r#""result":{said}"#),
    );
    assert_eq!(
        question.string_at(&["params", "message"]).as_deref(),
        Some("which quay?")
    );
    assert_eq!(
        answer.at(&["result", "structuredContent"]).as_deref(),
        Some(said)
    );
}

#[test]
fn roots_go_to_the_client_and_back() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    let said = r#"{"roots":[{"uri":"file:///harbour","name":"h"}]}"#;
    let (_, answer) = round_trip(
        &bridge,
        "roots",
        "roots/list",
        &format!(r#""result":{said}"#),
    );
    assert_eq!(
        answer.at(&["result", "structuredContent"]).as_deref(),
        Some(said)
    );
}

#[test]
fn a_clients_refusal_reaches_the_server_as_it_is() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    let said = r#"{"code":-1,"message":"no","data":{"why":[0.10]}}"#;
    let (_, answer) = round_trip(
        &bridge,
        "sample",
        "sampling/createMessage",
        &format!(r#""error":{said}"#),
    );
    assert_eq!(
        answer.at(&["result", "structuredContent"]).as_deref(),
        Some(said)
    );
}

#[test]
fn questions_of_several_calls_are_not_mixed_up() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    for id in 0..8 {
        bridge.call(&id.to_string(), "sample", &json!({}));
    }
    let questions: Vec<_> = (0..8)
        .map(|_| {
            bridge
                .heard("sampling/createMessage")
                .id
                .expect("a question has an id")
        })
        .collect();
    for id in questions.iter().rev() {
        bridge.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"to":{id}}}}}"#
        ));
    }
    let mut heard: Vec<_> = (0..8)
        .filter_map(|id| {
            bridge
                .answer(&id.to_string())
                .at(&["result", "structuredContent", "to"])
        })
        .collect();
    let mut asked = questions;
    heard.sort();
    asked.sort();
    assert_eq!(heard, asked);
}

#[test]
fn a_question_on_the_listening_stream_is_answered_under_its_own_id() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    server.wait_for_listener();
    for id in ["\"r-1\"", "0", "9007199254740991"] {
        server.push(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
        let question = bridge.heard("ping").id.expect("a question has an id");
        bridge.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{question},"result":{{}}}}"#
        ));
        server.wait_for(&format!("an answer to {id}"), |request| {
            request
                .message
                .as_ref()
                .is_some_and(|m| m.is_response() && m.id.as_deref() == Some(id))
        });
    }
}

#[test]
fn log_messages_arrive_from_streams_and_from_json_servers() {
    for server in [Server::legacy(), Server::legacy().json()] {
        let server = server.start();
        let bridge = ready(&server);
        server.wait_for_listener();
        bridge.call("1", "log", &json!({}));
        let note = bridge.heard("notifications/message");
        assert_eq!(
            note.string_at(&["params", "data"]).as_deref(),
            Some("all is well")
        );
        assert!(bridge.answer("1").result.is_some());
    }
}

#[test]
fn changed_lists_are_announced_through_the_listening_stream() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    server.wait_for_listener();
    for what in ["tools", "prompts", "resources"] {
        let note = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/{what}/list_changed","params":{{"_meta":{{"n":1.0}}}}}}"#
        );
        server.push(&note);
        assert_eq!(
            bridge
                .heard(&format!("notifications/{what}/list_changed"))
                .text,
            note
        );
    }
}

#[test]
fn notifications_of_the_client_are_posted_and_never_answered() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    bridge.notify("notifications/roots/list_changed", &json!({}));
    bridge.notify("notifications/vendor/anything", &json!({"x": 1}));
    server.wait_for_post("notifications/roots/list_changed");
    server.wait_for_post("notifications/vendor/anything");
    assert_works(&bridge);
    assert!(bridge.unread().is_empty(), "{:?}", bridge.unread());
}
