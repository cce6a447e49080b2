//! Questions of calls that share a connection: each reaches the client of its call, or none.

use super::*;
use crate::testing::{at, given};

const ASKING: &str = r#"{"elicitation":{"form":{}}}"#;

/// The key of the only question in a result that asks for input, and its state as spelled.
fn question(answer: &Message) -> (String, String) {
    let text = answer.text();
    assert_eq!(at(answer, &["resultType"]), r#""input_required""#, "{text}");
    let inputs = answer.body().and_then(|body| body.get("inputRequests"));
    let mut keys = inputs.into_iter().flat_map(|inputs| inputs.members());
    let (key, _) = keys.next().expect("a question");
    assert!(keys.next().is_none(), "{text}");
    (key.into_owned(), at(answer, &["requestState"]))
}

fn retry(params: &str, (key, state): (String, String), answer: &str) -> Message {
    let more = format!(
        r#"{params},"inputResponses":{{"{key}":{{"action":"{answer}"}}}},"requestState":{state}"#
    );
    modern_request(&more, ASKING)
}

/// A call of `alice` is parked on its first question and asks a second one while a call of `bob` runs.
async fn the_second_question_stays_with_its_call(pooled: &Pooled, alice: &str, bob: &str) {
    // A tool that has worked without asking may share the connection with a parked call.
    pooled.log.open("quiet");
    let gate = |name: &str| {
        let params = format!(r#""name":"gate","arguments":{{"name":"{name}"}}"#);
        modern_request(&params, ASKING)
    };
    pooled.ask(gate("quiet"), bob).await;
    let in_turn = r#""name":"in_turn","arguments":{"gate":"second"}"#;
    let parked = pooled.ask(modern_request(in_turn, ASKING), alice).await;
    let first = question(&parked);
    let running = pooled.begin(gate("bob"), bob).await;
    let calls = pooled.log.find_all(3, |msg| msg.method() == "tools/call");
    let calls = calls.await;
    assert_eq!(calls[1].0, calls[2].0, "they share a connection");
    pooled.log.open("second");
    // The clock is paused, so all tasks have run and the second question has arrived.
    tokio::time::sleep(Duration::from_secs(5)).await;
    pooled.log.open("bob");
    let answer = answer_of(running).await;
    assert_eq!(given(&answer, "name"), r#""bob""#, "bob was not asked");
    let second = pooled.ask(retry(in_turn, first, "first"), alice).await;
    let last = retry(in_turn, question(&second), "second");
    let answer = pooled.ask(last, alice).await;
    for name in ["first", "second"] {
        let expected = format!(r#"{{"action":"{name}"}}"#);
        assert_eq!(given(&answer, name), expected, "{}", answer.text());
    }
}

#[tokio::test(start_paused = true)]
async fn a_second_question_of_a_parked_call_reaches_no_other_call_without_credentials() {
    let pooled = pooled_command(Era::Legacy, &[], |_| ());
    the_second_question_stays_with_its_call(&pooled, "", "").await;
}

#[tokio::test(start_paused = true)]
async fn a_second_question_of_a_parked_call_reaches_no_other_principal_of_a_shared_server() {
    let pooled = pooled_command(Era::Legacy, &[], share);
    the_second_question_stays_with_its_call(&pooled, "alice", "bob").await;
}

#[tokio::test(start_paused = true)]
async fn a_parked_call_of_a_shared_server_does_not_hold_up_calls_that_have_never_asked() {
    let pooled = pooled_command(Era::Legacy, &[], share);
    question(&pooled.answer("ask", ASKING, "alice").await);
    let begun = tokio::time::Instant::now();
    pooled.call("which", ASKING, "bob").await;
    let answer = pooled.session("").await.call(2, "which", "{}").await;
    assert_eq!(connection(&answer), 1);
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_parked_call_whose_client_never_comes_back_is_cancelled() {
    let park = |options: &mut PoolOptions| options.park = Duration::from_secs(1);
    let pooled = pooled_command(Era::Legacy, &[], park);
    let ask = r#""name":"ask","arguments":{}"#;
    let parked = question(&pooled.ask(modern_request(ask, ASKING), "").await);
    let (_, called) = pooled.log.called("ask").await;
    let is_cancellation = |msg: &Message| msg.method() == "notifications/cancelled";
    let (_, cancelled) = pooled.log.find(is_cancellation).await;
    let id = cancelled
        .params()
        .and_then(|params| params.get("requestId"));
    let id = id.map(|id| id.text().to_owned());
    assert_eq!(id, called.id().map(|id| id.text().to_owned()));
    let late = pooled.ask(retry(ask, parked, "accept"), "").await;
    assert_eq!(at(&late, &["code"]), "-32602", "{}", late.text());
    assert_eq!(pooled.log.count("tools/call"), 1, "it does not run again");
    pooled.call("which", ASKING, "").await;
}

#[tokio::test(start_paused = true)]
async fn questions_of_calls_at_the_same_time_are_never_mixed_up() {
    let pooled = pooled_command(Era::Legacy, &[], |_| ());
    let params = |n: usize| format!(r#""name":"ask","arguments":{{"label":"label {n}"}}"#);
    let calls = (0..8).map(|n| pooled.ask(modern_request(&params(n), ASKING), ""));
    let answers = futures_util::future::join_all(calls).await;
    for (n, answer) in answers.iter().enumerate() {
        let text = answer.text();
        if at(answer, &["resultType"]) != r#""input_required""# {
            // The question could not be assigned to a call.
            assert!(given(answer, "answer").contains("code"), "{text}");
            continue;
        }
        assert!(text.contains(&format!("label {n}")), "{text}");
        let retry = retry(&params(n), question(answer), &format!("to {n}"));
        let answer = pooled.ask(retry, "").await;
        let expected = format!(r#"{{"action":"to {n}"}}"#);
        assert_eq!(given(&answer, "answer"), expected);
    }
}
