//! Waiting for a condition, with a deadline.

use std::thread;
use std::time::{Duration, Instant};

use crate::LIMIT;

/// How often a condition is checked.
const PAUSE: Duration = Duration::from_millis(5);

/// Polls until `look` returns a value, for [`LIMIT`] at most.
///
/// # Panics
/// When the limit passes.
#[track_caller]
pub fn wait_until<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    wait_within(LIMIT, what, look)
}

/// Polls until a condition holds, for [`LIMIT`] at most.
///
/// # Panics
/// When the limit passes.
#[track_caller]
pub fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    wait_until(what, || holds().then_some(()));
}

/// [`wait_until`] with another limit.
///
/// # Panics
/// When the limit passes.
#[track_caller]
pub fn wait_within<T>(limit: Duration, what: &str, look: impl FnMut() -> Option<T>) -> T {
    found_within(limit, look).unwrap_or_else(|| panic!("never saw {what}"))
}

/// Polls until a value has not changed for that long, for [`LIMIT`] at most. For states without an event: if a peer is
/// only slow, the result is too early, which makes a test weaker but not wrong.
///
/// # Panics
/// When the limit passes.
#[track_caller]
pub fn wait_until_still<T: PartialEq>(
    what: &str,
    time: Duration,
    mut look: impl FnMut() -> T,
) -> T {
    let mut last = (look(), Instant::now());
    wait_for(what, || {
        let now = look();
        if now != last.0 {
            last = (now, Instant::now());
        }
        last.1.elapsed() >= time
    });
    last.0
}

/// Polls until `look` returns a value; `None` if the limit passes.
pub fn found_within<T>(limit: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + limit;
    loop {
        // Polls once more after the limit: on a loaded machine the state may have changed since the last check.
        let is_over = Instant::now() >= end;
        let found = look();
        if found.is_some() || is_over {
            return found;
        }
        thread::sleep(PAUSE);
    }
}
