//! Runs the asynchronous part of a command.

use crate::exit::{Exit, Failure};

/// Runs a future on this thread: a session is one task, and passing it between threads costs more than the relay.
pub(crate) fn block_on(work: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| Failure::new(Exit::Unreachable, format!("cannot start: {e}")))?;
    let ended = runtime.block_on(work);
    // A read from a terminal cannot be cancelled, and must not keep the process from ending.
    runtime.shutdown_background();
    ended
}
