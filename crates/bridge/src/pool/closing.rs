//! The end of a pool.

use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::UpstreamPool;

/// How long all sessions together may take to end. Each has bounds of its own.
const LONGEST: Duration = Duration::from_secs(10);

/// Tells an [`UpstreamPool`] to close, and waits until it has.
pub(crate) struct Closing {
    stop: watch::Sender<bool>,
    ended: mpsc::Receiver<()>,
}

impl Closing {
    pub(super) fn new(stop: watch::Sender<bool>, ended: mpsc::Receiver<()>) -> Self {
        Self { stop, ended }
    }

    /// Ends every call and every session; what is under way is answered with an error.
    pub(crate) fn begin(&self) {
        let _ = self.stop.send(true);
    }

    /// Waits until every connection has ended.
    pub(crate) async fn wait(mut self, pool: UpstreamPool) {
        self.begin();
        pool.0.warm.clear();
        let server = pool.0.server.clone();
        drop(pool);
        let all = async { while self.ended.recv().await.is_some() {} };
        let _ = timeout(LONGEST, all).await;
        server.close().await;
    }
}
