//! Limits the rate of messages of a call.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

const WINDOW: Duration = Duration::from_secs(60);

/// Allows a number of messages in any minute.
#[derive(Debug)]
pub(crate) struct Throttle {
    most: usize,
    told: VecDeque<Instant>,
}

impl Throttle {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            told: VecDeque::new(),
        }
    }

    /// Counts a message; `false` if the limit is reached.
    pub(crate) fn take(&mut self, now: Instant) -> bool {
        while self
            .told
            .front()
            .is_some_and(|then| now.duration_since(*then) >= WINDOW)
        {
            self.told.pop_front();
        }
        let room = self.told.len() < self.most;
        if room {
            self.told.push_back(now);
        }
        room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_per_minute_are_limited() {
        let mut throttle = Throttle::new(3);
        let start = Instant::now();
        let at = |secs| start + Duration::from_secs(secs);
        let took: Vec<bool> = [0, 1, 2, 3, 59, 60, 60, 61]
            .into_iter()
            .map(|secs| throttle.take(at(secs)))
            .collect();
        assert_eq!(took, [true, true, true, false, false, true, false, true]);
    }
}
