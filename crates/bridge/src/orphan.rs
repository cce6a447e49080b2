//! Detects that the client has died although stdin is still open.
//!
//! A client that starts several servers may leave copies of their pipes in each of them. If it is killed, none of them
//! reads an end of file.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use linkspan_session::{Envelope, Layer, Verdict, Way};
use linkspan_wire::Kind;

/// The interval of the checks, and how many of them in a row must find silence. Clients are silent while a person
/// thinks, and their launcher may have ended on purpose, so this is long.
const LOOK: Duration = Duration::from_secs(10);
const SILENT: u32 = 60;

/// A layer that counts messages and unanswered requests.
#[derive(Clone, Default)]
pub(crate) struct Activity {
    messages: Arc<AtomicU64>,
    unanswered: Arc<AtomicI64>,
}

impl Layer for Activity {
    fn on(&mut self, way: Way, envelope: Envelope, _: Instant) -> Verdict {
        self.messages.fetch_add(1, Ordering::Relaxed);
        match (way, envelope.msg.kind()) {
            (Way::ToBack, Kind::Request) => self.unanswered.fetch_add(1, Ordering::Relaxed),
            (Way::ToFront, Kind::Result | Kind::Error) => {
                self.unanswered.fetch_sub(1, Ordering::Relaxed)
            }
            _ => 0,
        };
        Verdict::Pass(envelope)
    }
}

/// Counts how long the client has been silent without a parent process.
#[derive(Default)]
struct Watch {
    last: u64,
    silent: u32,
}

impl Watch {
    /// One check. `true` when it is time to end.
    fn look(&mut self, alone: bool, messages: u64, unanswered: i64) -> bool {
        let idle = alone && messages == self.last && unanswered <= 0;
        self.silent = if idle { self.silent + 1 } else { 0 };
        self.last = messages;
        self.silent >= SILENT
    }
}

/// Resolves when the parent process has ended and no message arrives.
#[cfg(unix)]
pub(crate) async fn orphaned(activity: Activity) {
    use std::os::unix::process::parent_id;

    let parent = parent_id();
    if parent == 1 {
        // Started by init: there is no client process to lose.
        return std::future::pending().await;
    }
    let mut watch = Watch::default();
    loop {
        tokio::time::sleep(LOOK).await;
        let messages = activity.messages.load(Ordering::Relaxed);
        let unanswered = activity.unanswered.load(Ordering::Relaxed);
        if watch.look(parent_id() != parent, messages, unanswered) {
            return tracing::info!("the client is gone");
        }
    }
}

/// Never resolves: only Unix re-parents an orphan.
#[cfg(not(unix))]
pub(crate) async fn orphaned(_: Activity) {
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
        for messages in 0..u64::from(10 * SILENT) {
            assert!(!watch.look(true, messages, 0), "messages arrive");
        }
        let messages = u64::from(10 * SILENT) - 1;
        let looks = (0..).take_while(|_| !watch.look(true, messages, 0)).count();
        assert_eq!(looks, SILENT as usize - 1);
    }
}
