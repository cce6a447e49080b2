//! A legacy child asks during a call of a modern client: the call is parked until the client returns with the answer.

use std::time::{Duration, Instant};

use linkspan_testkit::{Call, Exposed, Message, Modern};
use serde_json::{Value, json};

use crate::setup::{assert_works_for, clip, content, expose, legacy, value};

/// The parts of a result that asks for input.
struct Parked {
    key: String,
    question: Value,
    state: String,
}

/// Reads a result that asks for input.
#[track_caller]
fn parked(answer: &Message) -> Parked {
    let result = answer.json()["result"].clone();
    assert_eq!(
        result["resultType"],
        "input_required",
        "{}",
        clip(&answer.text)
    );
    let inputs = result["inputRequests"]
        .as_object()
        .expect("it says what it needs");
    assert_eq!(inputs.len(), 1, "{inputs:?}");
    let (key, question) = inputs.iter().next().expect("there is one");
    let state = result["requestState"].as_str().unwrap_or_default();
    assert!(!state.is_empty(), "{}", answer.text);
    Parked {
        key: key.clone(),
        question: question.clone(),
        state: state.to_owned(),
    }
}

/// Calls a tool that asks; returns its question.
#[track_caller]
fn ask(client: &Modern, tool: &str, arguments: &Value) -> Parked {
    parked(&client.tool("1", tool, arguments))
}

fn params(tool: &str, arguments: &Value, parked: &Parked, answer: &Value) -> Value {
    json!({
        "name": tool,
        "arguments": arguments,
        "inputResponses": {parked.key.as_str(): answer},
        "requestState": parked.state,
    })
}

/// Repeats the call with the answer.
fn back(client: &Modern, id: &str, tool: &str, parked: &Parked, answer: &Value) -> Call {
    client.request(id, "tools/call", &params(tool, &json!({}), parked, answer))
}

fn accept() -> Value {
    json!({"action": "accept", "content": {"quay": "9"}})
}

fn calls(exposed: &Exposed, tool: &str) -> usize {
    exposed
        .children
        .seen(|s| s.tool().as_deref() == Some(tool))
        .len()
}

#[test]
fn an_elicitation_becomes_a_question_in_the_result() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let question = ask(&client, "ask", &json!({}));
    assert_eq!(question.question["method"], "elicitation/create");
    assert_eq!(question.question["params"]["message"], "which quay?");
    let answer = back(&client, "2", "ask", &question, &accept()).answer();
    assert_eq!(answer.id.as_deref(), Some("2"));
    assert_eq!(value(&answer), accept());
    assert_eq!(answer.json()["result"]["resultType"], "complete");
    assert_eq!(calls(&exposed, "ask"), 1, "the child was called once");
}

#[test]
fn sampling_becomes_a_question_in_the_result() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let question = ask(&client, "sample", &json!({}));
    assert_eq!(question.question["method"], "sampling/createMessage");
    assert_eq!(question.question["params"]["maxTokens"], 7);
    let said =
        json!({"role": "assistant", "content": {"type": "text", "text": "ahoy"}, "model": "m"});
    let answer = back(&client, "2", "sample", &question, &said).answer();
    assert_eq!(value(&answer), said);
}

#[test]
fn roots_become_a_question_in_the_result() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let question = ask(&client, "roots", &json!({}));
    assert_eq!(question.question["method"], "roots/list");
    let said = json!({"roots": [{"uri": "file:///harbour"}]});
    let answer = back(&client, "2", "roots", &question, &said).answer();
    assert_eq!(value(&answer), said);
}

#[test]
fn answers_reach_the_child_byte_for_byte() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let question = ask(&client, "sample", &json!({}));
    let said = r#"{"z":1.0,"big":12345678901234567890,"a":"\u2028"}"#;
    let params = params("sample", &json!({}), &question, &json!("HERE"));
    let ask = client.posting("2", "tools/call", &params);
    let body = client
        .body("2", "tools/call", &params)
        .replace("\"HERE\"", said);
    assert_eq!(content(&client.client.send(&ask.body(body)).answer()), said);
}

#[test]
fn the_key_is_the_childs_own_id() {
    let exposed = legacy();
    let client = exposed.client().modern();
    assert_eq!(
        ask(&client, "ask", &json!({"key": "user_name"})).key,
        "user_name"
    );
}

#[test]
fn prompts_may_ask_too() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let get = json!({"name": "ask"});
    let question = parked(&client.request("1", "prompts/get", &get).answer());
    let mut retry = get;
    retry["inputResponses"] = json!({question.key.as_str(): accept()});
    retry["requestState"] = json!(question.state);
    let answer = client.request("2", "prompts/get", &retry).answer();
    assert_eq!(value(&answer), accept());
}

#[test]
fn a_child_may_ask_again_and_again() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let arguments = json!({"rounds": 3});
    let mut question = ask(&client, "ask", &arguments);
    for round in 2..=3 {
        let params = params("ask", &arguments, &question, &json!({"action": "accept"}));
        let next = parked(
            &client
                .request(&round.to_string(), "tools/call", &params)
                .answer(),
        );
        assert_ne!(next.key, question.key);
        question = next;
    }
    let params = params("ask", &arguments, &question, &json!({"action": "decline"}));
    let answer = client.request("4", "tools/call", &params).answer();
    assert_eq!(value(&answer)["action"], "decline");
    assert_eq!(calls(&exposed, "ask"), 1);
}

