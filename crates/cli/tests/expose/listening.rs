//! `subscriptions/listen`: notifications to a client of the stateless revision outside its calls.

use linkspan_testkit::mcp_client::META;
use linkspan_testkit::{Exposed, Message};
use serde_json::{Value, json};

use crate::setup::{assert_works_for, legacy, modern};

fn each_child() -> [Exposed; 2] {
    [legacy(), modern()]
}

fn subscription(message: &Message) -> Option<String> {
    message.at(&["params", "_meta", &format!("{META}subscriptionId")])
}

fn tools() -> Value {
    json!({"toolsListChanged": true})
}

#[test]
fn a_subscription_is_acknowledged_first_and_under_its_id() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        for id in ["1", "\"one\""] {
            let (mut call, first) = client.listen(id, &tools());
            assert_eq!(subscription(&first).as_deref(), Some(id), "{}", first.text);
            assert_eq!(
                first.json()["params"]["notifications"]["toolsListChanged"],
                true
            );
            assert!(call.reply().is_stream());
            assert_eq!(call.header("x-accel-buffering").as_deref(), Some("no"));
        }
    }
}

#[test]
fn a_change_is_told_to_every_listener_under_its_own_id() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        let mut listeners = ["1", "1", "\"other\""].map(|id| (id, client.listen(id, &tools()).0));
        client.tool("1", "change", &json!({"what": "tools"}));
        for (id, call) in &mut listeners {
            let note = call.message().expect("the stream goes on");
            assert_eq!(
                note.method.as_deref(),
                Some("notifications/tools/list_changed")
            );
            assert_eq!(subscription(&note).as_deref(), Some(*id), "{}", note.text);
        }
    }
}

#[test]
fn a_listener_hears_only_what_it_asked_for() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        let (mut prompts, _) = client.listen("1", &json!({"promptsListChanged": true}));
        client.tool("1", "change", &json!({"what": "tools"}));
        client.tool("1", "change", &json!({"what": "prompts"}));
        let first = prompts.message().expect("the stream goes on");
        assert_eq!(
            first.method.as_deref(),
            Some("notifications/prompts/list_changed")
        );
    }
}

#[test]
fn a_resource_is_watched_as_long_as_a_client_listens() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let filter = json!({"resourceSubscriptions": ["quay://1"]});
    let (mut one, _) = client.listen("1", &filter);
    let (mut two, _) = client.listen("1", &filter);
    exposed.children.wait_for_method("resources/subscribe");
    client.tool("1", "update", &json!({"uri": "quay://1"}));
    for call in [&mut one, &mut two] {
        let note = call.message().expect("the stream goes on");
        assert_eq!(
            note.method.as_deref(),
            Some("notifications/resources/updated")
        );
        assert_eq!(
            note.string_at(&["params", "uri"]).as_deref(),
            Some("quay://1")
        );
        assert_eq!(subscription(&note).as_deref(), Some("1"));
    }
    drop(one);
    client.tool("1", "update", &json!({"uri": "quay://1"}));
    assert!(two.message().is_some(), "the other one still listens");
    let early = exposed
        .children
        .seen(|s| s.method() == Some("resources/unsubscribe"));
    assert!(early.is_empty(), "{early:?}");
    drop(two);
    exposed.children.wait_for_method("resources/unsubscribe");
    let subscribed = exposed
        .children
        .seen(|s| s.method() == Some("resources/subscribe"));
    assert_eq!(subscribed.len(), 1, "once for both");
}

#[test]
fn resources_of_a_modern_child_are_watched_too() {
    let exposed = modern();
    let client = exposed.client().modern();
    let (mut call, _) = client.listen("\"l\"", &json!({"resourceSubscriptions": ["quay://1"]}));
    client.tool("1", "update", &json!({"uri": "quay://2"}));
    client.tool("1", "update", &json!({"uri": "quay://1"}));
    let note = call.message().expect("the stream goes on");
    assert_eq!(
        note.string_at(&["params", "uri"]).as_deref(),
        Some("quay://1")
    );
    assert_eq!(subscription(&note).as_deref(), Some("\"l\""));
}

#[test]
fn a_listener_that_goes_is_forgotten() {
    let exposed = modern();
    let client = exposed.client().modern();
    let (call, _) = client.listen("1", &tools());
    let heard = exposed.children.wait_for_method("subscriptions/listen");
    drop(call);
    let cancelled = exposed.children.wait_for_method("notifications/cancelled");
    let id = cancelled.message.unwrap().at(&["params", "requestId"]);
    assert_eq!(id.as_deref(), heard.id());
    assert_works_for(&client);
}

#[test]
fn a_listener_is_told_when_everything_ends() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        let (mut call, _) = client.listen("1", &tools());
        exposed.end();
        let rest = call.rest();
        assert!(
            rest.iter().all(Message::is_response) && rest.len() <= 1,
            "at most a last answer: {rest:?}"
        );
    }
}

#[test]
fn a_listener_survives_or_is_ended_when_the_child_crashes_but_never_waits_in_vain() {
    for exposed in each_child() {
        let client = exposed.client().modern();
        let (mut call, _) = client.listen("1", &tools());
        let lost = client.call("1", "crash", &json!({"code": 9})).answer();
        assert!(lost.error.is_some(), "{}", lost.text);
        assert_works_for(&client);
        client.tool("2", "change", &json!({"what": "tools"}));
        // Either the new child's change arrives, or the stream has ended.
        if let Some(message) = call.message() {
            assert!(
                message.is_response() || subscription(&message).as_deref() == Some("1"),
                "{}",
                message.text
            );
        }
    }
}
