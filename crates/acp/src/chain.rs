//! The rules of a chain, without IO and without a clock.
//!
//! Callers pass every message of a peer with the current time; messages to send collect in one outbox per
//! peer. A proxy's messages go unchanged to its predecessor and in an envelope ([`crate::envelope`]) to its
//! successor. Answers are routed by the hop number of their request.

mod answers;
mod ending;
mod held;
mod invalid_lines;
mod owners;
mod sending;
mod starting;
mod tail;
#[cfg(test)]
mod tests;

use std::time::Instant;

use linkspan_session::{Credit, Envelope, Inbound, Outbox};
use linkspan_wire::{Id, Message, RpcError, quote};

pub use self::ending::{BreakReason, ChainBroken, StartError};
use self::held::Held;
use self::tail::Tail;
use crate::bridge::{DeclarationId, McpBridge};
use crate::dialect::Dialect;
use crate::envelope::{self, Opened, Towards};
use crate::flow::Flow;
use crate::names;
use crate::plan::{Node, Plan};
use crate::questions::{Purpose, Questions};
use crate::servers;
use crate::trace::Tracer;

/// Requests that may wait for an answer, over all peers.
const MOST_QUESTIONS: usize = 65_536;

/// The state of a chain.
pub struct Chain {
    plan: Plan,
    parts: Vec<Part>,
    /// The dialect of the conductor that we are a proxy for.
    outside: Dialect,
    begun: bool,
    questions: Questions,
    flow: Flow,
    tail: Tail,
    tracer: Option<Box<dyn Tracer>>,
    broken: Option<ChainBroken>,
    /// The error for all requests after the end of the chain.
    ended: Option<RpcError>,
}

/// The state of a component.
struct Part {
    dialect: Dialect,
    /// Has sent `initialize` to its successor.
    forwarded: bool,
    /// Was sent its first request and has not yet shown that it understands the dialect.
    is_asked: bool,
    /// Messages that wait while `is_asked` is set: the first request may have to be repeated in another
    /// dialect and must stay the first.
    held: Held,
    invalid_lines: u32,
}

/// A message in transit, without its envelope.
struct Travelling {
    from: Node,
    msg: Message,
    /// See [`Opened::inner`].
    inner: Option<Id>,
    credit: Credit,
}

/// The next hop of a message.
#[derive(Debug, Clone, Copy)]
struct Leg {
    to: Node,
    wrap: Option<(Dialect, Towards)>,
}

impl Leg {
    fn plain(to: Node) -> Self {
        Self { to, wrap: None }
    }
}

impl Chain {
    /// A chain that has received nothing yet. Without a bridge, declarations of MCP servers pass unchanged.
    pub fn new(
        plan: Plan,
        bridge: Option<Box<dyn McpBridge>>,
        tracer: Option<Box<dyn Tracer>>,
    ) -> Self {
        let parts = plan.parts.iter().map(|part| Part {
            dialect: part.dialect.unwrap_or(Dialect::Current),
            forwarded: false,
            is_asked: false,
            held: Held::default(),
            invalid_lines: 0,
        });
        let parts: Vec<_> = parts.collect();
        let mut flow = Flow::new(plan.high_water, plan.hard_cap);
        flow.open(Node::Outside);
        for part in 0..parts.len() {
            flow.open(Node::Part(part));
        }
        Self {
            plan,
            parts,
            outside: Dialect::Current,
            begun: false,
            questions: Questions::default(),
            flow,
            tail: Tail::new(bridge),
            tracer,
            broken: None,
            ended: None,
        }
    }

    /// Whether the first `initialize` has arrived: the components have to be started.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// The messages to send to a peer.
    pub fn outbox(&mut self, node: Node) -> Option<&mut Outbox> {
        self.flow.outbox(node)
    }

    /// Takes the messages to send to a peer.
    pub(crate) fn left(&mut self, node: Node) -> Outbox {
        self.outbox(node).map(std::mem::take).unwrap_or_default()
    }

    /// The number of pending requests of the outside.
    pub fn in_flight(&self) -> usize {
        self.questions.asked_by(Node::Outside)
    }

    /// Adds a peer in the agent's position, for the declaration that it connected to.
    pub fn join(&mut self, declaration_id: DeclarationId) -> Node {
        let node = self.tail.join(declaration_id);
        self.flow.open(node);
        node
    }