#[test]
fn a_child_may_ask_two_things_at_once() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let mut params = json!({"name": "two", "arguments": {}});
    for round in 1..=3 {
        let answer = client
            .request(&round.to_string(), "tools/call", &params)
            .answer();
        let result = answer.json()["result"].clone();
        if result["resultType"] == "complete" {
            assert_eq!(
                value(&answer),
                json!({"ask": {"to": "elicitation/create"}, "sample": {"to": "sampling/createMessage"}})
            );
            return;
        }
        let inputs = result["inputRequests"].as_object().unwrap();
        let answers = inputs
            .iter()
            .map(|(key, q)| (key.clone(), json!({"to": q["method"]})));
        params["inputResponses"] = Value::Object(answers.collect());
        params["requestState"] = result["requestState"].clone();
    }
    panic!("two questions need no more than two rounds");
}

#[test]
fn a_state_that_was_tampered_with_is_refused() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let question = ask(&client, "ask", &json!({}));
    let state = &question.state;
    let middle = state.len() / 2;
    let other = if state.as_bytes()[middle] == b'A' {
        "B"
    } else {
        "A"
    };
    let flipped = format!("{}{other}{}", &state[..middle], &state[middle + 1..]);
    for bad in [
        flipped,
        String::new(),
        "x".into(),
        state[..state.len() - 1].into(),
        format!("{state}A"),
    ] {
        let forged = Parked {
            key: question.key.clone(),
            question: Value::Null,
            state: bad.clone(),
        };
        let answer = back(&client, "2", "ask", &forged, &accept()).answer();
        assert_eq!(answer.code(), Some(-32602), "{bad:?}: {}", answer.text);
    }
    assert_eq!(calls(&exposed, "ask"), 1, "none of them ran the tool");
    let answer = back(&client, "3", "ask", &question, &accept()).answer();
    assert_eq!(
        value(&answer),
        accept(),
        "the call still waits for its client"
    );
}

#[test]
fn a_state_belongs_to_the_call_that_it_was_made_for() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let question = ask(&client, "ask", &json!({}));
    let answer = back(&client, "2", "echo", &question, &accept()).answer();
    assert_eq!(answer.code(), Some(-32602), "{}", answer.text);
    assert_eq!(calls(&exposed, "echo"), 0);
}

#[test]
fn a_state_belongs_to_the_principal_that_it_was_given_to() {
    let exposed = legacy();
    let [alice, mallory] = ["Bearer alice", "Bearer mallory"]
        .map(|token| exposed.client().with("Authorization", token).modern());
    let question = ask(&alice, "ask", &json!({}));
    let stolen = back(
        &mallory,
        "2",
        "ask",
        &question,
        &json!({"action": "forged"}),
    )
    .answer();
    assert_eq!(stolen.code(), Some(-32602), "{}", stolen.text);
    let answer = back(&alice, "2", "ask", &question, &accept()).answer();
    assert_eq!(value(&answer), accept());
}

#[test]
fn a_state_is_good_for_one_answer() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let question = ask(&client, "ask", &json!({}));
    assert!(
        back(&client, "2", "ask", &question, &accept())
            .answer()
            .result
            .is_some()
    );
    let again = back(&client, "3", "ask", &question, &accept()).answer();
    assert_eq!(again.code(), Some(-32602), "{}", again.text);
    assert_eq!(calls(&exposed, "ask"), 1, "the tool did not run again");
}

#[test]
fn an_answer_to_another_question_is_not_taken_for_this_one() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let question = ask(&client, "ask", &json!({}));
    let wrong = Parked {
        key: "no-such-question".into(),
        question: Value::Null,
        state: question.state.clone(),
    };
    let answer = back(&client, "2", "ask", &wrong, &accept()).answer();
    let asked_again = answer.json()["result"]["resultType"] == "input_required";
    assert!(
        asked_again || answer.code() == Some(-32602),
        "{}",
        answer.text
    );
    assert_eq!(calls(&exposed, "ask"), 1);
}

#[test]
fn a_client_without_the_capability_for_a_question_gets_an_error() {
    for flags in [&[][..], &["--share"][..]] {
        let exposed = expose(flags, &[]);
        for (tool, others, lacking) in [
            // The child has just been started.
            ("roots", json!({"elicitation": {}, "sampling": {}}), "roots"),
            ("ask", json!({"sampling": {}, "roots": {}}), "elicitation"),
            (
                "sample",
                json!({"elicitation": {}, "roots": {}}),
                "sampling",
            ),
        ] {
            let client = exposed.client().modern().declaring(others);
            let sent = Instant::now();
            let mut call = client.call("1", tool, &json!({}));
            let is_streamed = call.reply().is_stream();
            assert_eq!(call.status(), if is_streamed { 200 } else { 400 });
            // The front begins a stream for answers that take longer than a second.
            assert!(!is_streamed || sent.elapsed() >= Duration::from_secs(1));
            let error = call.answer();
            assert_eq!(error.code(), Some(-32021), "{}", error.text);
            let required = &error.json()["error"]["data"]["requiredCapabilities"];
            assert!(required[lacking].is_object(), "{}", error.text);
            assert_works_for(&client);
        }
    }
}

