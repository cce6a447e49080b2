//! SIGINT and SIGTERM.

use crate::exit::Exit;

/// Listens from the moment it is made, so that no signal meets the default of dying at once.
#[cfg(unix)]
pub(crate) struct Signals {
    interrupt: Option<tokio::signal::unix::Signal>,
    terminate: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    pub(crate) fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        Self {
            interrupt: signal(SignalKind::interrupt()).ok(),
            terminate: signal(SignalKind::terminate()).ok(),
        }
    }

    /// Resolves when we are asked to stop, with the exit code for it.
    pub(crate) async fn stop(mut self) -> Exit {
        let (Some(interrupt), Some(terminate)) = (&mut self.interrupt, &mut self.terminate) else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = interrupt.recv() => Exit::Interrupted,
            _ = terminate.recv() => Exit::Terminated,
        }
    }
}

/// Listens for Ctrl-C.
#[cfg(not(unix))]
pub(crate) struct Signals;

#[cfg(not(unix))]
impl Signals {
    pub(crate) fn listen() -> Self {
        Self
    }

    /// Resolves when we are asked to stop, with the exit code for it.
    pub(crate) async fn stop(self) -> Exit {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Exit::Interrupted,
            Err(_) => std::future::pending().await,
        }
    }
}
