//! Several clients of one server: each is asked, and told, only what belongs to its own calls.

use linkspan_testkit::{Exposed, Message, Modern};
use serde_json::{Value, json};

use crate::setup::{LATEST, assert_works_for, expose, legacy, value};

/// Two clients with credentials of their own.
fn two_principals(exposed: &Exposed) -> [Modern; 2] {
    ["Bearer alice", "Bearer bob"]
        .map(|token| exposed.client().with("Authorization", token).modern())
}

/// The key of the only question in a result that asks for input, and its state.
#[track_caller]
fn question(answer: &Message) -> (String, String) {
    let result = answer.json()["result"].clone();
    assert_eq!(result["resultType"], "input_required", "{}", answer.text);
    let inputs = result["inputRequests"].as_object().expect("questions");
    assert_eq!(inputs.len(), 1, "{inputs:?}");
    let key = inputs.keys().next().expect("there is one").clone();
    let state = result["requestState"].as_str().expect("a state");
    (key, state.to_owned())
}

fn retry(arguments: &Value, key: &str, state: &str, answer: &str) -> Value {
    json!({
        "name": "in_turn",
        "arguments": arguments,
        "inputResponses": {key: {"action": answer}},
        "requestState": state,
    })
}

/// A call of `alice` is parked on its first question and asks a second one while a call of `bob` runs.
fn the_second_question_stays_with_its_call(exposed: &Exposed, alice: &Modern, bob: &Modern) {
    // A tool that has worked without asking may share the server with a parked call.
    exposed.children.open("quiet");
    bob.tool("0", "gate", &json!({"name": "quiet"}));
    let arguments = json!({"gate": "second"});
    let (key, state) = question(&alice.tool("1", "in_turn", &arguments));
    let mut running = bob.call("1", "gate", &json!({"name": "bob"}));
    let calls = exposed.children.wait_for_tools("gate", 2);
    let asking = exposed.children.wait_for_tool("in_turn");
    assert_eq!(calls[1].pid, asking.pid, "they share a process");
    exposed.children.open("second");
    exposed.children.wait_for("the second question", |s| {
        s.text.contains("asked the second")
    });
    exposed.children.open("bob");
    let answer = running.answer();
    assert_eq!(value(&answer)["name"], "bob", "bob was not asked anything");
    let params = retry(&arguments, &key, &state, "first");
    let second = alice.request("2", "tools/call", &params).answer();
    let (key, state) = question(&second);
    let params = retry(&arguments, &key, &state, "second");
    let answer = alice.request("3", "tools/call", &params).answer();
    assert_eq!(value(&answer)["first"]["action"], "first");
    assert_eq!(value(&answer)["second"]["action"], "second");
}

#[test]
fn a_second_question_of_a_parked_call_reaches_no_other_client_without_credentials() {
    let exposed = legacy();
    let client = exposed.client().modern();
    the_second_question_stays_with_its_call(&exposed, &client, &client);
}

#[test]
fn a_second_question_of_a_parked_call_reaches_no_other_principal_of_a_shared_server() {
    let exposed = expose(&["--share"], &[]);
    let [alice, bob] = two_principals(&exposed);
    the_second_question_stays_with_its_call(&exposed, &alice, &bob);
}

#[test]
fn a_parked_call_of_a_shared_server_does_not_hold_up_calls_that_have_never_asked() {
    let exposed = expose(&["--share"], &[]);
    let [alice, bob] = two_principals(&exposed);
    question(&alice.tool("1", "ask", &json!({})));
    assert_works_for(&bob);
    let session = exposed.client().session(LATEST);
    assert_eq!(session.tool("1", "fail", &json!({})).code(), Some(-31999));
}
