//! The agent's end of the chain: the declarations of MCP servers for the agent, and the clients that joined
//! in its position.

use std::collections::HashMap;
use std::time::Instant;

use linkspan_wire::{Json, Kind, Message, RpcError};

use super::owners::Owners;
use super::{Chain, Leg, Travelling};
use crate::bridge::{DeclarationId, McpBridge, Offer, Provider};
use crate::caps::{self, Caps};
use crate::dialect::Dialect;
use crate::envelope::with_params;
use crate::names;
use crate::plan::Node;
use crate::questions::Purpose;
use crate::servers;

/// The state of the agent's end.
pub(super) struct Tail {
    bridge: Option<Box<dyn McpBridge>>,
    /// The agent's capabilities, once it has answered `initialize`.
    caps: Option<Caps>,
    sessions: HashMap<String, Vec<DeclarationId>>,
    last_declaration: u64,
    joined: HashMap<u64, DeclarationId>,
    last_joined: u64,
    /// The joined client that a message to the agent is for.
    routes: HashMap<Route, Node>,
    pub(super) owners: Owners,
}

/// How messages name their MCP connection or request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Route {
    Connection(String),
    Request(String, String),
    Url(String),
}

impl Tail {
    pub(super) fn new(bridge: Option<Box<dyn McpBridge>>) -> Self {
        Self {
            bridge,
            caps: None,
            sessions: HashMap::new(),
            last_declaration: 0,
            joined: HashMap::new(),
            last_joined: 0,
            routes: HashMap::new(),
            owners: Owners::default(),
        }
    }

    /// Whether there is a bridge, which makes servers of the chain reachable for agents.
    pub(super) fn bridges(&self) -> bool {
        self.bridge.is_some()
    }

    pub(super) fn join(&mut self, declaration_id: DeclarationId) -> Node {
        self.last_joined += 1;
        self.joined.insert(self.last_joined, declaration_id);
        Node::Joined(self.last_joined)
    }

    /// Removes a joined client.
    pub(super) fn leave(&mut self, node: Node) {
        if let Node::Joined(number) = node {
            self.joined.remove(&number);
            self.routes.retain(|_, to| *to != node);
        }
    }

    /// Stores the capabilities in the agent's answer to `initialize`; returns the answer to forward.
    pub(super) fn introduced(&mut self, answer: &Message) -> Message {
        let Some(result) = answer.body().filter(|_| answer.kind() == Kind::Result) else {
            return answer.clone();
        };
        self.caps = Some(Caps::of(result));
        if self.bridges() {
            caps::welcoming(answer)
        } else {
            answer.clone()
        }
    }

    /// Records the first peer that declares each server as its owner.
    pub(super) fn sighted(&mut self, one: &Travelling) {
        for server in one.msg.params().map(servers::declared).unwrap_or_default() {
            if self.owners.of(&server.provider).is_none() {
                self.owners.declare(server.provider, one.from);
            }
        }
    }

    /// What the answer to a request of a joined client means for the chain.
    pub(super) fn purpose_up(&mut self, one: &Travelling) -> Option<Purpose> {
        let Node::Joined(_) = one.from else {
            return None;
        };
        let params = one.msg.params()?;
        let text = |key| Some(params.get(key)?.as_str()?.into_owned());
        let method = one.msg.method();
        if method.ends_with("/connect") {
            return Some(Purpose::Connect {
                server: text("serverId"),
            });
        }
        if let Some(url) = text("url") {
            self.routes.insert(Route::Url(url), one.from);
        }
        let (server, request) = (text("serverId")?, text("requestId")?);
        let route = Route::Request(server.clone(), request.clone());
        self.routes.insert(route, one.from);
        Some(Purpose::Carry { server, request })
    }

    /// An MCP connection is open.
    pub(super) fn connected(&mut self, node: Node, server: Option<&str>, answer: &Message) {
        let result = answer.body().filter(|_| answer.kind() == Kind::Result);
        let id = ["connectionId", "connection_id"];
        let id = id.iter().find_map(|key| result?.get(key)?.as_str());
        if let Some(id) = id {
            if let Some(server) = server {
                self.owners.connect(&id, server);
            }
            self.routes.insert(Route::Connection(id.into_owned()), node);
        }
    }

    /// An MCP request is answered: no more messages belong to it.
    pub(super) fn carried(&mut self, server: &str, request: &str) {
        let route = Route::Request(server.to_owned(), request.to_owned());
        self.routes.remove(&route);
    }

    /// The answer to a session request: its declarations become valid, or are revoked.
    pub(super) fn set_up(
        &mut self,
        declaration_ids: &[DeclarationId],
        named: Option<&str>,
        answer: &Message,
    ) {
        let made = answer.body().filter(|_| answer.kind() == Kind::Result);
        let Some(result) = made else {
            return self.revoke(declaration_ids);
        };
        let told = result.get("sessionId").and_then(Json::as_str);
        let session = told.as_deref().or(named).unwrap_or_default().to_owned();
        if let Some(bridge) = &mut self.bridge {
            for declaration_id in declaration_ids {
                bridge.began(*declaration_id, &session);
            }
        }
        let old = match declaration_ids {
            [] => self.sessions.remove(&session),
            _ => self.sessions.insert(session, declaration_ids.to_vec()),
        };
        self.revoke(&old.unwrap_or_default());
    }

    /// A session has ended.
    pub(super) fn close(&mut self, session: &str) {
        let declaration_ids = self.sessions.remove(session);
        self.revoke(&declaration_ids.unwrap_or_default());
    }

