//! The carrier between an MCP side and a chain, both played by the test.

mod connections;
mod limits;
mod properties;

use super::*;
use linkspan_wire::Hop;

fn msg(text: &str) -> Message {
    Message::parse(text.to_owned().into()).unwrap()
}

struct Stage {
    carrier: Carrier,
    now: Instant,
}

fn stage(provider: Provider, owner: Option<Dialect>) -> Stage {
    Stage {
        carrier: Carrier::new(provider, owner, FormCache::default()),
        now: Instant::now(),
    }
}

fn server() -> Stage {
    stage(Provider::Server("s-1".to_owned()), Some(Dialect::Current))
}

fn url(owner: Option<Dialect>) -> Stage {
    stage(Provider::Url("acp:u-1".to_owned()), owner)
}

impl Stage {
    /// Passes a message of the MCP side; returns the carrier's messages, each as its direction and its text.
    fn mcp(&mut self, text: &str) -> Vec<String> {
        let outs = self.carrier.from_mcp(msg(text), self.now);
        self.shown(outs)
    }

    fn chain(&mut self, text: &str) -> Vec<String> {
        let outs = self.carrier.from_chain(msg(text), self.now);
        self.shown(outs)
    }

    fn later(&mut self, seconds: u64) -> Vec<String> {
        self.now += Duration::from_secs(seconds);
        let due = self.carrier.next_wake().is_some_and(|at| at <= self.now);
        assert!(due, "nothing is due");
        let outs = self.carrier.on_time(self.now);
        self.shown(outs)
    }

