//! Reaps the orphans of child processes: they are re-parented to us, and would stay zombies.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use linkspan_spawn::{has_dead_orphans, reap_orphans};
use parking_lot::Mutex;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// How often, for all servers together.
const EVERY: Duration = Duration::from_secs(5);

static LAST: Mutex<Option<Instant>> = Mutex::new(None);

/// Reaps orphans periodically. Every server runs this task, but each round is done by a single task.
pub(super) async fn reap() -> Infallible {
    loop {
        sleep(EVERY).await;
        if is_due() && has_dead_orphans() {
            let _ = spawn_blocking(reap_orphans).await;
        }
    }
}

fn is_due() -> bool {
    let mut last = LAST.lock();
    let due = last.is_none_or(|last| last.elapsed() >= EVERY);
    if due {
        *last = Some(Instant::now());
    }
    due
}
