//! Calls that the user is asked about.

use linkspan_gateway::ListKind;
use linkspan_wire::{Message, quote};

use crate::testing::{Client, Peer, Stage, at, call};

const RULE: &str = r#""rules":[{"then":{"confirm":"Really?"}}]"#;

fn is_question(answer: &Message) -> bool {
    at(answer, &["resultType"]) == r#""input_required""#
}

/// The state of a question, as spelled.
fn state(asked: &Message) -> String {
    assert!(is_question(asked), "{}", asked.text());
    at(asked, &["requestState"])
}

/// The parameters of a request, with the user's answer to the question of the gateway.
fn answered(params: &str, action: &str, state: &str) -> String {
    let answer = format!(r#""inputResponses":{{"linkspan_confirm":{{"action":"{action}"}}}}"#);
    format!(r#"{params},{answer},"requestState":{state}"#)
}

struct Confirmed {
    peer: Peer,
    stage: Stage,
}

impl Confirmed {
    fn new(peer: Peer) -> Self {
        let stage = Stage::of(RULE, &[&peer]);
        Self { peer, stage }
    }

    fn client(&self) -> Client {
        self.stage.client("ada").asking()
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_reaches_its_server_after_the_user_has_accepted_and_as_it_was() {
    for peer in [Peer::modern("s", &["t"]), Peer::legacy("s", &["t"])] {
        let on = Confirmed::new(peer);
        let client = on.client();
        let params = call("s__t", r#"{"n":1.0}"#);
        let asked = client.ask("tools/call", &params).await;
        let question = ["inputRequests", "linkspan_confirm", "params", "message"];
        assert_eq!(at(&asked, &question), r#""Really?\ns__t {\"n\":1.0}""#);
        assert_eq!(on.peer.called(), [""; 0]);
        let accepted = answered(&params, "accept", &state(&asked));
        let done = client.ask("tools/call", &accepted).await;
        let arguments = ["structuredContent", "arguments"];
        assert_eq!(at(&done, &arguments), r#"{"n":1.0}"#, "{}", done.text());
        let sent = on.peer.heard("tools/call").remove(0).1.text();
        assert!(!sent.contains("linkspan"), "{sent}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_declined_call_is_not_sent() {
    let on = Confirmed::new(Peer::modern("s", &["t"]));
    let params = call("s__t", "{}");
    let asked = on.client().ask("tools/call", &params).await;
    for action in ["decline", "cancel"] {
        let declined = answered(&params, action, &state(&asked));
        let refused = on.client().ask("tools/call", &declined).await;
        assert_eq!(at(&refused, &["isError"]), "true", "{}", refused.text());
    }
    assert_eq!(on.peer.called(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_acceptance_counts_for_its_sender_its_tool_and_its_arguments_only() {
    let on = Confirmed::new(Peer::modern("s", &["t", "u"]));
    let params = call("s__t", r#"{"n":1}"#);
    let state = state(&on.client().ask("tools/call", &params).await);
    let other_arguments = answered(&call("s__t", r#"{"n":2}"#), "accept", &state);
    let other_tool = answered(&call("s__u", r#"{"n":1}"#), "accept", &state);
    for params in [other_arguments, other_tool] {
        let again = on.client().ask("tools/call", &params).await;
        assert!(is_question(&again), "{}", again.text());
    }
    let of_ada = answered(&params, "accept", &state);
    for credentials in ["bob", ""] {
        let other = on.stage.client(credentials).asking();
        let again = other.ask("tools/call", &of_ada).await;
        assert!(is_question(&again), "{}", again.text());
    }
    for forged in ["linkspan.asked.00", "linkspan.accepted.00.", ""] {
        let params = answered(&params, "accept", &quote(forged));
        let again = on.client().ask("tools/call", &params).await;
        assert!(is_question(&again), "{}", again.text());
    }
    assert_eq!(on.peer.called(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_acceptance_for_one_resource_or_prompt_is_none_for_another() {
    let peer = Peer::modern("s", &[]);
    peer.set_resources(&["x://1", "x://2"]);
    let prompts = ["p", "q"].map(|name| format!(r#"{{"name":"{name}"}}"#));
    peer.set(ListKind::Prompts, prompts.into());
    let on = Confirmed::new(peer);
    let client = on.client();
    let cases = [
        ("resources/read", r#""uri":"x://1""#, r#""uri":"x://2""#),
        ("prompts/get", r#""name":"s__p""#, r#""name":"s__q""#),
    ];
    for (method, one, other) in cases {
        let state = state(&client.ask(method, one).await);
        let again = client.ask(method, &answered(other, "accept", &state)).await;
        assert!(is_question(&again), "{}", again.text());
        assert_eq!(on.peer.heard(method).len(), 0);
        let done = client.ask(method, &answered(one, "accept", &state)).await;
        assert!(!is_question(&done), "{}", done.text());
        assert_eq!(on.peer.heard(method).len(), 1);
    }
    // A prompt may have the name of a tool.
    let state = state(&client.ask("prompts/get", r#""name":"s__p""#).await);
    let call = answered(r#""name":"s__p""#, "accept", &state);
    let again = client.ask("tools/call", &call).await;
    assert!(is_question(&again), "{}", again.text());
    assert_eq!(on.peer.called(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_after_the_confirmation_gets_its_answer_and_its_state() {
    for peer in [Peer::modern("s", &["ask"]), Peer::legacy("s", &["ask"])] {
        let era = peer.heard("initialize").len();
        let on = Confirmed::new(peer);
        let client = on.client();
        let params = call("s__ask", "{}");
        let asked = client.ask("tools/call", &params).await;
        let accepted = answered(&params, "accept", &state(&asked));
        let of_server = client.ask("tools/call", &accepted).await;
        let state = state(&of_server);
        let questions = of_server.body().unwrap().get("inputRequests").unwrap();
        let (key, _) = questions.members().next().unwrap();
        assert_ne!(key, "linkspan_confirm");
        let answer = format!(
            r#"{params},"inputResponses":{{"{key}":{{"action":"accept","content":{{"n":1.0}}}}}},"requestState":{state}"#
        );
        let done = client.ask("tools/call", &answer).await;
        assert_eq!(
            at(&done, &["structuredContent", "answer", "content"]),
            r#"{"n":1.0}"#,
            "{era} {}",
            done.text()
        );
        let state = at(&done, &["structuredContent", "state"]);
        assert!(["null", r#""state of s""#].contains(&&*state), "{state}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_cannot_ask_gets_an_error() {
    let on = Confirmed::new(Peer::modern("s", &["t"]));
    let refused = on.stage.client("").call("s__t", "{}").await;
    assert_eq!(at(&refused, &["code"]), "-32021", "{}", refused.text());
    assert_eq!(on.peer.called(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_completion_asks_no_one() {
    let peer = Peer::modern("s", &[]);
    peer.set(ListKind::Prompts, vec![r#"{"name":"p"}"#.to_owned()]);
    let on = Confirmed::new(peer);
    let params = r#""ref":{"type":"ref/prompt","name":"s__p"},"argument":{"name":"a","value":"b"}"#;
    let completed = on.client().ask("completion/complete", params).await;
    assert_eq!(at(&completed, &["server"]), r#""s""#);
    assert_eq!(
        at(&completed, &["params", "ref", "name"]),
        r#""p""#,
        "{}",
        completed.text()
    );
}
