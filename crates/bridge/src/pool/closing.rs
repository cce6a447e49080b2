//! Closing a pool.

use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::UpstreamPool;

/// The limit for the end of all sessions together. Each has limits of its own.
const LONGEST: Duration = Duration::from_secs(10);

/// Closes an [`UpstreamPool`] and waits for it.
pub(crate) struct Closing {
    stop: watch::Sender<bool>,
    alive: mpsc::Sender<()>,
    ended: mpsc::Receiver<()>,
}

impl Closing {
    /// `ended` has an end when all clones of `alive` are gone.
    pub(super) fn new(
        stop: watch::Sender<bool>,
        alive: mpsc::Sender<()>,
        ended: mpsc::Receiver<()>,
    ) -> Self {
        Self { stop, alive, ended }
    }

    /// Ends all calls and sessions; requests in flight are answered with an error.
    pub(crate) fn begin(&self) {
        let _ = self.stop.send(true);
    }

    /// Waits until every connection has ended. Other clones of the pool may exist; they open none any more.
    pub(crate) async fn wait(mut self, pool: UpstreamPool) {
        self.begin();
        pool.0.warm.clear();
        let server = pool.0.server.clone();
        drop((pool, self.alive));
        let all = async { while self.ended.recv().await.is_some() {} };
        let _ = timeout(LONGEST, all).await;
        server.close().await;
    }
}
