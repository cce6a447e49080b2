//! `shutdown` and `exit`: a client on stdin and stdout may end the server.
//!
//! Neither is a method of MCP; older clients send them. `shutdown` is answered at once, further requests are
//! refused, and the server ends with `exit`, or [`PATIENCE`] after `shutdown`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use linkspan_wire::RpcError;
use tokio::sync::Notify;
use tokio::time::timeout;

/// How long a client may take to send `exit` after `shutdown`.
const PATIENCE: Duration = Duration::from_secs(5);

/// The error codes of mcp-bash for these cases.
const ENDING: i64 = -32003;
const NOT_ASKED: i64 = -32005;

/// The state of the shutdown.
#[derive(Debug, Default)]
pub(super) struct Leaving {
    asked: AtomicBool,
    /// Each has one waiter: [`Self::left`].
    shutdown: Notify,
    exit: Notify,
}

impl Leaving {
    /// The error for requests after `shutdown`.
    pub(super) fn refusal(&self) -> Option<RpcError> {
        let ending = self.asked.load(Ordering::Acquire);
        ending.then(|| RpcError::new(ENDING, "the server is shutting down"))
    }

    pub(super) fn shutdown(&self) {
        self.asked.store(true, Ordering::Release);
        self.shutdown.notify_one();
    }

    pub(super) fn exit(&self) -> Result<(), RpcError> {
        if !self.asked.load(Ordering::Acquire) {
            return Err(RpcError::new(NOT_ASKED, "`shutdown` comes before `exit`"));
        }
        self.exit.notify_one();
        Ok(())
    }

    /// Resolves when the server should end.
    pub(super) async fn left(&self) {
        self.shutdown.notified().await;
        let _ = timeout(PATIENCE, self.exit.notified()).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::Instant;

    #[tokio::test(start_paused = true)]
    async fn the_server_ends_on_exit_or_after_the_grace_period() {
        let leaving = Leaving::default();
        assert!(leaving.refusal().is_none());
        assert_eq!(leaving.exit().unwrap_err().code(), NOT_ASKED);
        leaving.shutdown();
        assert_eq!(leaving.refusal().unwrap().code(), ENDING);
        let began = Instant::now();
        leaving.left().await;
        assert_eq!(began.elapsed(), PATIENCE);

        let leaving = Leaving::default();
        leaving.shutdown();
        leaving.exit().unwrap();
        let began = Instant::now();
        leaving.left().await;
        assert_eq!(began.elapsed(), Duration::ZERO);
    }
}
