//! A server of our own behind a port: what `connect` and `expose` join to a client, without a process.
//!
//! It speaks the handshake revisions only; the era machines translate for everybody else, as they do
//! for other people's servers. Each connection has a [`Desk`] of its own.

mod call;
mod counter;
mod questions;
mod workers;

#[cfg(test)]
pub(crate) mod tests;

use std::sync::Arc;

use linkspan_mcp::Revision;
use linkspan_session::Port;
use linkspan_wire::{Json, Message, RpcError};

pub(crate) use call::{Call, Stop};
pub(crate) use workers::Workers;

/// Envelopes that may wait in each queue of a port.
const QUEUE: usize = 64;

/// What a server does; the rest of the protocol is done for it.
pub(crate) trait Desk: Send + Sync + 'static {
    /// The result of `initialize`.
    fn welcome(&self, revision: Revision) -> String;

    /// The result of `tools/list`.
    fn tools(&self) -> String;

    /// Calls a tool; gives the result as JSON text. It is dropped when the client has cancelled or gone.
    ///
    /// What blocks belongs into [`Call::work`].
    fn call(
        &self,
        tool: &str,
        arguments: Json<'_>,
        call: &mut Call,
    ) -> impl Future<Output = Result<String, RpcError>> + Send;

    /// The client has said something that wants no answer.
    fn heard(&self, _note: &Message) {}
}

/// Opens a connection to a desk. `name` is for logs and errors; `workers` are those that the desk uses.
pub(crate) fn port(name: &str, workers: &Workers, desk: impl Desk) -> Port {
    let (port, end) = Port::pair(name, QUEUE);
    tokio::spawn(counter::run(Arc::new(desk), workers.clone(), end));
    port
}
