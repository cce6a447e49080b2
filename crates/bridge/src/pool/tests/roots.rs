//! A legacy server that asks for roots at its start gets those of its client; no client uses a server with the roots of
//! another.

use super::*;
use crate::testing::{at, given};

const ALL: &str = r#"{"roots":{},"elicitation":{}}"#;

fn rooted(change: impl FnOnce(&mut PoolOptions)) -> Pooled {
    pooled_command(Era::Legacy, &[Habit::RootsAtStart], change)
}

fn roots(name: &str) -> String {
    format!(r#"{{"roots":[{{"uri":"file:///{name}"}}]}}"#)
}

/// The second round of a call that was asked for roots.
fn second_round(asked: &Message, tool: &str, roots: &str) -> Message {
    let inputs = at(asked, &["inputRequests"]);
    assert!(inputs.contains("roots/list"), "{}", asked.text());
    let inputs = asked.body().and_then(|body| body.get("inputRequests"));
    let mut keys = inputs.into_iter().flat_map(|inputs| inputs.members());
    let (key, _) = keys.next().expect("a question");
    let state = at(asked, &["requestState"]);
    let params = format!(
        r#""name":"{tool}","arguments":{{}},"inputResponses":{{"{key}":{roots}}},"requestState":{state}"#
    );
    modern_request(&params, ALL)
}

/// The answer of the server to a client with these roots.
async fn which(pooled: &Pooled, roots: &str, credentials: &str) -> Message {
    let asked = pooled.answer("which", ALL, credentials).await;
    let second = second_round(&asked, "which", roots);
    let answer = pooled.ask(second, credentials).await;
    assert_eq!(given(&answer, "roots"), roots, "{}", answer.text());
    answer
}

#[tokio::test(start_paused = true)]
async fn each_modern_client_works_with_its_own_roots() {
    let pooled = rooted(|_| ());
    let first = connection(&which(&pooled, &roots("alice"), "").await);
    let second = connection(&which(&pooled, &roots("bob"), "").await);
    assert_ne!(first, second);
    let again = connection(&which(&pooled, &roots("alice"), "").await);
    assert_eq!(again, first, "the same roots, the same connection");
}

#[tokio::test(start_paused = true)]
async fn principals_with_the_same_roots_do_not_share_a_connection() {
    for is_shared in [false, true] {
        let pooled = rooted(|options| options.share = is_shared);
        let alice = connection(&which(&pooled, &roots("same"), "alice").await);
        let bob = connection(&which(&pooled, &roots("same"), "bob").await);
        assert_ne!(alice, bob);
    }
}

#[tokio::test(start_paused = true)]
async fn each_session_of_a_shared_server_works_with_its_own_roots() {
    let pooled = rooted(share);
    for name in ["alice", "bob", "alice"] {
        let mut session = pooled.session("").await;
        session.begin(2, "which", "{}").await;
        let question = session.hear("roots/list").await;
        let id = question.id().expect("a question has an id");
        session.send(Message::result(&id, &roots(name))).await;
        assert_eq!(given(&session.answer(2).await, "roots"), roots(name));
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_without_roots_is_not_asked_and_gets_none_of_others() {
    for is_shared in [false, true] {
        let pooled = rooted(|options| options.share = is_shared);
        which(&pooled, &roots("alice"), "").await;
        let answer = pooled.answer("which", "{}", "").await;
        assert_eq!(given(&answer, "roots"), "null", "{}", answer.text());
    }
}

#[tokio::test(start_paused = true)]
async fn questions_after_the_roots_find_their_call() {
    let pooled = rooted(|_| ());
    let asked = pooled.answer("ask", ALL, "").await;
    let second = second_round(&asked, "ask", &roots("alice"));
    let parked = pooled.ask(second, "").await;
    let inputs = at(&parked, &["inputRequests"]);
    assert!(inputs.contains("elicitation/create"), "{}", parked.text());
    let state = at(&parked, &["requestState"]);
    let params = format!(
        r#""name":"ask","arguments":{{}},"inputResponses":{{"question-1":{{"action":"accept"}}}},"requestState":{state}"#
    );
    let answer = pooled.ask(modern_request(&params, ALL), "").await;
    assert_eq!(given(&answer, "answer"), r#"{"action":"accept"}"#);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_got_roots_during_a_call_is_given_to_no_other_call() {
    let pooled = pooled_command(Era::Legacy, &[], |_| ());
    let asked = pooled.answer("roots", ALL, "").await;
    let second = second_round(&asked, "roots", &roots("alice"));
    let answer = pooled.ask(second, "").await;
    assert_eq!(given(&answer, "answer"), roots("alice"));
    let told = connection(&answer);
    assert_ne!(pooled.call("which", ALL, "").await, told);
}
