//! A port: one peer's side of a conversation, as two bounded queues.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use linkspan_wire::{Entry, Hop, Id, Message, WireError, one_line};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::budget::Credit;
use crate::config::Config;
use crate::fault::Fault;
use crate::outbox::Outbox;

/// A message and its metadata.
#[derive(Debug)]
pub struct Envelope {
    /// The message.
    pub msg: Message,
    /// The request that this belongs to, by the hop number that its port uses. Set where the transport knows it: a
    /// message on the answer stream of a POST belongs to that POST.
    pub relates_to: Option<Hop>,
    /// The client's request that this belongs to, by the client's own id. Set on the way to the front where it is
    /// known, so that a front with several streams can choose the right one.
    pub about: Option<Id>,
    /// The id that the server gave its request. Layers and the front see another one.
    pub origin: Option<Id>,
    /// Returned when the envelope is dropped. Layers keep it when they replace the message.
    pub credit: Credit,
}

impl Envelope {
    /// A message without metadata.
    pub fn new(msg: Message) -> Self {
        Self {
            msg,
            relates_to: None,
            about: None,
            origin: None,
            credit: Credit::default(),
        }
    }
}

/// An item that a session gives to a port.
#[derive(Debug)]
pub enum Outbound {
    /// A message.
    One(Envelope),
    /// The answers to a batch, as one JSON array.
    Array(Bytes),
}

impl Outbound {
    /// Bytes on the wire.
    pub fn len(&self) -> usize {
        match self {
            Self::One(envelope) => envelope.msg.len(),
            Self::Array(text) => text.len(),
        }
    }

    /// Always `false`: a message has at least its braces.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The text in up to three pieces and without line ends. A message that has none is not copied.
    pub fn on_one_line(&self) -> [Bytes; 3] {
        match self {
            Self::One(envelope) if envelope.msg.is_one_line() => envelope.msg.pieces(),
            Self::One(envelope) => envelope.msg.pieces().map(one_line),
            Self::Array(text) => [one_line(text.clone()), Bytes::new(), Bytes::new()],
        }
    }
}

/// An event that a port reports to its session.
#[derive(Debug)]
pub enum Inbound {
    /// A message.
    Message(Envelope),
    /// A JSON array of messages.
    Batch(Vec<Entry>),
    /// A line that is not a message. The stream goes on.
    Bad(WireError),
    /// The request that was sent under this hop will get no answer.
    Failed {
        /// Which request.
        hop: Hop,
        /// Why.
        why: Fault,
    },
    /// The requests that were sent up to this hop will get no answer, but the port goes on.
    Lost {
        /// The newest lost request.
        up_to: Hop,
        /// Requests that will be sent again.
        except: Vec<Hop>,
        /// Why.
        why: Fault,
    },
    /// The peer has closed the connection; nothing follows.
    Closed(Fault),
}

/// The session's end of a port.
pub struct Port {
    /// The name of the peer, for logs and errors.
    pub name: String,
    /// Towards the peer.
    pub tx: mpsc::Sender<Outbound>,
    /// From the peer.
    pub rx: mpsc::Receiver<Inbound>,
    /// Resolves at the end of the peer's input, though some of it may still be queued.
    pub last_word: oneshot::Receiver<()>,
    /// Resolves when the port's own task has ended.
    pub done: oneshot::Receiver<()>,
}

/// The peer's end of a port, held by the task of a transport.
///
/// The session closes a port by dropping its queue; the transport then closes its connection and drops this.
pub struct PortEnd {
    /// Towards the session.
    pub tx: mpsc::Sender<Inbound>,
    /// From the session.
    pub rx: mpsc::Receiver<Outbound>,
    /// Dropped at the end of the peer's input.
    pub last_word: oneshot::Sender<()>,
    /// Dropped last.
    pub done: oneshot::Sender<()>,
}

impl Port {
    /// A port and its other end, with room for `capacity` envelopes each way.
    pub fn pair(name: impl Into<String>, capacity: usize) -> (Self, PortEnd) {
        let (to_peer, from_session) = mpsc::channel(capacity);
        let (to_session, from_peer) = mpsc::channel(capacity);
        let (ended, done) = oneshot::channel();
        let (said, last_word) = oneshot::channel();
        let port = Self {
            name: name.into(),
            tx: to_peer,
            rx: from_peer,
            last_word,
            done,
        };
        let end = PortEnd {
            tx: to_session,
            rx: from_session,
            last_word: said,
            done: ended,
        };
        (port, end)
    }

    /// Sends the queued items, closes the port and waits for its task, all within `limit`.
    pub async fn flush_and_close(mut self, mut left: Outbox, limit: Duration) {
        let closing = async {
            left.send_all(&self.tx).await;
            drop(self.tx);
            // A transport that waits for room in this queue could not end.
            self.rx.close();
            let _ = self.done.await;
        };
        let _ = timeout(limit, closing).await;
    }

    /// Closes a port with nothing left to send.
    pub async fn close(self) {
        let limit = Config::default().close_timeout;
        self.flush_and_close(Outbox::default(), limit).await;
    }
}

impl fmt::Debug for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Port({})", self.name)
    }
}