    /// Handles an event of a peer.
    pub fn receive(&mut self, from: Node, inbound: Inbound, now: Instant) {
        match inbound {
            Inbound::Message(envelope) => {
                if let Node::Part(part) = from {
                    self.parts[part].invalid_lines = 0;
                }
                self.message(from, envelope, now);
            }
            Inbound::Batch(_) => {
                let why = "JSON-RPC batches are not supported; send each message individually";
                let answer = RpcError::invalid_request("Invalid request").with_data(quote(why));
                self.say(from, answer.answer(&Id::null()));
            }
            Inbound::Bad(why) => self.invalid_line(from, &why, now),
            // The ports of a chain do not report these.
            Inbound::Failed { .. } | Inbound::Lost { .. } => {}
            Inbound::Closed(fault) => self.closed(from, fault, now),
        }
        if self.ended.is_none()
            && let Some(Node::Part(part)) = self.flow.stuck()
        {
            self.give_up(part, BreakReason::Stuck, now);
        }
    }

    fn message(&mut self, from: Node, envelope: Envelope, now: Instant) {
        // From here on the message counts in its outbox and not in the sender's read budget: the
        // sender may have to be read although that outbox is full.
        let Envelope { msg, credit, .. } = envelope;
        drop(credit);
        let credit = Credit::default();
        if let Some(tracer) = &mut self.tracer {
            tracer.heard(from, &msg);
        }
        if msg.is_answer() {
            return self.answer(from, msg, credit, now);
        }
        if let Some(error) = self.ended.clone() {
            return self.refuse(from, &msg, None, &error);
        }
        let travelling = Travelling {
            from,
            msg,
            inner: None,
            credit,
        };
        match from {
            _ if travelling.msg.method() == names::CANCEL => self.cancel(&travelling),
            Node::Outside => self.handle_outside(travelling, now),
            Node::Part(part) => self.handle_part(part, travelling, now),
            Node::Joined(_) => self.handle_joined(travelling, now),
        }
    }

    fn handle_outside(&mut self, mut one: Travelling, now: Instant) {
        let method = one.msg.method().into_owned();
        let enveloped = envelope::dialect_of(&method);
        if let Some(dialect) = enveloped {
            // A message of the successor of our last proxy.
            if !(self.plan.as_proxy && self.begun) {
                return self.refuse(one.from, &one.msg, None, &forged_envelope());
            }
            let last = self.parts.len() - 1;
            if let Some(one) = self.opened(one, dialect) {
                self.up(Node::Part(last), one, now);
            }
            return;
        }
        let begins = method == names::INITIALIZE || names::is_proxy_initialize(&method);
        // A notification cannot start the chain: its sender gets no answer.
        if begins && one.msg.id().is_some() {
            match self.introduced(&one.msg) {
                Ok(msg) => one.msg = msg,
                Err(error) => return self.refuse(one.from, &one.msg, None, &error),
            }
            self.begun = true;
        } else if !self.begun {
            let error = RpcError::invalid_request("Invalid request")
                .with_data(quote("expected `initialize` request"));
            return self.refuse(one.from, &one.msg, None, &error);
        }
        self.down(Node::Part(0), one, now);
    }

    fn handle_part(&mut self, part: usize, one: Travelling, now: Instant) {
        let method = one.msg.method().into_owned();
        let Some(dialect) = envelope::dialect_of(&method) else {
            if names::is_proxy_initialize(&method) {
                return self.refuse(one.from, &one.msg, None, &forged_initialize());
            }
            if names::is_for_mcp_client(&method) && self.plan.is_proxy(part) {
                return self.down(Node::Part(part + 1), one, now);
            }
            let above = match part {
                0 => Node::Outside,
                _ => Node::Part(part - 1),
            };
            return self.up(above, one, now);
        };
        if !self.plan.is_proxy(part) {
            return self.refuse(one.from, &one.msg, None, &forged_envelope());
        }
        let Some(one) = self.opened(one, dialect) else {
            return;
        };
        // A proxy's envelopes tell the dialect that it understands.
        self.parts[part].dialect = dialect;
        let method = one.msg.method().into_owned();
        match &*method {
            // Proxies before 5.0 put a cancellation into an envelope, with the id that they gave the request.
            names::CANCEL => self.cancel(&one),
            method if names::is_proxy_initialize(method) => self.astray(part, &one, now),
            method => {
                let begins = method == names::INITIALIZE && one.msg.id().is_some();
                if begins {
                    self.parts[part].forwarded = true;
                }
                self.down(Node::Part(part + 1), one, now);
                if begins {
                    self.release(part, now);
                }
            }
        }
    }

