//! A legacy child that asks for roots when it begins gets those of the client that it works for, and no
//! client works with the roots of another.

use linkspan_testkit::{Bridge, Children, Exposed, Message, Modern, Session, child_program};
use serde_json::{Value, json};

use crate::setup::{LATEST, assert_works_for, expose, legacy, modern_pid, program, value};

fn asking(flags: &[&str]) -> Exposed {
    expose(flags, &["--roots-at-start"])
}

fn roots(name: &str) -> Value {
    json!({"roots": [{"uri": format!("file:///{name}")}]})
}

/// The parameters of the second round of a call that was asked for roots.
#[track_caller]
fn second_round(asked: &Message, tool: &str, roots: &Value) -> Value {
    let result = asked.json()["result"].clone();
    assert_eq!(result["resultType"], "input_required", "{}", asked.text);
    let inputs = result["inputRequests"].as_object().expect("questions");
    assert_eq!(inputs.len(), 1, "{inputs:?}");
    let (key, question) = inputs.iter().next().expect("there is one");
    assert_eq!(question["method"], "roots/list");
    json!({
        "name": tool,
        "arguments": {},
        "inputResponses": {key.as_str(): roots},
        "requestState": result["requestState"],
    })
}

/// What the child knows, when a client with these roots asks.
#[track_caller]
fn whoami(client: &Modern, roots: &Value) -> Value {
    let asked = client.tool("1", "whoami", &json!({}));
    let params = second_round(&asked, "whoami", roots);
    value(&client.request("2", "tools/call", &params).answer())
}

#[track_caller]
fn legacy_whoami(session: &Session, roots: &Value) -> Value {
    let mut call = session.call("1", "whoami", &json!({}));
    let question = call.heard("roots/list");
    session.respond(&question, &roots.to_string());
    value(&call.answer())
}

#[test]
fn each_modern_client_works_with_its_own_roots() {
    let exposed = asking(&[]);
    let client = exposed.client().modern();
    let first = whoami(&client, &roots("alice"));
    assert_eq!(first["roots"], roots("alice"));
    let second = whoami(&client, &roots("bob"));
    assert_eq!(second["roots"], roots("bob"));
    assert_ne!(first["pid"], second["pid"]);
    let again = whoami(&client, &roots("alice"));
    assert_eq!(again["pid"], first["pid"], "the same roots, the same child");
}

#[test]
fn principals_with_the_same_roots_do_not_share_a_child() {
    for flags in [&[][..], &["--share"][..]] {
        let exposed = asking(flags);
        let [first, second] = ["Bearer alice", "Bearer bob"].map(|token| {
            let client = exposed.client().with("Authorization", token);
            whoami(&client.modern(), &roots("same"))
        });
        assert_eq!(first["roots"], second["roots"]);
        assert_ne!(first["pid"], second["pid"]);
    }
}

#[test]
fn each_client_of_a_shared_child_works_with_its_own_roots() {
    let exposed = asking(&["--share"]);
    for name in ["alice", "bob", "alice"] {
        let session = exposed.client().session(LATEST);
        let known = legacy_whoami(&session, &roots(name));
        assert_eq!(known["roots"], roots(name));
    }
}

#[test]
fn a_client_without_roots_is_not_asked_and_gets_nothing_of_others() {
    for flags in [&[][..], &["--share"][..]] {
        let exposed = asking(flags);
        let client = exposed.client().modern();
        whoami(&client, &roots("alice"));
        let other = client.declaring(json!({}));
        let known = value(&other.tool("1", "whoami", &json!({})));
        assert_eq!(known["roots"], Value::Null);
    }
}

#[test]
fn questions_after_the_roots_find_their_call() {
    let exposed = asking(&[]);
    let client = exposed.client().modern();
    let asked = client.tool("1", "ask", &json!({}));
    let params = second_round(&asked, "ask", &roots("alice"));
    let parked = client.request("2", "tools/call", &params).answer();
    let result = parked.json()["result"].clone();
    let (key, question) = result["inputRequests"]
        .as_object()
        .and_then(|inputs| inputs.iter().next())
        .expect("a question");
    assert_eq!(question["method"], "elicitation/create");
    let params = json!({
        "name": "ask",
        "arguments": {},
        "inputResponses": {key.as_str(): {"action": "accept"}},
        "requestState": result["requestState"],
    });
    let answer = client.request("3", "tools/call", &params).answer();
    assert_eq!(value(&answer)["action"], "accept");
}

#[test]
fn a_child_that_was_told_roots_in_a_call_is_given_to_no_other_client() {
    let exposed = legacy();
    let client = exposed.client().modern();
    let asked = client.tool("1", "roots", &json!({}));
    let params = second_round(&asked, "roots", &roots("alice"));
    let answer = client.request("2", "tools/call", &params).answer();
    assert_eq!(value(&answer), roots("alice"));
    let told = exposed.children.wait_for_tool("roots").pid;
    assert_ne!(modern_pid(&client), told);
    assert_works_for(&client);
}

#[test]
fn the_only_client_of_a_child_is_asked_once() {
    let children = Children::listen();
    let mut bridge = Bridge::launch(program())
        .args(["connect", "--"])
        .arg(child_program())
        .args(["--roots-at-start", "--watch", &children.address()])
        .start();
    // Only for the bodies of its requests.
    let address = "127.0.0.1:1".parse().expect("an address");
    let client = linkspan_testkit::Client {
        address,
        path: String::new(),
        headers: Vec::new(),
    };
    let client = client.modern();
    let call = json!({"name": "whoami", "arguments": {}});
    bridge.send(&client.body("1", "tools/call", &call));
    let params = second_round(&bridge.answer("1"), "whoami", &roots("alice"));
    bridge.send(&client.body("2", "tools/call", &params));
    assert_eq!(value(&bridge.answer("2"))["roots"], roots("alice"));
    bridge.send(&client.body("3", "tools/call", &call));
    assert_eq!(value(&bridge.answer("3"))["roots"], roots("alice"));
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
    children.wait_until_none();
}
