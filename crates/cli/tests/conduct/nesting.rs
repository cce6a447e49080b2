//! `linkspan conduct --proxy`: a whole chain as a proxy of another conductor.

use linkspan_testkit::{Bridge, Message};

use crate::setup::{INITIALIZE, Passing, answer, conduct, id, nested, pass, passing_through};

fn within(proxy: String) -> Passing {
    passing_through(vec![pass("D5"), proxy])
}

fn talk(chain: &Passing) {
    let odd = r#"{"n":1.10,"n":18446744073709551616,"s":"\ud800"}"#;
    chain.editor.send(&format!(
        r#"{{"jsonrpc":"2.0","id":1.5,"method":"_down","params":{odd}}}"#
    ));
    let down = chain.agent.heard("_down");
    assert_eq!(down.params.as_deref(), Some(odd));
    answer(&chain.agent, &down, odd);
    assert_eq!(
        chain.editor.line(),
        format!(r#"{{"jsonrpc":"2.0","id":1.5,"result":{odd}}}"#)
    );
    chain.agent.say(&format!(
        r#"{{"jsonrpc":"2.0","id":"u","method":"_up","params":{odd}}}"#
    ));
    let up = chain.editor.heard("_up");
    assert_eq!(up.params.as_deref(), Some(odd));
    let here = id(&up);
    chain.editor.send(&format!(
        r#"{{"jsonrpc":"2.0","id":{here},"result":{odd}}}"#
    ));
    assert_eq!(chain.agent.answer("\"u\"").result.as_deref(), Some(odd));
    chain.agent.command("flood 200 10 session/update");
    for number in 1..=200 {
        let update = chain.editor.line();
        assert!(update.contains(&format!(r#"{{"n":{number},"#)), "{update}");
    }
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","id":"c","method":"_slow"}"#);
    let slow = chain.agent.heard("_slow");
    chain
        .editor
        .send(r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"c"}}"#);
    let cancel = chain.agent.heard("$/cancel_request");
    assert_eq!(
        cancel.at(&["params", "requestId"]).as_deref(),
        Some(id(&slow))
    );
    answer(&chain.agent, &slow, "{}");
    assert!(chain.editor.answer("\"c\"").result.is_some());
}

#[test]
fn a_chain_inside_a_chain_behaves_as_one_proxy() {
    let chain = within(nested(&[pass("D5"), pass("D2")]));
    talk(&chain);
    chain.end();
}

#[test]
fn chains_can_be_nested_twice_and_contain_old_proxies() {
    let inner = nested(&[pass("D1"), pass("D5")]);
    let chain = within(nested(&[pass("D2"), inner, pass("D0")]));
    talk(&chain);
    chain.end();
}

/// A conductor played by the test, which assigns our chain the role of a proxy.
struct Outer {
    proxy: Bridge,
    envelope: &'static str,
}

impl Outer {
    fn begin(method: &'static str, role: &str, envelope: &'static str) -> Self {
        let proxy = Bridge::launch(crate::setup::program())
            .args(["conduct", "--proxy", "--mcp-bridge", "off"])
            .args([pass("D5")])
            .start();
        proxy.send(&format!(
            r#"{{"jsonrpc":"2.0","id":"o","method":"{method}","params":{{"protocolVersion":1{role}}}}}"#
        ));
        let outer = Self { proxy, envelope };
        let begin = outer.successor_heard();
        assert_eq!(
            begin.at(&["params", "method"]).as_deref(),
            Some("\"initialize\"")
        );
        outer.answer(&begin, r#"{"protocolVersion":1,"agentCapabilities":{}}"#);
        outer
    }

    fn successor_heard(&self) -> Message {
        self.proxy.heard(self.envelope)
    }

    fn answer(&self, request: &Message, result: &str) {
        let id = id(request);
        self.proxy.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
        ));
    }
}

#[test]
fn the_outer_conductor_may_use_any_released_dialect() {
    let role = r#","clientCapabilities":{"_meta":{"symposium":{"proxy":true}}}"#;
    for (method, role, envelope) in [
        ("proxy/initialize", "", "proxy/successor"),
        ("_proxy/initialize", "", "_proxy/successor"),
        ("initialize", role, "_proxy/successor/request"),
    ] {
        let outer = Outer::begin(method, role, envelope);
        let welcome = outer.proxy.answer("\"o\"");
        let result = welcome.result.as_deref().unwrap();
        let echoes = result.contains(r#""symposium":{"proxy":true}"#);
        assert_eq!(echoes, method == "initialize", "{result}");
        // From the editor's side to the agent's, and back.
        outer
            .proxy
            .send(r#"{"jsonrpc":"2.0","id":"d","method":"_down","params":[1.10]}"#);
        let down = outer.successor_heard();
        assert_eq!(
            down.params.as_deref(),
            Some(r#"{"method":"_down","params":[1.10]}"#)
        );
        outer.answer(&down, "[1E5]");
        assert_eq!(outer.proxy.answer("\"d\"").result.as_deref(), Some("[1E5]"));
        // From the agent's side to the editor's.
        outer.proxy.send(&format!(
            r#"{{"jsonrpc":"2.0","id":"u","method":"{envelope}","params":{{"method":"_up","params":[-0]}}}}"#
        ));
        let up = outer.proxy.heard("_up");
        assert_eq!(up.params.as_deref(), Some("[-0]"));
        outer.answer(&up, "[]");
        assert_eq!(outer.proxy.answer("\"u\"").result.as_deref(), Some("[]"));
    }
}

#[test]
fn an_editor_of_a_chain_started_as_a_proxy_gets_an_error() {
    let proxy = conduct(&["--proxy"], &[pass("D5")]);
    proxy.send(INITIALIZE);
    let refused = proxy.answer("\"begin\"");
    assert_eq!(refused.code(), Some(-32600), "{}", refused.text);
    assert!(refused.text.contains("--proxy"), "{}", refused.text);
}
