//! The runtime's clock, which tests can pause, for tasks around a core that gets the time from its caller.

use std::time::Instant;

use tokio::time;

/// The time now.
pub fn now() -> Instant {
    time::Instant::now().into_std()
}

/// Sleeps until `wake`; for ever if that is `None`.
pub async fn sleep_until(wake: Option<Instant>) {
    match wake {
        Some(wake) => time::sleep_until(wake.into()).await,
        None => std::future::pending().await,
    }
}