    fn handle_joined(&mut self, one: Travelling, now: Instant) {
        let above = match (self.plan.as_proxy, self.parts.len()) {
            (true, parts) => Node::Part(parts - 1),
            (false, 1) => Node::Outside,
            (false, parts) => Node::Part(parts - 2),
        };
        self.up(above, one, now);
    }

    /// Takes a message out of its envelope; refuses it if the envelope is invalid.
    fn opened(&mut self, one: Travelling, dialect: Dialect) -> Option<Travelling> {
        let error = match envelope::open(&one.msg, dialect) {
            Ok(Opened { msg, .. }) if envelope::dialect_of(&msg.method()).is_some() => {
                forged_envelope()
            }
            Ok(Opened { msg, inner }) => return Some(Travelling { msg, inner, ..one }),
            Err(error) => error,
        };
        self.refuse(one.from, &one.msg, None, &error);
        None
    }

    /// Forwards a message towards the editor.
    fn up(&mut self, to: Node, mut one: Travelling, now: Instant) {
        if let Some(method) = owners::unsealed(&one.msg.method()) {
            one.msg = envelope::renamed(&one.msg, method);
        }
        let purpose = match self.tail.purpose_up(&one) {
            Some(purpose) => purpose,
            None => Purpose::Relay,
        };
        let leg = match to {
            Node::Part(part) => {
                let dialect = self.parts[part].dialect;
                if let Some(sealed) = self.tail.owners.sealed(to, dialect, &one.msg) {
                    one.msg = sealed;
                }
                Leg {
                    to,
                    wrap: Some((dialect, Towards::Proxy)),
                }
            }
            _ => {
                if let Some(error) = self.tail.unknown_above(&one.msg) {
                    return self.refuse(one.from, &one.msg, one.inner.as_ref(), &error);
                }
                Leg::plain(to)
            }
        };
        self.forward(one, leg, purpose, now);
    }

    /// Forwards a message towards the agent. `to` one past the last proxy is our own successor.
    fn down(&mut self, to: Node, mut one: Travelling, now: Instant) {
        let Node::Part(part) = to else { return };
        let method = one.msg.method().into_owned();
        if names::SETUP.contains(&&*method) {
            if let Some(params) = one.msg.params().and_then(servers::renewed) {
                one.msg = envelope::with_params(&one.msg, &params);
            }
            self.tail.sighted(&one);
        }
        if part < self.parts.len() && self.plan.is_proxy(part) {
            return match &*method {
                names::INITIALIZE if one.msg.id().is_some() => self.start_proxy(part, one, now),
                _ if self.parts[part].is_asked => self.parts[part].held.push(one),
                _ => self.reach_proxy(part, one, now),
            };
        }
        let leg = match part < self.parts.len() {
            true => Leg::plain(to),
            false => Leg {
                to: Node::Outside,
                wrap: Some((self.outside, Towards::Conductor)),
            },
        };
        self.reach_tail(one, leg, &method, now);
    }

    /// Forwards a message to a proxy, with MCP servers declared in a spelling that the proxy reads.
    fn reach_proxy(&mut self, part: usize, mut one: Travelling, now: Instant) {
        let reads_all = self.parts[part].dialect == Dialect::Current || !self.tail.bridges();
        if !reads_all
            && names::SETUP.contains(&&*one.msg.method())
            && let Some(params) = one.msg.params().and_then(servers::aged)
        {
            one.msg = envelope::with_params(&one.msg, &params);
        }
        self.forward(one, Leg::plain(Node::Part(part)), Purpose::Relay, now);
    }
}

/// The wording of the official conductor, which SDKs compare.
fn forged_envelope() -> RpcError {
    RpcError::invalid_request("Invalid request").with_data(quote(
        "`proxy/successor` is only exchanged between the conductor and the proxies it initialized",
    ))
}

fn forged_initialize() -> RpcError {
    RpcError::invalid_request("Invalid request").with_data(quote(
        "`proxy/initialize` requests are only sent by the conductor",
    ))
}
