//! A legacy child that asks for roots at its start gets those of its client; no client uses a child with the roots of
//! another.

use linkspan_testkit::{Bridge, Children, Exposed, Message, Modern, child_program};
use serde_json::{Value, json};

use crate::setup::{expose, program, value};

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

/// What the child knows when a client with these roots calls it.
#[track_caller]
fn whoami(client: &Modern, roots: &Value) -> Value {
    let asked = client.tool("1", "whoami", &json!({}));
    let params = second_round(&asked, "whoami", roots);
    value(&client.request("2", "tools/call", &params).answer())
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
