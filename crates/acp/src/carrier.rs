//! MCP messages over ACP.
//!
//! A carrier takes the position of an agent that can reach MCP servers of the chain. On one side it is an MCP
//! server; on the other it sends ACP requests into the chain, in the form that the provider understands
//! (`form.rs`). The contents of `params`, `result` and `error` keep their bytes. The carrier does no IO;
//! callers pass the current time.
//!
//! A server that is declared by its id understands one of two forms, and the declaration does not tell which.
//! The first request therefore uses the current form. A provider that does not know this form refuses the
//! request without running anything; the carrier then asks it for a connection and repeats the request.

mod answers;
mod ending;
mod fault;
mod form;
mod port;
mod reverse;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use linkspan_mcp::names;
use linkspan_session::{Pending, Side};
use linkspan_wire::{Hop, Id, IdKey, Kind, Message, Object, RpcError, quote};

use crate::bridge::Provider;
use crate::dialect::Dialect;
use form::{Address, Form};
use reverse::Asked;

pub use fault::{revoked, too_many_connections};
pub use form::FormCache;
pub use port::{Life, port};

/// Pending requests per side.
const IN_FLIGHT: usize = 64;
/// Messages that may wait for a connection.
const HELD: usize = 128;
/// Bytes of messages waiting for a connection, above which the MCP side is not read.
const HELD_BYTES: usize = 4 << 20;
/// Timeout of the connection request and of the first MCP request.
const PATIENCE: Duration = Duration::from_secs(30);
/// The member of an envelope's `_meta` with the ACP session id.
const SESSION: &str = "linkspan/sessionId";
/// Cancels an ACP request.
const CANCEL: &str = "$/cancel_request";

/// A message that a carrier sends.
#[derive(Debug)]
pub enum Out {
    /// To the chain.
    Chain(Message),
    /// To the MCP side.
    Mcp {
        /// The message.
        msg: Message,
        /// The request of the MCP side that the message belongs to, if known.
        about: Option<Id>,
    },
}

impl Out {
    fn mcp(msg: Message) -> Self {
        Self::Mcp { msg, about: None }
    }
}

/// Carries MCP messages over ACP; see the module's description.
pub struct Carrier {
    provider: Provider,
    /// `None` until the provider has answered in a form.
    form: Option<Form>,
    forms: FormCache,
    link: Link,
    /// Pending requests of the MCP side (the front) to the chain (the back).
    calls: Pending<Side, Call>,
    /// The carrier's own requests, by their ids in the chain.
    own: BTreeMap<Hop, Own>,
    /// Pending requests of the provider to the MCP side.
    asked: HashMap<IdKey, Asked>,
    /// Makes our request names different from those of other carriers to the same provider.
    tag: String,
    /// `_meta` of every envelope, once the session is known.
    meta: Option<String>,
    /// The error for all requests after the end.
    over: Option<RpcError>,
}

enum Link {
    None,
    Connecting {
        until: Instant,
        held: VecDeque<Held>,
    },
    Up(String),
}

/// A message that waits for a connection.
struct Held {
    number: Option<Hop>,
    msg: Message,
}

/// The purpose of one of the carrier's own requests.
enum Own {
    Connect,
    /// A connection request that has been given up; a connection that it returns is closed.
    Unwanted,
    /// Disconnects; the answer is ignored.
    Disconnect,
}

/// The state of a request of the MCP side.
#[derive(Default)]
struct Call {
    /// The request, while it may have to be repeated in another form.
    kept: Option<Message>,
    /// The refusal of the request in the first form.
    refusal: Option<Message>,
    /// The deadline of a request that determines the server's era.
    until: Option<Instant>,
}

