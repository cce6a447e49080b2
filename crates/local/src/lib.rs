//! A server of our own behind a port: what `connect` and `expose` join to a client, without a process.
//!
//! It speaks the handshake revisions only; the era machines translate for all other clients, as they do
//! for remote servers. Each connection has a [`Handler`] of its own.

mod call;
mod caller;
mod dispatch;
mod folders;
mod offered;
mod questions;
mod request;
mod workers;

#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use linkspan_mcp::Revision;
use linkspan_session::Port;
use linkspan_wire::{Json, Message, RpcError};

pub use call::{Call, StopFlag};
pub use caller::{Caller, Notifier};
pub use folders::folder_of_uri;
pub use offered::{Offered, ROOTS_CHANGED};
pub use request::{Params, tool_call};
pub use workers::{JobPanicked, Workers};

/// Envelopes that may wait in each queue of a port.
const QUEUE: usize = 64;

/// What a server does; the rest of the protocol is done for it.
pub trait Handler: Send + Sync + 'static {
    /// The connection is open. The notifier sends notifications and requests to the client at any time.
    fn opened(&self, _notifier: Notifier) {}

    /// The result of `initialize`.
    fn initialize(&self, revision: Revision, asked: &str) -> Result<String, RpcError>;

    /// Answers a request that is neither `initialize` nor `ping`; gives the result as JSON text. It is
    /// dropped when the client has cancelled or gone.
    ///
    /// What blocks belongs into [`Call::work`].
    fn answer(
        &self,
        method: &str,
        params: Params<'_>,
        call: &mut Call,
    ) -> impl Future<Output = Result<String, RpcError>> + Send;

    /// The client has said something that wants no answer.
    fn on_notification(&self, _note: &Message) {}
}

/// Opens a connection to a handler. `name` is for logs and errors; `workers` are those that the handler uses.
pub fn port(name: &str, workers: &Workers, handler: impl Handler) -> Port {
    let (port, end) = Port::pair(name, QUEUE);
    tokio::spawn(dispatch::run(Arc::new(handler), workers.clone(), end));
    port
}

/// Whether a capability that is spelled like this is declared.
fn is_declared(value: Json<'_>) -> bool {
    !matches!(value.text(), "false" | "null")
}
