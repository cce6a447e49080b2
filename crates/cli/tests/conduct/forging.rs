//! Methods reserved for conductors or proxies are refused from other peers, with the official text.

use linkspan_testkit::Player;

use crate::setup::{answer, passing, played};

const FORGED_ENVELOPE: &str = r#"{"code":-32600,"message":"Invalid request","data":"`proxy/successor` is only exchanged between the conductor and the proxies it initialized"}"#;
const FORGED_START: &str = r#"{"code":-32600,"message":"Invalid request","data":"`proxy/initialize` requests are only sent by the conductor"}"#;

const ENVELOPES: [&str; 4] = [
    "proxy/successor",
    "_proxy/successor",
    "_proxy/successor/request",
    "_proxy/successor/send/request",
];

const STARTS: [&str; 2] = ["proxy/initialize", "_proxy/initialize"];

fn request(method: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":"f","method":"{method}","params":{{"method":"_x","message":{{"jsonrpc":"2.0","id":1,"method":"_x"}}}}}}"#
    )
}

#[test]
fn envelopes_of_an_editor_are_refused() {
    let chain = passing(&["D5"]);
    for method in ENVELOPES {
        chain.editor.send(&request(method));
        let refused = chain.editor.answer("\"f\"");
        assert_eq!(refused.error.as_deref(), Some(FORGED_ENVELOPE), "{method}");
    }
    for method in STARTS {
        chain.editor.send(&request(method));
        let refused = chain.editor.answer("\"f\"");
        assert_eq!(refused.error.as_deref(), Some(FORGED_START), "{method}");
    }
    // A notification gets no answer.
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","method":"proxy/successor","params":{"method":"_x"}}"#);
    chain.editor.send(r#"{"jsonrpc":"2.0","method":"_last"}"#);
    assert_eq!(chain.agent.next().method.as_deref(), Some("_last"));
    chain.end();
}

#[test]
fn envelopes_of_an_agent_are_refused() {
    let chain = passing(&["D5"]);
    for method in ENVELOPES {
        chain.agent.say(&request(method));
        let refused = chain.agent.answer("\"f\"");
        assert_eq!(refused.error.as_deref(), Some(FORGED_ENVELOPE), "{method}");
    }
    for method in STARTS {
        chain.agent.say(&request(method));
        let refused = chain.agent.answer("\"f\"");
        assert_eq!(refused.error.as_deref(), Some(FORGED_START), "{method}");
    }
    chain.agent.say(r#"{"jsonrpc":"2.0","method":"_last"}"#);
    assert_eq!(chain.editor.line(), r#"{"jsonrpc":"2.0","method":"_last"}"#);
    chain.end();
}

/// The proxy's answer to an envelope with that message.
#[track_caller]
fn enveloped(proxy: &Player, params: &str) -> String {
    proxy.say(&format!(
        r#"{{"jsonrpc":"2.0","id":"e","method":"proxy/successor","params":{params}}}"#
    ));
    let refused = proxy.answer("\"e\"");
    refused.error.unwrap_or_else(|| panic!("{}", refused.text))
}

#[test]
fn an_envelope_in_an_envelope_is_refused() {
    let chain = played(&[], 1);
    let proxy = &chain.proxies[0];
    for method in ENVELOPES {
        let twice = format!(r#"{{"method":"{method}","params":{{"method":"_x"}}}}"#);
        assert_eq!(enveloped(proxy, &twice), FORGED_ENVELOPE, "{method}");
    }
    assert!(chain.agent.unheard().is_empty());
}

#[test]
fn a_proxy_cannot_initialize_its_predecessor() {
    let chain = played(&[], 2);
    for method in STARTS {
        chain.proxies[1].say(&request(method));
        let refused = chain.proxies[1].answer("\"f\"");
        assert_eq!(refused.error.as_deref(), Some(FORGED_START), "{method}");
    }
    assert!(chain.proxies[0].unheard().is_empty());
}

#[test]
fn an_envelope_without_a_method_is_refused_with_the_official_text() {
    let chain = played(&[], 1);
    let proxy = &chain.proxies[0];
    assert_eq!(
        enveloped(proxy, r#"{"params":{}}"#),
        r#"{"code":-32602,"message":"Invalid params","data":{"error":"missing field `method`","json":{"params":{}},"phase":"deserialization"}}"#
    );
    assert!(enveloped(proxy, r#"{"method":7}"#).contains("-32602"));
    assert!(enveloped(proxy, r#"{"method":"_x","params":7}"#).contains("-32602"));
    assert!(chain.agent.unheard().is_empty());
}

#[test]
fn other_members_of_an_envelope_are_for_one_hop_only() {
    let chain = played(&[], 1);
    chain.proxies[0].say(r#"{"jsonrpc":"2.0","id":"p","method":"proxy/successor","params":{"_meta":{"envelope":true},"method":"_ask","params":{"q":1.0,"_meta":{"inner":1}}}}"#);
    let ask = chain.agent.heard("_ask");
    assert_eq!(
        ask.params.as_deref(),
        Some(r#"{"q":1.0,"_meta":{"inner":1}}"#)
    );
    assert!(!ask.text.contains("envelope"), "{}", ask.text);
    answer(&chain.agent, &ask, r#"{"a":1.0}"#);
    let heard = chain.proxies[0].answer("\"p\"");
    assert_eq!(
        heard.text,
        r#"{"jsonrpc":"2.0","id":"p","result":{"a":1.0}}"#
    );
    for params in ["", r#","params":null"#] {
        chain.proxies[0].say(&format!(
            r#"{{"jsonrpc":"2.0","method":"proxy/successor","params":{{"method":"_bare"{params}}}}}"#
        ));
        assert_eq!(chain.agent.line(), r#"{"jsonrpc":"2.0","method":"_bare"}"#);
    }
}

#[test]
fn messages_of_the_agent_reach_a_proxy_in_an_envelope() {
    let chain = played(&[], 1);
    chain
        .agent
        .say(r#"{"jsonrpc":"2.0","method":"session/update","params":{"n":1.10}}"#);
    assert_eq!(
        chain.proxies[0].line(),
        r#"{"jsonrpc":"2.0","method":"proxy/successor","params":{"method":"session/update","params":{"n":1.10}}}"#
    );
    chain
        .agent
        .say(r#"{"jsonrpc":"2.0","id":"q","method":"_vendor/ask","params":{"q":1}}"#);
    let ask = chain.proxies[0].heard("proxy/successor");
    assert_eq!(
        ask.params.as_deref(),
        Some(r#"{"method":"_vendor/ask","params":{"q":1}}"#)
    );
    answer(&chain.proxies[0], &ask, "{}");
    assert!(chain.agent.answer("\"q\"").result.is_some());
}

#[test]
fn an_answer_without_a_request_is_dropped() {
    let chain = played(&[], 1);
    for id in ["1", "999999", "\"x\"", "1.5", "null"] {
        chain
            .agent
            .say(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
        chain
            .editor
            .send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
    chain.agent.say(r#"{"jsonrpc":"2.0","method":"_last"}"#);
    let heard = chain.proxies[0].next();
    assert_eq!(heard.params.as_deref(), Some(r#"{"method":"_last"}"#));
}

#[test]
fn a_component_cannot_answer_for_another() {
    let chain = played(&[], 1);
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","id":"mine","method":"_a"}"#);
    let ask = chain.proxies[0].heard("_a");
    answer(&chain.agent, &ask, r#""forged""#);
    chain.agent.say(r#"{"jsonrpc":"2.0","method":"_done"}"#);
    chain.proxies[0].heard("proxy/successor");
    answer(&chain.proxies[0], &ask, r#""real""#);
    let heard = chain.editor.answer("\"mine\"");
    assert_eq!(heard.result.as_deref(), Some(r#""real""#));
}