    /// The chain has ended.
    pub(super) fn close_all(&mut self) {
        let all: Vec<DeclarationId> = self.sessions.drain().flat_map(|(_, of)| of).collect();
        self.revoke(&all);
    }

    pub(super) fn revoke(&mut self, declaration_ids: &[DeclarationId]) {
        if let Some(bridge) = &mut self.bridge {
            for declaration_id in declaration_ids {
                bridge.revoke(*declaration_id);
            }
        }
    }

    /// The error for a message about an MCP server that is not the editor's, and so must not reach the
    /// editor.
    pub(super) fn unknown_above(&self, msg: &Message) -> Option<RpcError> {
        let method = msg.method();
        let params = msg.params().filter(|_| names::is_carrier(&method))?;
        let text = |key| Some(params.get(key)?.as_str()?.into_owned());
        let server = text("serverId").map(Provider::Server);
        let url = || {
            text("acp_url")
                .or_else(|| text("acp_id"))
                .or_else(|| text("url"))
        };
        let provider = server.or_else(|| url().map(Provider::Url))?;
        if self.owners.of(&provider) == Some(Node::Outside) {
            return None;
        }
        Some(RpcError::new(
            -33001,
            "no component of this chain provides this MCP server",
        ))
    }

    /// The joined client that a message about an MCP server is for.
    fn route(&self, msg: &Message) -> Option<Node> {
        let params = msg.params()?;
        let text = |key| Some(params.get(key)?.as_str()?.into_owned());
        let connection = text("connectionId").or_else(|| text("connection_id"));
        let by_request = || Some(Route::Request(text("serverId")?, text("requestId")?));
        let route = connection.map(Route::Connection);
        let route = route.or_else(by_request);
        let route = route.or_else(|| text("url").map(Route::Url))?;
        self.routes.get(&route).copied()
    }

    /// The parameters of a session with replaced declarations, if any has to be replaced. `declaration_ids`
    /// receives the replaced declarations, also on an error.
    fn rewritten(
        &mut self,
        params: Json<'_>,
        dialects: impl Fn(Node) -> Option<Dialect>,
        declaration_ids: &mut Vec<DeclarationId>,
    ) -> Result<Option<String>, RpcError> {
        let (Some(bridge), Some(caps)) = (&mut self.bridge, self.caps) else {
            return Ok(None);
        };
        let declared = servers::declared(params);
        let mut instead = Vec::new();
        for server in declared {
            if caps.take(&server.provider) && !bridge.always() {
                continue;
            }
            self.last_declaration += 1;
            let declaration_id = DeclarationId(self.last_declaration);
            let owner = self.owners.of(&server.provider).and_then(&dialects);
            let offer = Offer {
                declaration_id,
                name: &server.name,
                provider: server.provider,
                owner: if server.is_draft {
                    Some(Dialect::Draft)
                } else {
                    owner
                },
                entry: server.entry,
                version: caps.version,
                takes_http: caps.http,
            };
            instead.push((server.entry, bridge.offer(&offer)?));
            declaration_ids.push(declaration_id);
        }
        if declaration_ids.is_empty() {
            Ok(None)
        } else {
            servers::replaced(params, &instead).map(Some)
        }
    }
}

impl Chain {
    /// Forwards a message to the agent, or to a joined client in its position.
    pub(super) fn reach_tail(&mut self, one: Travelling, leg: Leg, method: &str, now: Instant) {
        if names::is_carrier(method) && self.tail.bridges() {
            if let Some(to) = self.tail.route(&one.msg) {
                return self.forward(one, Leg::plain(to), Purpose::Relay, now);
            }
            let native = self.tail.caps.is_some_and(|caps| caps.any());
            if !native {
                let error = RpcError::invalid_params("there is no such MCP connection");
                return self.refuse(one.from, &one.msg, one.inner.as_ref(), &error);
            }
        }
        let session = || {
            let session = one.msg.params()?.get("sessionId")?.as_str()?;
            Some(session.into_owned())
        };
        if method == names::INITIALIZE {
            return self.forward(one, leg, Purpose::StartTail, now);
        }
        if names::CLOSING.contains(&method)
            && let Some(session) = session()
        {
            return self.forward(one, leg, Purpose::Close { session }, now);
        }
        if !names::SETUP.contains(&method) {
            return self.forward(one, leg, Purpose::Relay, now);
        }
        self.set_up(one, leg, method, now);
    }

    fn set_up(&mut self, mut one: Travelling, leg: Leg, method: &str, now: Instant) {
        // The answer to a fork contains the id of the new session.
        let named = match method {
            "session/load" | "session/resume" => one.msg.params(),
            _ => None,
        };
        let session = named.and_then(|params| params.get("sessionId")?.as_str());
        let session = session.map(|session| session.into_owned());
        let parts = &self.parts;
        let dialects = |node| match node {
            Node::Part(part) => parts.get(part).map(|part| part.dialect),
            _ => None,
        };
        let Some(params) = one.msg.params() else {
            return self.forward(one, leg, Purpose::Relay, now);
        };
        let mut declaration_ids = Vec::new();
        match self.tail.rewritten(params, dialects, &mut declaration_ids) {
            Ok(None) => {}
            Ok(Some(text)) => one.msg = with_params(&one.msg, &text),
            Err(error) => {
                self.tail.revoke(&declaration_ids);
                return self.refuse(one.from, &one.msg, one.inner.as_ref(), &error);
            }
        }
        let purpose = Purpose::Setup {
            declaration_ids,
            session,
        };
        self.forward(one, leg, purpose, now);
    }
}
