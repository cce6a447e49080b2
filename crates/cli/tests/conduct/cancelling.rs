//! A cancellation reaches the component that handles the request, with the id of the request on that hop.

use linkspan_testkit::Message;

use crate::setup::{Passing, answer, id, passing, played};

fn cancel(id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"$/cancel_request","params":{{"requestId":{id},"_meta":{{"n":1.10}}}}}}"#
    )
}

const CANCELLED: &str = r#"{"code":-32800,"message":"Request cancelled"}"#;

fn cancelled(request: &Message) -> String {
    let id = id(request);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{CANCELLED}}}"#)
}

fn requested(cancel: &Message) -> Option<String> {
    cancel.at(&["params", "requestId"])
}

const CHAINS: [&[&str]; 8] = [
    &[],
    &["D0"],
    &["D1"],
    &["D2"],
    &["D3"],
    &["D5"],
    &["D5", "D2", "D5"],
    &["D0", "D1", "D2", "D5", "D4"],
];

#[test]
fn the_agent_gets_the_cancellation_and_the_editor_gets_one_answer() {
    for dialects in CHAINS {
        let chain = passing(dialects);
        chain
            .editor
            .send(r#"{"jsonrpc":"2.0","id":"\u0063-1","method":"session/prompt"}"#);
        let prompt = chain.agent.heard("session/prompt");
        // Another spelling of the same id.
        chain.editor.send(&cancel("\"c-1\""));
        let heard = chain.agent.next();
        assert_eq!(heard.method.as_deref(), Some("$/cancel_request"));
        assert_eq!(
            requested(&heard).as_deref(),
            Some(id(&prompt)),
            "{dialects:?}"
        );
        assert_eq!(
            heard.at(&["params", "_meta"]).as_deref(),
            Some(r#"{"n":1.10}"#)
        );
        chain.agent.say(&cancelled(&prompt));
        assert_eq!(
            chain.editor.line(),
            format!(r#"{{"jsonrpc":"2.0","id":"\u0063-1","error":{CANCELLED}}}"#)
        );
        assert_nothing_more(&chain);
        chain.end();
    }
}

#[track_caller]
fn assert_nothing_more(chain: &Passing) {
    chain.agent.say(r#"{"jsonrpc":"2.0","method":"_last"}"#);
    assert_eq!(chain.editor.line(), r#"{"jsonrpc":"2.0","method":"_last"}"#);
}

#[test]
fn the_editor_gets_cancellations_of_the_agent() {
    for dialects in CHAINS {
        let chain = passing(dialects);
        chain
            .agent
            .say(r#"{"jsonrpc":"2.0","id":7,"method":"session/request_permission"}"#);
        let asked = chain.editor.heard("session/request_permission");
        chain.agent.say(&cancel("7"));
        let heard = chain.editor.heard("$/cancel_request");
        assert_eq!(
            requested(&heard).as_deref(),
            Some(id(&asked)),
            "{dialects:?}"
        );
        chain.editor.send(&cancelled(&asked));
        assert_eq!(
            chain.agent.line(),
            format!(r#"{{"jsonrpc":"2.0","id":7,"error":{CANCELLED}}}"#)
        );
        chain.end();
    }
}

#[test]
fn each_hop_has_its_own_id_and_a_proxy_may_consume_the_cancellation() {
    let chain = played(&[], 1);
    let proxy = &chain.proxies[0];
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","id":"c","method":"_slow"}"#);
    let slow = proxy.heard("_slow");
    proxy.say(
        r#"{"jsonrpc":"2.0","id":"p","method":"proxy/successor","params":{"method":"_slow"}}"#,
    );
    let there = chain.agent.heard("_slow");
    chain.editor.send(&cancel("\"c\""));
    let heard = proxy.next();
    assert_eq!(requested(&heard).as_deref(), Some(id(&slow)));
    chain.editor.send(r#"{"jsonrpc":"2.0","method":"_after"}"#);
    proxy.heard("_after");
    let heard = chain.agent.unheard();
    assert!(
        heard.is_empty(),
        "the proxy has not passed it on: {heard:?}"
    );
    proxy.say(&cancel("\"p\""));
    assert_eq!(requested(&chain.agent.next()).as_deref(), Some(id(&there)));
}

#[test]
fn an_old_proxy_may_put_a_cancellation_into_an_envelope() {
    let chain = played(&[], 1);
    let proxy = &chain.proxies[0];
    proxy.say(
        r#"{"jsonrpc":"2.0","id":"p","method":"proxy/successor","params":{"method":"_slow"}}"#,
    );
    let there = chain.agent.heard("_slow");
    proxy.say(r#"{"jsonrpc":"2.0","method":"proxy/successor","params":{"method":"$/cancel_request","params":{"requestId":"p"}}}"#);
    let heard = chain.agent.next();
    assert_eq!(heard.method.as_deref(), Some("$/cancel_request"));
    assert_eq!(requested(&heard).as_deref(), Some(id(&there)));
    chain.agent.say(&cancelled(&there));
    assert_eq!(proxy.answer("\"p\"").error.as_deref(), Some(CANCELLED));
}

#[test]
fn a_cancellation_of_nothing_is_ignored() {
    let chain = passing(&["D5"]);
    for id in ["1", "\"never\"", "null", "{}", "[1]", "1.5"] {
        chain.editor.send(&cancel(id));
        chain.agent.say(&cancel(id));
    }
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","method":"$/cancel_request"}"#);
    chain.editor.send(r#"{"jsonrpc":"2.0","method":"_last"}"#);
    assert_eq!(chain.agent.next().method.as_deref(), Some("_last"));
    assert_nothing_more(&chain);
    chain.end();
}

#[test]
fn a_cancelled_request_may_still_work_and_is_answered_once() {
    let chain = passing(&["D2"]);
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","id":3,"method":"_slow"}"#);
    let slow = chain.agent.heard("_slow");
    chain.editor.send(&cancel("3"));
    chain.editor.send(&cancel("3"));
    chain.agent.heard("$/cancel_request");
    chain.agent.heard("$/cancel_request");
    answer(&chain.agent, &slow, r#"{"done":1.0}"#);
    answer(&chain.agent, &slow, r#"{"done":2.0}"#);
    assert_eq!(
        chain.editor.line(),
        r#"{"jsonrpc":"2.0","id":3,"result":{"done":1.0}}"#
    );
    assert_nothing_more(&chain);
    chain.end();
}

#[test]
fn cancelling_a_session_is_an_ordinary_notification() {
    let chain = passing(&["D2", "D5"]);
    let line = r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}"#;
    chain.editor.send(line);
    assert_eq!(chain.agent.line(), line);
    chain.end();
}
