//! The pause between failed starts of a server. A server that has answered a request does not count as failed; its
//! later exit concerns the client that it served. Starts are counted per cause, so that a client whose handshake
//! crashes servers does not delay others.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use linkspan_ports::Principal;
use parking_lot::Mutex;

/// A server that lives longer than this is restarted without delay.
const SHORT_LIFE: Duration = Duration::from_secs(5);
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// Causes that are remembered.
const MOST: usize = 1024;

/// What a server was started for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Cause {
    pub(crate) principal: Principal,
    /// A hash of the handshake.
    pub(crate) handshake: u64,
}

impl Cause {
    /// For a command that has one client.
    pub(crate) fn only() -> Self {
        Self {
            principal: Principal::anonymous(),
            handshake: 0,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Setback {
    /// Starts in a row that failed.
    starts: u32,
    last: Instant,
}

impl Setback {
    fn pause(self) -> Duration {
        let factor = 1 << self.starts.saturating_sub(1).min(10);
        (FIRST_WAIT * factor).min(LONGEST_WAIT)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Setbacks(Mutex<HashMap<Cause, Setback>>);

impl Setbacks {
    /// How long to wait before the next start, if at all.
    pub(crate) fn wait(&self, cause: &Cause, now: Instant) -> Option<Duration> {
        let setback = *self.0.lock().get(cause)?;
        (setback.last + setback.pause()).checked_duration_since(now)
    }

    /// Records that a server has exited, or could not be started. `answered` if it has sent a message.
    pub(crate) fn ended(&self, cause: &Cause, answered: bool, lived: Duration, now: Instant) {
        let mut all = self.0.lock();
        if answered || lived >= SHORT_LIFE {
            all.remove(cause);
            return;
        }
        if all.len() >= MOST && !all.contains_key(cause) {
            all.retain(|_, one| now.saturating_duration_since(one.last) < LONGEST_WAIT);
            let oldest = all.iter().min_by_key(|(_, one)| one.last);
            let oldest = oldest.map(|(cause, _)| cause.clone());
            if let Some(oldest) = oldest.filter(|_| all.len() >= MOST) {
                all.remove(&oldest);
            }
        }
        let starts = all.get(cause).map_or(0, |one| one.starts);
        let setback = Setback {
            starts: starts.saturating_add(1),
            last: now,
        };
        all.insert(cause.clone(), setback);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(who: &str, handshake: u64) -> Cause {
        Cause {
            principal: Principal::of_credentials(who.as_bytes()),
            handshake,
        }
    }

    #[test]
    fn starts_that_fail_wait_longer_each_time_and_only_for_the_same_cause() {
        let (setbacks, now) = (Setbacks::default(), Instant::now());
        let mut waits = Vec::new();
        for _ in 0..9 {
            setbacks.ended(&cause("a", 1), false, Duration::ZERO, now);
            waits.push(setbacks.wait(&cause("a", 1), now).unwrap().as_millis());
        }
        assert_eq!(waits, [100, 200, 400, 800, 1600, 3200, 6400, 10000, 10000]);
        assert_eq!(
            setbacks.wait(&cause("b", 1), now),
            None,
            "another principal"
        );
        assert_eq!(
            setbacks.wait(&cause("a", 2), now),
            None,
            "another handshake"
        );
        let later = now + LONGEST_WAIT + Duration::from_secs(1);
        assert_eq!(setbacks.wait(&cause("a", 1), later), None);
    }

    #[test]
    fn a_server_that_has_answered_is_started_again_at_once() {
        let (setbacks, now) = (Setbacks::default(), Instant::now());
        let one = cause("a", 1);
        for _ in 0..8 {
            setbacks.ended(&one, true, Duration::ZERO, now);
        }
        assert_eq!(setbacks.wait(&one, now), None);
        setbacks.ended(&one, false, Duration::ZERO, now);
        setbacks.ended(&one, true, Duration::ZERO, now);
        assert_eq!(setbacks.wait(&one, now), None, "it works");
    }

    #[test]
    fn the_memory_for_setbacks_is_bounded() {
        let (setbacks, now) = (Setbacks::default(), Instant::now());
        for n in 0..3 * MOST as u64 {
            setbacks.ended(&cause("a", n), false, Duration::ZERO, now);
        }
        assert_eq!(setbacks.0.lock().len(), MOST);
    }
}
