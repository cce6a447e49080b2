//! Stops calls to a server that cannot be reached, and tries it again from time to time.

use std::time::{Duration, Instant};

/// Failures in a row that open the breaker.
const FAILURES: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Counts failures of the transport in a row: a connection that fails or breaks, a process that exits, no answer.
/// Errors that the server itself answers with are no failures.
#[derive(Debug, Default)]
pub struct Breaker {
    failures: u32,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    until: Instant,
    pause: Duration,
    /// One call is under way to find out whether the server is back.
    is_probing: bool,
}

impl Breaker {
    /// Whether a call may be sent now; otherwise how long to wait. After the pause one call is let through; the others
    /// wait for its result.
    pub fn admit(&mut self, now: Instant) -> Result<(), Duration> {
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        let left = open.until.saturating_duration_since(now);
        if !left.is_zero() {
            return Err(left);
        }
        open.is_probing = true;
        // If the probe is cancelled, the next one follows after the same pause.
        open.until = now + open.pause;
        Ok(())
    }

    /// A call was answered.
    pub fn succeeded(&mut self) {
        *self = Self::default();
    }

    /// A call failed because of the transport.
    pub fn failed(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        match &mut self.open {
            Some(open) if open.is_probing => {
                open.pause = (open.pause * 2).min(LONGEST_PAUSE);
                open.until = now + open.pause;
                open.is_probing = false;
            }
            // A call that was sent before the breaker opened.
            Some(_) => {}
            None if self.failures >= FAILURES => {
                self.open = Some(Open {
                    until: now + FIRST_PAUSE,
                    pause: FIRST_PAUSE,
                    is_probing: false,
                });
            }
            None => {}
        }
    }

    /// Whether calls are refused.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(now: Instant) -> Breaker {
        let mut breaker = Breaker::default();
        for _ in 0..FAILURES {
            assert_eq!(breaker.admit(now), Ok(()));
            breaker.failed(now);
        }
        breaker
    }

    #[test]
    fn failures_in_a_row_open_it() {
        let now = Instant::now();
        let mut breaker = opened(now);
        assert_eq!(breaker.admit(now), Err(FIRST_PAUSE));
    }

    #[test]
    fn an_answer_between_failures_keeps_it_closed() {
        let now = Instant::now();
        let mut breaker = Breaker::default();
        for _ in 0..100 {
            (0..FAILURES - 1).for_each(|_| breaker.failed(now));
            breaker.succeeded();
        }
        assert!(!breaker.is_open());
    }

    #[test]
    fn after_the_pause_one_call_is_let_through() {
        let now = Instant::now();
        let mut breaker = opened(now);
        let later = now + FIRST_PAUSE;
        assert_eq!(breaker.admit(later), Ok(()));
        assert!(breaker.admit(later).is_err());
        breaker.succeeded();
        assert_eq!(breaker.admit(later), Ok(()));
    }

    #[test]
    fn pauses_grow_up_to_a_minute() {
        let mut now = Instant::now();
        let mut breaker = opened(now);
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
            let pause = Duration::from_secs(pause);
            assert_eq!(breaker.admit(now), Err(pause));
            now += pause;
            assert_eq!(breaker.admit(now), Ok(()));
            breaker.failed(now);
        }
    }

    #[test]
    fn a_probe_that_was_cancelled_is_followed_by_another() {
        let now = Instant::now();
        let mut breaker = opened(now);
        let later = now + FIRST_PAUSE;
        assert_eq!(breaker.admit(later), Ok(()));
        assert_eq!(breaker.admit(later + FIRST_PAUSE), Ok(()));
    }
}
