//! The service behind an HTTP front: where sessions and calls go.

use linkspan_session::{Envelope, Fault, Port};
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
    pub rx: mpsc::Receiver<Envelope>,
    /// Dropping it signals the end.
    pub guard: Box<dyn std::any::Any + Send>,
}
