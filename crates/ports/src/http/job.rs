//! What the driver gives to a job, and what the job reports.

use std::sync::Arc;

use bytes::Bytes;
use linkspan_mcp::{Era, names};
use linkspan_session::{Credit, Fault, Inbound};
use linkspan_wire::{Hop, Kind, Message};
use tokio::sync::mpsc;
use url::Url;

use super::endpoint::Endpoint;
use super::request::SessionContext;
use super::sse_session::Line;

/// A message on its way to the server.
#[derive(Debug, Clone)]
pub(super) struct Delivery {
    pub(super) msg: Message,
    /// The hop number of a request.
    pub(super) hop: Option<Hop>,
    pub(super) role: Role,
    pub(super) era: Era,
    /// The number of the message, by which a barrier names it.
    pub(super) serial: u64,
    /// The session that it was sent in.
    pub(super) generation: u64,
    /// Sent a second time, because the first session was unknown to the server.
    pub(super) again: bool,
    /// Which stream of HTTP+SSE it was sent for.
    pub(super) stream: u64,
    /// How often that stream ended before it was sent.
    pub(super) cuts: u32,
    /// Released when the message is done.
    pub(super) _credit: Arc<Credit>,
}

/// How the transport treats a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Initialize,
    Initialized,
    Call,
    Note,
    Reply,
}

impl Role {
    pub(super) fn of(msg: &Message) -> Self {
        match (msg.kind(), &*msg.method()) {
            (Kind::Request, names::INITIALIZE) => Self::Initialize,
            (Kind::Request, _) => Self::Call,
            (Kind::Notification, names::INITIALIZED) => Self::Initialized,
            (Kind::Notification, _) => Self::Note,
            (Kind::Result | Kind::Error, _) => Self::Reply,
        }
    }
}

/// The beginning of a response, and the session and URL that it names.
pub(super) struct Begun {
    /// Which message was accepted.
    pub(super) serial: u64,
    /// The session that it was sent in.
    pub(super) generation: u64,
    /// Whether the response may begin a session. If not, only its session id matters.
    pub(super) begins: bool,
    pub(super) context: SessionContext,
}

/// How a job ended.
pub(super) enum Report {
    /// A POST over Streamable HTTP.
    Posted {
        delivery: Delivery,
        outcome: Outcome,
        /// The URL that answered, if the server redirected the request.
        moved: Option<Url>,
    },
    /// A POST over HTTP+SSE.
    SsePosted(Delivery),
    /// A POST over HTTP+SSE to a server that does not know the session.
    SseGone(Delivery, Refusal),
    /// The stream of server messages is not offered, or has ended.
    ListenEnded {
        /// The stream worked before, and now the server does not know the session.
        forgotten: bool,
    },
    /// A new session, or an error.
    Renewed(Result<SessionContext, Fault>),
    /// The headers that the tools need, for a call whose headers were refused.
    Relearnt {
        delivery: Delivery,
        refusal: Refusal,
        lists: Vec<Message>,
    },
    /// An HTTP+SSE stream, or an error.
    SseOpened(Box<Result<Line, Fault>>),
    /// An HTTP+SSE stream has ended.
    SseEnded(Fault),
    /// The back-off is over: open an HTTP+SSE stream again.
    SseRetry,
    /// A job without a result.
    Aside,
}

/// The outcome of a POST.
pub(super) enum Outcome {
    /// The session has received everything.
    Done,
    /// As `Done`, and this list of tools went by.
    Tools(Message),
    /// As `Done`, and a session was opened.
    Opened(SessionContext),
    /// The server does not know the session and did not accept the message.
    SessionGone(Refusal),
    /// The headers of a call do not match its body; the server did not accept the message.
    HeadersRefused(Refusal),
    /// The server wants a sign-in before it accepts `initialized`.
    NotSignedIn(Fault),
    /// The server may speak another transport; the session has not been answered yet.
    Refused(Refusal),
}

/// A refusal that is kept until it is known whether the other transport works.
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) body: Bytes,
}

/// Tells the session that a request failed. A failed notification is logged.
pub(super) async fn fail(tx: &mpsc::Sender<Inbound>, delivery: &Delivery, why: Fault) {
    match delivery.hop {
        Some(hop) => {
            let _ = tx.send(Inbound::Failed { hop, why }).await;
        }
        None => tracing::warn!("{} was not delivered: {why}", label(&delivery.msg)),
    }
}

/// Passes a refusal on: the server's own JSON-RPC error if it sent one, a fault otherwise.
pub(super) async fn refuse(
    endpoint: &Endpoint,
    tx: &mpsc::Sender<Inbound>,
    delivery: &Delivery,
    refusal: Refusal,
) {
    use linkspan_session::Envelope;
    use linkspan_wire::Frame;

    if let Some(hop) = delivery.hop
        && let Frame::One(msg) = Frame::parse(refusal.body.clone(), &endpoint.limits())
        && msg.kind() == Kind::Error
    {
        let envelope = Envelope {
            relates_to: Some(hop),
            ..Envelope::new(msg.with_id(hop.id()))
        };
        let _ = tx.send(Inbound::Message(envelope)).await;
        return;
    }
    let why = Fault::HttpStatus {
        peer: endpoint.peer.to_string(),
        status: refusal.status,
        said: super::answer::in_words(endpoint, &refusal.body),
        request: endpoint.options.refused(),
    };
    fail(tx, delivery, why).await;
}

/// A message as it is logged: its method, or that it is an answer. Never its content.
pub(super) fn label(msg: &Message) -> String {
    match msg.kind() {
        Kind::Request | Kind::Notification => format!("`{}`", msg.method()),
        Kind::Result | Kind::Error => "an answer of the client".to_owned(),
    }
}

/// The version that a successful `initialize` settled on.
pub(super) fn negotiated(answer: &Message) -> Option<Arc<str>> {
    if answer.kind() != Kind::Result {
        return None;
    }
    let version = answer.body()?.get("protocolVersion")?.as_str()?;
    Some(version.into())
}
