//! Legacy streams: their events, and going on with them after a cut.

use linkspan_testkit::{Event, Exposed, LIMIT, Session};
use serde_json::json;

use crate::setup::{LATEST, assert_works, content, legacy};

fn start() -> (Exposed, Session) {
    let exposed = legacy();
    let session = exposed.client().session(LATEST);
    (exposed, session)
}

#[test]
fn a_quick_answer_is_plain_json() {
    let (_exposed, session) = start();
    // A busy machine may be slow once; it is not slow ten times.
    let json = (0..10).any(|id| {
        let mut call = session.call(&id.to_string(), "echo", &json!({}));
        assert_eq!(call.status(), 200);
        call.reply().is_json()
    });
    assert!(json, "no answer within 100 ms in ten calls");
}

#[test]
fn a_slow_call_gets_a_stream_that_can_be_resumed() {
    let (exposed, session) = start();
    let mut call = session.call("1", "gate", &json!({"name": "slow"}));
    let reply = call.reply().clone();
    assert_eq!(reply.status, 200);
    assert!(reply.is_stream(), "{:?}", reply.headers);
    assert!(
        reply
            .header("mcp-session-id")
            .is_none_or(|id| id == session.id)
    );
    let first = call.event().expect("a stream begins with an event");
    assert!(first.is_priming(), "{first:?}");
    assert_eq!(first.retry, Some(1000));
    exposed.children.open("slow");
    assert!(call.answer().result.is_some());
    assert!(call.message().is_none(), "the stream ends with the answer");
    let bare = |event: &&Event| event.id.is_none() && event.data.is_some();
    assert_eq!(call.events.iter().find(bare), None, "every event has an id");
}

#[test]
fn a_stream_is_not_held_back_by_anything_on_its_way() {
    let (exposed, session) = start();
    let mut call = session.call("1", "gate", &json!({"name": "slow"}));
    let cache = call.header("cache-control").unwrap_or_default();
    assert!(
        cache.contains("no-cache") || cache.contains("no-store"),
        "{cache:?}"
    );
    exposed.children.open("slow");
    call.answer();
}

#[test]
fn a_cut_call_goes_on_behind_its_last_event() {
    let (exposed, session) = start();
    let arguments = json!({"n": 3, "gate": "step"});
    let mut call = session.call_with_token("1", &json!("t"), "progress", &arguments);
    call.heard("notifications/progress");
    let last = call.last_event_id().expect("every event has an id");
    drop(call);
    for step in 1..=3 {
        exposed.children.open(&format!("step-{step}"));
    }
    let mut rest = session.resume(&last);
    assert_eq!(rest.status(), 200);
    for step in ["2", "3"] {
        let progress = rest.heard("notifications/progress");
        assert_eq!(progress.at(&["params", "progress"]).as_deref(), Some(step));
    }
    assert_eq!(rest.answer().id.as_deref(), Some("1"));
    assert!(
        rest.message().is_none(),
        "nothing more, and the stream ends"
    );
    let cancelled = exposed
        .children
        .seen(|s| s.method() == Some("notifications/cancelled"));
    assert!(
        cancelled.is_empty(),
        "a legacy client that goes has not cancelled"
    );
}