    fn shown(&self, outs: Vec<Out>) -> Vec<String> {
        let show = |out| {
            let (to, msg) = match out {
                Out::Chain(msg) => ("chain", msg),
                Out::Mcp { msg, .. } => ("mcp", msg),
            };
            let text = msg.text().replace(r#""jsonrpc":"2.0","#, "");
            format!("{to} {}", text.replace(&self.carrier.tag, "T"))
        };
        outs.into_iter().map(show).collect()
    }

    fn named(&self, text: &str) -> String {
        text.replace('T', &self.carrier.tag)
    }

    /// Opens the connection to a provider of D3 or older with its first request.
    fn connected(&mut self, answer: &str) {
        let outs = self.mcp(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#);
        assert_eq!(outs.len(), 1, "only the connect: {outs:?}");
        let outs = self.chain(answer);
        assert_eq!(outs.len(), 1, "only the request: {outs:?}");
    }
}

const UNKNOWN: &str = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#;

// D5 and D4.

#[test]
fn a_request_is_scoped_and_its_answer_is_unpacked() {
    let mut stage = server();
    let sent =
        stage.mcp(r#"{"jsonrpc":"2.0","id":"a\u0062","method":"tools/call","params":{"n": 1.50}}"#);
    assert_eq!(
        sent,
        [
            r#"chain {"id":1,"method":"mcp/message","params":{"serverId":"s-1","requestId":"T-1","method":"tools/call","params":{"n": 1.50}}}"#
        ]
    );
    let answer = stage.chain(r#"{"jsonrpc":"2.0","id":1,"result":{"result":{"x" : 1E5}}}"#);
    assert_eq!(answer, [r#"mcp {"id":"a\u0062","result":{"x" : 1E5}}"#]);
}

#[test]
fn an_mcp_error_in_a_carrier_is_an_error_and_keeps_its_bytes() {
    let mut stage = server();
    stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#);
    let answer = stage.chain(
        r#"{"jsonrpc":"2.0","id":1,"result":{"error":{"code":-32602,"message":"bad","data":1.0}}}"#,
    );
    assert_eq!(
        answer,
        [r#"mcp {"id":7,"error":{"code":-32602,"message":"bad","data":1.0}}"#]
    );
}

#[test]
fn a_result_wins_over_an_error_and_may_be_null() {
    let mut stage = server();
    stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"x"}"#);
    let answer = stage.chain(
        r#"{"jsonrpc":"2.0","id":1,"result":{"error":{"code":1,"message":"m"},"result":null}}"#,
    );
    assert_eq!(answer, [r#"mcp {"id":7,"result":null}"#]);
}

#[test]
fn an_answer_without_result_and_error_is_a_failure_of_the_provider() {
    for body in ["{}", "null", "[]", r#"{"error":5}"#] {
        let mut stage = server();
        stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"x"}"#);
        let answer = stage.chain(&format!(r#"{{"jsonrpc":"2.0","id":1,"result":{body}}}"#));
        assert!(
            answer[0].starts_with(r#"mcp {"id":7,"error":{"code":-33002,"#),
            "{answer:?}"
        );
    }
}

#[test]
fn an_outer_error_is_forwarded_with_a_kind_of_the_transport() {
    let mut stage = server();
    stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"x"}"#);
    let answer =
        stage.chain(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-33001,"message":"removed"}}"#);
    assert_eq!(
        answer,
        [
            r#"mcp {"id":7,"error":{"code":-33001,"message":"removed","data":{"kind":"connect_failed"}}}"#
        ]
    );
    stage.mcp(r#"{"jsonrpc":"2.0","id":8,"method":"x"}"#);
    let answer = stage.chain(
        r#"{"jsonrpc":"2.0","id":2,"error":{"code":-33001,"message":"removed","data":[1]}}"#,
    );
    assert_eq!(
        answer,
        [r#"mcp {"id":8,"error":{"code":-33001,"message":"removed","data":[1]}}"#]
    );
}

#[test]
fn notifications_are_forwarded_while_their_request_is_pending() {
    let mut stage = server();
    stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#);
    let note = r#"{"jsonrpc":"2.0","method":"mcp/message","params":{"serverId":"s-1","requestId":"T-1","method":"notifications/progress","params":{"progress": 0.50}}}"#;
    let note = stage.named(note);
    let passed = [r#"mcp {"method":"notifications/progress","params":{"progress": 0.50}}"#];
    assert_eq!(stage.chain(&note), passed);
    stage.chain(r#"{"jsonrpc":"2.0","id":1,"result":{"result":{}}}"#);
    assert!(stage.chain(&note).is_empty(), "the request is over");
}

#[test]
fn a_notification_names_its_request() {
    let mut stage = server();
    stage.mcp(r#"{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen"}"#);
    let note = stage.named(
        r#"{"jsonrpc":"2.0","method":"mcp/message","params":{"serverId":"s-1","requestId":"T-1","method":"notifications/x","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"T-1"}}}}"#,
    );
    let outs = stage.carrier.from_chain(msg(&note), stage.now);
    let [Out::Mcp { msg, about }] = &outs[..] else {
        panic!("{outs:?}")
    };
    assert_eq!(about.as_ref().unwrap().text(), "7");
    assert!(msg.text().contains(r#"subscriptionId":7"#), "{msg:?}");
}

#[test]
fn a_cancellation_cancels_the_outer_request() {
    let mut stage = server();
    stage.mcp(r#"{"jsonrpc":"2.0","id":"x","method":"tools/call"}"#);
    let cancel =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}"#;
    let sent = stage.mcp(cancel);
    assert_eq!(
        sent,
        [r#"chain {"method":"$/cancel_request","params":{"requestId":1}}"#]
    );
    assert!(stage.mcp(cancel).is_empty(), "it is forgotten");
    let late = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"Request cancelled"}}"#;
    assert!(stage.chain(late).is_empty());
}

#[test]
fn other_notifications_are_dropped_in_the_scoped_form() {
    let mut stage = server();
    assert!(
        stage
            .mcp(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .is_empty()
    );
}

#[test]
fn a_scoped_provider_cannot_send_requests() {
    let mut stage = server();
    let ask = r#"{"jsonrpc":"2.0","id":5,"method":"mcp/message","params":{"serverId":"s-1","requestId":"T-1","method":"roots/list"}}"#;
    assert!(stage.chain(ask)[0].starts_with(r#"chain {"id":5,"error":{"code":-32601"#));
}

#[test]
fn two_carriers_to_one_server_use_different_request_names() {
    let (one, other) = (server(), server());
    assert_ne!(
        one.carrier.request_name(Hop(1)),
        other.carrier.request_name(Hop(1))
    );
}
