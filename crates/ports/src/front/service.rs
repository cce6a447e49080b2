//! The service behind an HTTP front: where sessions and calls go.

use std::future::poll_fn;
use std::task::{Context, Poll, ready};

use linkspan_session::{Envelope, Fault, Port};
use linkspan_wire::Message;
use tokio::sync::mpsc;

use super::principal::Principal;

/// Serves the sessions and calls of a front. It knows the servers; the front knows only HTTP.
pub trait FrontService: Send + Sync + 'static {
    /// Connects the session of a legacy client to a server.
    ///
    /// The first message in the port is its `initialize`. The session ends when the service drops the port.
    fn admit(&self, front: Port, principal: &Principal);

    /// Serves a modern request, which belongs to no session. Its credit is returned when a server has taken it.
    fn ask(
        &self,
        call: Envelope,
        principal: &Principal,
    ) -> impl Future<Output = Result<Answering, Fault>> + Send;

    /// Whether there is a view of this name, which is served at a path below that of the endpoint.
    fn has_view(&self, _name: &str) -> bool {
        false
    }

    /// Numbers that `/healthz` shows besides the front's own.
    fn figures(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

/// The messages for one modern request: notifications, then the answer under the request's own id. The queue ends after
/// the answer.
///
/// Dropping this before the answer cancels the request.
pub struct Answering {
    /// The messages. They end without an answer only if the service is closing.
    rx: mpsc::Receiver<Envelope>,
    /// Dropping it signals the end.
    guard: Box<dyn std::any::Any + Send>,
    edit: Option<Edit>,
}

type Edit = Box<dyn FnMut(Envelope) -> Envelope + Send>;

impl Answering {
    /// The messages of a queue. `guard` is dropped with this value.
    pub fn new(rx: mpsc::Receiver<Envelope>, guard: impl Send + 'static) -> Self {
        Self {
            rx,
            guard: Box::new(guard),
            edit: None,
        }
    }

    /// An answer that is known already.
    pub fn of(answer: Message) -> Self {
        let (tx, rx) = mpsc::channel(1);
        let _ = tx.try_send(Envelope::new(answer));
        Self::new(rx, ())
    }

    /// Passes every message through `edit` as it is received.
    #[must_use]
    pub fn edited(self, mut edit: impl FnMut(Envelope) -> Envelope + Send + 'static) -> Self {
        let edit: Edit = match self.edit {
            Some(mut first) => Box::new(move |envelope| edit(first(envelope))),
            None => Box::new(edit),
        };
        Self {
            edit: Some(edit),
            ..self
        }
    }

    /// Drops `more` with this value, too.
    #[must_use]
    pub fn holding(self, more: impl Send + 'static) -> Self {
        Self {
            guard: Box::new((self.guard, more)),
            ..self
        }
    }

    /// The next message.
    pub async fn recv(&mut self) -> Option<Envelope> {
        poll_fn(|cx| self.poll_recv(cx)).await
    }

    /// Polls for the next message.
    pub fn poll_recv(&mut self, cx: &mut Context<'_>) -> Poll<Option<Envelope>> {
        let envelope = ready!(self.rx.poll_recv(cx));
        Poll::Ready(match &mut self.edit {
            Some(edit) => envelope.map(edit),
            None => envelope,
        })
    }
}
