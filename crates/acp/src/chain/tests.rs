//! The rules of a chain, one test each.

mod beginning;
mod drafted;
mod sealing;
mod servers;
mod spelling;
mod unanswered;

use std::sync::Arc;
use std::time::{Duration, Instant};

use linkspan_session::{Envelope, Fault, Inbound, Outbound};
use linkspan_wire::{Hop, Message, RpcError};
use parking_lot::Mutex;

use super::{BreakReason, Chain};
use crate::bridge::{DeclarationId, McpBridge, Offer, Provider};
use crate::plan::{Node, PartPlan, Plan};

const EDITOR: Node = Node::Outside;
const FIRST: Node = Node::Part(0);
const SECOND: Node = Node::Part(1);
const THIRD: Node = Node::Part(2);

/// A chain with a clock that the test sets.
struct Stage {
    chain: Chain,
    now: Instant,
}

impl Stage {
    fn of(plan: Plan, bridge: Option<Box<dyn McpBridge>>) -> Self {
        Self {
            chain: Chain::new(plan, bridge, None),
            now: Instant::now(),
        }
    }

    fn with(parts: usize) -> Self {
        Self::of(plan(parts, false), None)
    }

    fn say(&mut self, from: Node, text: &str) {
        let msg = Message::parse(text.to_owned().into()).unwrap();
        self.chain
            .receive(from, Inbound::Message(Envelope::new(msg)), self.now);
    }

    /// All messages queued for a peer.
    fn heard(&mut self, node: Node) -> Vec<String> {
        let outbox = self.chain.outbox(node);
        let outbox = outbox.map(std::mem::take).unwrap_or_default();
        let mut outbox = outbox;
        std::iter::from_fn(|| match outbox.pop()? {
            Outbound::One(envelope) => Some(envelope.msg.text()),
            Outbound::Array(_) => None,
        })
        .collect()
    }

    /// The only message queued for a peer.
    fn one(&mut self, node: Node) -> String {
        let mut all = self.heard(node);
        assert_eq!(all.len(), 1, "{node:?} heard {all:?}");
        all.remove(0)
    }

    fn dies(&mut self, part: usize) {
        let fault = Fault::Ended {
            peer: "x".to_owned(),
            status: "exit status: 3".to_owned(),
            last_words: "ouch".to_owned(),
        };
        self.chain
            .receive(Node::Part(part), Inbound::Closed(fault), self.now);
    }

    /// A chain with only an agent, which has answered `initialize` with these capabilities.
    fn begun(mut self, capabilities: &str) -> Self {
        self.say(
            EDITOR,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#,
        );
        let last = Node::Part(self.chain.parts.len() - 1);
        for part in 0..self.chain.parts.len() - 1 {
            self.one(Node::Part(part));
            self.say(
                Node::Part(part),
                r#"{"jsonrpc":"2.0","id":"i","method":"proxy/successor","params":{"method":"initialize","params":{"protocolVersion":1}}}"#,
            );
        }
        let asked = self.one(last);
        let id = Message::parse(asked.into()).unwrap().id().unwrap();
        self.say(
            last,
            &format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":1,"agentCapabilities":{capabilities}}}}}"#
            ),
        );
        for node in [EDITOR, FIRST, SECOND] {
            self.heard(node);
        }
        self
    }
}

fn plan(parts: usize, as_proxy: bool) -> Plan {
    let part = |n| PartPlan {
        command: format!("part{n}"),
        dialect: None,
    };
    Plan::new((0..parts).map(part).collect(), as_proxy)
}

#[test]
fn messages_of_an_agent_reach_the_editor_through_the_envelope_of_each_proxy() {
    let mut stage = Stage::with(3).begun("{}");
    stage.say(
        THIRD,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"n":1E5}}"#,
    );
    assert_eq!(
        stage.one(SECOND),
        r#"{"jsonrpc":"2.0","method":"proxy/successor","params":{"method":"session/update","params":{"n":1E5}}}"#
    );
    stage.say(
        SECOND,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"n":1E5}}"#,
    );
    assert!(stage.one(FIRST).contains("proxy/successor"));
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"n":1E5}}"#,
    );
    assert_eq!(
        stage.one(EDITOR),
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"n":1E5}}"#
    );
}

#[test]
fn answers_keep_the_spelling_of_ids() {
    let mut stage = Stage::with(1).begun("{}");
    for id in ["1.5", "9223372036854775808", "null", r#""\u0061""#, "1e3"] {
        stage.say(
            EDITOR,
            &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"_x"}}"#),
        );
        let asked = Message::parse(stage.one(FIRST).into()).unwrap();
        let hop = asked.id().unwrap();
        assert!(hop.as_hop().is_some(), "{hop}");
        stage.say(
            FIRST,
            &format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":null}}"#),
        );
        assert_eq!(
            stage.one(EDITOR),
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":null}}"#)
        );
    }
}