#[test]
fn the_call_of_a_client_that_never_retries_is_cancelled() {
    let exposed = expose(&["--park-timeout", "1"], &[]);
    let client = exposed.client().modern();
    let question = ask(&client, "ask", &json!({}));
    let heard = exposed.children.wait_for_tool("ask");
    let cancelled = exposed.children.wait_for_method("notifications/cancelled");
    let id = cancelled.message.unwrap().at(&["params", "requestId"]);
    assert_eq!(id.as_deref(), heard.id());
    let late = back(&client, "2", "ask", &question, &accept()).answer();
    assert_eq!(late.code(), Some(-32602), "{}", late.text);
    assert_eq!(calls(&exposed, "ask"), 1, "and the tool does not run again");
    assert_works_for(&client);
}

#[test]
fn a_client_that_disconnects_during_its_resumed_call_cancels_it() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let arguments = json!({"key": "which", "gate": "never"});
    let question = ask(&client, "ask", &arguments);
    let called = exposed.children.wait_for_tool("ask");
    let retry = params("ask", &arguments, &question, &accept());
    let running = client.request("2", "tools/call", &retry);
    exposed.children.wait_for("the answer", |s| {
        s.id() == Some("\"which\"") && s.method().is_none()
    });
    drop(running);
    let cancelled = exposed.children.wait_for_method("notifications/cancelled");
    let id = cancelled.message.unwrap().at(&["params", "requestId"]);
    assert_eq!(id.as_deref(), called.id());
    assert_works_for(&client);
}

#[test]
fn a_question_at_the_childs_start_holds_up_no_client_without_roots() {
    let exposed = expose(&[], &["--roots-at-start"]);
    let client = exposed.client().modern();
    let client = client.declaring(json!({"elicitation": {}}));
    assert_works_for(&client);
    let told = exposed
        .children
        .wait_for("an answer to the child", |s| s.id() == Some("\"at-start\""));
    assert!(told.message.unwrap().error.is_some(), "{}", told.text);
    assert_works_for(&client);
}

#[test]
fn a_question_between_calls_is_refused() {
    let exposed = legacy();
    let client = exposed.client().modern();
    client.tool(
        "1",
        "later",
        &json!({"gate": "now", "what": "ask", "key": "between"}),
    );
    exposed.children.open("now");
    let told = exposed
        .children
        .wait_for("an answer to the child", |s| s.id() == Some("\"between\""));
    assert!(told.message.unwrap().error.is_some(), "{}", told.text);
    assert_works_for(&client);
}

#[test]
fn progress_after_a_question_goes_to_the_token_of_the_retry() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let mut first = json!({"name": "ask", "arguments": {}, "_meta": {"progressToken": "first"}});
    let mut call = client.request("1", "tools/call", &first);
    let question = parked(&call.answer());
    for note in call.rest() {
        assert_eq!(note.json()["params"]["progressToken"], "first");
    }
    first["inputResponses"] = json!({question.key.as_str(): accept()});
    first["requestState"] = json!(question.state);
    first["_meta"]["progressToken"] = json!(2);
    let mut retry = client.request("2", "tools/call", &first);
    let note = retry.heard("notifications/progress").json();
    assert_eq!(note["params"]["progressToken"], 2, "{note}");
    assert_eq!(note["params"]["progress"], 1, "{note}");
    assert!(retry.answer().result.is_some());
}

#[test]
fn a_second_client_is_not_asked_what_the_first_one_was() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let first = ask(&client, "ask", &json!({"label": "alice"}));
    assert_eq!(first.question["params"]["message"], "alice");
    // The first call is parked. The second gets its own question, or its question is refused because either call can
    // have asked it.
    let answer = client.tool("1", "ask", &json!({"label": "bob"}));
    let asked = answer.json()["result"]["resultType"] == "input_required";
    let second = asked.then(|| parked(&answer));
    for (label, question) in [("bob", second), ("alice", Some(first))] {
        let Some(question) = question else { continue };
        assert_eq!(question.question["params"]["message"], label);
        let params = params(
            "ask",
            &json!({"label": label}),
            &question,
            &json!({"action": label}),
        );
        let answer = client.request("2", "tools/call", &params).answer();
        assert_eq!(value(&answer)["action"], label);
    }
}

#[test]
fn a_crash_while_a_call_is_parked_is_the_answer_to_its_retry() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let question = ask(&client, "ask", &json!({}));
    let pid = exposed.children.wait_for_tool("ask").pid;
    exposed.children.kill(pid);
    exposed.children.wait_until_gone(pid);
    let answer = back(&client, "2", "ask", &question, &accept()).answer();
    assert!(answer.error.is_some(), "{}", answer.text);
    assert_eq!(
        calls(&exposed, "ask"),
        1,
        "a call that may have run is not repeated"
    );
    assert_works_for(&client);
}
