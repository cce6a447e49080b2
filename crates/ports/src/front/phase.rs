//! How a front closes.

use tokio::sync::watch;

/// How far the front is with closing. Every step is followed by the next after a limited time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Not at all.
    Open,
    /// No new requests are accepted; what is under way may finish.
    Finish,
    /// What is still under way is answered with an error.
    GiveUp,
    /// Connections that are not done by now are cut.
    Leave,
}

/// Resolves when there is no point in waiting for an answer any more.
pub(super) async fn given_up(mut phase: watch::Receiver<Phase>) {
    // An error means that the front is gone altogether.
    let _ = phase.wait_for(|phase| *phase >= Phase::GiveUp).await;
}
