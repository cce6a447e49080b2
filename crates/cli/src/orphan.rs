//! Noticing that the client has died although our stdin stays open.
//!
//! A client that starts several servers may leave each of them a copy of the others' pipes. If it is
//! killed then, nobody gets an end of file, and the bridges stay behind as orphans.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use linkspan_session::{Envelope, Layer, Verdict, Way};

/// How often we look, and how often in a row nothing may have come.
const LOOK: Duration = Duration::from_secs(2);
const SILENT: u32 = 5;

/// Counts what the client says: a parent may end on purpose, and somebody else go on talking to us.
#[derive(Clone, Default)]
pub(crate) struct Pulse(Arc<AtomicU64>);

impl Layer for Pulse {
    fn on(&mut self, way: Way, envelope: Envelope) -> Verdict {
        if way == Way::ToBack {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        Verdict::Pass(envelope)
    }
}

/// Resolves when our parent is gone and nobody else talks to us.
#[cfg(unix)]
pub(crate) async fn orphaned(pulse: Pulse) {
    let parent = std::os::unix::process::parent_id();
    let mut last = u64::MAX;
    let mut silent = 0;
    // Started by init itself: there is nobody to lose.
    while parent != 1 && silent < SILENT {
        tokio::time::sleep(LOOK).await;
        let now = pulse.0.load(Ordering::Relaxed);
        let alone = std::os::unix::process::parent_id() != parent;
        silent = if alone && now == last { silent + 1 } else { 0 };
        last = now;
    }
    if parent == 1 {
        std::future::pending::<()>().await;
    }
    tracing::info!("the client is gone");
}

/// Never resolves: only Unix tells who our parent is now.
#[cfg(not(unix))]
pub(crate) async fn orphaned(_: Pulse) {
    std::future::pending::<()>().await;
}
