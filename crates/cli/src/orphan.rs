//! Noticing that the client has died although our stdin stays open.
//!
//! A client that starts several servers may leave each of them a copy of the others' pipes. If it is
//! killed then, nobody gets an end of file, and the bridges stay behind as orphans.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use linkspan_session::{Envelope, Layer, Verdict, Way};
use linkspan_wire::Kind;

/// How often we look, and how often in a row nothing may have happened. Clients are silent while a
/// person thinks, and their launcher may have ended on purpose; so this is long.
const LOOK: Duration = Duration::from_secs(10);
const SILENT: u32 = 60;

/// Counts what is said, and what is still to be answered.
#[derive(Clone, Default)]
pub(crate) struct Pulse {
    said: Arc<AtomicU64>,
    owed: Arc<AtomicI64>,
}

impl Layer for Pulse {
    fn on(&mut self, way: Way, envelope: Envelope, _: Instant) -> Verdict {
        self.said.fetch_add(1, Ordering::Relaxed);
        match (way, envelope.msg.kind()) {
            (Way::ToBack, Kind::Request) => self.owed.fetch_add(1, Ordering::Relaxed),
            (Way::ToFront, Kind::Result | Kind::Error) => self.owed.fetch_sub(1, Ordering::Relaxed),
            _ => 0,
        };
        Verdict::Pass(envelope)
    }
}

/// Whether the client has been silent, and is gone, for long enough.
#[derive(Default)]
struct Watch {
    last: u64,
    silent: u32,
}

impl Watch {
    /// One look. `true` when it is time to go.
    fn look(&mut self, alone: bool, said: u64, owed: i64) -> bool {
        let idle = alone && said == self.last && owed <= 0;
        self.silent = if idle { self.silent + 1 } else { 0 };
        self.last = said;
        self.silent >= SILENT
    }
}

/// Resolves when our parent is gone and nobody else talks to us.
#[cfg(unix)]
pub(crate) async fn orphaned(pulse: Pulse) {
    use std::os::unix::process::parent_id;

    let parent = parent_id();
    if parent == 1 {
        // Started by init itself: there is nobody to lose.
        return std::future::pending().await;
    }
    let mut watch = Watch::default();
    loop {
        tokio::time::sleep(LOOK).await;
        let said = pulse.said.load(Ordering::Relaxed);
        let owed = pulse.owed.load(Ordering::Relaxed);
        if watch.look(parent_id() != parent, said, owed) {
            return tracing::info!("the client is gone");
        }
    }
}

/// Never resolves: only Unix tells who our parent is now.
#[cfg(not(unix))]
pub(crate) async fn orphaned(_: Pulse) {
    std::future::pending::<()>().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_long_silence_without_a_parent_and_without_a_call_ends_us() {
        let mut watch = Watch::default();
        for _ in 0..10 * SILENT {
            assert!(!watch.look(false, 7, 0), "the parent lives");
            assert!(!watch.look(true, 7, 1), "a call is under way");
        }
        for said in 0..u64::from(10 * SILENT) {
            assert!(!watch.look(true, said, 0), "somebody talks");
        }
        let said = u64::from(10 * SILENT) - 1;
        let looks = (0..).take_while(|_| !watch.look(true, said, 0)).count();
        assert_eq!(looks, SILENT as usize - 1);
    }
}
