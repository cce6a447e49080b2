//! One connection for all legacy sessions; each session gets only its own messages.

use super::*;
use crate::testing::{given, legacy_call, message};

fn shared(era: Era) -> Pooled {
    pooled_command(era, &[], share)
}

/// Two sessions of one server.
async fn two(pooled: &Pooled) -> (Client, Client) {
    (pooled.session("").await, pooled.session("").await)
}

fn is_cancellation(msg: &Message) -> bool {
    msg.method() == "notifications/cancelled"
}

#[tokio::test(start_paused = true)]
async fn all_sessions_share_a_connection_with_one_handshake() {
    let pooled = shared(Era::Legacy);
    let mut connections = Vec::new();
    for _ in 0..5 {
        let mut session = pooled.session("").await;
        connections.push(connection(&session.call(2, "which", "{}").await));
    }
    assert!(connections.iter().all(|number| *number == connections[0]));
    let heard = pooled.log.heard(connections[0]);
    let handshakes = heard.iter().filter(|method| *method == "initialize");
    assert_eq!(handshakes.count(), 1, "{heard:?}");
}

#[tokio::test(start_paused = true)]
async fn two_sessions_may_use_the_same_ids() {
    let pooled = shared(Era::Legacy);
    let (mut one, mut two) = two(&pooled).await;
    one.begin(2, "gate", r#"{"name":"one"}"#).await;
    two.begin(2, "gate", r#"{"name":"two"}"#).await;
    let is_call = |msg: &Message| msg.method() == "tools/call";
    pooled.log.find_all(2, is_call).await;
    for (session, name) in [(&mut two, "two"), (&mut one, "one")] {
        pooled.log.open(name);
        let answer = session.answer(2).await;
        assert_eq!(given(&answer, "name"), format!("{name:?}"));
    }
}

#[tokio::test(start_paused = true)]
async fn progress_reaches_only_its_session() {
    let pooled = shared(Era::Legacy);
    let (mut one, mut two) = two(&pooled).await;
    let call = |n: usize| {
        message(&format!(
            r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"progress","arguments":{{"n":{n}}},"_meta":{{"progressToken":"same"}}}}}}"#
        ))
    };
    one.send(call(2)).await;
    two.send(call(3)).await;
    for (session, count) in [(&mut one, 2), (&mut two, 3)] {
        session.answer(2).await;
        let notes = session.unread();
        assert_eq!(notes.len(), count, "{notes:?}");
        let is_own = |note: &String| note.contains(r#""progressToken":"same""#);
        assert!(notes.iter().all(is_own), "{notes:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_with_two_possible_owners_is_not_guessed() {
    let pooled = shared(Era::Legacy);
    let (mut busy, mut asked) = two(&pooled).await;
    busy.begin(2, "gate", "{}").await;
    pooled.log.called("gate").await;
    let answer = asked.call(2, "ask", r#"{"label":"mine"}"#).await;
    assert!(
        given(&answer, "answer").contains("code"),
        "{}",
        answer.text()
    );
    pooled.log.open("gate");
    busy.answer(2).await;
    assert_eq!(busy.unread(), Vec::<String>::new());
    assert_eq!(asked.unread(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_question_without_a_call_is_answered_here() {
    let pooled = shared(Era::Legacy);
    let (mut one, two) = two(&pooled).await;
    one.call(2, "later", r#"{"gate":"now","key":"between"}"#)
        .await;
    pooled.log.open("now");
    let is_answer = |msg: &Message| msg.text().contains(r#""id":"between""#);
    let (_, told) = pooled.log.find(is_answer).await;
    assert!(told.text().contains("error"), "{}", told.text());
    assert_eq!((one.unread(), two.unread()), (Vec::new(), Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_takes_only_the_call_of_its_session() {
    let pooled = shared(Era::Legacy);
    let (one, mut two) = two(&pooled).await;
    one.begin(2, "gate", r#"{"name":"one"}"#).await;
    let (_, taken) = pooled.log.called("gate").await;
    two.begin(2, "gate", r#"{"name":"two"}"#).await;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
    one.send(message(cancel)).await;
    let (_, told) = pooled.log.find(is_cancellation).await;
    let id = told.params().and_then(|params| params.get("requestId"));
    let id = id.map(|id| id.text().to_owned());
    assert_eq!(id, taken.id().map(|id| id.text().to_owned()));
    pooled.log.open("two");
    assert_eq!(given(&two.answer(2).await, "name"), r#""two""#);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_ends_leaves_the_connection_to_the_others() {
    let pooled = shared(Era::Legacy);
    let (one, mut two) = two(&pooled).await;
    one.begin(2, "gate", r#"{"name":"never"}"#).await;
    let (number, _) = pooled.log.called("gate").await;
    drop(one);
    pooled.log.find(is_cancellation).await;
    assert_eq!(connection(&two.call(2, "which", "{}").await), number);
    let mut three = pooled.session("").await;
    assert_eq!(connection(&three.call(2, "which", "{}").await), number);
}

#[tokio::test(start_paused = true)]
async fn the_exit_of_the_server_fails_all_calls_and_a_new_session_works() {
    let pooled = shared(Era::Legacy);
    let (mut one, mut two) = two(&pooled).await;
    two.begin(2, "gate", r#"{"name":"never"}"#).await;
    pooled.log.called("gate").await;
    let failed = one.call(2, "die", "{}").await;
    assert!(failed.text().contains(r#""error""#), "{}", failed.text());
    let failed = two.answer(2).await;
    assert!(failed.text().contains("-32000"), "{}", failed.text());
    pooled.session("").await.call(2, "which", "{}").await;
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_can_be_shared_too() {
    let pooled = shared(Era::Modern);
    let (mut one, mut two) = two(&pooled).await;
    one.begin(2, "ask", r#"{"label":"one"}"#).await;
    two.begin(2, "ask", r#"{"label":"two"}"#).await;
    for (session, name) in [(&mut one, "one"), (&mut two, "two")] {
        let question = session.hear("elicitation/create").await;
        assert!(question.text().contains(name), "{}", question.text());
        let answer = format!(r#"{{"action":"{name}"}}"#);
        let id = question.id().expect("a question has an id");
        session.send(Message::result(&id, &answer)).await;
        assert_eq!(given(&session.answer(2).await, "answer"), answer);
    }
    assert_eq!(pooled.log.opened(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_session_without_a_log_level_gets_the_servers_logs() {
    for era in [Era::Legacy, Era::Modern] {
        let pooled = shared(era);
        let mut session = pooled.session("").await;
        session.call(2, "log", "{}").await;
        let log = session.hear("notifications/message").await;
        assert!(log.text().contains("all is well"), "{}", log.text());
    }
}

#[tokio::test(start_paused = true)]
async fn log_messages_reach_no_other_session() {
    let pooled = shared(Era::Legacy);
    let (mut alice, mut bob) = (pooled.session("alice").await, pooled.session("bob").await);
    // The call of the other session is newer, which a guess would prefer.
    bob.begin(2, "log", r#"{"gate":"log"}"#).await;
    pooled.log.called("log").await;
    alice.begin(2, "gate", "{}").await;
    pooled.log.called("gate").await;
    pooled.log.open("log");
    bob.answer(2).await;
    pooled.log.open("gate");
    alice.answer(2).await;
    assert_eq!(alice.unread(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn an_error_of_the_server_reaches_a_session_as_it_was() {
    let pooled = shared(Era::Legacy);
    let mut session = pooled.session("").await;
    for error in [
        r#"{"code":-32042,"message":"sign in","data":{"elicitations":[{"mode":"url","elicitationId":"e","url":"https://x.example","message":"m"}]}}"#,
        r#"{"code":-32002,"message":"no such thing"}"#,
        r#"{"code":-32602,"message":"no","data":{"uri":"a://b"}}"#,
    ] {
        let answer = session
            .call(2, "refuse", &format!(r#"{{"error":{error}}}"#))
            .await;
        assert_eq!(answer.body().map(|body| body.text()), Some(error));
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_wants_to_be_a_task_is_run_as_a_call() {
    let pooled = shared(Era::Legacy);
    let mut session = pooled.session("").await;
    let call = legacy_call(2, "which", r#"{},"task":{"ttl":60000}"#);
    assert_eq!(connection(&session.ask(call).await), 1);
    let (_, heard) = pooled.log.called("which").await;
    assert!(!heard.text().contains("ttl"), "{}", heard.text());
}
