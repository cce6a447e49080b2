//! Waiting for a condition, with a deadline.

use std::thread;
use std::time::{Duration, Instant};

use crate::LIMIT;

/// How often a condition is looked at.
const PAUSE: Duration = Duration::from_millis(5);

/// Looks until there is something, for [`LIMIT`] at most.
///
/// # Panics
/// When there is nothing until then.
#[track_caller]
pub fn wait_until<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    wait_within(LIMIT, what, look)
}

/// Looks until a condition holds, for [`LIMIT`] at most.
///
/// # Panics
/// When it does not hold until then.
#[track_caller]
pub fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    wait_until(what, || holds().then_some(()));
}

/// [`wait_until`] with another limit.
///
/// # Panics
/// When there is nothing until then.
#[track_caller]
pub fn wait_within<T>(limit: Duration, what: &str, look: impl FnMut() -> Option<T>) -> T {
    found_within(limit, look).unwrap_or_else(|| panic!("never saw {what}"))
}

/// Looks until a value has not changed for that long, for [`LIMIT`] at most. For states that no event tells: a
/// peer that is only slow is found still too early, which makes a test weaker and not wrong.
///
/// # Panics
/// When it changes until then.
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

/// Looks until there is something; `None`: there was nothing in that time.
pub fn found_within<T>(limit: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + limit;
    loop {
        // Looked at once more when the time is over: a machine under load may not have come to it.
        let is_over = Instant::now() >= end;
        let found = look();
        if found.is_some() || is_over {
            return found;
        }
        thread::sleep(PAUSE);
    }
}