impl Carrier {
    /// A carrier to a server. `owner` is the dialect of the component that declared it; all carriers to the
    /// same server share `forms`.
    pub fn new(provider: Provider, owner: Option<Dialect>, forms: FormCache) -> Self {
        let form = Form::of(&provider, owner).or_else(|| forms.get());
        Self {
            provider,
            form,
            forms,
            link: Link::None,
            calls: Pending::default(),
            own: BTreeMap::new(),
            asked: HashMap::new(),
            // Not secret, but unique.
            tag: format!("{:016x}", RandomState::new().hash_one(0)),
            meta: None,
            over: None,
        }
    }

    /// Sets the ACP session that the server was declared in.
    pub fn began(&mut self, session: &str) {
        let meta = Object::empty().with(SESSION, &quote(session));
        self.meta = Some(meta.text());
    }

    /// Whether the carrier can accept more messages of the MCP side.
    pub fn has_room(&self) -> bool {
        match &self.link {
            Link::Connecting { held, .. } => {
                let bytes: usize = held.iter().map(|held| held.msg.len()).sum();
                held.len() < HELD && bytes < HELD_BYTES
            }
            Link::None | Link::Up(_) => true,
        }
    }

    /// Whether messages wait for a connection.
    pub fn is_holding(&self) -> bool {
        matches!(&self.link, Link::Connecting { held, .. } if !held.is_empty())
    }

    /// Whether the carrier has ended.
    pub fn is_over(&self) -> bool {
        self.over.is_some()
    }

    /// Handles a message of the MCP side.
    pub fn from_mcp(&mut self, msg: Message, now: Instant) -> Vec<Out> {
        match msg.kind() {
            Kind::Request => self.call(msg, now),
            Kind::Result | Kind::Error => self.reply(msg),
            Kind::Notification if msg.method() == names::CANCELLED => self.cancel(&msg),
            Kind::Notification => self.note(msg),
        }
    }

    /// Handles a message of the chain.
    pub fn from_chain(&mut self, msg: Message, now: Instant) -> Vec<Out> {
        match msg.kind() {
            Kind::Result | Kind::Error => self.answered(msg, now),
            Kind::Request | Kind::Notification => self.told(&msg),
        }
    }

    // Messages of the MCP side.

    fn call(&mut self, msg: Message, now: Instant) -> Vec<Out> {
        let Some(id) = msg.id() else {
            return Vec::new();
        };
        let refusal = if let Some(why) = &self.over {
            Some(why.clone())
        } else if self.calls.is_in_use(Side::Front, &id.key()) {
            let why = format!("a request with the id {id} is still in flight");
            Some(RpcError::invalid_request(why))
        } else if self.calls.len() >= IN_FLIGHT {
            Some(fault::too_many_requests())
        } else {
            None
        };
        if let Some(why) = refusal {
            return vec![Out::mcp(why.answer(&id))];
        }
        let (from, to) = (Side::Front, Side::Back);
        let number = self.calls.ask(from, to, id, &msg.method(), Call::default());
        let Some(number) = number else {
            return Vec::new();
        };
        self.send(number, msg, now)
    }

    /// Sends a request of the MCP side, or the connection request that has to precede it.
    fn send(&mut self, number: Hop, msg: Message, now: Instant) -> Vec<Out> {
        let form = match (&mut self.link, self.form) {
            (Link::Connecting { held, .. }, _) => {
                held.push_back(Held {
                    number: Some(number),
                    msg,
                });
                return Vec::new();
            }
            (Link::None, None) => {
                if let Some(call) = self.calls.get_mut(number) {
                    call.data.until = is_first(&msg).then(|| now + PATIENCE);
                    call.data.kept = Some(msg.clone());
                }
                Form::Scoped
            }
            (_, Some(form)) if form != Form::Scoped && msg.method() == names::DISCOVER => {
                // These servers predate `server/discover`; some crash on it.
                let call = self.calls.take(number);
                let error = RpcError::method_not_found(names::DISCOVER);
                return Vec::from_iter(call.map(|call| Out::mcp(error.answer(&call.id))));
            }
            (Link::None, Some(form)) if form.connects() => {
                return vec![self.connect(form, number, msg, now)];
            }
            (_, form) => form.unwrap_or(Form::Native),
        };
        let request = self.request_name(number);
        vec![Out::Chain(form.request(
            number,
            &self.address(&request),
            &msg,
        ))]
    }

