//! SIGINT and SIGTERM.

use crate::exit::Exit;

/// Resolves when we are asked to stop, with the exit code for it.
#[cfg(unix)]
pub(crate) async fn stop() -> Exit {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
    ) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => Exit::Interrupted,
        _ = terminate.recv() => Exit::Terminated,
    }
}

/// Resolves when we are asked to stop, with the exit code for it.
#[cfg(not(unix))]
pub(crate) async fn stop() -> Exit {
    match tokio::signal::ctrl_c().await {
        Ok(()) => Exit::Interrupted,
        Err(_) => std::future::pending().await,
    }
}
