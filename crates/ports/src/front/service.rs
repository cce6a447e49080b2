//! The service behind an HTTP front: where sessions and calls go.

use linkspan_session::{Envelope, Fault, Port};
use tokio::sync::mpsc;

use super::principal::Principal;

/// Takes the sessions and calls of a front. It knows the servers; the front knows only HTTP.
pub trait FrontService: Send + Sync + 'static {
    /// Joins a legacy client's session to a server.
    ///
    /// The first message in the port will be its `initialize`. The session is over when the service
    /// drops the port.
    fn admit(&self, front: Port, principal: &Principal);

    /// Takes a modern request, which stands alone. Its credit is given back when a server has it.
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

/// What comes back for one modern request: notifications, then the answer under the request's own
/// id. The queue ends after the answer.
///
/// Dropping this before the answer has come cancels the request.
pub struct Answering {
    /// What comes back. Ends without an answer only if the service is closing.
    pub rx: mpsc::Receiver<Envelope>,
    /// Told by being dropped.
    pub guard: Box<dyn std::any::Any + Send>,
}
