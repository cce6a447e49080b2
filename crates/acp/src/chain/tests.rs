//! The rules of a chain, one sentence each.

mod drafted;
mod sealing;
mod spelling;
mod unanswered;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use linkspan_session::{Envelope, Fault, Inbound, Outbound};
use linkspan_wire::{Hop, Message, RpcError};

use super::{BreakReason, Chain};
use crate::bridge::{DeclarationId, McpBridge, Offer, Provider};
use crate::plan::{Node, PartPlan, Plan};

const EDITOR: Node = Node::Outside;
const FIRST: Node = Node::Part(0);
const SECOND: Node = Node::Part(1);
const THIRD: Node = Node::Part(2);

/// A chain and a clock of our own.
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

    /// Everything that waits for a peer.
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

    /// The one message that waits for a peer.
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

    /// An agent that is alone, and has begun with these capabilities.
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
fn a_request_before_initialize_is_refused_in_the_official_words() {
    let mut stage = Stage::with(1);
    stage.say(EDITOR, r#"{"jsonrpc":"2.0","id":"g","method":"x"}"#);
    stage.say(EDITOR, r#"{"jsonrpc":"2.0","method":"x"}"#);
    assert_eq!(
        stage.one(EDITOR),
        r#"{"jsonrpc":"2.0","id":"g","error":{"code":-32600,"message":"Invalid request","data":"expected `initialize` request"}}"#
    );
    assert!(!stage.chain.has_begun());
}

#[test]
fn initialize_goes_from_proxy_to_proxy_and_its_answer_comes_back() {
    let mut stage = Stage::with(2);
    stage.say(
        EDITOR,
        r#"{"jsonrpc":"2.0","id":"e","method":"initialize","params":{"protocolVersion":1,"x":1.10}}"#,
    );
    assert_eq!(
        stage.one(FIRST),
        r#"{"jsonrpc":"2.0","id":1,"method":"proxy/initialize","params":{"protocolVersion":1,"x":1.10}}"#
    );
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","id":"p","method":"proxy/successor","params":{"method":"initialize","params":{"protocolVersion":1},"_meta":{"hop":true}}}"#,
    );
    assert_eq!(
        stage.one(SECOND),
        r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":1}}"#
    );
    stage.say(
        SECOND,
        r#"{"result":{"protocolVersion":1},"jsonrpc":"2.0","id":2}"#,
    );
    assert_eq!(
        stage.one(FIRST),
        r#"{"result":{"protocolVersion":1},"jsonrpc":"2.0","id":"p"}"#
    );
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}"#,
    );
    assert_eq!(
        stage.one(EDITOR),
        r#"{"jsonrpc":"2.0","id":"e","result":{"protocolVersion":1}}"#
    );
}

