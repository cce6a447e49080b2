//! The wait before a stream is opened again.

use std::time::Duration;

/// The minimum, also for a server that sends `retry: 0`.
const LEAST: Duration = Duration::from_millis(50);
/// The longest wait for a server that sends `retry`, unless that is longer itself: it closes streams on purpose and
/// expects clients to reconnect.
const POLLING: Duration = Duration::from_secs(5);

/// Waits that grow while no message arrives.
pub(super) struct Pace {
    first: Duration,
    most: Duration,
    /// Waits since the last message.
    waits: u32,
}

impl Pace {
    /// `first` is the wait where the server names none.
    pub(super) fn new(first: Duration, most: Duration) -> Self {
        Self {
            first,
            most,
            waits: 0,
        }
    }

    /// Resets the wait after a message.
    pub(super) fn reset(&mut self) {
        self.waits = 0;
    }

    /// The next wait. `asked` is the server's own `retry`: it is the first wait, and then doubles.
    pub(super) fn wait(&mut self, asked: Option<Duration>) -> Duration {
        let first = asked.unwrap_or(self.first).clamp(LEAST, self.most);
        let most = match asked {
            Some(_) => POLLING.max(first),
            None => self.most,
        };
        let factor = 2u32.saturating_pow(self.waits.min(16));
        self.waits += 1;
        first.saturating_mul(factor).min(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(asked: Option<u64>) -> Vec<u128> {
        let mut pace = Pace::new(Duration::from_secs(1), Duration::from_secs(30));
        let asked = asked.map(Duration::from_millis);
        (0..10).map(|_| pace.wait(asked).as_millis()).collect()
    }

    #[test]
    fn a_server_that_asks_for_no_wait_is_not_hammered() {
        let waits = waits(Some(0));
        assert_eq!(waits[..4], [50, 100, 200, 400]);
        assert_eq!(waits[9], 5000);
    }

    #[test]
    fn the_servers_own_wait_is_kept_to() {
        assert_eq!(waits(Some(500))[..2], [500, 1000]);
        assert_eq!(waits(Some(10_000))[..2], [10_000, 10_000]);
        assert_eq!(waits(Some(u64::MAX))[0], 30_000);
    }

    #[test]
    fn a_message_resets_the_waits() {
        let mut pace = Pace::new(Duration::from_secs(1), Duration::from_secs(30));
        for _ in 0..50 {
            pace.wait(None);
        }
        assert_eq!(pace.wait(None), Duration::from_secs(30));
        pace.reset();
        assert_eq!(pace.wait(None), Duration::from_secs(1));
    }
}
