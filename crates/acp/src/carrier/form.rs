//! The spellings of MCP over ACP, one row for each dialect that was released or drafted.
//!
//! | form | dialect | open | message | close |
//! |---|---|---|---|---|
//! | [`Form::Scoped`] | D4, D5 | – | `mcp/message` with `serverId`, `requestId` | – |
//! | [`Form::Native`] | D3 | `mcp/connect` | `mcp/message` with `connectionId` | `mcp/disconnect`, a request |
//! | [`Form::Underscore`] | D2 | `_mcp/connect` | `_mcp/message` | `_mcp/disconnect` |
//! | [`Form::Symposium`] | D1 | `_mcp/connect` | `_mcp/request`, `_mcp/notification` | `_mcp/disconnect` |
//! | [`Form::Draft`] | D0 | – | `_mcp/client_to_server/…` with a whole message | – |
//!
//! D1 and D2 mix two spellings: `connection_id` to open and close a connection, `connectionId` in messages.

use std::sync::{Arc, OnceLock};

use linkspan_wire::{Hop, Id, Json, JsonKind, Message, Object, quote};

use crate::bridge::Provider;
use crate::dialect::Dialect;
use crate::names;

/// The spelling of MCP over ACP that a provider understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// No connection; each request names its server. MCP of the modern era.
    Scoped,
    /// Connections as the ACP schema defines them.
    Native,
    /// Connections of sacp 5 to agent-client-protocol 1.
    Underscore,
    /// Connections of sacp 0.1 to 4.
    Symposium,
    /// Whole MCP messages in envelopes.
    Draft,
}

/// The form that a provider understands, once known. Clones share it, so that it is determined once per
/// provider.
#[derive(Debug, Clone, Default)]
pub struct FormCache(Arc<OnceLock<Form>>);

impl FormCache {
    pub(super) fn get(&self) -> Option<Form> {
        self.0.get().copied()
    }

    pub(super) fn set(&self, form: Form) {
        // If another carrier was first, it has stored the form of the same provider.
        let _ = self.0.set(form);
    }
}

/// Whether JSON-RPC allows this value as `params`.
pub(super) fn is_params(json: Json<'_>) -> bool {
    matches!(
        json.kind(),
        JsonKind::Object | JsonKind::Array | JsonKind::Null
    )
}

impl Form {
    /// The form of a provider, if its declaration determines it.
    pub(super) fn of(provider: &Provider, owner: Option<Dialect>) -> Option<Self> {
        match (provider, owner) {
            // Three dialects declare servers by id in the same way.
            (Provider::Server(_), _) => None,
            (Provider::Url(_), Some(Dialect::Symposium)) => Some(Self::Symposium),
            (Provider::Url(_), Some(Dialect::Draft)) => Some(Self::Draft),
            (Provider::Url(_), Some(Dialect::Underscore | Dialect::Current) | None) => {
                Some(Self::Underscore)
            }
        }
    }

    /// Whether messages need a connection first.
    pub(super) fn connects(self) -> bool {
        matches!(self, Self::Native | Self::Underscore | Self::Symposium)
    }

    /// The request that opens a connection.
    pub(super) fn connect(self, number: Hop, provider: &Provider, meta: Option<&str>) -> Message {
        let id = number.id();
        let mut params = Object::empty();
        let method = match (self, provider) {
            (Self::Native, Provider::Server(server) | Provider::Url(server)) => {
                params.push("serverId", &quote(server));
                "mcp/connect"
            }
            (_, Provider::Server(url) | Provider::Url(url)) => {
                params.push("acp_url", &quote(url));
                if self == Self::Underscore {
                    // Renamed in 0.12, which does not read the old name.
                    params.push("acp_id", &quote(url));
                }
                "_mcp/connect"
            }
        };
        Message::request(&id, method, Some(&with_meta(params, meta)))
    }

    /// The connection id in the answer to [`Form::connect`].
    pub(super) fn connection(answer: &Message) -> Option<String> {
        let body = answer.body()?;
        let named = body
            .get("connectionId")
            .or_else(|| body.get("connection_id"));
        named?.as_str().map(Into::into)
    }

    /// The message that closes a connection.
    pub(super) fn disconnect(self, number: Hop, connection: &str) -> Message {
        let mut params = Object::empty();
        if self == Self::Native {
            params.push("connectionId", &quote(connection));
            let id = number.id();
            return Message::request(&id, names::MCP_DISCONNECT, Some(&params.text()));
        }
        params.push("connection_id", &quote(connection));
        Message::notification("_mcp/disconnect", Some(&params.text()))
    }

    /// A request of the MCP side in this form.
    pub(super) fn request(self, number: Hop, to: &Address<'_>, msg: &Message) -> Message {
        let id = number.id();
        let method = match self {
            Self::Scoped | Self::Native => "mcp/message",
            Self::Underscore => "_mcp/message",
            Self::Symposium => "_mcp/request",
            Self::Draft => "_mcp/client_to_server/request",
        };
        let params = match self {
            Self::Draft => enclosed(to, &msg.clone().with_id(Id::string(to.request))),
            _ => self.flat(to, msg),
        };
        Message::request(&id, method, Some(&params))
    }

    /// A notification of the MCP side in this form; `None` if the form has no notifications.
    pub(super) fn notification(self, to: &Address<'_>, msg: &Message) -> Option<Message> {
        let method = match self {
            Self::Scoped => return None,
            Self::Native => "mcp/message",
            Self::Underscore => "_mcp/message",
            Self::Symposium => "_mcp/notification",
            Self::Draft => "_mcp/client_to_server/notification",
        };
        let params = match self {
            Self::Draft => enclosed(to, msg),
            _ => self.flat(to, msg),
        };
        Some(Message::notification(method, Some(&params)))
    }

    /// The address, then the members of the MCP message.
    fn flat(self, to: &Address<'_>, msg: &Message) -> String {
        let mut params = Object::empty();
        match self {
            Self::Scoped => {
                params.push("serverId", &quote(to.provider));
                params.push("requestId", &quote(to.request));
            }
            _ => params.push("connectionId", &quote(to.connection)),
        }
        params.push("method", &quote(&msg.method()));
        match msg.params() {
            Some(inner) => params.push("params", inner.text()),
            // sacp does not read a message without this member.
            None if matches!(self, Self::Underscore | Self::Symposium) => {
                params.push("params", "null");
            }
            None => {}
        }
        with_meta(params, to.meta)
    }
}

/// The address of a message of the MCP side.
pub(super) struct Address<'a> {
    /// The provider's id or URL.
    pub(super) provider: &'a str,
    /// The connection id, in forms with connections.
    pub(super) connection: &'a str,
    /// The request's name, in forms that have one.
    pub(super) request: &'a str,
    /// `_meta` of the envelope.
    pub(super) meta: Option<&'a str>,
}

fn enclosed(to: &Address<'_>, msg: &Message) -> String {
    let mut params = Object::empty();
    params.push("url", &quote(to.provider));
    params.push("message", &msg.text());
    with_meta(params, to.meta)
}

fn with_meta(params: Object<'_>, meta: Option<&str>) -> String {
    params.with_some("_meta", meta).text()
}