#[test]
fn a_proxy_that_passes_its_own_initialize_on_shows_its_dialect() {
    for (method, init) in [
        ("_proxy/successor", "_proxy/initialize"),
        ("_proxy/successor/request", "initialize"),
    ] {
        let mut stage = Stage::with(2);
        stage.say(
            EDITOR,
            r#"{"jsonrpc":"2.0","id":"e","method":"initialize","params":{}}"#,
        );
        stage.one(FIRST);
        stage.say(EDITOR, r#"{"jsonrpc":"2.0","method":"later"}"#);
        assert!(
            stage.heard(FIRST).is_empty(),
            "it may have to be told again"
        );
        stage.say(
            FIRST,
            &format!(
                r#"{{"jsonrpc":"2.0","id":9,"method":"{method}","params":{{"method":"proxy/initialize","params":{{}}}}}}"#
            ),
        );
        let [refused, again] = &stage.heard(FIRST)[..] else {
            panic!("it is refused, and asked again");
        };
        assert!(
            refused.contains(r#""id":9,"error":{"code":-32601"#),
            "{refused}"
        );
        assert!(
            again.contains(&format!(r#""id":2,"method":"{init}""#)),
            "{again}"
        );
        stage.say(
            FIRST,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"?"}}"#,
        );
        assert!(stage.heard(EDITOR).is_empty(), "the first try is forgotten");
        stage.say(
            FIRST,
            &format!(
                r#"{{"jsonrpc":"2.0","id":10,"method":"{method}","params":{{"method":"initialize","params":{{}}}}}}"#
            ),
        );
        assert!(stage.one(SECOND).contains(r#""method":"initialize""#));
        assert!(stage.one(FIRST).contains("later"));
    }
}

#[test]
fn a_proxy_that_refuses_the_newest_dialect_is_asked_in_older_ones() {
    let mut stage = Stage::with(2);
    stage.say(
        EDITOR,
        r#"{"jsonrpc":"2.0","id":"e","method":"initialize","params":{}}"#,
    );
    for (hop, expected) in [
        (1, "proxy/initialize"),
        (2, "_proxy/initialize"),
        (3, "initialize"),
    ] {
        assert!(
            stage
                .one(FIRST)
                .contains(&format!(r#""id":{hop},"method":"{expected}""#))
        );
        stage.say(
            FIRST,
            &format!(r#"{{"jsonrpc":"2.0","id":{hop},"error":{{"code":-32601,"message":"no"}}}}"#),
        );
    }
    assert!(stage.one(EDITOR).contains("-32601"));
}

#[test]
fn an_agent_in_a_proxys_place_is_named() {
    let mut stage = Stage::with(2);
    stage.say(
        EDITOR,
        r#"{"jsonrpc":"2.0","id":"e","method":"initialize","params":{}}"#,
    );
    stage.one(FIRST);
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}"#,
    );
    let answer = stage.one(EDITOR);
    assert!(
        answer.contains("proxy[0] (`part0`)") && answer.contains("no proxy"),
        "{answer}"
    );
}

#[test]
fn what_an_agent_says_reaches_the_editor_through_the_envelope_of_each_proxy() {
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
fn ids_come_back_as_they_were_written() {
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
fn a_cancellation_names_the_request_as_the_next_hop_knows_it() {
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
fn when_a_component_ends_every_waiting_request_is_told_who_and_why() {
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

#[test]
fn who_holds_up_the_beginning_is_named() {
    let mut stage = Stage::with(2);
    stage.say(
        EDITOR,
        r#"{"jsonrpc":"2.0","id":"e","method":"initialize","params":{}}"#,
    );
    assert_eq!(
        stage.chain.next_wake(),
        Some(stage.now + Duration::from_secs(60))
    );
    stage.now += Duration::from_secs(50);
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","id":1,"method":"proxy/successor","params":{"method":"initialize"}}"#,
    );
    stage.now += Duration::from_secs(59);
    stage.chain.on_time(stage.now);
    assert!(
        stage.heard(EDITOR).is_empty(),
        "the second has its own time"
    );
    stage.now += Duration::from_secs(1);
    stage.chain.on_time(stage.now);
    let answer = stage.one(EDITOR);
    assert!(
        answer.contains("the agent (`part1`) has not answered"),
        "{answer}"
    );
    assert!(matches!(
        stage.chain.broken().unwrap().why,
        BreakReason::Silent(_)
    ));
}

#[test]
fn as_a_proxy_the_chain_ends_at_the_other_conductor() {
    let mut stage = Stage::of(plan(1, true), None);
    stage.say(
        EDITOR,
        r#"{"jsonrpc":"2.0","id":"u","method":"_proxy/initialize","params":{"protocolVersion":1}}"#,
    );
    assert!(stage.one(FIRST).contains(r#""method":"proxy/initialize""#));
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","id":"i","method":"proxy/successor","params":{"method":"initialize","params":{"protocolVersion":1}}}"#,
    );
    assert_eq!(
        stage.one(EDITOR),
        r#"{"jsonrpc":"2.0","id":2,"method":"_proxy/successor","params":{"method":"initialize","params":{"protocolVersion":1}}}"#
    );
    stage.say(
        EDITOR,
        r#"{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":1}}"#,
    );
    assert_eq!(
        stage.one(FIRST),
        r#"{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":1}}"#
    );
    stage.say(EDITOR, r#"{"jsonrpc":"2.0","method":"_proxy/successor","params":{"method":"session/update","params":{"x":1}}}"#);
    assert_eq!(
        stage.one(FIRST),
        r#"{"jsonrpc":"2.0","method":"proxy/successor","params":{"method":"session/update","params":{"x":1}}}"#
    );
    let mut plain = Stage::of(plan(1, true), None);
    plain.say(
        EDITOR,
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#,
    );
    assert!(plain.one(EDITOR).contains("--proxy"));
}

/// A bridge that writes down what it is told.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    fn add(&self, note: String) {
        self.0.lock().unwrap().push(note);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl McpBridge for Notes {
    fn offer(&mut self, offer: &Offer<'_>) -> Result<String, RpcError> {
        self.add(format!("offer {} {:?}", offer.ticket.0, offer.owner));
        match &offer.provider {
            Provider::Server(id) if id == "bad" => Err(RpcError::invalid_params("bad")),
            _ => Ok(format!(r#"{{"name":"{}","command":"/l"}}"#, offer.name)),
        }
    }

    fn began(&mut self, ticket: DeclarationId, session: &str) {
        self.add(format!("began {} {session}", ticket.0));
    }

    fn revoke(&mut self, ticket: DeclarationId) {
        self.add(format!("revoke {}", ticket.0));
    }
}

fn bridged(capabilities: &str) -> (Stage, Notes) {
    let notes = Notes::default();
    let stage = Stage::of(plan(2, false), Some(Box::new(notes.clone()))).begun(capabilities);
    (stage, notes)
}

const NEW: &str = r#"{"jsonrpc":"2.0","id":"n","method":"proxy/successor","params":{"method":"session/new","params":{"cwd":"/","mcpServers":[{"type":"acp","name":"s","serverId":"one"}]}}}"#;

fn hop_of(text: &str) -> Hop {
    let msg = Message::parse(text.to_owned().into()).unwrap();
    msg.id().unwrap().as_hop().unwrap()
}

#[test]
fn a_server_of_the_chain_is_made_reachable_for_as_long_as_its_session_lives() {
    let (mut stage, notes) = bridged("{}");
    stage.say(FIRST, NEW);
    let told = stage.one(SECOND);
    assert!(
        told.contains(r#""mcpServers":[{"name":"s","command":"/l"}]"#),
        "{told}"
    );
    assert_eq!(notes.take(), ["offer 1 Some(Current)"]);
    let hop = hop_of(&told);
    stage.say(
        SECOND,
        &format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":{{"sessionId":"S"}}}}"#),
    );
    assert_eq!(notes.take(), ["began 1 S"]);
    stage.say(FIRST, r#"{"jsonrpc":"2.0","id":"x","method":"proxy/successor","params":{"method":"session/close","params":{"sessionId":"S"}}}"#);
    let hop = hop_of(&stage.one(SECOND));
    assert!(notes.take().is_empty());
    stage.say(
        SECOND,
        &format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":{{}}}}"#),
    );
    assert_eq!(notes.take(), ["revoke 1"]);
}

#[test]
fn a_session_that_fails_or_is_loaded_again_leaves_no_door_open() {
    let (mut stage, notes) = bridged("{}");
    stage.say(FIRST, NEW);
    let hop = hop_of(&stage.one(SECOND));
    stage.say(
        SECOND,
        &format!(r#"{{"jsonrpc":"2.0","id":{hop},"error":{{"code":1,"message":"no"}}}}"#),
    );
    assert_eq!(notes.take(), ["offer 1 Some(Current)", "revoke 1"]);
    for ticket in [2, 3] {
        let load = NEW
            .replace("session/new", "session/load")
            .replace(r#""cwd""#, r#""sessionId":"S","cwd""#);
        stage.say(FIRST, &load);
        let hop = hop_of(&stage.one(SECOND));
        stage.say(
            SECOND,
            &format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":null}}"#),
        );
        let noted = notes.take();
        assert_eq!(noted[1], format!("began {ticket} S"));
        assert_eq!(noted.len(), if ticket == 2 { 2 } else { 3 });
    }
    stage.dies(1);
    assert_eq!(notes.take(), ["revoke 3"]);
}

#[test]
fn an_agent_that_reaches_such_servers_itself_gets_them_as_they_are() {
    let (mut stage, notes) = bridged(r#"{"mcpCapabilities":{"acp":true}}"#);
    stage.say(FIRST, NEW);
    assert!(
        stage
            .one(SECOND)
            .contains(r#"{"type":"acp","name":"s","serverId":"one"}"#)
    );
    assert!(notes.take().is_empty());
}

#[test]
fn what_cannot_be_offered_fails_the_session_and_only_that() {
    let (mut stage, notes) = bridged("{}");
    let two = NEW.replace(
        r#"{"type":"acp","name":"s","serverId":"one"}"#,
        r#"{"type":"acp","name":"s","serverId":"one"},{"type":"acp","name":"t","serverId":"bad"}"#,
    );
    stage.say(FIRST, &two);
    assert!(
        stage
            .one(FIRST)
            .contains(r#""id":"n","error":{"code":-32602"#)
    );
    assert!(stage.heard(SECOND).is_empty());
    assert_eq!(notes.take().last().unwrap(), "revoke 1");
}

#[test]
fn one_who_joined_speaks_in_the_agents_place() {
    let (mut stage, _) = bridged("{}");
    stage.say(FIRST, NEW);
    stage.heard(SECOND);
    let joined = stage.chain.join(DeclarationId(1));
    stage.say(joined, r#"{"jsonrpc":"2.0","id":1,"method":"mcp/message","params":{"serverId":"one","requestId":"r","method":"tools/list"}}"#);
    let asked = stage.one(FIRST);
    assert!(
        asked.contains(r#""method":"proxy/successor","params":{"method":"mcp/message""#),
        "{asked}"
    );
    let progress = r#"{"jsonrpc":"2.0","method":"proxy/successor","params":{"method":"mcp/message","params":{"serverId":"one","requestId":"r","method":"notifications/progress"}}}"#;
    stage.say(FIRST, progress);
    assert!(stage.one(joined).contains("notifications/progress"));
    let hop = hop_of(&asked);
    stage.say(
        FIRST,
        &format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":{{"result":{{}}}}}}"#),
    );
    assert_eq!(
        stage.one(joined),
        r#"{"jsonrpc":"2.0","id":1,"result":{"result":{}}}"#
    );
    stage.say(FIRST, progress);
    assert!(
        stage.heard(joined).is_empty() && stage.heard(SECOND).is_empty(),
        "it is over"
    );
}

#[test]
fn a_connection_of_one_who_joined_is_known_by_its_id() {
    let (mut stage, _) = bridged("{}");
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
    stage.one(joined);
    stage.say(FIRST, r#"{"jsonrpc":"2.0","id":"q","method":"proxy/successor","params":{"method":"_mcp/message","params":{"connectionId":"c-1","method":"sampling/createMessage"}}}"#);
    let asked = stage.one(joined);
    let hop = hop_of(&asked);
    stage.say(
        joined,
        &format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":{{"x":1}}}}"#),
    );
    assert_eq!(
        stage.one(FIRST),
        r#"{"jsonrpc":"2.0","id":"q","result":{"x":1}}"#
    );
    stage.say(FIRST, r#"{"jsonrpc":"2.0","id":"z","method":"proxy/successor","params":{"method":"_mcp/message","params":{"connectionId":"?","method":"x"}}}"#);
    assert!(stage.one(FIRST).contains("no such MCP connection"));
}

#[test]
fn when_one_who_joined_goes_what_it_asked_is_cancelled() {
    let (mut stage, _) = bridged("{}");
    let joined = stage.chain.join(DeclarationId(1));
    stage.say(joined, r#"{"jsonrpc":"2.0","id":1,"method":"mcp/message","params":{"serverId":"one","requestId":"r","method":"tools/call"}}"#);
    let hop = hop_of(&stage.one(FIRST));
    stage
        .chain
        .receive(joined, Inbound::Closed(Fault::Closing), stage.now);
    assert_eq!(
        stage.one(FIRST),
        format!(
            r#"{{"jsonrpc":"2.0","method":"$/cancel_request","params":{{"requestId":{hop}}}}}"#
        )
    );
    stage.say(
        FIRST,
        &format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":{{}}}}"#),
    );
}

#[test]
fn a_goodbye_of_one_who_joined_stands_when_it_goes() {
    let (mut stage, _) = bridged("{}");
    let joined = stage.chain.join(DeclarationId(1));
    stage.say(
        joined,
        r#"{"jsonrpc":"2.0","id":1,"method":"mcp/disconnect","params":{"connectionId":"c"}}"#,
    );
    let hop = hop_of(&stage.one(FIRST));
    stage
        .chain
        .receive(joined, Inbound::Closed(Fault::Closing), stage.now);
    assert_eq!(stage.heard(FIRST), Vec::<String>::new());
    stage.say(
        FIRST,
        &format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":{{}}}}"#),
    );
    assert_eq!(stage.heard(FIRST), Vec::<String>::new());
}

#[test]
fn a_question_about_a_server_that_is_not_the_editors_does_not_reach_it() {
    let (mut stage, _) = bridged("{}");
    stage.say(FIRST, r#"{"jsonrpc":"2.0","id":1,"method":"mcp/message","params":{"serverId":"?","requestId":"r","method":"tools/list"}}"#);
    assert!(stage.one(FIRST).contains("-33001"));
    assert!(stage.heard(EDITOR).is_empty());
}

#[test]
fn a_request_that_is_one_too_many_does_not_ask_the_editor_to_log_in() {
    let mut stage = Stage::with(1).begun("{}");
    for id in 0..super::MOST_QUESTIONS {
        stage.say(
            EDITOR,
            &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"_x"}}"#),
        );
    }
    assert_eq!(stage.heard(EDITOR), Vec::<String>::new());
    stage.say(EDITOR, r#"{"jsonrpc":"2.0","id":"more","method":"_x"}"#);
    let refusal = stage.one(EDITOR);
    assert!(
        refusal.contains(r#""id":"more","error":{"code":-32603,"#),
        "{refusal}"
    );
    assert!(refusal.contains(r#""kind":"overloaded""#), "{refusal}");
}