#[test]
fn a_cancellation_names_the_request_by_the_id_of_the_next_hop() {
    let mut stage = Stage::with(2).begun("{}");
    stage.say(EDITOR, r#"{"jsonrpc":"2.0","id":"c","method":"_slow"}"#);
    let asked = Message::parse(stage.one(FIRST).into()).unwrap();
    let hop = asked.id().unwrap();
    stage.say(
        EDITOR,
        r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"c"}}"#,
    );
    assert_eq!(
        stage.one(FIRST),
        format!(
            r#"{{"jsonrpc":"2.0","method":"$/cancel_request","params":{{"requestId":{hop}}}}}"#
        )
    );
    stage.say(
        EDITOR,
        r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"?"}}"#,
    );
    assert!(stage.heard(FIRST).is_empty());
}

#[test]
fn envelopes_that_are_not_a_proxys_own_are_refused() {
    let mut stage = Stage::with(2).begun("{}");
    let forged = r#"{"jsonrpc":"2.0","id":"f","method":"proxy/successor","params":{"method":"x"}}"#;
    for node in [EDITOR, SECOND] {
        stage.say(node, forged);
        assert!(
            stage.one(node).contains("only exchanged between"),
            "{node:?}"
        );
    }
    let twice = r#"{"jsonrpc":"2.0","id":"f","method":"proxy/successor","params":{"method":"_proxy/successor","params":{"method":"x"}}}"#;
    stage.say(FIRST, twice);
    assert!(stage.one(FIRST).contains("only exchanged between"));
    stage.say(
        EDITOR,
        r#"{"jsonrpc":"2.0","id":"f","method":"proxy/initialize"}"#,
    );
    assert!(stage.one(EDITOR).contains("only sent by the conductor"));
}

#[test]
fn when_a_component_ends_pending_requests_are_answered_with_its_name_and_the_reason() {
    let mut stage = Stage::with(2).begun("{}");
    stage.say(EDITOR, r#"{"jsonrpc":"2.0","id":"a","method":"_x"}"#);
    stage.say(EDITOR, r#"{"jsonrpc":"2.0","id":"b","method":"_x"}"#);
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","id":"c","method":"proxy/successor","params":{"method":"_x"}}"#,
    );
    stage.heard(FIRST);
    stage.dies(1);
    let answers = stage.heard(EDITOR);
    // One for `initialize`, which the first proxy has not answered.
    assert_eq!(answers.len(), 3);
    for (answer, id) in answers.iter().zip(["0", r#""a""#, r#""b""#]) {
        assert!(answer.contains(&format!(r#""id":{id},"#)), "{answer}");
        assert!(answer.contains(r#""code":-32603"#), "{answer}");
        assert!(answer.contains(r#""component":"the agent","command":"part1","exit":"exit status: 3","stderrTail":"ouch""#));
    }
    assert!(stage.one(FIRST).contains(r#""id":"c","error""#));
    stage.say(EDITOR, r#"{"jsonrpc":"2.0","id":"late","method":"_x"}"#);
    assert!(stage.one(EDITOR).contains(r#""id":"late","error""#));
}

/// A bridge that records its calls.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    fn add(&self, note: String) {
        self.0.lock().push(note);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock())
    }
}

impl McpBridge for Notes {
    fn offer(&mut self, offer: &Offer<'_>) -> Result<String, RpcError> {
        self.add(format!(
            "offer {} {:?}",
            offer.declaration_id.0, offer.owner
        ));
        match &offer.provider {
            Provider::Server(id) if id == "bad" => Err(RpcError::invalid_params("bad")),
            _ => Ok(format!(r#"{{"name":"{}","command":"/l"}}"#, offer.name)),
        }
    }

    fn began(&mut self, declaration_id: DeclarationId, session: &str) {
        self.add(format!("began {} {session}", declaration_id.0));
    }

    fn revoke(&mut self, declaration_id: DeclarationId) {
        self.add(format!("revoke {}", declaration_id.0));
    }
}

fn bridged(capabilities: &str) -> (Stage, Notes) {
    let notes = Notes::default();
    let stage = Stage::of(plan(2, false), Some(Box::new(notes.clone()))).begun(capabilities);
    (stage, notes)
}

/// A peer that has joined the chain and has the connection `c-1` to the server of the first proxy.
fn connected(stage: &mut Stage) -> Node {
    let joined = stage.chain.join(DeclarationId(1));
    stage.say(
        joined,
        r#"{"jsonrpc":"2.0","id":1,"method":"_mcp/connect","params":{"acp_url":"acp:1"}}"#,
    );
    let hop = hop_of(&stage.one(FIRST));
    stage.say(
        FIRST,
        &format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":{{"connection_id":"c-1"}}}}"#),
    );
    joined
}

const NEW: &str = r#"{"jsonrpc":"2.0","id":"n","method":"proxy/successor","params":{"method":"session/new","params":{"cwd":"/","mcpServers":[{"type":"acp","name":"s","serverId":"one"}]}}}"#;

fn hop_of(text: &str) -> Hop {
    let msg = Message::parse(text.to_owned().into()).unwrap();
    msg.id().unwrap().as_hop().unwrap()
}