#[test]
fn a_call_that_was_cut_before_anything_came_goes_on_from_its_first_event() {
    let (exposed, session) = start();
    let mut call = session.call("1", "gate", &json!({"name": "slow"}));
    let first = call.event().unwrap();
    call.into_connection().reset();
    exposed.children.open("slow");
    let mut rest = session.resume(&first.id.unwrap());
    assert_eq!(content(&rest.answer()), r#"{"name":"slow"}"#);
}

#[test]
fn an_answer_is_kept_for_a_client_that_resumes_late_and_more_than_once() {
    let (exposed, session) = start();
    let mut call = session.call("1", "gate", &json!({"name": "slow"}));
    let first = call.event().unwrap().id.unwrap();
    drop(call);
    exposed.children.open("slow");
    for _ in 0..3 {
        let mut rest = session.resume(&first);
        assert_eq!(content(&rest.answer()), r#"{"name":"slow"}"#);
        assert!(rest.message().is_none());
    }
}

#[test]
fn two_cut_calls_do_not_get_each_others_answers() {
    let (exposed, session) = start();
    let lasts = ["a", "b"].map(|name| {
        let mut call = session.call(&format!("\"{name}\""), "gate", &json!({"name": name}));
        call.event().unwrap().id.unwrap()
    });
    assert_ne!(lasts[0], lasts[1], "ids are unique in a session");
    exposed.children.open("b");
    exposed.children.open("a");
    for (name, last) in ["a", "b"].iter().zip(&lasts) {
        let mut rest = session.resume(last);
        assert_eq!(content(&rest.answer()), format!(r#"{{"name":"{name}"}}"#));
        assert!(rest.message().is_none());
    }
}

#[test]
fn an_event_of_another_session_resumes_nothing() {
    let exposed = legacy();
    let client = exposed.client();
    let (mine, other) = (client.session(LATEST), client.session(LATEST));
    let mut call = mine.call("1", "gate", &json!({"name": "slow"}));
    let first = call.event().unwrap().id.unwrap();
    exposed.children.open("slow");
    call.answer();
    let mut stolen = other.resume(&first);
    if stolen.status() == 200 {
        other.tool("1", "later", &json!({"gate": "now"}));
        exposed.children.open("now");
        let first = stolen.message().map(|m| m.text).unwrap_or_default();
        assert!(!first.contains("slow"), "{first}");
    }
    assert_works(&other);
}

#[test]
fn a_cut_listening_stream_goes_on_behind_its_last_event() {
    let (exposed, session) = start();
    for gate in ["one", "two", "three"] {
        session.tool("1", "later", &json!({"gate": gate}));
    }
    let mut listening = session.listen();
    assert_eq!(listening.status(), 200);
    exposed.children.open("one");
    listening.heard("notifications/tools/list_changed");
    let last = listening.last_event_id().expect("every event has an id");
    drop(listening);
    exposed.children.open("two");
    exposed.children.open("three");
    let mut listening = session.resume(&last);
    for _ in 0..2 {
        listening.heard("notifications/tools/list_changed");
    }
    session.tool("1", "later", &json!({"gate": "one", "what": "ask"}));
    let next = listening.message().expect("the stream goes on");
    assert_eq!(
        next.method.as_deref(),
        Some("elicitation/create"),
        "{}",
        next.text
    );
}

#[test]
fn a_second_listener_takes_over() {
    let (exposed, session) = start();
    let mut first = session.listen();
    assert_eq!(first.status(), 200);
    let mut second = session.listen();
    assert_eq!(second.status(), 200);
    assert!(first.rest().is_empty(), "the first stream has ended");
    session.tool("1", "later", &json!({"gate": "now"}));
    exposed.children.open("now");
    second.heard("notifications/tools/list_changed");
}

#[test]
fn an_event_id_that_was_never_given_does_not_harm() {
    let (_exposed, session) = start();
    for id in ["no-such-event", "", "99999999999999999999", "0"] {
        let mut call = session.resume(id);
        let status = call.status();
        assert!(
            status == 200 || (400..500).contains(&status),
            "{id:?}: {status}"
        );
    }
    assert_works(&session);
}

#[test]
fn a_client_that_drops_a_call_is_harmless() {
    let (exposed, session) = start();
    for id in 0..20 {
        let call = session.call(&id.to_string(), "gate", &json!({"name": "open"}));
        exposed.children.wait_for_tools("gate", id + 1);
        if id % 2 == 0 {
            call.into_connection().reset();
        }
    }
    exposed.children.open("open");
    assert_works(&session);
    assert_works(&exposed.client().session(LATEST));
}

#[test]
fn silent_streams_are_kept_alive() {
    let (exposed, session) = start();
    let slow = json!({"name": "slow"});
    let mut streams = [session.listen(), session.call("1", "gate", &slow)];
    for stream in &mut streams {
        stream.set_limit(2 * LIMIT);
        let comment = std::iter::from_fn(|| stream.event()).find(|e| !e.comments.is_empty());
        let comment = comment.expect("the stream goes on");
        assert_eq!((comment.id, comment.data), (None, None), "only a comment");
    }
    exposed.children.open("slow");
    assert!(streams[1].answer().result.is_some());
}
