//! A local MCP server behind a port, without a process: what `connect` and `expose` join to a client.
//!
//! It speaks only revisions with a handshake; the era machines translate for other clients, as they do for
//! remote servers. Each connection has its own [`Handler`].

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

/// Capacity of each queue of a port, in envelopes.
const QUEUE: usize = 64;

/// The methods of a server. The dispatcher does the rest of the protocol.
pub trait Handler: Send + Sync + 'static {
    /// The connection is open. The notifier sends notifications and requests to the client at any time.
    fn opened(&self, _notifier: Notifier) {}

    /// The result of `initialize`.
    fn initialize(&self, revision: Revision, asked: &str) -> Result<String, RpcError>;

    /// Answers a request other than `initialize` and `ping`; returns the result as JSON text. The future is
    /// dropped when the client cancels or disconnects.
    ///
    /// Blocking code belongs in [`Call::work`].
    fn answer(
        &self,
        method: &str,
        params: Params<'_>,
        call: &mut Call,
    ) -> impl Future<Output = Result<String, RpcError>> + Send;

    /// The client has sent a notification.
    fn on_notification(&self, _note: &Message) {}
}

/// Opens a connection to a handler. `name` appears in logs and errors; `workers` must be the pool that the
/// handler uses.
pub fn port(name: &str, workers: &Workers, handler: impl Handler) -> Port {
    let (port, end) = Port::pair(name, QUEUE);
    tokio::spawn(dispatch::run(Arc::new(handler), workers.clone(), end));
    port
}

/// Whether a capability with this value is declared: neither `false` nor `null`.
fn is_declared(value: Json<'_>) -> bool {
    !matches!(value.text(), "false" | "null")
}