    /// Requests a connection; the request `number` is held until it is open.
    fn connect(&mut self, form: Form, number: Hop, msg: Message, now: Instant) -> Out {
        let held = Held {
            number: Some(number),
            msg,
        };
        self.link = Link::Connecting {
            until: now + PATIENCE,
            held: VecDeque::from([held]),
        };
        let number = self.calls.number();
        self.own.insert(number, Own::Connect);
        Out::Chain(form.connect(number, &self.provider, self.meta.as_deref()))
    }

    fn note(&mut self, msg: Message) -> Vec<Out> {
        if self.over.is_some() {
            return Vec::new();
        }
        match (&mut self.link, self.form) {
            (Link::Connecting { held, .. }, _) if held.len() < HELD => {
                held.push_back(Held { number: None, msg });
                Vec::new()
            }
            (Link::Up(_), Some(form)) | (Link::None, Some(form @ Form::Draft)) => {
                let note = form.notification(&self.address(""), &msg);
                Vec::from_iter(note.map(Out::Chain))
            }
            _ => {
                tracing::debug!("{} cannot be sent to the provider", msg.method());
                Vec::new()
            }
        }
    }

    /// Cancels a request of the MCP side. The cancellation in the chain has to name our id, because the
    /// client's id is only valid on its own connection.
    fn cancel(&mut self, msg: &Message) -> Vec<Out> {
        let spelled = msg.params().and_then(|params| params.get("requestId"));
        let id = spelled.and_then(Id::parse);
        let call = id.and_then(|id| self.calls.find(Side::Front, &id));
        let (Some(number), Some(spelled)) = (call.map(|call| call.hop), spelled) else {
            return Vec::new();
        };
        self.calls.take(number);
        if let Link::Connecting { held, .. } = &mut self.link {
            let before = held.len();
            held.retain(|held| held.number != Some(number));
            if held.len() < before {
                return Vec::new();
            }
        }
        let mut outs = Vec::new();
        if self.form == Some(Form::Draft) {
            // Only in this form do the MCP messages inside have ids of their own.
            let request = self.request_name(number);
            let inner = msg.with_value(spelled, &quote(&request));
            let note = Form::Draft.notification(&self.address(&request), &inner);
            outs.extend(note.map(Out::Chain));
        }
        outs.push(cancellation(number));
        outs
    }

    // Helpers.

    fn learn(&mut self, form: Form) {
        tracing::debug!("the provider understands the form {form:?}");
        self.form = Some(form);
        self.forms.set(form);
        if form == Form::Scoped {
            for call in self.calls.iter_mut() {
                call.data.kept = None;
            }
        }
    }

    fn disconnect(&mut self, form: Form, connection: &str) -> Out {
        let number = self.calls.number();
        let msg = form.disconnect(number, connection);
        if msg.kind() == Kind::Request {
            self.own.insert(number, Own::Disconnect);
        }
        Out::Chain(msg)
    }

    /// The name of our request outside of its hop.
    fn request_name(&self, number: Hop) -> String {
        format!("{}-{number}", self.tag)
    }

    fn address<'a>(&'a self, request: &'a str) -> Address<'a> {
        let (Provider::Server(provider) | Provider::Url(provider)) = &self.provider;
        Address {
            provider,
            connection: match &self.link {
                Link::Up(connection) => connection,
                Link::None | Link::Connecting { .. } => "",
            },
            request,
            meta: self.meta.as_deref(),
        }
    }
}

/// Whether a request opens a session or determines the server's era.
fn is_first(msg: &Message) -> bool {
    matches!(&*msg.method(), names::INITIALIZE | names::DISCOVER)
}

fn cancellation(number: Hop) -> Out {
    let params = format!(r#"{{"requestId":{number}}}"#);
    Out::Chain(Message::notification(CANCEL, Some(&params)))
}
