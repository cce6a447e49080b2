//! How a front closes.

use tokio::sync::watch;

/// How far the front is with closing. Every step is followed by the next after a limited time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Not at all.
    Open,
    /// New requests are refused; requests in flight may finish.
    Finish,
    /// Requests in flight are answered with an error.
    GiveUp,
    /// The remaining connections are cut.
    Leave,
}

/// Resolves when the front stops waiting for answers.
pub(super) async fn given_up(mut phase: watch::Receiver<Phase>) {
    // An error means that the front was dropped.
    let _ = phase.wait_for(|phase| *phase >= Phase::GiveUp).await;
}
