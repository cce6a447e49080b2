//! Messages that a provider initiates: notifications, and requests to the MCP client.

use linkspan_mcp::{SUBSCRIPTION_ID, names};
use linkspan_session::Side;
use linkspan_wire::{Hop, Id, Json, Kind, Message, RpcError, quote};

use super::form::is_params;
use super::{CANCEL, Carrier, IN_FLIGHT, Link, Out, fault};
use crate::error;

/// A request of the provider.
pub(super) struct Asked {
    /// Its id in the chain, which the MCP side sees too.
    id: Id,
    /// The id of the MCP message inside, in the draft's form.
    inner: Option<Id>,
}

impl Asked {
    /// The answer in the form that the provider expects.
    fn answer(&self, msg: Message) -> Message {
        match &self.inner {
            // In these forms the MCP error is the ACP error.
            None => error::from_mcp(msg).with_id(self.id.clone()),
            Some(inner) => {
                let text = msg.with_id(inner.clone()).text();
                Message::result(&self.id, &format!(r#"{{"message":{text}}}"#))
            }
        }
    }

    pub(super) fn refuse(&self, why: &RpcError) -> Message {
        self.answer(why.answer(&self.id))
    }
}

impl Carrier {
    /// Handles a request or a notification of the chain.
    pub(super) fn told(&mut self, msg: &Message) -> Vec<Out> {
        let params = msg.params();
        match &*msg.method() {
            CANCEL => self.request_cancelled(params),
            "mcp/disconnect" | "_mcp/disconnect" => self.left(msg),
            "mcp/message" if params.is_some_and(|p| p.get("connectionId").is_none()) => {
                self.scoped(msg)
            }
            "mcp/message" | "_mcp/message" | "_mcp/request" | "_mcp/notification" => {
                if !self.is_ours(params) {
                    return refused(msg, &RpcError::invalid_params("no such MCP connection"));
                }
                match inner(params, msg.id()) {
                    Some(inner) => self.pass(msg, inner, None),
                    None => refused(msg, &RpcError::invalid_params("this is not an MCP message")),
                }
            }
            "_mcp/server_to_client/request" | "_mcp/server_to_client/notification" => {
                let text = params.and_then(|p| p.get("message"));
                let enclosed = text.map(|text| text.text().to_owned().into());
                match enclosed.map(Message::parse) {
                    Some(Ok(inner)) if inner.kind() == msg.kind() => {
                        let id = inner.id();
                        let outer = msg.id().unwrap_or_else(Id::null);
                        self.pass(msg, inner.with_id(outer), id)
                    }
                    _ => refused(msg, &RpcError::invalid_params("this is not an MCP message")),
                }
            }
            other => refused(msg, &RpcError::method_not_found(other)),
        }
    }

    /// The answer of the MCP side to a request of the provider.
    pub(super) fn reply(&mut self, msg: Message) -> Vec<Out> {
        let asked = msg.id().and_then(|id| self.asked.remove(&id.key()));
        Vec::from_iter(asked.map(|asked| Out::Chain(asked.answer(msg))))
    }

    /// A notification that belongs to a pending request.
    fn scoped(&mut self, msg: &Message) -> Vec<Out> {
        if msg.kind() == Kind::Request {
            let why = "an MCP server asks by its results here, not by requests";
            return refused(msg, &RpcError::method_not_found(why));
        }
        let params = msg.params();
        let name = params.and_then(|p| p.get("requestId")?.as_str());
        let number = name.and_then(|name| {
            let number = name.strip_prefix(&*self.tag)?.strip_prefix('-')?;
            number.parse().ok().map(Hop)
        });
        let call = number.and_then(|number| self.calls.owed(Side::Back, number));
        let (Some(call), Some(inner)) = (call, inner(params, None)) else {
            tracing::debug!("a notification to no pending request");
            return Vec::new();
        };
        let subscription = inner
            .params()
            .and_then(|p| p.path(&["_meta", SUBSCRIPTION_ID]));
        let inner = match subscription {
            // The provider refers to the request by its name, the MCP side by its id.
            Some(spelled) => inner.with_value(spelled, call.id.text()),
            None => inner,
        };
        vec![Out::Mcp {
            msg: inner,
            about: Some(call.id.clone()),
        }]
    }

    /// Forwards a message of the provider to the MCP side.
    fn pass(&mut self, outer: &Message, msg: Message, inner: Option<Id>) -> Vec<Out> {
        if msg.kind() == Kind::Notification {
            let msg = if msg.method() == names::CANCELLED {
                self.cancelled_inside(&msg)
            } else {
                Some(msg)
            };
            return Vec::from_iter(msg.map(Out::mcp));
        }
        let Some(id) = outer.id() else {
            return Vec::new();
        };
        let asked = Asked {
            id: id.clone(),
            inner,
        };
        let refusal = if let Some(why) = &self.over {
            Some(why.clone())
        } else if self.asked.contains_key(&id.key()) {
            let why = format!("a request with the id {id} is still in flight");
            Some(RpcError::invalid_request(why))
        } else if self.asked.len() >= IN_FLIGHT {
            Some(fault::too_many_requests())
        } else {
            None
        };
        if let Some(why) = refusal {
            return vec![Out::Chain(asked.refuse(&why))];
        }
        self.asked.insert(id.key(), asked);
        vec![Out::mcp(msg)]
    }

    /// A cancellation inside names the request by the provider's own id. Only the draft's form lets us map
    /// that id; in the others the request is only certain if it is the only one.
    fn cancelled_inside(&self, msg: &Message) -> Option<Message> {
        let spelled = msg.params()?.get("requestId")?;
        let named = Id::parse(spelled)?.key();
        let known = self
            .asked
            .values()
            .find(|asked| asked.inner.as_ref().is_some_and(|id| id.key() == named));
        let only = self.asked.values().next().filter(|asked| {
            let alone = self.asked.len() == 1;
            alone && asked.inner.is_none()
        });
        let asked = known.or(only)?;
        Some(msg.with_value(spelled, asked.id.text()))
    }

    /// The provider cancels a request. ACP requires an answer to it nevertheless.
    fn request_cancelled(&mut self, params: Option<Json<'_>>) -> Vec<Out> {
        let id = params.and_then(|p| p.get("requestId")).and_then(Id::parse);
        let asked = id.and_then(|id| self.asked.remove(&id.key()));
        let Some(asked) = asked else {
            return Vec::new();
        };
        let params = format!(r#"{{"requestId":{}}}"#, asked.id);
        let cancel = Message::notification(names::CANCELLED, Some(&params));
        vec![Out::mcp(cancel), Out::Chain(fault::cancelled(&asked.id))]
    }

    /// The provider closes the connection.
    fn left(&mut self, msg: &Message) -> Vec<Out> {
        if !self.is_ours(msg.params()) {
            return refused(msg, &RpcError::invalid_params("no such MCP connection"));
        }
        self.link = Link::None;
        let mut outs = self.end(&fault::gone("the provider has closed the MCP connection"));
        if let (Kind::Request, Some(id)) = (msg.kind(), msg.id()) {
            outs.push(Out::Chain(Message::result(&id, "{}")));
        }
        outs
    }

    /// Whether a message names our connection. Both spellings occur with both methods.
    fn is_ours(&self, params: Option<Json<'_>>) -> bool {
        let named = params.and_then(|p| {
            let named = p.get("connectionId").or_else(|| p.get("connection_id"));
            named?.as_str()
        });
        matches!((&self.link, named), (Link::Up(ours), Some(named)) if **ours == *named)
    }
}

/// The MCP message in `method` and `params`; a request if there is an id for it.
fn inner(params: Option<Json<'_>>, id: Option<Id>) -> Option<Message> {
    let method = params?.get("method")?.as_str()?;
    let inside = params?.get("params");
    if inside.is_some_and(|inside| !is_params(inside)) {
        return None;
    }
    let inside = inside.map(Json::text).filter(|text| *text != "null");
    Some(match id {
        Some(id) => Message::request(&id, &method, inside),
        None => Message::notification(&method, inside),
    })
}

/// Answers a request with an error; logs a notification.
fn refused(msg: &Message, why: &RpcError) -> Vec<Out> {
    match (msg.kind(), msg.id()) {
        (Kind::Request, Some(id)) => vec![Out::Chain(why.answer(&id))],
        _ => {
            tracing::debug!("{}: {}", quote(&msg.method()), why.message());
            Vec::new()
        }
    }
}
